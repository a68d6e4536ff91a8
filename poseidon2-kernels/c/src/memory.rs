//! Words that callers point to.

use crate::status::Status;

/// So many words at an address where they can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<T> {
    first: *mut T,
    count: usize,
}

impl<T: Copy> Words<T> {
    /// `count` times `each` words from `first` on. Where there are none, any pointer will do.
    pub(crate) fn new(first: *const T, count: usize, each: usize) -> Result<Self, Status> {
        let first = first.cast_mut();
        let count = count.checked_mul(each).ok_or(Status::TooLarge)?;
        if count == 0 {
            return Ok(Self {
                first: std::ptr::dangling_mut(),
                count,
            });
        }
        let bytes = count.checked_mul(size_of::<T>());
        let bytes = bytes.filter(|bytes| *bytes <= isize::MAX.cast_unsigned());
        let end = bytes.and_then(|bytes| first.addr().checked_add(bytes));
        if first.is_null() {
            Err(Status::Null)
        } else if !first.is_aligned() {
            Err(Status::Misaligned)
        } else if end.is_none() {
            Err(Status::TooLarge)
        } else {
            Ok(Self { first, count })
        }
    }

    /// Refuses words of which some are among others.
    pub(crate) fn apart_from(self, others: Self) -> Result<(), Status> {
        // Neither end is more than the last address, by `new`.
        let [start, begin] = [self, others].map(|words| words.first.addr());
        let [end, finish] =
            [self, others].map(|words| words.first.wrapping_add(words.count).addr());
        let none = self.count == 0 || others.count == 0;
        if none || end <= begin || finish <= start {
            Ok(())
        } else {
            Err(Status::Overlap)
        }
    }

    /// To read.
    ///
    /// # Safety
    /// The words are there, and nobody writes them as long as the slice lives.
    pub(crate) unsafe fn as_slice<'a>(self) -> &'a [T] {
        // SAFETY: aligned, not null, and no more than `isize::MAX` bytes, by `new`; the rest is what
        // the caller says.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }

    /// To write, or to read and write.
    ///
    /// # Safety
    /// The words are there, and nobody else reads or writes them as long as the slice lives.
    pub(crate) unsafe fn as_mut_slice<'a>(self) -> &'a mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.first, self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(first: *const u64, count: usize, each: usize) -> Option<Status> {
        Words::new(first, count, each).err()
    }

    #[test]
    fn words_that_cannot_be_there_are_refused() {
        let words = [0_u64; 8];
        let first = words.as_ptr();
        let odd = first.wrapping_byte_add(1);
        let null = std::ptr::null();
        assert_eq!(refusal(first, 1, 8), None);
        assert_eq!(refusal(null, 1, 8), Some(Status::Null));
        assert_eq!(refusal(odd, 1, 8), Some(Status::Misaligned));
        for none in [null, odd] {
            assert_eq!(refusal(none, 0, 8), None);
            assert_eq!(refusal(none, usize::MAX, 0), None);
        }
        let most = isize::MAX.cast_unsigned() / 8;
        for (count, each) in [
            (usize::MAX, usize::MAX),
            (usize::MAX / 8 + 1, 8),
            (usize::MAX / 64 + 1, 8),
            (most + 1, 1),
        ] {
            assert_eq!(refusal(first, count, each), Some(Status::TooLarge));
        }
        assert_eq!(refusal(first, most, 1), None);
        // The last word ends at the last address, or would begin at address 0.
        let last = null.wrapping_byte_sub(16);
        assert_eq!(refusal(last, 1, 1), None);
        assert_eq!(refusal(last, 2, 1), Some(Status::TooLarge));
    }

    #[test]
    fn words_among_others_are_refused() {
        let words = [0_u64; 8];
        let part = |from: usize, count| Words::new(&raw const words[from], count, 1).unwrap();
        for (a, b, apart) in [
            (part(0, 4), part(4, 4), true),
            (part(0, 5), part(4, 4), false),
            (part(0, 8), part(3, 1), false),
            (part(2, 2), part(2, 2), false),
            (part(2, 0), part(0, 8), true),
        ] {
            assert_eq!(a.apart_from(b).is_ok(), apart, "{a:?}, {b:?}");
            assert_eq!(b.apart_from(a).is_ok(), apart, "{b:?}, {a:?}");
        }
    }
}

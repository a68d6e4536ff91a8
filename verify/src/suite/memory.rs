//! Guarded memory: operands lie between canaries, and those between pages that fault.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

use super::word::Word;

/// Where in the mapping the operand lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It ends where the mapping ends: reading one word too far faults.
    FlushEnd,
    /// It starts where the mapping starts: reading one word too early faults.
    FlushStart,
    /// One word off a cache line: aligned for its word and for nothing wider.
    Misaligned,
}

impl Placement {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::FlushEnd, Self::FlushStart, Self::Misaligned];
}

/// Words in a mapping of their own, with an inaccessible page on either side.
#[derive(Debug)]
pub struct Guarded<T> {
    mapping: NonNull<c_void>,
    mapped: usize,
    /// The accessible part: canaries, operand, canaries.
    inside: NonNull<T>,
    inside_words: usize,
    start: usize,
    len: usize,
}

impl<T: Word> Guarded<T> {
    /// Maps room for `len` words, and for canaries round them.
    ///
    /// # Errors
    /// Where the system refuses the mapping.
    pub fn new(len: usize, placement: Placement) -> io::Result<Self> {
        const LINE: usize = 64;
        let word = size_of::<T>();
        // SAFETY: `sysconf` has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).map_err(io::Error::other)?;
        let inside = (len * word + 2 * LINE).next_multiple_of(page);
        let mapped = inside + 2 * page;
        // SAFETY: a new anonymous mapping overlaps nothing.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping).ok_or_else(|| io::Error::other("mapped at null"))?;
        let inside_words = inside / word;
        // SAFETY: the mapping is longer than a page.
        let first = unsafe { mapping.byte_add(page) };
        let mut guarded = Self {
            mapping,
            mapped,
            inside: first.cast(),
            inside_words,
            start: match placement {
                Placement::FlushEnd => inside_words - len,
                Placement::FlushStart => 0,
                Placement::Misaligned => LINE / word + 1,
            },
            len,
        };
        // SAFETY: this range is a part of our mapping, which nobody else knows of.
        let opened =
            unsafe { libc::mprotect(first.as_ptr(), inside, libc::PROT_READ | libc::PROT_WRITE) };
        if opened != 0 {
            return Err(io::Error::last_os_error());
        }
        guarded.inside_mut().fill(T::CANARY);
        Ok(guarded)
    }

    fn inside(&self) -> &[T] {
        // SAFETY: the accessible part is ours, has this length, and the system zeroed it.
        unsafe { std::slice::from_raw_parts(self.inside.as_ptr(), self.inside_words) }
    }

    fn inside_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `inside`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.inside.as_ptr(), self.inside_words) }
    }

    /// The operand.
    #[must_use]
    pub fn words(&self) -> &[T] {
        &self.inside()[self.start..self.start + self.len]
    }

    /// The operand, to write.
    pub fn words_mut(&mut self) -> &mut [T] {
        let range = self.start..self.start + self.len;
        &mut self.inside_mut()[range]
    }

    /// The distance of the first damaged canary from the operand: negative before its start, 0 and
    /// up after its end.
    #[must_use]
    pub fn damage(&self) -> Option<isize> {
        let damaged = |words: &[T]| words.iter().position(|word| *word != T::CANARY);
        let (before, rest) = self.inside().split_at(self.start);
        damaged(before)
            .map(|i| i.cast_signed() - self.start.cast_signed())
            .or_else(|| damaged(&rest[self.len..]).map(usize::cast_signed))
    }

    /// Mends the canaries.
    pub fn mend(&mut self) {
        let (start, end) = (self.start, self.start + self.len);
        let inside = self.inside_mut();
        inside[..start].fill(T::CANARY);
        inside[end..].fill(T::CANARY);
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: this unmaps exactly what `new` mapped.
        unsafe { libc::munmap(self.mapping.as_ptr(), self.mapped) };
    }
}

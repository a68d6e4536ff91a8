//! Guarded memory: operands lie between canaries, and those between pages that fault.

#[cfg(not(unix))]
#[path = "memory/allocated.rs"]
mod pages;
#[cfg(unix)]
#[path = "memory/mapped.rs"]
mod pages;

use std::io;
use std::marker::PhantomData;

use super::word::Word;
use pages::Pages;

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

/// Words in pages of their own, with an inaccessible page on either side where there is such a thing.
#[derive(Debug)]
pub struct Guarded<T> {
    /// Canaries, operand, canaries.
    pages: Pages,
    start: usize,
    len: usize,
    words: PhantomData<T>,
}

impl<T: Word> Guarded<T> {
    /// Takes room for `len` words, and for canaries round them.
    ///
    /// # Errors
    /// Where the system refuses it.
    pub fn new(len: usize, placement: Placement) -> io::Result<Self> {
        const LINE: usize = 64;
        let word = size_of::<T>();
        let pages = Pages::new(len * word + 2 * LINE)?;
        let start = match placement {
            Placement::FlushEnd => pages.bytes / word - len,
            Placement::FlushStart => 0,
            Placement::Misaligned => LINE / word + 1,
        };
        let mut guarded = Self {
            pages,
            start,
            len,
            words: PhantomData,
        };
        guarded.inside_mut().fill(T::CANARY);
        Ok(guarded)
    }

    fn inside(&self) -> &[T] {
        let words = self.pages.bytes / size_of::<T>();
        // SAFETY: the pages are ours, have this length, and were zeroed.
        unsafe { std::slice::from_raw_parts(self.pages.first.as_ptr().cast(), words) }
    }

    fn inside_mut(&mut self) -> &mut [T] {
        let words = self.pages.bytes / size_of::<T>();
        // SAFETY: as in `inside`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.pages.first.as_ptr().cast(), words) }
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
        let (before, rest) = self.inside().split_at(self.start);
        let after = &rest[self.len..];
        // Each call looks at pages of them, which are nearly always whole. A loop without an early exit is
        // compiled to vector instructions.
        let differ = |bits, word: &T| bits | (word.to_u64() ^ T::CANARY.to_u64());
        if before.iter().chain(after).fold(0, differ) == 0 {
            return None;
        }
        let damaged = |words: &[T]| words.iter().position(|word| *word != T::CANARY);
        damaged(before)
            .map(|i| i.cast_signed() - self.start.cast_signed())
            .or_else(|| damaged(after).map(usize::cast_signed))
    }

    /// Mends the canaries.
    pub fn fix(&mut self) {
        let (start, end) = (self.start, self.start + self.len);
        let inside = self.inside_mut();
        inside[..start].fill(T::CANARY);
        inside[end..].fill(T::CANARY);
    }
}

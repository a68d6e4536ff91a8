//! Machine words that hold one field element, and what they mean.

use std::fmt::Debug;

use crate::oracle::Field;

/// `u64` or `u32`: the word type of a kernel.
pub trait Word: Copy + Debug + Eq + Send + Sync + 'static {
    /// A word that no kernel should write by chance; it fills the memory around operands.
    const CANARY: Self;

    /// Narrows; bits that do not fit are lost.
    fn from_u64(x: u64) -> Self;

    /// Widens.
    fn to_u64(self) -> u64;
}

impl Word for u64 {
    const CANARY: Self = 0xc0de_cafe_5a5a_a5a5;

    fn from_u64(x: u64) -> Self {
        x
    }

    fn to_u64(self) -> u64 {
        self
    }
}

impl Word for u32 {
    const CANARY: Self = 0xc0de_cafe;

    #[expect(clippy::cast_possible_truncation, reason = "documented to narrow")]
    fn from_u64(x: u64) -> Self {
        x as Self
    }

    fn to_u64(self) -> u64 {
        u64::from(self)
    }
}

impl Field {
    /// The word that stands for a residue in kernels' tables and outputs.
    #[must_use]
    pub fn encode(&self, residue: u64) -> u64 {
        self.reduce(u128::from(residue) << self.montgomery_bits)
    }

    /// The residue that a word stands for, be it canonical or not.
    #[must_use]
    pub fn decode(&self, word: u64) -> u64 {
        let half = u128::from(self.modulus.div_ceil(2));
        let halve = |x, _| self.reduce(u128::from(x) * half);
        (0..self.montgomery_bits).fold(self.reduce(u128::from(word)), halve)
    }

    /// Whether a kernel may give this word for this residue.
    #[must_use]
    pub fn agrees(&self, word: u64, residue: u64) -> bool {
        if self.montgomery_bits == 0 {
            self.decode(word) == residue
        } else {
            word == self.encode(residue)
        }
    }

    fn reduce(&self, x: u128) -> u64 {
        u64::try_from(x % u128::from(self.modulus)).expect("a residue is below p, which fits u64")
    }
}

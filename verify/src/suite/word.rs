//! Machine words that hold one field element, and what they mean.

use std::fmt::Debug;

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

//! How words stand for integers.

use std::fmt;

use super::Range;
use crate::term::Term;

/// The signs of both halves of a word.
const SIGNS: u64 = 1 << 63 | 1 << 31;

/// How a word stands for an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As it is.
    Unsigned,
    /// In two's complement.
    Signed,
    /// Both halves in two's complement: `2^32` times the high one and the low one.
    Halves,
    /// Its low 52 bits are `2^10` times the integer, modulo `2^52`; the bits above mean nothing. Who
    /// reads it needs to know that the integer is non-negative and below `2^42`.
    Shifted,
    /// As it is, below `2^52`.
    Below52,
    /// As it is, below `2^63`; products are of the low 52 bits of words.
    Below63,
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsigned => "an unsigned integer",
            Self::Signed => "a signed integer",
            Self::Halves => "two signed halves",
            Self::Shifted => "a limb, 10 bits up",
            Self::Below52 => "an unsigned integer below 2^52",
            Self::Below63 => "an unsigned integer below 2^63",
        })
    }
}

impl Reading {
    /// The integer that a word of so many bits stands for.
    #[must_use]
    pub fn integer(self, word: u64, bits: u32) -> i128 {
        match self {
            Self::Unsigned | Self::Below52 | Self::Below63 => i128::from(word),
            Self::Signed => i128::from((word << (64 - bits)).cast_signed() >> (64 - bits)),
            Self::Halves => {
                let half = |word: u64| i128::from((word as u32).cast_signed());
                (half(word >> 32) << 32) + half(word)
            }
            Self::Shifted => i128::from(word << 12 >> 22),
        }
    }

    /// A word that stands for an integer.
    #[must_use]
    pub fn word(self, integer: i128) -> u64 {
        match self {
            Self::Unsigned | Self::Signed => integer as u64,
            // With the signs of both halves flipped it is the integer less the least.
            Self::Halves => (integer as u64).wrapping_add(SIGNS) ^ SIGNS,
            Self::Below52 => integer as u64 & (u64::MAX >> 12),
            Self::Below63 => integer as u64 & (u64::MAX >> 1),
            Self::Shifted => (integer as u64) << 10,
        }
    }

    /// The integers that words of so many bits stand for.
    pub fn range(self, bits: u32) -> Range {
        match self {
            Self::Unsigned => Range::word(bits),
            Self::Signed => Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Self::Halves => Range::new(-i128::from(SIGNS), u64::MAX as i128 - i128::from(SIGNS)),
            Self::Shifted => Range::word(42),
            Self::Below52 => Range::word(52),
            Self::Below63 => Range::word(63),
        }
    }

    /// The integer as a term of `width` bits.
    pub(super) fn term(self, word: &Term, width: u32) -> Term {
        match self {
            Self::Unsigned | Self::Below52 | Self::Below63 => word.resize(width),
            Self::Signed => word.sign_extend(width),
            Self::Halves => {
                let half = |from| word.bits(from, 32).sign_extend(width);
                half(32).shl(32).add(&half(0))
            }
            Self::Shifted => word.bits(10, 42).resize(width),
        }
    }

    /// The bits in which a word that stands for an integer holds it.
    pub(super) fn held(self, width: u32) -> u32 {
        match self {
            Self::Shifted => 42,
            _ => width,
        }
    }

    /// Whether the integer may be negative.
    pub(super) fn is_signed(self) -> bool {
        matches!(self, Self::Signed | Self::Halves)
    }

    /// Whether products are of the low 52 bits of words.
    pub(super) fn multiplies_52(self) -> bool {
        matches!(self, Self::Shifted | Self::Below52 | Self::Below63)
    }

    /// That a word stands for an integer at all, as a one-bit term; `None` if every word does.
    pub(super) fn valid(self, word: &Term) -> Option<Term> {
        let zero = |from, width| word.bits(from, width).equals(&Term::constant(0, width));
        match self {
            Self::Unsigned | Self::Signed | Self::Halves => None,
            Self::Shifted => Some(zero(0, 10)),
            Self::Below52 => Some(zero(52, word.width() - 52)),
            Self::Below63 => Some(zero(63, word.width() - 63)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_integers() {
        use Reading::{Below52, Below63, Halves, Shifted, Signed, Unsigned};
        for reading in [Unsigned, Signed, Halves, Shifted, Below52, Below63] {
            let Range { lo, hi } = reading.range(64);
            for integer in [lo, lo + 1, 0, 1, 1 << 32, hi - 1, hi] {
                assert_eq!(
                    reading.integer(reading.word(integer), 64),
                    integer,
                    "{reading}"
                );
            }
        }
        assert_eq!(Signed.integer(0xffff_fffe, 32), -2);
    }
}

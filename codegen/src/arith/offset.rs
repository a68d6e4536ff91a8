//! Pairs of integers that stand for zero: `low + 2^32·high ≡ 0 (mod p)`.
//!
//! With `φ = 2^32` and `p = φ² - φ + 1`, the vectors `(φ, -1)` and `(1, φ - 1)` stand for `0` and
//! `p`. Their sum is `(φ + 1, φ - 2)`; so every multiple `n·(φ + 1, φ - 2)` stands for zero while
//! both its parts are large. Adding one makes parts non-negative without changing the element.

use crate::ir::Part;
use std::fmt;

/// A pair that stands for zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Offset {
    /// About `2^61` in both parts: makes any sum of parts below that in magnitude non-negative.
    Wide,
    /// About `2^41` in both parts: makes non-negative what is divided by a power of two.
    Narrow,
}

impl Offset {
    /// Every offset.
    pub const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// Its name in sites and certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }

    /// Names of its parts in templates.
    #[must_use]
    pub const fn constant(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Wide, Part::Low) => "WIDE_LOW",
            (Self::Wide, Part::High) => "WIDE_HIGH",
            (Self::Narrow, Part::Low) => "NARROW_LOW",
            (Self::Narrow, Part::High) => "NARROW_HIGH",
        }
    }

    /// The integer that it adds to a part.
    #[must_use]
    pub const fn value(self, part: Part) -> i64 {
        let multiple = match self {
            Self::Wide => 1 << 29,
            Self::Narrow => 1 << 9,
        };
        match part {
            Part::Low => multiple * ((1 << 32) + 1),
            Part::High => multiple * ((1 << 32) - 2),
        }
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stand_for_zero() {
        let p = 0xffff_ffff_0000_0001;
        for offset in Offset::ALL {
            let part = |part| i128::from(offset.value(part));
            assert_eq!((part(Part::Low) + (part(Part::High) << 32)) % p, 0);
        }
    }
}

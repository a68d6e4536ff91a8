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
    /// About `2^57` in both parts: makes sums of limbs non-negative.
    Limb,
}

impl Offset {
    /// Every offset.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Narrow, Self::Limb];

    /// Its name in sites and certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
            Self::Limb => "limb",
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
            (Self::Limb, Part::Low) => "LIMB_LOW",
            (Self::Limb, Part::High) => "LIMB_HIGH",
        }
    }

    /// The integer that it adds to a part.
    #[must_use]
    pub const fn value(self, part: Part) -> i64 {
        let multiple = match self {
            Self::Wide => 1 << 29,
            Self::Narrow => 1 << 9,
            Self::Limb => 1 << 25,
        };
        match part {
            Part::Low => multiple * ((1 << 32) + 1),
            Part::High => multiple * ((1 << 32) - 2),
        }
    }
}

/// A pair that stands for zero and makes the low limb non-negative: `(φ, -1)`, or
/// `(k·φ + 1, φ - 1 - k)`, which stands for `p`.
///
/// Neither part costs an instruction: one is the initial value of a product's accumulator, the
/// other is added when a limb is shifted up for the next product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Balance {
    /// `(φ, -1)` on the operand of an S-box.
    Unit,
    /// On `x²`.
    Square,
    /// On `x³`.
    Cube,
    /// On `x⁴`.
    Fourth,
}

impl Balance {
    /// Every balance.
    pub const ALL: [Self; 4] = [Self::Unit, Self::Square, Self::Cube, Self::Fourth];

    /// The integer that it adds to a part. That `k` is enough is for ranges to prove.
    #[must_use]
    pub const fn value(self, part: Part) -> i64 {
        let k = match (self, part) {
            (Self::Unit, Part::Low) => return 1 << 32,
            (Self::Unit, Part::High) => return -1,
            (Self::Square, _) => 7,
            (Self::Cube, _) => 44,
            (Self::Fourth, _) => 304,
        };
        match part {
            Part::Low => (k << 32) + 1,
            Part::High => (1 << 32) - 1 - k,
        }
    }

    /// Its name in sites and certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Square => "square",
            Self::Cube => "cube",
            Self::Fourth => "fourth",
        }
    }

    /// Name of a part in templates, as many bits up as it is needed.
    #[must_use]
    pub const fn constant(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Unit, Part::Low) => "UNIT_LOW",
            (Self::Unit, Part::High) => "UNIT_HIGH",
            (Self::Square, Part::Low) => "SQUARE_LOW",
            (Self::Square, Part::High) => "SQUARE_HIGH",
            (Self::Cube, Part::Low) => "CUBE_LOW",
            (Self::Cube, Part::High) => "CUBE_HIGH",
            (Self::Fourth, Part::Low) => "FOURTH_LOW",
            (Self::Fourth, Part::High) => "FOURTH_HIGH",
        }
    }

    /// Bits by which the named constant is shifted up: 10 where it meets a limb, 20 where it meets
    /// a product.
    #[must_use]
    pub const fn shift(self, part: Part) -> u32 {
        match (self, part) {
            (Self::Unit, _) | (_, Part::Low) => 10,
            (_, Part::High) => 20,
        }
    }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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

    #[test]
    fn balances_stand_for_zero() {
        let p = 0xffff_ffff_0000_0001;
        for balance in Balance::ALL {
            let part = |part| i128::from(balance.value(part));
            assert_eq!((part(Part::Low) + (part(Part::High) << 32)) % p, 0);
        }
    }
}

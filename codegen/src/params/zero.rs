//! Pairs of integers that are added to parts: most stand for zero, `low + 2^32·high ≡ 0 (mod p)`, or `low + 2^48·high`.
//!
//! With `φ = 2^32` and `p = φ² - φ + 1`, the vectors `(φ, -1)` and `(1, φ - 1)` stand for `0` and
//! `p`. So every `n·(φ, -1) + m·(1, φ - 1)` stands for zero, and adding one brings parts to where
//! they are wanted without changing the element: with `n = m` both parts become non-negative. Where the high
//! part weighs `2^48`, such vectors are `(2^48, -1)` and `(1 - φ, 2^16)`.
//!
//! One pair does not: [`Offset::Halves`] stands for `2^31`, which `pack-halves` takes away again.

use crate::names::{Part, vocabulary};

vocabulary!(
    /// A pair that is added to parts.
    Offset, {
        /// About `2^61` in both parts: makes any sum of parts below that in magnitude non-negative.
        Wide = "wide",
        /// About `2^41` in both parts: makes non-negative what is divided by a power of two.
        Narrow = "narrow",
        /// About `2^60` and `-2^57`: brings sums of limbs to where `carry` gives non-negative ones.
        Limb = "limb",
        /// About `2^62` and `2^29`, where the high part weighs `2^48`: makes any sum of parts non-negative.
        Radix48 = "radix48",
        /// [`Self::Wide`] and `(2^31 - 2^63, 2^31)`: what `pack-halves` takes.
        Halves = "halves",
    }
);

impl Offset {
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
            (Self::Radix48, Part::Low) => "RADIX48_LOW",
            (Self::Radix48, Part::High) => "RADIX48_HIGH",
            (Self::Halves, Part::Low) => "HALVES_LOW",
            (Self::Halves, Part::High) => "HALVES_HIGH",
        }
    }

    /// The integer that it adds to a part.
    #[must_use]
    pub const fn value(self, part: Part) -> i64 {
        let (zero, modulus) = match self {
            Self::Wide => (1 << 29, 1 << 29),
            Self::Narrow => (1 << 9, 1 << 9),
            Self::Limb => (1 << 28, -(1 << 25)),
            Self::Radix48 => {
                let (zero, up) = (1 << 14, 1 << 13);
                return match part {
                    Part::Low => (zero << 48) - up * ((1 << 32) - 1),
                    Part::High => (up << 16) - zero,
                };
            }
            Self::Halves => {
                let by = match part {
                    Part::Low => (1 << 31) + i64::MIN,
                    Part::High => 1 << 31,
                };
                return Self::Wide.value(part) + by;
            }
        };
        match part {
            Part::Low => (zero << 32) + modulus,
            Part::High => modulus * ((1 << 32) - 1) - zero,
        }
    }
}

vocabulary!(
    /// A pair that stands for `p` and makes the low limb of a product non-negative:
    /// `(k·φ + 1, φ - 1 - k)`.
    ///
    /// It costs no instruction: its parts are the initial values of the product's accumulators.
    Balance, {
        /// On `x²`.
        Square = "square",
        /// On `x³`.
        Cube = "cube",
        /// On `x⁴`.
        Fourth = "fourth",
    }
);

impl Balance {
    /// The integer that it adds to a part. That `k` is enough is for ranges to prove.
    #[must_use]
    pub const fn value(self, part: Part) -> i64 {
        let k = match self {
            Self::Square => 7,
            Self::Cube => 44,
            Self::Fourth => 304,
        };
        match part {
            Part::Low => (k << 32) + 1,
            Part::High => (1 << 32) - 1 - k,
        }
    }

    /// Name of a part in templates, where it is [`Self::SHIFT`] bits up.
    #[must_use]
    pub const fn constant(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Square, Part::Low) => "SQUARE_LOW",
            (Self::Square, Part::High) => "SQUARE_HIGH",
            (Self::Cube, Part::Low) => "CUBE_LOW",
            (Self::Cube, Part::High) => "CUBE_HIGH",
            (Self::Fourth, Part::Low) => "FOURTH_LOW",
            (Self::Fourth, Part::High) => "FOURTH_HIGH",
        }
    }

    /// Name of the sum of both parts, for accumulators of which one goes into the other.
    #[must_use]
    pub const fn both(self) -> &'static str {
        match self {
            Self::Square => "SQUARE_BOTH",
            Self::Cube => "CUBE_BOTH",
            Self::Fourth => "FOURTH_BOTH",
        }
    }

    /// Bits by which the named constants are shifted up: those of a product of two limbs that are
    /// 10 bits up.
    pub const SHIFT: u32 = 20;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stand_for_what_they_say() {
        let p = 0xffff_ffff_0000_0001;
        for offset in Offset::ALL {
            let part = |part| i128::from(offset.value(part));
            let radix = if offset == Offset::Radix48 { 48 } else { 32 };
            let sum = part(Part::Low) + (part(Part::High) << radix);
            let residue = if offset == Offset::Halves { 1 << 31 } else { 0 };
            assert_eq!(sum % p, residue);
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

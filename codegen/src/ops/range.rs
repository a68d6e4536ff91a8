//! Exact inclusive integer ranges of machine words.

use std::fmt;

/// An inclusive range of integers, `lo ..= hi`. Never empty.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// Least value.
    pub lo: i128,
    /// Greatest value.
    pub hi: i128,
}

impl Range {
    /// The range `lo ..= hi`.
    ///
    /// # Panics
    /// If it would be empty.
    pub fn new(lo: i128, hi: i128) -> Self {
        assert!(lo <= hi, "empty range {lo} ..= {hi}");
        Self { lo, hi }
    }

    /// Every unsigned word of `bits` bits (at most 126).
    pub fn word(bits: u32) -> Self {
        Self::new(0, (1 << bits) - 1)
    }

    /// `0 ..= bound - 1`.
    pub fn below(bound: u64) -> Self {
        Self::new(0, i128::from(bound) - 1)
    }

    /// One word.
    pub fn only(word: u64) -> Self {
        Self::new(word.into(), word.into())
    }

    /// Whether every value of `other` lies in `self`.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The smallest range that contains both.
    pub fn join(&self, other: &Self) -> Self {
        Self::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// The exact range of `Σ coefficients[i]·x[i]` for independent `x[i]`.
    pub fn linear(coefficients: &[i128], operands: &[Self]) -> Self {
        assert_eq!(coefficients.len(), operands.len());
        let (mut lo, mut hi) = (0, 0);
        for (&c, x) in coefficients.iter().zip(operands) {
            lo += if c >= 0 { c * x.lo } else { c * x.hi };
            hi += if c >= 0 { c * x.hi } else { c * x.lo };
        }
        Self::new(lo, hi)
    }
}

/// A bound, written as kernel engineers do: relative to the nearest of `2^64`, `2^32` and the like.
pub(crate) struct Bound(pub(crate) i128);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if (-65536..=65536).contains(&value) {
            return write!(f, "{value}");
        }
        for bits in [32u32, 52, 63, 64, 65, 96] {
            let distance = value.saturating_sub(1i128 << bits);
            match distance {
                0 => return write!(f, "2^{bits}"),
                -65536..=-1 => return write!(f, "2^{bits}-{}", -distance),
                1..=65536 => return write!(f, "2^{bits}+{distance}"),
                _ => {}
            }
        }
        if value < 0 {
            write!(f, "-{:#x}", value.unsigned_abs())
        } else {
            write!(f, "{value:#x}")
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ..= {}", Bound(self.lo), Bound(self.hi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_is_exact() {
        let x = Range::new(1, 3);
        let y = Range::new(-2, 5);
        assert_eq!(Range::linear(&[2, -1], &[x, y]), Range::new(-3, 8));
    }

    #[test]
    fn bounds_read_well() {
        assert_eq!(Range::word(64).to_string(), "0 ..= 2^64-1");
        assert_eq!(
            Range::below(0xffff_ffff_0000_0001).to_string(),
            "0 ..= 0xffffffff00000000"
        );
    }
}

//! Entries of the internal diagonal: small integers over powers of two.

use std::fmt;
use std::str::FromStr;

use super::Field;

/// `±numerator / 2^shift`, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    /// Sign; never set for zero.
    pub negative: bool,
    /// Magnitude of the numerator; odd if `shift` is positive.
    pub numerator: u64,
    /// Exponent of the denominator.
    pub shift: u32,
}

/// Why a text is not a [`Rational`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseRationalError {
    /// Neither `n`, `n/d` nor `n/2^k`.
    #[error("not of the form `n`, `n/2^k` or `-n/2^k`")]
    Malformed,
    /// A denominator that is no power of two.
    #[error("its denominator is not a power of two")]
    Denominator,
    /// A denominator beyond `2^64`.
    #[error("its denominator is greater than 2^64")]
    Shift,
}

impl Rational {
    /// 1.
    pub const ONE: Self = Self::integer(1);

    /// The greatest numerator that is multiplied by with shifts and sums.
    pub const SMALL: u64 = 32;

    /// `±numerator / 2^shift`, brought to lowest terms.
    #[must_use]
    pub const fn new(negative: bool, numerator: u64, shift: u32) -> Self {
        if numerator == 0 {
            return Self {
                negative: false,
                numerator,
                shift: 0,
            };
        }
        let twos = numerator.trailing_zeros();
        let common = if twos < shift { twos } else { shift };
        Self {
            negative,
            numerator: numerator >> common,
            shift: shift - common,
        }
    }

    /// Whether a multiple by it is larger in magnitude than what is multiplied.
    #[must_use]
    pub const fn grows(&self) -> bool {
        self.shift < u64::BITS && self.numerator > 1 << self.shift
    }

    /// Whether words are multiplied by it with shifts and sums; by other numbers with a product.
    #[must_use]
    pub const fn is_small(&self, field: &Field) -> bool {
        self.numerator <= Self::SMALL && self.shift <= Self::most_shift(field)
    }

    /// The greatest exponent of a power of two that words are divided by.
    const fn most_shift(field: &Field) -> u32 {
        if field.is_montgomery() { 31 } else { 32 }
    }

    /// A number of that residue: a small one with a numerator up to 4, if there is one.
    #[must_use]
    pub fn of_residue(field: &Field, residue: u64) -> Self {
        let mut multiple = residue;
        for shift in 0..=Self::most_shift(field) {
            for (negative, numerator) in [(false, multiple), (true, field.neg(multiple))] {
                if numerator <= 4 {
                    return Self::new(negative, numerator, shift);
                }
            }
            multiple = field.add(multiple, multiple);
        }
        Self::new(false, residue, 0)
    }

    /// The integer `value`.
    #[must_use]
    pub const fn integer(value: i64) -> Self {
        Self::new(value < 0, value.unsigned_abs(), 0)
    }

    /// Its value in `[0, p)`.
    #[must_use]
    pub fn residue(&self, field: &Field) -> u64 {
        let half = field.modulus.div_ceil(2);
        let magnitude = field.mul(self.numerator, field.pow(half, u64::from(self.shift)));
        if self.negative {
            field.neg(magnitude)
        } else {
            magnitude
        }
    }
}

impl FromStr for Rational {
    type Err = ParseRationalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = |text: &str| {
            if let Some(digits) = text.strip_prefix("0x") {
                let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                let number = u64::from_str_radix(digits, 16).ok().filter(|_| plain);
                return number.ok_or(ParseRationalError::Malformed);
            }
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            plain
                .then(|| text.parse::<u64>().ok())
                .flatten()
                .ok_or(ParseRationalError::Malformed)
        };
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (numerator, denominator) = magnitude.split_once('/').unwrap_or((magnitude, "1"));
        let shift = match denominator.strip_prefix("2^") {
            Some(exponent) => {
                u32::try_from(digits(exponent)?).map_err(|_| ParseRationalError::Shift)?
            }
            None => match digits(denominator)? {
                power if power.is_power_of_two() => power.trailing_zeros(),
                _ => return Err(ParseRationalError::Denominator),
            },
        };
        if shift > 64 {
            return Err(ParseRationalError::Shift);
        }
        Ok(Self::new(negative, digits(numerator)?, shift))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        match self.shift {
            0 => write!(f, "{sign}{}", self.numerator),
            1 => write!(f, "{sign}{}/2", self.numerator),
            shift => write!(f, "{sign}{}/2^{shift}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR};

    #[test]
    fn parses_and_prints() {
        for (text, negative, numerator, shift) in [
            ("-2", true, 2, 0),
            ("0", false, 0, 0),
            ("1/2", false, 1, 1),
            ("-1/2^3", true, 1, 3),
            ("1/2^32", false, 1, 32),
            ("3/2^2", false, 3, 2),
        ] {
            let value: Rational = text.parse().unwrap();
            assert_eq!(
                value,
                Rational {
                    negative,
                    numerator,
                    shift
                }
            );
            assert_eq!(value.to_string(), text);
        }
        assert_eq!("6/8".parse(), Ok(Rational::new(false, 3, 2)));
        assert_eq!("-0".parse(), Ok(Rational::integer(0)));
    }

    #[test]
    fn refuses() {
        for text in [
            "", "-", "--1", "+1", "1.5", "1/", "/2", "1/2^", "1/2^-1", "1/-2", "1 /2", "x",
        ] {
            assert_eq!(
                text.parse::<Rational>(),
                Err(ParseRationalError::Malformed),
                "{text}"
            );
        }
        assert_eq!(
            "1/3".parse::<Rational>(),
            Err(ParseRationalError::Denominator)
        );
        assert_eq!(
            "1/0".parse::<Rational>(),
            Err(ParseRationalError::Denominator)
        );
        assert_eq!("1/2^65".parse::<Rational>(), Err(ParseRationalError::Shift));
        assert_eq!(
            "1/2^99999999999".parse::<Rational>(),
            Err(ParseRationalError::Shift)
        );
    }

    #[test]
    fn residues_have_small_numbers_where_there_are_some() {
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            for text in ["0", "1", "-2", "3", "1/2", "-1/2^3", "1/2^24", "-3/2^31"] {
                let number: Rational = text.parse().unwrap();
                assert_eq!(Rational::of_residue(field, number.residue(field)), number);
                assert!(number.is_small(field));
            }
            let large: Rational = "0x12345678".parse().unwrap();
            assert_eq!(Rational::of_residue(field, 0x1234_5678), large);
            assert!(!large.is_small(field));
        }
        assert!(!Rational::new(false, 1, 32).is_small(&KOALA_BEAR));
        assert!(Rational::new(false, 3, 1).grows() && Rational::new(false, 2, 0).grows());
        assert!(!Rational::new(false, 1, 64).grows() && !Rational::ONE.grows());
    }

    #[test]
    fn residues() {
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            assert_eq!(Rational::integer(-2).residue(field), field.modulus - 2);
            for shift in [1, 3, 24, 32] {
                let value = Rational::new(true, 3, shift).residue(field);
                assert_eq!(
                    field.mul(value, field.pow(2, u64::from(shift))),
                    field.modulus - 3
                );
            }
        }
    }
}

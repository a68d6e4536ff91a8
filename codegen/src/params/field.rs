//! Prime fields and their arithmetic, for the generator's own use (never for a kernel).

use crate::names::{Strategy, vocabulary};

vocabulary!(
    /// Fields whose elements are kept and reduced alike: macro-ops and templates are those of a
    /// family, whose name is that of their folder; a field of it brings its modulus.
    Family, {
        /// `p = 2^64 - 2^32 + 1`: any 64-bit word stands for its residue.
        Goldilocks = "goldilocks",
        /// `p = 2^31 - 2^t + 1`: 32-bit words in Montgomery form, so that `x·2^32 mod p` stands for
        /// `x`.
        Montgomery31 = "montgomery31",
        /// The same primes in 64-bit words, so that any word congruent to `x·2^52` stands for `x`. It
        /// is how some strategies keep elements inside a kernel; in memory they are `montgomery31`.
        Montgomery52 = "montgomery52",
        /// The same primes in 64-bit words in Montgomery form of radix `2^32`, as in memory, so that any
        /// word congruent to `x·2^32` stands for `x`. Products of two fit a word.
        Montgomery64 = "montgomery64",
        /// The same words. Products of two are two words, and are reduced by `2^64`.
        Montgomery128 = "montgomery128",
    }
);

/// A prime field.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name in specs and messages, such as `koala-bear`.
    pub name: &'static str,
    /// How its elements are kept and reduced.
    pub family: Family,
    /// The prime `p`.
    pub modulus: u64,
}

/// `p = 2^64 - 2^32 + 1`.
pub static GOLDILOCKS: Field = Field {
    name: "goldilocks",
    family: Family::Goldilocks,
    modulus: 0xffff_ffff_0000_0001,
};

/// `p = 2^31 - 2^24 + 1`.
pub static KOALA_BEAR: Field = Field {
    name: "koala-bear",
    family: Family::Montgomery31,
    modulus: 0x7f00_0001,
};

/// `p = 2^31 - 2^27 + 1`.
pub(super) static BABY_BEAR: Field = Field {
    name: "baby-bear",
    family: Family::Montgomery31,
    modulus: 0x7800_0001,
};

/// `p = 2^31 - 1`, which is `2^31 - 2^1 + 1`.
pub(super) static MERSENNE_31: Field = Field {
    name: "mersenne-31",
    family: Family::Montgomery31,
    modulus: 0x7fff_ffff,
};

static ALL: [&Field; 4] = [&GOLDILOCKS, &KOALA_BEAR, &BABY_BEAR, &MERSENNE_31];

/// The fields of family `montgomery31` in longer words.
static WIDE: [&Field; 8] = [
    &Field {
        family: Family::Montgomery52,
        ..KOALA_BEAR
    },
    &Field {
        family: Family::Montgomery52,
        ..BABY_BEAR
    },
    &Field {
        family: Family::Montgomery52,
        ..MERSENNE_31
    },
    &Field {
        family: Family::Montgomery64,
        ..KOALA_BEAR
    },
    &Field {
        family: Family::Montgomery64,
        ..BABY_BEAR
    },
    &Field {
        family: Family::Montgomery64,
        ..MERSENNE_31
    },
    &Field {
        family: Family::Montgomery128,
        ..KOALA_BEAR
    },
    &Field {
        family: Family::Montgomery128,
        ..BABY_BEAR
    },
];

impl Field {
    /// Every field the generator knows.
    #[must_use]
    pub fn all() -> &'static [&'static Self] {
        &ALL
    }

    /// The field of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALL.into_iter().find(|field| field.name == name)
    }

    /// Every field in all words that programs keep its elements in.
    pub fn in_all_words() -> impl Iterator<Item = &'static Self> {
        ALL.into_iter().chain(WIDE)
    }

    /// The same field in the longer words that a strategy keeps elements in; none if it has no such.
    #[must_use]
    pub fn wide(&self, strategy: Strategy) -> Option<&'static Self> {
        let family = match strategy {
            Strategy::Radix52 | Strategy::Rescaled52 => Family::Montgomery52,
            Strategy::Radix32 => Family::Montgomery64,
            Strategy::Radix64 => Family::Montgomery128,
            _ => return None,
        };
        let mut own = WIDE.into_iter().filter(|wide| wide.name == self.name);
        own.find(|wide| wide.family == family)
    }

    /// The name as a Rust module: `koala_bear`.
    #[must_use]
    pub fn module(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Bits of the modulus: 64 for Goldilocks, 31 for KoalaBear.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        u64::BITS - self.modulus.leading_zeros()
    }

    /// The exponent `t` of `p = 2^bits - 2^t + 1`, which every family's moduli have.
    #[must_use]
    pub const fn two_adicity(&self) -> u32 {
        (self.modulus - 1).trailing_zeros()
    }

    /// Bits of the machine word that holds one element.
    #[must_use]
    #[inline]
    pub const fn word_bits(&self) -> u32 {
        match self.family {
            Family::Goldilocks
            | Family::Montgomery52
            | Family::Montgomery64
            | Family::Montgomery128 => 64,
            Family::Montgomery31 => 32,
        }
    }

    /// Words hold `x·2^radix_bits` in place of `x`.
    #[must_use]
    #[inline]
    pub const fn radix_bits(&self) -> u32 {
        match self.family {
            Family::Goldilocks => 0,
            Family::Montgomery31 | Family::Montgomery64 | Family::Montgomery128 => 32,
            Family::Montgomery52 => 52,
        }
    }

    /// What divides a product: `2^reduction_bits`.
    #[must_use]
    #[inline]
    pub const fn reduction_bits(&self) -> u32 {
        match self.family {
            Family::Montgomery128 => 64,
            _ => self.radix_bits(),
        }
    }

    /// Whether words hold a multiple of what they stand for.
    #[must_use]
    #[inline]
    pub const fn is_montgomery(&self) -> bool {
        self.radix_bits() > 0
    }

    /// `p^-1 mod 2^bits`, for at most 64 bits.
    #[must_use]
    #[inline]
    pub const fn inverse_mod_word(&self, bits: u32) -> u64 {
        let (mut inverse, mut correct) = (1u64, 1);
        while correct < bits {
            // Newton's iteration: each step doubles the number of bits that are right.
            let error = 2u64.wrapping_sub(self.modulus.wrapping_mul(inverse));
            inverse = inverse.wrapping_mul(error);
            correct *= 2;
        }
        inverse & (u64::MAX >> (u64::BITS - bits))
    }

    /// Exponents of the powers of two that do not divide p - 1 and that there are divisions by all the same, as
    /// scaled internal layers need them: up to a word in memory, or by that word alone.
    #[must_use]
    pub fn odd_divisions(&self) -> std::ops::Range<u32> {
        match self.family {
            Family::Montgomery31 if self.two_adicity() > 1 => self.two_adicity() + 1..33,
            Family::Montgomery52 if self.two_adicity() > 1 => 32..33,
            _ => 0..0,
        }
    }

    /// `x mod p`.
    #[must_use]
    #[inline]
    pub const fn reduce(&self, x: u128) -> u64 {
        // A division of 64 bits is many times as fast.
        if x >> 64 == 0 {
            return x as u64 % self.modulus;
        }
        (x % self.modulus as u128) as u64
    }

    /// `a + b mod p`, for any words.
    #[must_use]
    #[inline]
    pub const fn add(&self, a: u64, b: u64) -> u64 {
        self.reduce(a as u128 + b as u128)
    }

    /// `-a mod p`, for any word.
    #[must_use]
    #[inline]
    pub const fn neg(&self, a: u64) -> u64 {
        let a = a % self.modulus;
        if a == 0 { 0 } else { self.modulus - a }
    }

    /// `a - b mod p`, for any words.
    #[must_use]
    #[inline]
    pub const fn sub(&self, a: u64, b: u64) -> u64 {
        self.add(a, self.neg(b))
    }

    /// `a·b mod p`, for any words.
    #[must_use]
    #[inline]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce(a as u128 * b as u128)
    }

    /// `a^exponent mod p`.
    #[must_use]
    pub const fn pow(&self, a: u64, mut exponent: u64) -> u64 {
        let mut square = a % self.modulus;
        let mut power = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.mul(power, square);
            }
            square = self.mul(square, square);
            exponent >>= 1;
        }
        power
    }

    /// `1/a mod p`, or `None` for zero.
    #[must_use]
    pub const fn inv(&self, a: u64) -> Option<u64> {
        if a.is_multiple_of(self.modulus) {
            None
        } else {
            Some(self.pow(a, self.modulus - 2))
        }
    }

    /// The word that stands for the residue `x` in a kernel: `x·2^radix_bits mod p`.
    #[must_use]
    #[inline]
    pub const fn to_montgomery(&self, x: u64) -> u64 {
        self.reduce(((x % self.modulus) as u128) << self.radix_bits())
    }

    /// The residue that a kernel's word stands for; undoes [`Field::to_montgomery`].
    #[must_use]
    #[inline]
    pub const fn from_montgomery(&self, word: u64) -> u64 {
        // p is odd, so a half is (p + 1) / 2.
        let half = self.modulus.div_ceil(2);
        self.mul(word, self.pow(half, self.radix_bits() as u64))
    }
}

/// The greatest common divisor.
pub(crate) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic Miller-Rabin: these bases decide every 64-bit number.
    fn is_prime(n: u64) -> bool {
        let field = Field {
            name: "test",
            family: Family::Goldilocks,
            modulus: n,
        };
        let (odd, twos) = (
            (n - 1) >> (n - 1).trailing_zeros(),
            (n - 1).trailing_zeros(),
        );
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
            .into_iter()
            .all(|base| {
                let mut power = field.pow(base, odd);
                let mut passes = power == 1 || power == n - 1;
                for _ in 1..twos {
                    power = field.mul(power, power);
                    passes |= power == n - 1;
                }
                passes
            })
    }

    #[test]
    fn moduli_are_the_primes_of_the_paper() {
        assert_eq!(u128::from(GOLDILOCKS.modulus), (1 << 64) - (1 << 32) + 1);
        assert_eq!(KOALA_BEAR.modulus, (1 << 31) - (1 << 24) + 1);
        for field in Field::in_all_words() {
            assert!(is_prime(field.modulus), "{}", field.name);
            let form = (1u128 << field.bits()) - (1 << field.two_adicity()) + 1;
            assert_eq!(u128::from(field.modulus), form, "{}", field.name);
            for bits in [1, 5, 32, 52, 64] {
                let inverse = field.inverse_mod_word(bits);
                let one = field.modulus.wrapping_mul(inverse) & (u64::MAX >> (64 - bits));
                assert_eq!(one, 1, "{} {bits}", field.name);
            }
        }
        assert_eq!((GOLDILOCKS.bits(), KOALA_BEAR.bits()), (64, 31));
    }

    #[test]
    fn arithmetic_on_edge_words() {
        for field in Field::in_all_words() {
            let p = field.modulus;
            let words = [
                0,
                1,
                2,
                p / 2,
                p - 1,
                p,
                p.wrapping_add(1),
                u64::MAX - 1,
                u64::MAX,
            ];
            for a in words {
                for b in words {
                    assert_eq!(field.add(field.sub(a, b), b), a % p);
                    assert_eq!(field.mul(a, field.neg(b)), field.neg(field.mul(a, b)));
                }
                assert_eq!(field.from_montgomery(field.to_montgomery(a)), a % p);
                match field.inv(a) {
                    Some(inverse) => assert_eq!(field.mul(a, inverse), 1),
                    None => assert_eq!(a % p, 0),
                }
            }
        }
        assert_eq!(
            KOALA_BEAR.to_montgomery(1),
            (1_u64 << 32) % KOALA_BEAR.modulus
        );
    }

    #[test]
    fn names_are_unique_and_found() {
        for field in Field::all() {
            assert!(std::ptr::eq(Field::by_name(field.name).unwrap(), *field));
        }
        assert_eq!(Field::by_name("bn254"), None);
        assert_eq!(KOALA_BEAR.module(), "koala_bear");
    }
}

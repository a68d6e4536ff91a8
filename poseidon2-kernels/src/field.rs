//! The fields, as types: how a word becomes one that kernels accept.

use core::fmt::Debug;

use poseidon2_generated::{Isa, Kernel, Tables};

use crate::detect;

/// A prime field for which kernels exist. The trait is sealed, because kernels are proved only for these
/// fields.
pub trait Field: sealed::Sealed + Copy + Debug + 'static {
    /// The word that holds one element.
    type Word: Copy + Debug + Default + Eq + Send + Sync + 'static;

    /// Its name, as in kernel names.
    const NAME: &'static str;

    /// The prime p.
    const MODULUS: Self::Word;

    /// The kernels of this field that can be compiled for the target.
    #[doc(hidden)]
    const KERNELS: &'static [Kernel<Self::Word>];

    /// How kernels of this field read constants.
    #[doc(hidden)]
    const TABLES: Tables<Self::Word>;

    /// How its elements are kept in words.
    #[doc(hidden)]
    type Family: Family<Word = Self::Word>;

    /// The word below p that is congruent to `word`.
    #[inline]
    #[must_use]
    fn reduce(word: Self::Word) -> Self::Word {
        Self::Family::reduce::<Self>(word)
    }

    /// A word that kernels accept and that is congruent to `word`, which may be any word.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn accept(word: Self::Word) -> Self::Word {
        Self::Family::accept::<Self>(word)
    }

    /// A word that kernels accept, for the residue of `x`, which may be any word.
    #[inline]
    #[must_use]
    fn from_residue(x: Self::Word) -> Self::Word {
        Self::Family::from_residue::<Self>(x)
    }

    /// The residue, below p, for which a word of a kernel stands.
    #[inline]
    #[must_use]
    fn to_residue(word: Self::Word) -> Self::Word {
        Self::Family::to_residue::<Self>(word)
    }

    /// The sum of two elements, given as words that kernels accept, as a word below p.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn add(a: Self::Word, b: Self::Word) -> Self::Word {
        Self::Family::add::<Self>(a, b)
    }
}

/// How the elements of some fields are kept in words: what [`Field`] says of its functions.
#[doc(hidden)]
pub trait Family {
    type Word;
    fn reduce<F: Field<Word = Self::Word>>(word: Self::Word) -> Self::Word;
    fn accept<F: Field<Word = Self::Word>>(word: Self::Word) -> Self::Word;
    fn from_residue<F: Field<Word = Self::Word>>(x: Self::Word) -> Self::Word;
    fn to_residue<F: Field<Word = Self::Word>>(word: Self::Word) -> Self::Word;
    fn add<F: Field<Word = Self::Word>>(a: Self::Word, b: Self::Word) -> Self::Word;
}

/// A field whose kernels use Montgomery words, x·2^32 mod p for x.
pub trait Montgomery: Field {}

impl<F: Field<Family = MontgomeryWords>> Montgomery for F {}

mod sealed {
    pub trait Sealed {}
}

/// Any `u64` stands for its residue; p is above 2^63.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Residues {}

impl Family for Residues {
    type Word = u64;

    #[inline]
    fn reduce<F: Field<Word = u64>>(word: u64) -> u64 {
        const { assert!(F::MODULUS > u64::MAX / 2) };
        // 2^64 < 2p: one subtraction is enough. The one that borrows is not taken.
        let (less, borrow) = word.overflowing_sub(F::MODULUS);
        if borrow { word } else { less }
    }

    #[inline]
    fn accept<F: Field<Word = u64>>(word: u64) -> u64 {
        word
    }

    #[inline]
    fn from_residue<F: Field<Word = u64>>(x: u64) -> u64 {
        x
    }

    #[inline]
    fn to_residue<F: Field<Word = u64>>(word: u64) -> u64 {
        Self::reduce::<F>(word)
    }

    #[inline]
    fn add<F: Field<Word = u64>>(a: u64, b: u64) -> u64 {
        // a − (p − b), below p: one addition is enough where that borrows.
        let less = F::MODULUS - Self::reduce::<F>(b);
        let (sum, borrow) = Self::reduce::<F>(a).overflowing_sub(less);
        if borrow {
            sum.wrapping_add(F::MODULUS)
        } else {
            sum
        }
    }
}

/// A `u32` below p stands for x if it is x·2^32 mod p; p is above 2^32/3 and below 2^31.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum MontgomeryWords {}

impl Family for MontgomeryWords {
    type Word = u32;

    #[inline]
    fn reduce<F: Field<Word = u32>>(word: u32) -> u32 {
        const { assert!(u32::MAX / 3 < F::MODULUS && F::MODULUS >> 31 == 0) };
        // 2^32 < 3p: two subtractions are enough. One that wraps around gives more than there was.
        let word = word.min(word.wrapping_sub(F::MODULUS));
        word.min(word.wrapping_sub(F::MODULUS))
    }

    #[inline]
    fn accept<F: Field<Word = u32>>(word: u32) -> u32 {
        Self::reduce::<F>(word)
    }

    #[inline]
    fn from_residue<F: Field<Word = u32>>(x: u32) -> u32 {
        montgomery::<F>(u64::from(x) * const { u64::MAX % F::MODULUS as u64 + 1 })
    }

    #[inline]
    fn to_residue<F: Field<Word = u32>>(word: u32) -> u32 {
        montgomery::<F>(u64::from(word))
    }

    #[inline]
    fn add<F: Field<Word = u32>>(a: u32, b: u32) -> u32 {
        // Both are below p, which is below 2^31. What wraps around gives more than there was.
        let sum = a + b;
        sum.min(sum.wrapping_sub(F::MODULUS))
    }
}

/// `x / 2^32` mod p, for x of at most 2^32·p (Montgomery, *Modular multiplication without trial division*,
/// 1985): in 32-bit words, which loops over many make vectors of.
#[inline]
fn montgomery<F: Field<Word = u32>>(x: u64) -> u32 {
    let multiple = (x as u32).wrapping_mul(const { opposite_inverse(F::MODULUS) });
    // Below 2^33·p, and so below 2^64; a multiple of 2^32.
    let sum = x + u64::from(multiple) * u64::from(F::MODULUS);
    let word = (sum >> 32) as u32;
    word.min(word.wrapping_sub(F::MODULUS))
}

/// −1/p mod 2^32, by Newton's iteration: each step doubles the bits that are right, three at first.
const fn opposite_inverse(p: u32) -> u32 {
    let (mut inverse, mut bits) = (p, 3);
    while bits < 32 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(p.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg()
}

/// What is asked of every field, whatever its word.
pub(crate) struct About {
    /// Whether this CPU has what all kernels for an instruction set need; none: there are none.
    pub(crate) runs: fn(Isa) -> Option<bool>,
}

macro_rules! family {
    (goldilocks) => {
        Residues
    };
    (montgomery31) => {
        MontgomeryWords
    };
    (goldilocks in words) => {
        "the residue itself, in a `u64`"
    };
    (montgomery31 in words) => {
        "x·2^32 mod p, below p, for x, in a `u32`"
    };
}

macro_rules! fields {
    ($($name:ident {
        field: ($family:ident $text:literal $modulus:literal $prime:literal $kernels:ident $tables:ident),
        $($rest:tt)*
    })+) => {
        $(
            #[doc = concat!(stringify!($name), ", p = ", $prime, ".")]
            #[doc = concat!("Kernels keep ", family!($family in words), ".")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $name {}

            impl sealed::Sealed for $name {}

            impl Field for $name {
                type Word = <family!($family) as Family>::Word;
                type Family = family!($family);
                const NAME: &'static str = $text;
                const MODULUS: Self::Word = $modulus;
                const KERNELS: &'static [Kernel<Self::Word>] = poseidon2_generated::$kernels;
                const TABLES: Tables<Self::Word> = poseidon2_generated::$tables;
            }
        )+

        /// All fields.
        pub(crate) static ALL: &[About] = &[$(about::<$name>()),+];
    };
}

poseidon2_generated::each_field!(fields);

const fn about<F: Field>() -> About {
    About { runs: runs::<F> }
}

fn runs<F: Field>(isa: Isa) -> Option<bool> {
    // Miri has no intrinsics but a few, and no assembly.
    if cfg!(miri) && isa != Isa::Scalar {
        return Some(false);
    }
    let mut kernels = F::KERNELS
        .iter()
        .filter(|kernel| kernel.isa == isa)
        .peekable();
    kernels.peek()?;
    let mut features = kernels.flat_map(|kernel| kernel.features);
    Some(features.all(|feature| detect::has(feature)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goldilocks_words_are_reduced() {
        let p = Goldilocks::MODULUS;
        for (word, reduced) in [
            (0, 0),
            (1, 1),
            (p - 1, p - 1),
            (p, 0),
            (p + 1, 1),
            (u64::MAX, 0xffff_fffe),
        ] {
            assert_eq!(Goldilocks::reduce(word), reduced);
        }
    }

    #[test]
    fn sums_are_reduced_once() {
        let p = Goldilocks::MODULUS;
        // The operands of Plonky3's issue 1580 among them.
        let words = [
            0,
            1,
            p / 2,
            p - 1,
            p,
            p + 1,
            0xffff_ffff_0000_0010,
            18_446_744_069_605_983_184,
            18_446_744_073_709_551_599,
            u64::MAX,
        ];
        for a in words {
            for b in words {
                let expected = (u128::from(a) + u128::from(b)) % u128::from(p);
                assert_eq!(u128::from(Goldilocks::add(a, b)), expected, "{a} + {b}");
            }
        }
        let p = KoalaBear::MODULUS;
        let words = [0, 1, p / 2, p / 2 + 1, p - 2, p - 1];
        for a in words {
            for b in words {
                assert_eq!(KoalaBear::add(a, b), (a + b) % p, "{a} + {b}");
            }
        }
    }

    fn there_and_back<F: Field<Word = u32>>() {
        let p = F::MODULUS;
        let edges = [0, 1, 2, 0xffff, p / 2, p, 2 * p, u32::MAX / 2, u32::MAX];
        let near = edges
            .iter()
            .flat_map(|x| [x.wrapping_sub(1), *x, x.wrapping_add(1)]);
        // Spread evenly over all words.
        let many = (0..1000_u32).map(|n| n.wrapping_mul(0x9e37_79b9));
        for x in near.chain(many) {
            let (word, back) = (F::from_residue(x), F::to_residue(x));
            assert_eq!(u64::from(word), (u64::from(x) << 32) % u64::from(p));
            assert!(back < p && F::from_residue(back) == x % p, "{x}");
            assert_eq!(F::to_residue(word), x % p);
            assert_eq!(F::reduce(x), x % p);
        }
    }

    #[test]
    fn words_of_31_bit_fields_go_there_and_back() {
        there_and_back::<KoalaBear>();
        there_and_back::<BabyBear>();
        assert_eq!(KoalaBear::from_residue(1), 0x01ff_fffe);
    }
}

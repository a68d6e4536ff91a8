//! The fields, as types: how a word becomes one that kernels accept.

use core::fmt::Debug;

use poseidon2_generated::{Isa, Kernel, Tables};

use crate::detect;

/// A prime field that kernels exist for. Sealed: kernels are proved for these fields alone.
pub trait Field: sealed::Sealed + Copy + Debug + 'static {
    /// The word that holds one element.
    type Word: Copy + Debug + Default + Eq + Send + Sync + 'static;

    /// Its name, as in kernel names.
    const NAME: &'static str;

    /// The prime p.
    const MODULUS: Self::Word;

    /// The kernels of this field that the target can be compiled for.
    #[doc(hidden)]
    const KERNELS: &'static [Kernel<Self::Word>];

    /// How kernels of this field read constants.
    #[doc(hidden)]
    const TABLES: Tables<Self::Word>;

    /// Lanes of the type that Plonky3 packs elements in, in this build.
    #[cfg(feature = "plonky3")]
    #[doc(hidden)]
    const PACKED: usize;

    /// The word below p that is congruent to `word`.
    fn reduce(word: Self::Word) -> Self::Word;

    /// A word that kernels accept and that is congruent to `word`, which may be any word.
    #[doc(hidden)]
    fn accept(word: Self::Word) -> Self::Word;

    /// A word that kernels accept for the residue of `x`, which may be any word.
    fn from_residue(x: Self::Word) -> Self::Word;

    /// The residue, below p, that a word of a kernel stands for.
    fn to_residue(word: Self::Word) -> Self::Word;
}

/// A field whose kernels keep Montgomery words: x·2^32 mod p for x.
pub trait Montgomery: Field {}

mod sealed {
    pub trait Sealed {}
}

/// Goldilocks, p = 2^64 − 2^32 + 1. Kernels keep the residue itself in a `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goldilocks {}

impl sealed::Sealed for Goldilocks {}

impl Field for Goldilocks {
    type Word = u64;
    const NAME: &'static str = "goldilocks";
    const MODULUS: u64 = 0xffff_ffff_0000_0001;
    const KERNELS: &'static [Kernel<u64>] = poseidon2_generated::GOLDILOCKS;
    const TABLES: Tables<u64> = poseidon2_generated::GOLDILOCKS_TABLES;
    #[cfg(feature = "plonky3")]
    const PACKED: usize = crate::plonky3::packed_lanes::<Self>();

    #[inline]
    fn reduce(word: u64) -> u64 {
        // 2^64 < 2p: one subtraction is enough. The one that borrows is not taken.
        let (less, borrow) = word.overflowing_sub(Self::MODULUS);
        if borrow { word } else { less }
    }

    #[inline]
    fn accept(word: u64) -> u64 {
        word
    }

    #[inline]
    fn from_residue(x: u64) -> u64 {
        x
    }

    #[inline]
    fn to_residue(word: u64) -> u64 {
        Self::reduce(word)
    }
}

/// A field below 2^31 whose kernels keep Montgomery words.
macro_rules! montgomery31 {
    ($(#[$about:meta])* $name:ident $text:literal, $modulus:literal, $kernels:ident, $tables:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl sealed::Sealed for $name {}

        impl Montgomery for $name {}

        impl Field for $name {
            type Word = u32;
            const NAME: &'static str = $text;
            const MODULUS: u32 = $modulus;
            const KERNELS: &'static [Kernel<u32>] = poseidon2_generated::$kernels;
            const TABLES: Tables<u32> = poseidon2_generated::$tables;
            #[cfg(feature = "plonky3")]
            const PACKED: usize = crate::plonky3::packed_lanes::<Self>();

            #[inline]
            fn reduce(word: u32) -> u32 {
                const { assert!(u32::MAX / 3 < $modulus && $modulus >> 31 == 0_u32) };
                // 2^32 < 3p: two subtractions are enough. One that wraps around gives more than
                // there was.
                let word = word.min(word.wrapping_sub($modulus));
                word.min(word.wrapping_sub($modulus))
            }

            #[inline]
            fn accept(word: u32) -> u32 {
                Self::reduce(word)
            }

            #[inline]
            fn from_residue(x: u32) -> u32 {
                // A remainder by p, which fits 31 bits.
                ((u64::from(x) << 32) % $modulus) as u32
            }

            #[inline]
            fn to_residue(word: u32) -> u32 {
                (u64::from(word) * const { inverse_radix($modulus) } % $modulus) as u32
            }
        }
    };
}

montgomery31!(
    /// KoalaBear, p = 2^31 − 2^24 + 1. Kernels keep x·2^32 mod p, below p, in a `u32`.
    KoalaBear "koala-bear", 0x7f00_0001, KOALA_BEAR, KOALA_BEAR_TABLES
);

/// 2^−32 mod p: 32 halvings of 1.
const fn inverse_radix(p: u64) -> u64 {
    let (mut x, mut i) = (1_u64, 0);
    while i < 32 {
        // p is odd, so exactly one of x and x + p is even.
        x = if x.is_multiple_of(2) {
            x / 2
        } else {
            (x + p) / 2
        };
        i += 1;
    }
    x
}

/// What is asked of every field, whatever its word.
pub(crate) struct About {
    /// Whether this CPU has what all kernels for an instruction set need; none: there are none.
    pub(crate) runs: fn(Isa) -> Option<bool>,
    /// Its name, and the lanes of Plonky3's packed type.
    #[cfg(feature = "plonky3")]
    pub(crate) packed: (&'static str, usize),
}

/// All fields.
pub(crate) static ALL: &[About] = &[about::<Goldilocks>(), about::<KoalaBear>()];

const fn about<F: Field>() -> About {
    About {
        runs: runs::<F>,
        #[cfg(feature = "plonky3")]
        packed: (F::NAME, F::PACKED),
    }
}

fn runs<F: Field>(isa: Isa) -> Option<bool> {
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
    fn koala_bear_words_go_there_and_back() {
        let p = KoalaBear::MODULUS;
        for x in [
            0,
            1,
            2,
            0xffff,
            p / 2,
            p - 1,
            p,
            p + 1,
            2 * p - 1,
            2 * p,
            2 * p + 1,
            u32::MAX,
        ] {
            let word = KoalaBear::from_residue(x);
            assert!(word < p);
            assert_eq!(KoalaBear::to_residue(word), x % p);
            assert_eq!(KoalaBear::reduce(x), x % p);
        }
        assert_eq!(KoalaBear::from_residue(1), 0x01ff_fffe);
    }
}

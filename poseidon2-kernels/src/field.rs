//! The fields, as types: how a word becomes one that kernels accept.

use core::fmt::Debug;

use poseidon2_generated::{Constants, Kernel};

/// Goldilocks, p = 2^64 − 2^32 + 1. Kernels keep the residue itself in a `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goldilocks {}

/// KoalaBear, p = 2^31 − 2^24 + 1. Kernels keep x·2^32 mod p, below p, in a `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KoalaBear {}

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

    /// The word below p that is congruent to `word`.
    fn reduce(word: Self::Word) -> Self::Word;

    /// A word that kernels accept for the residue of `x`, which may be any word.
    fn from_residue(x: Self::Word) -> Self::Word;

    /// The residue, below p, that a word of a kernel stands for.
    fn to_residue(word: Self::Word) -> Self::Word;
}

/// A field with Poseidon2 kernels of width `W`, of `RF` external and `RP` internal rounds. Sealed,
/// as [`Field`] is.
///
/// The round numbers default to those of Goldilocks, so code over any width can say:
///
/// ```
/// use poseidon2_kernels::{Poseidon2Goldilocks, field::{Goldilocks, Width}};
///
/// fn image_of_zero<const W: usize>() -> [u64; W]
/// where
///     Goldilocks: Width<W>,
/// {
///     let mut state = [0; W];
///     Poseidon2Goldilocks::<W>::plonky3().permute_one(&mut state);
///     state
/// }
/// assert_ne!(image_of_zero::<8>()[..4], image_of_zero::<12>()[..4]);
/// ```
pub trait Width<const W: usize, const RF: usize = 8, const RP: usize = 22>: Field {
    /// The constants that the parameter set `plonky3` has for this width, as kernels read them.
    #[doc(hidden)]
    const PLONKY3: &'static Constants<Self::Word, W, RF, RP>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Goldilocks {}
    impl Sealed for super::KoalaBear {}
}

impl Field for Goldilocks {
    type Word = u64;
    const NAME: &'static str = "goldilocks";
    const MODULUS: u64 = 0xffff_ffff_0000_0001;
    const KERNELS: &'static [Kernel<u64>] = poseidon2_generated::GOLDILOCKS;

    #[inline]
    fn reduce(word: u64) -> u64 {
        // 2^64 < 2p: one subtraction is enough. The one that borrows is not taken.
        let (less, borrow) = word.overflowing_sub(Self::MODULUS);
        if borrow { word } else { less }
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

impl Field for KoalaBear {
    type Word = u32;
    const NAME: &'static str = "koala-bear";
    const MODULUS: u32 = 0x7f00_0001;
    const KERNELS: &'static [Kernel<u32>] = poseidon2_generated::KOALA_BEAR;

    #[inline]
    fn reduce(word: u32) -> u32 {
        // 2^32 < 3p: two subtractions are enough. One that wraps around gives more than there was.
        let word = word.min(word.wrapping_sub(Self::MODULUS));
        word.min(word.wrapping_sub(Self::MODULUS))
    }

    #[inline]
    fn from_residue(x: u32) -> u32 {
        // A remainder by p, which fits 31 bits.
        ((u64::from(x) << 32) % u64::from(Self::MODULUS)) as u32
    }

    #[inline]
    fn to_residue(word: u32) -> u32 {
        (u64::from(word) * INVERSE_RADIX % u64::from(Self::MODULUS)) as u32
    }
}

/// 2^−32 mod p of KoalaBear: 32 halvings of 1.
const INVERSE_RADIX: u64 = {
    let (mut x, mut i) = (1_u64, 0);
    while i < 32 {
        // p is odd, so exactly one of x and x + p is even.
        x = if x.is_multiple_of(2) {
            x / 2
        } else {
            (x + KoalaBear::MODULUS as u64) / 2
        };
        i += 1;
    }
    x
};

macro_rules! widths {
    ($($field:ident $module:ident: $($w:literal $constants:ident $rf:literal + $rp:literal),+;)+) => {$($(
        impl Width<$w, $rf, $rp> for $field {
            const PLONKY3: &'static Constants<<Self as Field>::Word, $w, $rf, $rp> =
                &poseidon2_generated::plonky3::$module::$constants::CONSTANTS;
        }
    )+)+};
}

widths! {
    Goldilocks goldilocks: 8 constants_w8 8 + 22, 12 constants_w12 8 + 22, 16 constants_w16 8 + 22;
    KoalaBear koala_bear: 16 constants_w16 8 + 20;
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
        }
        assert_eq!(KoalaBear::from_residue(1), 0x01ff_fffe);
    }
}

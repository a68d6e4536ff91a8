//! Permutations of Plonky3's states: single ones, and those that lie across its packed values.

use core::convert::identity;

use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{CryptographicPermutation, Permutation};

use super::words::{elements_mut, kernel_words};
use crate::field::{self, Field as _, Width};
use crate::goldilocks::Poseidon2Goldilocks;
use crate::koala_bear::Poseidon2KoalaBear;

macro_rules! singles {
    ($name:ident over $element:ident: $rf:literal + $rp:literal, $load:expr) => {
        impl<const W: usize> Permutation<[$element; W]> for $name<W>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            #[inline]
            fn permute_mut(&self, state: &mut [$element; W]) {
                if let Some(state) = kernel_words(state).first_chunk_mut() {
                    self.engine().permute_one(state, $load, identity);
                }
            }
        }

        impl<const W: usize> CryptographicPermutation<[$element; W]> for $name<W> where
            field::$element: Width<W, $rf, $rp>
        {
        }
    };
}

/// States of vectors: each lane holds one.
macro_rules! vectors {
    (
        $name:ident over $element:ident: $rf:literal + $rp:literal, $load:expr,
        $vector:ty $(, $lanes:ident)?
    ) => {
        impl<const W: usize $(, const $lanes: usize)?> Permutation<[$vector; W]> for $name<W>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            #[inline]
            fn permute_mut(&self, state: &mut [$vector; W]) {
                let words = kernel_words(elements_mut(state));
                self.engine().permute_across(words, $load, identity);
            }
        }

        impl<const W: usize $(, const $lanes: usize)?> CryptographicPermutation<[$vector; W]>
            for $name<W>
        where
            field::$element: Width<W, $rf, $rp>,
        {
        }
    };
}

singles!(Poseidon2Goldilocks over Goldilocks: 8 + 22, identity);
singles!(Poseidon2KoalaBear over KoalaBear: 8 + 20, field::KoalaBear::reduce);
for_each_vector!(vectors);

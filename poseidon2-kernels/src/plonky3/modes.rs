//! Plonky3's hasher and compression traits.

use core::convert::identity;

use p3_field::PackedValue;
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{CryptographicHasher, Permutation, PseudoCompressionFunction};
use poseidon2_generated::Kernel;

use super::words::{kernel_words, words};
use crate::compression::Compression;
use crate::field::{self, Field as _, Width};
use crate::goldilocks::Poseidon2Goldilocks;
use crate::koala_bear::Poseidon2KoalaBear;
use crate::sponge::Sponge;

/// Messages that one call is given at least, where there are as many: the states of the largest
/// kernel of the target. More than one is what makes Plonky3 hand over whole runs.
const fn lanes<T>(kernels: &[Kernel<T>]) -> usize {
    let (mut most, mut i) = (2, 0);
    while i < kernels.len() {
        if kernels[i].states() > most {
            most = kernels[i].states();
        }
        i += 1;
    }
    most
}

macro_rules! runs {
    ($name:ident over $element:ident: $rf:literal + $rp:literal, $load:expr) => {
        impl<const W: usize, const RATE: usize, const OUT: usize>
            CryptographicHasher<$element, [$element; OUT]> for Sponge<$name<W>, W, RATE, OUT>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            const LANES: usize = lanes(field::$element::KERNELS);

            fn hash_iter<I: IntoIterator<Item = $element>>(&self, input: I) -> [$element; OUT] {
                overwrite::<_, _, W, RATE, OUT>(self.permutation(), $element::default(), input)
            }

            fn hash_slice(&self, input: &[$element]) -> [$element; OUT] {
                let mut digest = [[$element::default(); OUT]];
                self.hash_many(input, &mut digest);
                let [digest] = digest;
                digest
            }

            fn hash_many(&self, input: &[$element], out: &mut [[$element; OUT]]) {
                let count = out.len();
                // As the trait has it: no digests, nothing to read.
                assert!(
                    count == 0 || input.len().is_multiple_of(count),
                    "{} elements are no whole number for each of {count} digests",
                    input.len(),
                );
                let (digests, _) = kernel_words(out.as_flattened_mut()).as_chunks_mut::<OUT>();
                let engine = self.permutation().engine();
                engine.sponge::<RATE, OUT>(words(input), digests, $load, identity);
            }
        }

        impl<const W: usize, const N: usize, const CHUNK: usize>
            PseudoCompressionFunction<[$element; CHUNK], N> for Compression<$name<W>, N, CHUNK, W>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            const LANES: usize = lanes(field::$element::KERNELS);

            fn compress(&self, input: [[$element; CHUNK]; N]) -> [$element; CHUNK] {
                truncated::<_, _, N, CHUNK, W>(self.permutation(), $element::default(), input)
            }

            fn compress_many(
                &self,
                inputs: &[[[$element; CHUNK]; N]],
                out: &mut [[$element; CHUNK]],
            ) {
                assert_eq!(inputs.len(), out.len(), "as many groups as nodes");
                let nodes = words(inputs.as_flattened().as_flattened());
                let (groups, _) = nodes.as_chunks::<CHUNK>().0.as_chunks::<N>();
                let (parents, _) = kernel_words(out.as_flattened_mut()).as_chunks_mut::<CHUNK>();
                let engine = self.permutation().engine();
                engine.compress(groups, parents, $load, identity);
            }
        }
    };
}

macro_rules! vectors {
    (
        $name:ident over $element:ident: $rf:literal + $rp:literal, $load:expr,
        $vector:ty $(, $lanes:ident)?
    ) => {
        impl<const W: usize, const RATE: usize, const OUT: usize $(, const $lanes: usize)?>
            CryptographicHasher<$vector, [$vector; OUT]> for Sponge<$name<W>, W, RATE, OUT>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            fn hash_iter<I: IntoIterator<Item = $vector>>(&self, input: I) -> [$vector; OUT] {
                let zero = <$vector as PackedValue>::broadcast($element::default());
                overwrite::<_, _, W, RATE, OUT>(self.permutation(), zero, input)
            }
        }

        impl<const W: usize, const N: usize, const CHUNK: usize $(, const $lanes: usize)?>
            PseudoCompressionFunction<[$vector; CHUNK], N>
            for Compression<$name<W>, N, CHUNK, W>
        where
            field::$element: Width<W, $rf, $rp>,
        {
            fn compress(&self, input: [[$vector; CHUNK]; N]) -> [$vector; CHUNK] {
                let zero = <$vector as PackedValue>::broadcast($element::default());
                truncated::<_, _, N, CHUNK, W>(self.permutation(), zero, input)
            }
        }
    };
}

runs!(Poseidon2Goldilocks over Goldilocks: 8 + 22, identity);
runs!(Poseidon2KoalaBear over KoalaBear: 8 + 20, field::KoalaBear::reduce);
for_each_vector!(vectors);

/// The sponge on one state, from words that come one at a time.
#[inline]
fn overwrite<T, P, const W: usize, const RATE: usize, const OUT: usize>(
    permutation: &P,
    zero: T,
    input: impl IntoIterator<Item = T>,
) -> [T; OUT]
where
    T: Copy,
    P: Permutation<[T; W]>,
{
    let mut state = [zero; W];
    let mut input = input.into_iter();
    loop {
        let mut count = 0;
        for (element, word) in state[..RATE].iter_mut().zip(&mut input) {
            *element = word;
            count += 1;
        }
        if count > 0 {
            permutation.permute_mut(&mut state);
        }
        if count < RATE {
            return core::array::from_fn(|i| state[i]);
        }
    }
}

/// The compression on one state.
#[inline]
fn truncated<T, P, const N: usize, const CHUNK: usize, const W: usize>(
    permutation: &P,
    zero: T,
    input: [[T; CHUNK]; N],
) -> [T; CHUNK]
where
    T: Copy,
    P: Permutation<[T; W]>,
{
    let mut state = [zero; W];
    state[..N * CHUNK].copy_from_slice(input.as_flattened());
    permutation.permute_mut(&mut state);
    core::array::from_fn(|i| state[i])
}

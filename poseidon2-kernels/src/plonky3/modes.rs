//! Plonky3's hasher and compression traits.
#![allow(dead_code, reason = "some versions hand over one message a call")]

use core::convert::identity;

use poseidon2_generated::Kernel;

use super::p3_field::PackedValue;
use super::p3_symmetric::{CryptographicHasher, Permutation, PseudoCompressionFunction};
use super::words::{Element, elements, elements_mut, kernel_words, words};
use crate::compression::Compression;
use crate::field::Field;
use crate::parameters::ParameterSet;
use crate::poseidon2::Poseidon2;
use crate::sponge::Sponge;

/// Messages that one call is given at least, where there are as many: of single elements the states of
/// the largest kernel of the target. More than one is what makes Plonky3 hand over whole runs.
const fn lanes<T, V: PackedValue>(kernels: &[Kernel<T>]) -> usize {
    if V::WIDTH > 1 {
        return 1;
    }
    let (mut most, mut i) = (2, 0);
    while i < kernels.len() {
        if kernels[i].states() > most {
            most = kernels[i].states();
        }
        i += 1;
    }
    most
}

impl<V, F, S, const W: usize, const RATE: usize, const OUT: usize> CryptographicHasher<V, [V; OUT]>
    for Sponge<Poseidon2<F, W, S>, W, RATE, OUT>
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: ParameterSet<F, W>,
{
    fn hash_iter<I: IntoIterator<Item = V>>(&self, input: I) -> [V; OUT] {
        overwrite::<_, _, W, RATE, OUT>(self.permutation(), zero(), input)
    }

    fn hash_slice(&self, input: &[V]) -> [V; OUT] {
        let mut digest = [[zero(); OUT]];
        hash_many(self, input, &mut digest);
        let [digest] = digest;
        digest
    }

    batches! {
        const LANES: usize = lanes::<F::Word, V>(F::KERNELS);

        fn hash_many(&self, input: &[V], out: &mut [[V; OUT]]) {
            hash_many(self, input, out);
        }
    }
}

fn hash_many<V, F, S, const W: usize, const RATE: usize, const OUT: usize>(
    sponge: &Sponge<Poseidon2<F, W, S>, W, RATE, OUT>,
    input: &[V],
    out: &mut [[V; OUT]],
) where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: ParameterSet<F, W>,
{
    let count = out.len();
    // As the trait has it: no digests, nothing to read.
    assert!(
        count == 0 || input.len().is_multiple_of(count),
        "{} elements are no whole number for each of {count} digests",
        input.len(),
    );
    if V::WIDTH == 1 {
        let digests = kernel_words(elements_mut(out.as_flattened_mut()));
        let (digests, _) = digests.as_chunks_mut::<OUT>();
        let engine = sponge.permutation().engine();
        engine.sponge::<RATE, OUT>(words(elements(input)), digests, F::accept, identity);
    } else {
        let length = input.len().checked_div(count).unwrap_or(0);
        for (n, digest) in out.iter_mut().enumerate() {
            *digest = sponge.hash_iter(input[n * length..][..length].iter().copied());
        }
    }
}

impl<V, F, S, const W: usize, const N: usize, const CHUNK: usize>
    PseudoCompressionFunction<[V; CHUNK], N> for Compression<Poseidon2<F, W, S>, N, CHUNK, W>
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: ParameterSet<F, W>,
{
    fn compress(&self, input: [[V; CHUNK]; N]) -> [V; CHUNK] {
        truncated::<_, _, N, CHUNK, W>(self.permutation(), zero(), input)
    }

    batches! {
        const LANES: usize = lanes::<F::Word, V>(F::KERNELS);

        fn compress_many(&self, inputs: &[[[V; CHUNK]; N]], out: &mut [[V; CHUNK]]) {
            compress_many(self, inputs, out);
        }
    }
}

fn compress_many<V, F, S, const W: usize, const N: usize, const CHUNK: usize>(
    compression: &Compression<Poseidon2<F, W, S>, N, CHUNK, W>,
    inputs: &[[[V; CHUNK]; N]],
    out: &mut [[V; CHUNK]],
) where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: ParameterSet<F, W>,
{
    assert_eq!(inputs.len(), out.len(), "as many groups as nodes");
    if V::WIDTH == 1 {
        let nodes = words(elements(inputs.as_flattened().as_flattened()));
        let (groups, _) = nodes.as_chunks::<CHUNK>().0.as_chunks::<N>();
        let parents = kernel_words(elements_mut(out.as_flattened_mut()));
        let (parents, _) = parents.as_chunks_mut::<CHUNK>();
        let engine = compression.permutation().engine();
        engine.compress(groups, parents, F::accept, identity);
    } else {
        for (node, group) in out.iter_mut().zip(inputs) {
            *node = compression.compress(*group);
        }
    }
}

/// 0 in each lane.
fn zero<V: PackedValue<Value: Default>>() -> V {
    V::from_fn(|_| V::Value::default())
}

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

//! Plonky3's hasher and compression traits.
#![allow(dead_code, reason = "some versions hand over one message a call")]

use alloc::vec::Vec;
use core::convert::identity;
use core::iter;
use core::ops::Range;

use poseidon2_generated::{Kernel, Shape};

use super::p3_field::PackedValue;
use super::p3_symmetric::{CryptographicHasher, Permutation, PseudoCompressionFunction};
use super::permutation::Set;
use super::words::{Element, elements, elements_mut, kernel_words, of_words, words};
use crate::compression::Compressor;
use crate::field::Field;
use crate::modes::{Mode, Order, State, States, assert_absorbed};
use crate::poseidon2::Poseidon2;
use crate::sponge::Hasher;

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

/// A starting state for modes, from elements.
#[must_use]
pub fn state<E: Element, const W: usize>(elements: [E; W]) -> State<E::Field, W> {
    let mut state = [<E::Field as Field>::Word::default(); W];
    for (word, given) in state.iter_mut().zip(words(&elements)) {
        *word = E::Field::accept(*given);
    }
    State::of_words(state)
}

impl<V, F, S, M, const W: usize, const OUT: usize> CryptographicHasher<V, [V; OUT]>
    for Hasher<Poseidon2<F, W, S>, M, W, OUT>
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: Set<F, W>,
    M: Mode<F, W> + Clone,
{
    fn hash_iter<I: IntoIterator<Item = V>>(&self, input: I) -> [V; OUT] {
        match M::ORDER {
            Order::LeftToRight => single(self.permutation(), self.mode(), input.into_iter()),
            Order::RightToLeft => {
                let input: Vec<V> = input.into_iter().collect();
                single(self.permutation(), self.mode(), input.into_iter().rev())
            }
        }
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

fn hash_many<V, F, S, M, const W: usize, const OUT: usize>(
    hasher: &Hasher<Poseidon2<F, W, S>, M, W, OUT>,
    input: &[V],
    out: &mut [[V; OUT]],
) where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: Set<F, W>,
    M: Mode<F, W> + Clone,
{
    let count = out.len();
    // As the trait has it: no digests, nothing to read.
    assert!(
        count == 0 || input.len().is_multiple_of(count),
        "{} elements do not divide evenly among {count} digests",
        input.len(),
    );
    let Some(length) = input.len().checked_div(count) else {
        return;
    };
    if V::WIDTH == 1 {
        assert_length::<F, M, W>(length);
        let digests = kernel_words(elements_mut(out.as_flattened_mut()));
        let (digests, _) = digests.as_chunks_mut::<OUT>();
        let (mode, engine) = (hasher.mode(), hasher.permutation().engine());
        let rows = words(elements(input));
        engine.digest(mode, Shape::Chain, rows, digests, F::accept, identity);
    } else {
        for (n, digest) in out.iter_mut().enumerate() {
            *digest = hasher.hash_iter(input[n * length..][..length].iter().copied());
        }
    }
}

impl<V, F, S, M, const W: usize, const N: usize, const CHUNK: usize>
    PseudoCompressionFunction<[V; CHUNK], N> for Compressor<Poseidon2<F, W, S>, M, N, CHUNK, W>
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: Set<F, W>,
    M: Mode<F, W> + Clone,
{
    fn compress(&self, input: [[V; CHUNK]; N]) -> [V; CHUNK] {
        const {
            assert!(
                0 < N && M::LENGTHS.contain(N * CHUNK),
                "the mode does not take `N` nodes of `CHUNK` words"
            );
        };
        let nodes = input.as_flattened().iter().copied();
        match M::ORDER {
            Order::LeftToRight => single(self.permutation(), self.mode(), nodes),
            Order::RightToLeft => single(self.permutation(), self.mode(), nodes.rev()),
        }
    }

    batches! {
        const LANES: usize = lanes::<F::Word, V>(F::KERNELS);

        fn compress_many(&self, inputs: &[[[V; CHUNK]; N]], out: &mut [[V; CHUNK]]) {
            compress_many(self, inputs, out);
        }
    }
}

/// Of no nodes nothing is compressed, one group at a time either:
///
#[cfg_attr(feature = "plonky3", doc = "```compile_fail")]
#[cfg_attr(not(feature = "plonky3"), doc = "```ignore")]
/// use p3_goldilocks::Goldilocks;
/// use p3_symmetric::PseudoCompressionFunction;
/// use poseidon2_kernels::{Compression, Poseidon2Goldilocks};
///
/// let of_none = Compression::<_, 0, 4, 8>::new(Poseidon2Goldilocks::<8>::plonky3());
/// let _: [Goldilocks; 4] = of_none.compress([]);
/// ```
fn compress_many<V, F, S, M, const W: usize, const N: usize, const CHUNK: usize>(
    compressor: &Compressor<Poseidon2<F, W, S>, M, N, CHUNK, W>,
    inputs: &[[[V; CHUNK]; N]],
    out: &mut [[V; CHUNK]],
) where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    S: Set<F, W>,
    M: Mode<F, W> + Clone,
{
    assert_eq!(inputs.len(), out.len(), "as many groups as nodes");
    if V::WIDTH == 1 {
        let nodes = words(elements(inputs.as_flattened().as_flattened()));
        let (groups, _) = nodes.as_chunks::<CHUNK>().0.as_chunks::<N>();
        let parents = kernel_words(elements_mut(out.as_flattened_mut()));
        let (parents, _) = parents.as_chunks_mut::<CHUNK>();
        compressor.compress_by(groups, parents, F::accept, identity);
    } else {
        for (node, group) in out.iter_mut().zip(inputs) {
            *node = compressor.compress(*group);
        }
    }
}

/// 0 in each lane.
fn zero<V: PackedValue<Value: Default>>() -> V {
    V::from_fn(|_| V::Value::default())
}

/// The traits have no errors.
fn assert_length<F: Field, M: Mode<F, W>, const W: usize>(length: usize) {
    if let Err(error) = M::LENGTHS.check(length) {
        panic!("{error}");
    }
}

/// A mode on one state, from words that come one at a time, in the order in which the mode reads them.
#[inline]
fn single<V, F, P, M, const W: usize, const OUT: usize>(
    permutation: &P,
    mode: &M,
    input: impl Iterator<Item = V>,
) -> [V; OUT]
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    P: Permutation<[V; W]>,
    M: Mode<F, W>,
{
    const {
        assert!(
            0 < OUT && OUT <= M::READABLE && M::READABLE <= W,
            "the digest must have at least one word, and no more than the mode gives out"
        );
    };
    let mut single = Single {
        permutation,
        state: [zero(); W],
        message: Message {
            words: input.fuse(),
            order: M::ORDER,
            absorbed: 0,
        },
    };
    mode.start(&mut single);
    mode.absorb(&mut single);
    let Message {
        words, absorbed, ..
    } = single.message;
    let left = words.count();
    assert_length::<F, M, W>(absorbed + left);
    assert_absorbed(left);
    core::array::from_fn(|i| single.state[i])
}

/// One state, or one in each lane.
struct Single<'a, V, P, I, const W: usize> {
    permutation: &'a P,
    state: [V; W],
    message: Message<I>,
}

struct Message<I> {
    /// Those that are left, in the order in which they are read.
    words: iter::Fuse<I>,
    order: Order,
    absorbed: usize,
}

impl<V, I: Iterator<Item = V>> Message<I> {
    /// The next words become the first of these elements, in the order of the message. Returns how many
    /// they are.
    #[inline]
    fn next(&mut self, elements: &mut [V]) -> usize {
        let mut count = 0;
        for (element, word) in elements.iter_mut().zip(&mut self.words) {
            *element = word;
            count += 1;
        }
        if self.order == Order::RightToLeft {
            elements[..count].reverse();
        }
        self.absorbed += count;
        count
    }
}

impl<V, F, P, I, const W: usize> States<F, W> for Single<'_, V, P, I, W>
where
    V: PackedValue<Value: Element<Field = F> + Default>,
    F: Field,
    P: Permutation<[V; W]>,
    I: Iterator<Item = V>,
{
    fn set(&mut self, state: &State<F, W>) {
        let mut words = *state.words();
        for (vector, element) in self.state.iter_mut().zip(of_words::<V::Value>(&mut words)) {
            *vector = V::from_fn(|_| *element);
        }
    }

    #[inline]
    fn overwrite(&mut self, elements: Range<usize>) -> usize {
        self.message.next(&mut self.state[elements])
    }

    #[inline]
    fn add(&mut self, elements: Range<usize>) -> usize {
        let mut more = [zero(); W];
        let count = self.message.next(&mut more[elements]);
        add::<V, F>(&mut self.state, &more);
        count
    }

    fn clear(&mut self, elements: Range<usize>) {
        self.state[elements].fill(zero());
    }

    fn copy(&mut self, elements: Range<usize>, element: usize) {
        self.state.copy_within(elements, element);
    }

    #[inline]
    fn permute(&mut self) {
        self.permutation.permute_mut(&mut self.state);
    }

    #[inline]
    fn feed_forward(&mut self) {
        let before = self.state;
        self.permutation.permute_mut(&mut self.state);
        add::<V, F>(&mut self.state, &before);
    }
}

/// Adds to each element.
#[inline]
fn add<V: PackedValue<Value: Element<Field = F>>, F: Field>(state: &mut [V], more: &[V]) {
    let sums = kernel_words(elements_mut(state));
    // It is not relied on that Plonky3 keeps elements below p.
    for (sum, word) in sums.iter_mut().zip(words(elements(more))) {
        *sum = F::add(F::accept(*sum), F::accept(*word));
    }
}

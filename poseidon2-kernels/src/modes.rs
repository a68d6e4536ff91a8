//! Runs of independent states, from where users keep their words to where kernels want them.
//!
//! A sponge over many rows and a compression of many nodes have no states to begin with: words go
//! straight from the rows into a kernel's vectors, and only those that change between two calls.

use poseidon2_generated::Shape;

use crate::engine::Engine;
use crate::field::Field;
use crate::lanes::Buffer;
use crate::plan::Step;

impl<F: Field, const W: usize, S> Engine<F, W, S> {
    /// Hashes rows of equal length, which lie back to back, each into one digest: `RATE` words
    /// overwrite the front of the state before each permutation, the last ones may be fewer.
    /// `load` makes of any word one that kernels accept.
    ///
    /// If the words cannot be shared out evenly among the digests, those left over are not read.
    pub(crate) fn sponge<const RATE: usize, const OUT: usize>(
        &self,
        rows: &[F::Word],
        digests: &mut [[F::Word; OUT]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        const { assert!(0 < OUT && OUT <= RATE && RATE < W) };
        let length = rows.len().checked_div(digests.len()).unwrap_or(0);
        let hash = |step: &Step<F::Word>, rows: &[F::Word], states: &mut [F::Word]| {
            let lanes = step.lanes;
            let mut start = 0;
            while start < length {
                let count = RATE.min(length - start);
                let place = Place {
                    length,
                    start,
                    element: 0,
                };
                if count == RATE {
                    place.absorb::<F::Word, W, RATE>(rows, lanes, states, load);
                } else {
                    place.absorb_some::<F::Word, W>(count, rows, lanes, states, load);
                }
                self.call(step, states);
                start += count;
            }
        };
        self.for_each_group(Shape::Chain, rows, length, digests, store, hash);
    }

    /// Compresses groups of `N` nodes, each into one: the front of the image of the nodes, one
    /// after the other, and zeros. `load` makes of any word one that kernels accept.
    pub(crate) fn compress<const N: usize, const CHUNK: usize>(
        &self,
        groups: &[[[F::Word; CHUNK]; N]],
        nodes: &mut [[F::Word; CHUNK]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        const { assert!(0 < N && 0 < CHUNK && N * CHUNK <= W) };
        let words = groups.as_flattened().as_flattened();
        let hash = |step: &Step<F::Word>, words: &[F::Word], states: &mut [F::Word]| {
            for child in 0..N {
                let start = child * CHUNK;
                let place = Place {
                    length: N * CHUNK,
                    start,
                    element: start,
                };
                place.absorb::<F::Word, W, CHUNK>(words, step.lanes, states, load);
            }
            self.call(step, states);
        };
        self.for_each_group(Shape::Merkle, words, N * CHUNK, nodes, store, hash);
    }

    /// Hands out the rows of each kernel call, with states that are zero, and takes the front of
    /// each state for its digest.
    #[inline(always)]
    fn for_each_group<const OUT: usize>(
        &self,
        shape: Shape,
        rows: &[F::Word],
        length: usize,
        digests: &mut [[F::Word; OUT]],
        store: impl Fn(F::Word) -> F::Word,
        permute: impl Fn(&Step<F::Word>, &[F::Word], &mut [F::Word]),
    ) {
        let (mut rows, mut digests) = (rows, digests);
        let mut buffer = Buffer::new();
        for step in self.steps(shape) {
            while let Some(digests) = step.take(&mut digests) {
                let here;
                (here, rows) = rows.split_at(digests.len() * length);
                let states = buffer.zeros(step.states * W);
                permute(step, here, states);
                squeeze::<F::Word, W, OUT>(states, step.lanes, digests, &store);
            }
        }
    }
}

/// Which words of each row become which elements of its state.
#[derive(Clone, Copy)]
struct Place {
    /// Words of a row.
    length: usize,
    /// The first word to take of a row.
    start: usize,
    /// The element of the state that it becomes; those that follow it go to the next ones.
    element: usize,
}

impl Place {
    /// Takes `K` words of each row, the first row into the first lane.
    #[inline(always)]
    fn absorb<T: Copy, const W: usize, const K: usize>(
        self,
        rows: &[T],
        lanes: usize,
        states: &mut [T],
        load: impl Fn(T) -> T,
    ) {
        match lanes {
            1 => self.absorb_in::<T, W, K, 1>(rows, states, load),
            4 => self.absorb_in::<T, W, K, 4>(rows, states, load),
            8 => self.absorb_in::<T, W, K, 8>(rows, states, load),
            16 => self.absorb_in::<T, W, K, 16>(rows, states, load),
            _ => self.absorb_some::<T, W>(K, rows, lanes, states, load),
        }
    }

    /// The same for `L` lanes, whole vectors at a time where all lanes have a row.
    #[inline(always)]
    fn absorb_in<T: Copy, const W: usize, const K: usize, const L: usize>(
        self,
        rows: &[T],
        states: &mut [T],
        load: impl Fn(T) -> T,
    ) {
        let groups = states.chunks_exact_mut(W * L);
        for (rows, group) in rows.chunks(L * self.length).zip(groups) {
            if rows.len() < L * self.length {
                self.absorb_some::<T, W>(K, rows, L, group, &load);
                continue;
            }
            let words: [&[T]; L] =
                core::array::from_fn(|lane| &rows[lane * self.length + self.start..][..K]);
            let (vectors, _) = group.as_chunks_mut::<L>();
            for (i, vector) in vectors[self.element..][..K].iter_mut().enumerate() {
                *vector = core::array::from_fn(|lane| load(words[lane][i]));
            }
        }
    }

    /// Takes `count` words of each row, of as many rows as there are.
    fn absorb_some<T: Copy, const W: usize>(
        self,
        count: usize,
        rows: &[T],
        lanes: usize,
        states: &mut [T],
        load: impl Fn(T) -> T,
    ) {
        for (row, words) in rows.chunks_exact(self.length).enumerate() {
            let (group, lane) = (row / lanes * W, row % lanes);
            for (i, word) in words[self.start..][..count].iter().enumerate() {
                states[(group + self.element + i) * lanes + lane] = load(*word);
            }
        }
    }
}

/// Reads the first `OUT` elements of each state.
#[inline(always)]
fn squeeze<T: Copy, const W: usize, const OUT: usize>(
    states: &[T],
    lanes: usize,
    digests: &mut [[T; OUT]],
    store: impl Fn(T) -> T,
) {
    for (digests, group) in digests
        .chunks_mut(lanes)
        .zip(states.chunks_exact(W * lanes))
    {
        for (lane, digest) in digests.iter_mut().enumerate() {
            *digest = core::array::from_fn(|i| store(group[i * lanes + lane]));
        }
    }
}

//! Runs of messages, from where users keep their words to where kernels want them.
//!
//! A sponge over many rows and a compression of many nodes have no states to begin with: words go
//! straight from the rows into a kernel's vectors, and only those that change between two calls.

use core::ops::Range;

use poseidon2_generated::Shape;

use super::{Mode, Order, State, States, sum};
use crate::engine::Engine;
use crate::field::Field;
use crate::lanes::Buffer;
use crate::plan::Step;

impl<F: Field, const W: usize, S> Engine<F, W, S> {
    /// Makes of each row, which are of equal length and lie back to back, one digest. `load` makes of any
    /// word one that kernels accept.
    ///
    /// If the words cannot be shared out evenly among the digests, those left over are not read.
    pub(crate) fn digest<M: Mode<F, W>, const OUT: usize>(
        &self,
        mode: &M,
        shape: Shape,
        rows: &[F::Word],
        digests: &mut [[F::Word; OUT]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        const { assert!(0 < OUT && OUT <= M::READABLE && M::READABLE <= W) };
        self.run(mode, shape, rows, digests, load, store);
    }

    /// The states behind the digests.
    pub(crate) fn state_after<M: Mode<F, W>>(
        &self,
        mode: &M,
        row: &[F::Word],
        load: impl Fn(F::Word) -> F::Word + Copy,
    ) -> State<F, W> {
        let mut words = [F::Word::default(); W];
        let states = core::slice::from_mut(&mut words);
        self.run(mode, Shape::Chain, row, states, load, F::accept);
        State::of_words(words)
    }

    #[inline(always)]
    fn run<M: Mode<F, W>, const OUT: usize>(
        &self,
        mode: &M,
        shape: Shape,
        rows: &[F::Word],
        digests: &mut [[F::Word; OUT]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word,
    ) {
        let length = rows.len().checked_div(digests.len()).unwrap_or(0);
        let (mut rows, mut digests) = (rows, digests);
        let (mut buffer, mut spare) = (Buffer::new(), Buffer::new());
        for step in self.steps(shape) {
            while let Some(digests) = step.take(&mut digests) {
                let here;
                (here, rows) = rows.split_at(digests.len() * length);
                let mut batch = Batch {
                    engine: self,
                    step,
                    rows: here,
                    length,
                    order: M::ORDER,
                    left: 0..length,
                    states: buffer.zeros(step.states * W),
                    spare: &mut spare,
                    load,
                };
                mode.start(&mut batch);
                mode.absorb(&mut batch);
                squeeze::<F::Word, W, OUT>(batch.states, step.lanes, digests, &store);
            }
        }
    }
}

/// The states of one kernel call, and their rows.
struct Batch<'a, F: Field, S, L, const W: usize> {
    engine: &'a Engine<F, W, S>,
    step: &'a Step<F::Word>,
    rows: &'a [F::Word],
    /// Words of a row.
    length: usize,
    order: Order,
    /// Those that were not absorbed yet.
    left: Range<usize>,
    states: &'a mut [F::Word],
    /// For words that are to be added to states.
    spare: &'a mut Buffer<F::Word>,
    load: L,
}

impl<F: Field, S, L: Fn(F::Word) -> F::Word + Copy, const W: usize> Batch<'_, F, S, L, W> {
    /// Takes the next words of each row, at most `K`: the first of them, and how many.
    #[inline(always)]
    fn next<const K: usize>(&mut self) -> (usize, usize) {
        let count = K.min(self.left.len());
        match self.order {
            Order::LeftToRight => {
                self.left.start += count;
                (self.left.start - count, count)
            }
            Order::RightToLeft => {
                self.left.end -= count;
                (self.left.end, count)
            }
        }
    }
}

impl<F: Field, S, L: Fn(F::Word) -> F::Word + Copy, const W: usize> States<F, W>
    for Batch<'_, F, S, L, W>
{
    #[inline]
    fn set(&mut self, state: &State<F, W>) {
        let lanes = self.step.lanes;
        for group in self.states.chunks_exact_mut(W * lanes) {
            for (vector, word) in group.chunks_exact_mut(lanes).zip(state.words()) {
                vector.fill(*word);
            }
        }
    }

    #[inline(always)]
    fn overwrite<const K: usize>(&mut self, element: usize) -> usize {
        let (start, count) = self.next::<K>();
        let place = Place {
            length: self.length,
            start,
            element,
        };
        place.absorb_up_to::<_, W, K>(count, self.rows, self.step.lanes, self.states, self.load);
        count
    }

    #[inline(always)]
    fn add<const K: usize>(&mut self, element: usize) -> usize {
        let (start, count) = self.next::<K>();
        let place = Place {
            length: self.length,
            start,
            element: 0,
        };
        let lanes = self.step.lanes;
        // Kernels accept a zero, so it can be added where there is no row.
        let spare = self.spare.zeros(self.states.len());
        place.absorb_up_to::<_, W, K>(count, self.rows, lanes, spare, self.load);
        let groups = self.states.chunks_exact_mut(W * lanes);
        for (group, more) in groups.zip(spare.chunks_exact(W * lanes)) {
            let (group, more) = (&mut group[element * lanes..], &more[..count * lanes]);
            sum::add::<F>(self.step, &mut group[..count * lanes], more);
        }
        count
    }

    #[inline]
    fn clear(&mut self, elements: Range<usize>) {
        let lanes = self.step.lanes;
        for group in self.states.chunks_exact_mut(W * lanes) {
            group[elements.start * lanes..elements.end * lanes].fill(F::Word::default());
        }
    }

    #[inline]
    fn copy(&mut self, elements: Range<usize>, element: usize) {
        let lanes = self.step.lanes;
        for group in self.states.chunks_exact_mut(W * lanes) {
            group.copy_within(
                elements.start * lanes..elements.end * lanes,
                element * lanes,
            );
        }
    }

    #[inline]
    fn permute(&mut self) {
        self.engine.call(self.step, self.states);
    }

    #[inline]
    fn feed_forward(&mut self) {
        let before = self.spare.copied(self.states);
        self.engine.call(self.step, self.states);
        sum::add::<F>(self.step, self.states, before);
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
    /// Takes `count` words of each row, at most `K`.
    #[inline(always)]
    fn absorb_up_to<T: Copy, const W: usize, const K: usize>(
        mut self,
        count: usize,
        rows: &[T],
        lanes: usize,
        states: &mut [T],
        load: impl Fn(T) -> T + Copy,
    ) {
        if count == K {
            return self.absorb::<T, W, K>(rows, lanes, states, load);
        }
        // Digests have a multiple of four words, and so have rows of them.
        for _ in 0..count / 4 {
            self.absorb::<T, W, 4>(rows, lanes, states, load);
            self.start += 4;
            self.element += 4;
        }
        self.absorb_some::<T, W>(count % 4, rows, lanes, states, load);
    }

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
        if count == 0 {
            return;
        }
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

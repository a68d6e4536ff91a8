//! Runs of messages, from where users keep their words to where kernels want them.
//!
//! A sponge over many rows and a compression of many nodes have no states to begin with: words go
//! straight from the rows into a kernel's vectors, and only those that change between two calls.

use core::ops::Range;
use core::slice::ChunksExactMut;

use poseidon2_generated::Shape;

use super::{Mode, Order, State, States, assert_absorbed, sum, within};
use crate::engine::Engine;
use crate::field::Field;
use crate::lanes::{Buffer, separate};
use crate::plan::Step;
use crate::transpose::{Strided, transpose};

impl<F: Field, const W: usize, S> Engine<F, W, S> {
    /// Makes of each row, which are of equal length and lie back to back, one digest. `load` makes of any
    /// word one that kernels accept.
    ///
    /// If the words do not divide evenly among the digests, those left over are not read.
    pub(crate) fn digest<M: Mode<F, W>, const OUT: usize>(
        &self,
        mode: &M,
        shape: Shape,
        rows: &[F::Word],
        digests: &mut [[F::Word; OUT]],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        const {
            assert!(
                0 < OUT && OUT <= M::READABLE,
                "the digest must have at least one word, and no more than the mode gives out"
            );
        };
        self.run(mode, shape, rows, digests, load, store);
    }

    /// The state behind a digest, of a mode whose sizes fit as well:
    ///
    /// ```compile_fail
    /// use poseidon2_kernels::{Poseidon2KoalaBear, Sponge};
    ///
    /// let no_capacity = Sponge::<_, 16, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
    /// let _ = no_capacity.state_after(&[]);
    /// ```
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
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        // Sizes that a mode refuses are refused here, where all uses of it end.
        const { assert!(M::READABLE <= W, "a mode gives out a part of its state") };
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
                    rows: Rows {
                        words: here,
                        length,
                        step,
                    },
                    order: M::ORDER,
                    left: 0..length,
                    states: buffer.zeros(step.states * W),
                    spare: &mut spare,
                    load,
                };
                mode.start(&mut batch);
                mode.absorb(&mut batch);
                assert_absorbed(batch.left.len());
                separate::<F::Word, W, OUT>(batch.states, step, digests, store);
            }
        }
    }
}

/// The states of one kernel call, and their rows.
struct Batch<'a, F: Field, S, L, const W: usize> {
    engine: &'a Engine<F, W, S>,
    step: &'a Step<F::Word>,
    rows: Rows<'a, F::Word, W>,
    order: Order,
    /// The columns that were not absorbed yet.
    left: Range<usize>,
    states: &'a mut [F::Word],
    /// For words that are to be added to states.
    spare: &'a mut Buffer<F::Word>,
    load: L,
}

impl<F: Field, S, L: Fn(F::Word) -> F::Word + Copy, const W: usize> Batch<'_, F, S, L, W> {
    /// Takes the next words of each row, at most so many: where they are.
    #[inline]
    fn next(&mut self, most: usize) -> Range<usize> {
        let Range { start, end } = self.left;
        let count = most.min(end - start);
        match self.order {
            Order::LeftToRight => {
                self.left.start += count;
                start..start + count
            }
            Order::RightToLeft => {
                self.left.end -= count;
                end - count..end
            }
        }
    }

    /// The states that a kernel permutes in one vector for each element.
    fn groups(&mut self) -> ChunksExactMut<'_, F::Word> {
        self.states.chunks_exact_mut(W * self.step.lanes)
    }

    /// The elements of all states of a group, where they are in it.
    fn vectors(&self, elements: Range<usize>) -> Range<usize> {
        within(&elements, W);
        let lanes = self.step.lanes;
        elements.start * lanes..elements.end * lanes
    }
}

impl<F: Field, S, L: Fn(F::Word) -> F::Word + Copy, const W: usize> States<F, W>
    for Batch<'_, F, S, L, W>
{
    #[inline]
    fn set(&mut self, state: &State<F, W>) {
        let lanes = self.step.lanes;
        for group in self.groups() {
            for (vector, word) in group.chunks_exact_mut(lanes).zip(state.words()) {
                vector.fill(*word);
            }
        }
    }

    #[inline]
    fn overwrite(&mut self, elements: Range<usize>) -> usize {
        within(&elements, W);
        let columns = self.next(elements.len());
        let count = columns.len();
        self.rows
            .absorb(columns, elements.start, self.states, self.load);
        count
    }

    #[inline]
    fn add(&mut self, elements: Range<usize>) -> usize {
        within(&elements, W);
        let columns = self.next(elements.len());
        let count = columns.len();
        let vectors = self.vectors(elements.start..elements.start + count);
        // Kernels accept a zero, so it can be added where there is no row.
        let spare = self.spare.zeros(self.states.len());
        self.rows.absorb(columns, elements.start, spare, self.load);
        let groups = self.states.chunks_exact_mut(W * self.step.lanes);
        for (group, more) in groups.zip(spare.chunks_exact(W * self.step.lanes)) {
            sum::add::<F>(
                self.step,
                &mut group[vectors.clone()],
                &more[vectors.clone()],
            );
        }
        count
    }

    #[inline]
    fn clear(&mut self, elements: Range<usize>) {
        let vectors = self.vectors(elements);
        for group in self.groups() {
            group[vectors.clone()].fill(F::Word::default());
        }
    }

    #[inline]
    fn copy(&mut self, elements: Range<usize>, element: usize) {
        let to = self.vectors(element..element.saturating_add(elements.len()));
        let from = self.vectors(elements);
        for group in self.groups() {
            group.copy_within(from.clone(), to.start);
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

/// Rows whose words become elements of states of `W` elements, the first row in the first lane.
#[derive(Clone, Copy)]
struct Rows<'a, T: 'static, const W: usize> {
    words: &'a [T],
    /// Words of a row.
    length: usize,
    step: &'a Step<T>,
}

impl<T: Copy, const W: usize> Rows<'_, T, W> {
    /// Columns become elements, the first of them `element`.
    #[inline]
    fn absorb(
        self,
        columns: Range<usize>,
        element: usize,
        states: &mut [T],
        load: impl Fn(T) -> T + Copy,
    ) {
        // Rows without words.
        if columns.is_empty() {
            return;
        }
        let lanes = self.step.lanes;
        let groups = states.chunks_exact_mut(W * lanes);
        for (words, group) in self.words.chunks(lanes * self.length).zip(groups) {
            let from = Strided {
                words: &words[columns.start..],
                stride: self.length,
            };
            let to = Strided {
                words: &mut group[element * lanes..],
                stride: lanes,
            };
            let size = [words.len() / self.length, columns.len()];
            if transpose(self.step, from, to, size, load) {
                continue;
            }
            let (rows, columns) = (Self { words, ..self }, columns.clone());
            match lanes {
                1 => rows.absorb_in::<1>(columns, element, group, load),
                4 => rows.absorb_in::<4>(columns, element, group, load),
                _ => rows.absorb_some(columns, element, group, load),
            }
        }
    }

    /// The same for one group of `L` lanes, four whole vectors at a time where all lanes have a row.
    ///
    /// In plain loops: without link-time optimisation `array::from_fn` is a call for each vector, and so is
    /// `zip`, which together cost a fifth of the time of a sponge over KoalaBear.
    fn absorb_in<const L: usize>(
        self,
        columns: Range<usize>,
        element: usize,
        group: &mut [T],
        load: impl Fn(T) -> T + Copy,
    ) {
        const VECTORS: usize = 4;
        let (mut column, mut element) = (columns.start, element);
        if self.words.len() == L * self.length {
            let (vectors, _) = group.as_chunks_mut::<L>();
            let vectors = &mut vectors[element..][..columns.len()];
            for vectors in vectors.as_chunks_mut::<VECTORS>().0 {
                let mut words_of = [self.words; L];
                for (lane, words) in words_of.iter_mut().enumerate() {
                    *words = &words[lane * self.length + column..][..VECTORS];
                }
                for (i, vector) in vectors.iter_mut().enumerate() {
                    let mut loaded = *vector;
                    for (lane, word) in loaded.iter_mut().enumerate() {
                        *word = load(words_of[lane][i]);
                    }
                    *vector = loaded;
                }
                column += VECTORS;
                element += VECTORS;
            }
        }
        self.absorb_some(column..columns.end, element, group, load);
    }

    /// The same for one group of any number of rows and lanes.
    fn absorb_some(
        self,
        columns: Range<usize>,
        element: usize,
        group: &mut [T],
        load: impl Fn(T) -> T + Copy,
    ) {
        if columns.is_empty() {
            return;
        }
        let lanes = self.step.lanes;
        for (lane, words) in self.words.chunks_exact(self.length).enumerate() {
            for (i, word) in words[columns.clone()].iter().enumerate() {
                group[(element + i) * lanes + lane] = load(*word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Poseidon2KoalaBear;
    use crate::field::Field;
    use crate::modes::{Hasher, Lengths, Mode, Order, States};

    /// Copies an element from where multiplying by a number of lanes comes to the front again.
    #[derive(Clone, Copy, Debug, Default)]
    struct Beyond;

    impl<F: Field> Mode<F, 16> for Beyond {
        const ORDER: Order = Order::LeftToRight;
        const LENGTHS: Lengths = Lengths::ANY;
        const BLOCK: usize = 16;
        const READABLE: usize = 16;

        fn absorb(&self, states: &mut impl States<F, 16>) {
            let beyond = 1 << (usize::BITS - 2);
            states.copy(beyond..beyond + 1, 0);
        }
    }

    /// Goes on from a state after every other block.
    #[derive(Clone, Copy, Debug, Default)]
    struct Pairs;

    impl<F: Field> Mode<F, 16> for Pairs {
        const ORDER: Order = Order::LeftToRight;
        const LENGTHS: Lengths = Lengths {
            step: 16,
            ..Lengths::ANY
        };
        const BLOCK: usize = 8;
        const READABLE: usize = 8;

        fn absorb(&self, states: &mut impl States<F, 16>) {
            while states.overwrite(0..8) > 0 {
                states.permute();
            }
        }
    }

    /// Drops all words after the first block.
    #[derive(Clone, Copy, Debug, Default)]
    struct First;

    impl<F: Field> Mode<F, 16> for First {
        const ORDER: Order = Order::LeftToRight;
        const LENGTHS: Lengths = Lengths::ANY;
        const BLOCK: usize = 8;
        const READABLE: usize = 8;

        fn absorb(&self, states: &mut impl States<F, 16>) {
            states.overwrite(0..8);
            states.permute();
        }
    }

    #[test]
    #[should_panic(expected = "left 2 words")]
    fn modes_absorb_whole_messages() {
        let first = Hasher::<_, First, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
        let _ = first.hash_row(&[7; 8]);
        let _ = first.hash_row(&[7; 10]);
    }

    #[test]
    fn states_are_after_messages_that_the_mode_takes() {
        let pairs = Hasher::<_, Pairs, 16, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
        assert!(pairs.state_after(&[7; 16]).is_ok());
        assert!(pairs.state_after(&[7; 8]).is_err());
    }

    #[test]
    #[should_panic(expected = "of a state of 16")]
    fn elements_are_within_the_state() {
        let poseidon2 = Poseidon2KoalaBear::<16>::plonky3();
        let _ = Hasher::<_, Beyond, 16, 8>::new(poseidon2).hash_row(&[]);
    }
}

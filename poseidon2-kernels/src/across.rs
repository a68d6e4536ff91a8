//! States that lie across each other, as arrays of SIMD vectors do.

use poseidon2_generated::Shape;

use crate::engine::Engine;
use crate::field::Field;
use crate::lanes::Buffer;

impl<F: Field, const W: usize, const RF: usize, const RP: usize> Engine<F, W, RF, RP> {
    /// Permutes states that lie across each other: word `i·count + s` is element `i` of state `s`.
    /// `load` makes of any word one that kernels accept.
    #[inline]
    pub(crate) fn permute_across(
        &self,
        words: &mut [F::Word],
        load: impl Fn(F::Word) -> F::Word + Copy,
        store: impl Fn(F::Word) -> F::Word + Copy,
    ) {
        let count = words.len() / W;
        let mut buffer = Buffer::new();
        let mut first = 0;
        for step in self.steps(Shape::Independent) {
            let kernel = step.kernel;
            while first < count && count - first >= step.least {
                let states = buffer.zeros(kernel.state_words());
                let here = kernel.states().min(count - first);
                let window = Window { count, first, here };
                window.gather::<F::Word, W>(words, kernel.lanes, states, load);
                self.call(step, states);
                window.scatter::<F::Word, W>(states, kernel.lanes, words, store);
                first += here;
            }
        }
    }
}

/// Some of the states that lie across each other.
#[derive(Clone, Copy)]
struct Window {
    /// How many there are in all.
    count: usize,
    /// The first of these.
    first: usize,
    /// How many these are.
    here: usize,
}

impl Window {
    /// For each group of lanes and each element: where its words are, and where in the kernel's.
    fn runs<const W: usize>(self, lanes: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.here).step_by(lanes).flat_map(move |state| {
            let length = lanes.min(self.here - state);
            (0..W).map(move |i| {
                let outside = i * self.count + self.first + state;
                (outside, state * W + i * lanes, length)
            })
        })
    }

    /// Copies them to where a kernel wants them.
    #[inline(always)]
    fn gather<T: Copy, const W: usize>(
        self,
        words: &[T],
        lanes: usize,
        states: &mut [T],
        load: impl Fn(T) -> T,
    ) {
        for (outside, inside, length) in self.runs::<W>(lanes) {
            let target = &mut states[inside..][..length];
            for (word, given) in target.iter_mut().zip(&words[outside..][..length]) {
                *word = load(*given);
            }
        }
    }

    /// Copies them back.
    #[inline(always)]
    fn scatter<T: Copy, const W: usize>(
        self,
        states: &[T],
        lanes: usize,
        words: &mut [T],
        store: impl Fn(T) -> T,
    ) {
        for (outside, inside, length) in self.runs::<W>(lanes) {
            let target = &mut words[outside..][..length];
            for (word, image) in target.iter_mut().zip(&states[inside..][..length]) {
                *word = store(*image);
            }
        }
    }
}

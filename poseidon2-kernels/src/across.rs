//! States that lie across each other, as arrays of SIMD vectors do.

use core::convert::identity;

use poseidon2_generated::Shape;

use crate::engine::Engine;
use crate::features::compiled_for;
use crate::field::Field;
use crate::lanes::Buffer;
use crate::plan::{Server, Step};

impl<F: Field, const W: usize, S> Engine<F, W, S> {
    /// Permutes states that lie across each other: word `i·count + s` is element `i` of state `s`. They
    /// are words of Plonky3's elements, before and after.
    #[inline]
    pub(crate) fn permute_across(&self, words: &mut [F::Word], count: usize) {
        if count == 1 {
            return self.elements_in_place(self.for_one(), words);
        }
        let mut buffer = Buffer::new();
        let mut first = 0;
        for step in self.steps(Shape::Independent) {
            while first < count && count - first >= step.least {
                if first == 0 && count == step.states && count == step.lanes {
                    // One vector of them is in the order of a kernel's.
                    return self.elements_in_place(step, words);
                }
                let states = buffer.zeros(step.states * W);
                let here = step.states.min(count - first);
                let window = Window { count, first, here };
                window.gather::<F::Word, W>(words, step.lanes, states);
                compiled_for(step, || {
                    states.iter_mut().for_each(|word| *word = F::accept(*word));
                });
                self.call(step, states);
                window.scatter::<F::Word, W>(states, step.lanes, words);
                first += here;
            }
        }
    }

    /// Kernels are not made to depend on it that Plonky3 keeps elements below p; Plonky3's own may.
    #[inline]
    fn elements_in_place(&self, step: &Step<F::Word>, words: &mut [F::Word]) {
        match step.server {
            Server::Kernel(..) => self.in_place(step, words, F::accept, identity),
            Server::Stock => self.call(step, words),
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
    fn gather<T: Copy, const W: usize>(self, words: &[T], lanes: usize, states: &mut [T]) {
        for (outside, inside, length) in self.runs::<W>(lanes) {
            copy(&words[outside..][..length], &mut states[inside..][..length]);
        }
    }

    /// Copies them back.
    #[inline(always)]
    fn scatter<T: Copy, const W: usize>(self, states: &[T], lanes: usize, words: &mut [T]) {
        for (outside, inside, length) in self.runs::<W>(lanes) {
            copy(&states[inside..][..length], &mut words[outside..][..length]);
        }
    }
}

/// Copies as many words as there are: whole vectors, whose lengths are known when this is compiled, or fewer.
#[inline(always)]
fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    if let (Ok(from), Ok(to)) = (<&[T; 8]>::try_from(from), <&mut [T; 8]>::try_from(&mut *to)) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

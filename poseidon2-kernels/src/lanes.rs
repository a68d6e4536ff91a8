//! Between arrays of states and the order in which kernels of several lanes want their words.
//!
//! A kernel of `L` lanes reads vectors of one element of `L` states: word `i·L + l` of a group is
//! element `i` of its state `l`.

use core::mem::MaybeUninit;

use crate::plan::{MAX_WORDS, Step};
use crate::transpose::{Strided, transpose};

/// Room for the states of one kernel call, on a cache line of its own.
///
/// Every word in it is at any time zero, or one that was given in, or one that a kernel gave back:
/// lanes that no state fills are thus in the range that kernels accept.
#[repr(align(64))]
pub(crate) struct Buffer<T>([MaybeUninit<T>; MAX_WORDS]);

impl<T: Copy + Default> Buffer<T> {
    pub(crate) const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; MAX_WORDS])
    }

    /// The first `words` words, each of them zero.
    pub(crate) fn zeros(&mut self, words: usize) -> &mut [T] {
        let words = &mut self.0[..words];
        words.fill(MaybeUninit::new(T::default()));
        // SAFETY: `MaybeUninit<T>` has the layout of `T`, and each word was just written.
        unsafe { &mut *(core::ptr::from_mut(words) as *mut [T]) }
    }

    /// A copy of words, as the first ones.
    #[inline]
    pub(crate) fn copied(&mut self, words: &[T]) -> &[T] {
        let copy = &mut self.0[..words.len()];
        for (to, word) in copy.iter_mut().zip(words) {
            to.write(*word);
        }
        // SAFETY: as above.
        unsafe { &*(core::ptr::from_ref(copy) as *const [T]) }
    }
}

/// Writes states into the groups of `words`, as many states into the first group as a step has lanes.
#[inline]
pub(crate) fn interleave<T: Copy, const W: usize>(
    states: &[[T; W]],
    step: &Step<T>,
    words: &mut [T],
    load: impl Fn(T) -> T + Copy,
) {
    let groups = words.chunks_exact_mut(W * step.lanes);
    for (states, group) in states.chunks(step.lanes).zip(groups) {
        let from = Strided {
            words: states.as_flattened(),
            stride: W,
        };
        let to = Strided {
            words: &mut *group,
            stride: step.lanes,
        };
        if transpose(step, from, to, [states.len(), W], load) {
            continue;
        }
        for (i, vector) in group.chunks_exact_mut(step.lanes).enumerate() {
            for (word, state) in vector.iter_mut().zip(states) {
                *word = load(state[i]);
            }
        }
    }
}

/// Reads the first `OUT` elements of states of `W` elements back from the groups of `words`.
#[inline]
pub(crate) fn separate<T: Copy, const W: usize, const OUT: usize>(
    words: &[T],
    step: &Step<T>,
    fronts: &mut [[T; OUT]],
    store: impl Fn(T) -> T + Copy,
) {
    let groups = words.chunks_exact(W * step.lanes);
    for (fronts, group) in fronts.chunks_mut(step.lanes).zip(groups) {
        let size = [OUT, fronts.len()];
        let from = Strided {
            words: group,
            stride: step.lanes,
        };
        let to = Strided {
            words: fronts.as_flattened_mut(),
            stride: OUT,
        };
        if transpose(step, from, to, size, store) {
            continue;
        }
        for (lane, front) in fronts.iter_mut().enumerate() {
            for (word, vector) in front.iter_mut().zip(group.chunks_exact(step.lanes)) {
                *word = store(vector[lane]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, Goldilocks};
    use crate::plan::Server;
    use crate::select::is_supported;

    const STATES: usize = 21;

    #[test]
    fn words_are_where_kernels_look_for_them() {
        let states: [[u64; 8]; STATES] =
            core::array::from_fn(|s| core::array::from_fn(|i| (10 * s + i) as u64));
        let kernels = Goldilocks::KERNELS.iter();
        for kernel in kernels.filter(|kernel| is_supported(kernel.isa)) {
            let lanes = kernel.lanes;
            let step = Step {
                server: Server::Kernel(kernel, 0),
                states: kernel.states(),
                lanes,
                least: 1,
            };
            let mut buffer = Buffer::new();
            let words = buffer.zeros(states.len().div_ceil(lanes) * lanes * 8);
            interleave(&states, &step, words, |word| word + 1000);
            for (s, state) in states.iter().enumerate() {
                for (i, word) in state.iter().enumerate() {
                    let place = (s / lanes * 8 + i) * lanes + s % lanes;
                    assert_eq!(words[place], word + 1000, "{lanes} lanes");
                }
            }
            let mut back = [[0; 8]; STATES];
            separate::<_, 8, 8>(words, &step, &mut back, |word| word - 1000);
            assert_eq!(back, states, "{lanes} lanes");
            let mut fronts = [[0; 3]; STATES];
            separate::<_, 8, 3>(words, &step, &mut fronts, |word| word);
            let front = |s: usize| core::array::from_fn(|i| states[s][i] + 1000);
            assert_eq!(fronts, core::array::from_fn(front), "{lanes} lanes");
        }
    }
}

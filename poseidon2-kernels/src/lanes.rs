//! Between arrays of states and the order in which kernels of several lanes want their words.
//!
//! A kernel of `L` lanes reads vectors of one element of `L` states: word `i·L + l` of a group is
//! element `i` of its state `l`.

use core::mem::MaybeUninit;

use crate::plan::MAX_WORDS;

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

/// Writes states into the groups of `words`, the first `lanes` states into the first group.
#[inline]
pub(crate) fn interleave<T: Copy, const W: usize>(
    states: &[[T; W]],
    lanes: usize,
    words: &mut [T],
    load: impl Fn(T) -> T,
) {
    #[inline(always)]
    fn go<T: Copy, const W: usize>(
        states: &[[T; W]],
        lanes: usize,
        words: &mut [T],
        load: impl Fn(T) -> T,
    ) {
        for (states, group) in states.chunks(lanes).zip(words.chunks_exact_mut(W * lanes)) {
            for (i, vector) in group.chunks_exact_mut(lanes).enumerate() {
                for (word, state) in vector.iter_mut().zip(states) {
                    *word = load(state[i]);
                }
            }
        }
    }
    // The same for each number of lanes, but compiled for the usual ones.
    match lanes {
        4 => go(states, 4, words, load),
        8 => go(states, 8, words, load),
        _ => go(states, lanes, words, load),
    }
}

/// Reads states back from the groups of `words`: the inverse of [`interleave`].
#[inline]
pub(crate) fn separate<T: Copy, const W: usize>(
    words: &[T],
    lanes: usize,
    states: &mut [[T; W]],
    store: impl Fn(T) -> T,
) {
    #[inline(always)]
    fn go<T: Copy, const W: usize>(
        words: &[T],
        lanes: usize,
        states: &mut [[T; W]],
        store: impl Fn(T) -> T,
    ) {
        for (states, group) in states.chunks_mut(lanes).zip(words.chunks_exact(W * lanes)) {
            for (lane, state) in states.iter_mut().enumerate() {
                for (word, vector) in state.iter_mut().zip(group.chunks_exact(lanes)) {
                    *word = store(vector[lane]);
                }
            }
        }
    }
    match lanes {
        4 => go(words, 4, states, store),
        8 => go(words, 8, states, store),
        _ => go(words, lanes, states, store),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_kernels_look_for_them() {
        let states: [[u64; 8]; 5] =
            core::array::from_fn(|s| core::array::from_fn(|i| (10 * s + i) as u64));
        let mut buffer = Buffer::new();
        let words = buffer.zeros(2 * 4 * 8);
        interleave(&states, 4, words, |word| word + 100);
        for (s, state) in states.iter().enumerate() {
            for (i, word) in state.iter().enumerate() {
                assert_eq!(words[(s / 4 * 8 + i) * 4 + s % 4], word + 100);
            }
        }
        let mut back = [[0; 8]; 5];
        separate(words, 4, &mut back, |word| word - 100);
        assert_eq!(back, states);
    }
}

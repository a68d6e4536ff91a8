//! Plonky3's field elements as the words that kernels read, in place.

use p3_field::PackedValue;
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;

/// An element that is a word in memory.
///
/// # Safety
/// The type is `repr(transparent)` over `Word`, and a word that a kernel of its field gives is a
/// valid value of it.
pub(super) unsafe trait Element: Copy {
    type Word;
}

// SAFETY: `Goldilocks` is `repr(transparent)` over a `u64`, of which every value is valid:
// `Goldilocks::new` takes any.
unsafe impl Element for Goldilocks {
    type Word = u64;
}

// SAFETY: `KoalaBear` is `repr(transparent)` over a `u32`, x·2^32 mod p below p, and so are the words
// that kernels give.
unsafe impl Element for KoalaBear {
    type Word = u32;
}

/// The words of elements.
#[inline]
pub(super) const fn words<E: Element>(elements: &[E]) -> &[E::Word] {
    const { assert_layout::<E>() };
    // SAFETY: an `Element` has the layout of its word, and each of its values is a word.
    unsafe { &*(core::ptr::from_ref(elements) as *const [E::Word]) }
}

/// The words of elements, to be written by kernels only.
#[inline]
pub(super) const fn kernel_words<E: Element>(elements: &mut [E]) -> &mut [E::Word] {
    const { assert_layout::<E>() };
    // SAFETY: an `Element` has the layout of its word, and kernels write valid values.
    unsafe { &mut *(core::ptr::from_mut(elements) as *mut [E::Word]) }
}

const fn assert_layout<E: Element>() {
    assert!(size_of::<E>() == size_of::<E::Word>());
    assert!(align_of::<E>() == align_of::<E::Word>());
}

/// The elements of vectors, one vector after the other.
#[inline]
pub(super) const fn elements_mut<V: PackedValue>(vectors: &mut [V]) -> &mut [V::Value] {
    const {
        assert!(size_of::<V>() == V::WIDTH * size_of::<V::Value>());
        assert!(align_of::<V>() >= align_of::<V::Value>());
    }
    let length = vectors.len() * V::WIDTH;
    // SAFETY: whoever implements `PackedValue` warrants that a vector is an array of `WIDTH` values
    // in memory (sizes are compared above); the borrow is passed on whole.
    unsafe { core::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), length) }
}

/// The words of Plonky3's states, in place.
///
/// ```
/// use p3_goldilocks::Goldilocks;
/// use poseidon2_kernels::{Poseidon2Goldilocks, plonky3::words_mut};
///
/// let mut states = [[Goldilocks::new(7); 12]; 5];
/// Poseidon2Goldilocks::<12>::plonky3().permute_many(words_mut(&mut states));
/// ```
#[must_use]
pub const fn words_mut<const W: usize>(states: &mut [[Goldilocks; W]]) -> &mut [[u64; W]] {
    const { assert_layout::<Goldilocks>() };
    // SAFETY: `Goldilocks` is `repr(transparent)` over a `u64`, of which every value is valid:
    // `Goldilocks::new` takes any. So both element types have one layout and the same valid values.
    unsafe { &mut *(core::ptr::from_mut(states) as *mut [[u64; W]]) }
}

//! Plonky3's field elements as the words that kernels read, in place.

use super::p3_field::PackedValue;
use super::*;
use crate::field::{self, Field};

/// An element of Plonky3 whose memory is a word of our kernels.
///
/// # Safety
/// The type must be `repr(transparent)` over the field's word, every value of that word must be valid for the
/// type, and elements must be the words that kernels of the field accept and return.
#[doc(hidden)]
pub unsafe trait Element: Copy {
    type Field: Peer<Element = Self>;
}

macro_rules! element {
    (goldilocks $element:ty, $field:ty) => {
        // SAFETY: `Goldilocks` is `repr(transparent)` over a `u64`, of which every value is one of an
        // element: `Goldilocks::new` takes any.
        unsafe impl Element for $element {
            type Field = $field;
        }
    };
    (montgomery31 $element:ty, $field:ty) => {
        // SAFETY: the element is a `MontyField31`, which is `repr(transparent)` over a `u32`,
        // x·2^32 mod p below p, and so are the words that kernels give.
        unsafe impl Element for $element {
            type Field = $field;
        }
    };
}

macro_rules! words_mut {
    (goldilocks) => {
        /// The words of states of Plonky3's elements, in place.
        ///
        #[cfg_attr(feature = "plonky3", doc = "```")]
        #[cfg_attr(not(feature = "plonky3"), doc = "```ignore")]
        /// use p3_goldilocks::Goldilocks;
        /// use poseidon2_kernels::{Poseidon2Goldilocks, plonky3::words_mut};
        ///
        /// let mut states = [[Goldilocks::new(7); 12]; 5];
        /// Poseidon2Goldilocks::<12>::plonky3().permute_many(words_mut(&mut states));
        /// ```
        #[must_use]
        pub const fn words_mut<const W: usize>(
            states: &mut [[p3_goldilocks::Goldilocks; W]],
        ) -> &mut [[u64; W]] {
            const { assert_layout::<p3_goldilocks::Goldilocks>() };
            // SAFETY: `Goldilocks` is `repr(transparent)` over a `u64`, of which every value is valid:
            // `Goldilocks::new` takes any. So both element types have one layout and the same valid
            // values.
            unsafe { &mut *(core::ptr::from_mut(states) as *mut [[u64; W]]) }
        }
    };
    (montgomery31) => {};
}

macro_rules! elements {
    ($($field:ident {
        field: ($family:ident $($row:tt)+), names: $names:tt, plonky3: ($krate:ident),
    })+) => {
        $(having!($field {
            element!($family $krate::$field, field::$field);
        });)+

        /// What a program may call.
        pub(super) mod interface {
            #[allow(unused_imports, reason = "where there is no Goldilocks")]
            use super::*;

            $(having!($field {
                words_mut!($family);
            });)+
        }
    };
}

poseidon2_generated::each_field!(elements);

type Word<E> = <<E as Element>::Field as Field>::Word;

/// The words of elements.
#[inline]
pub(super) const fn words<E: Element>(elements: &[E]) -> &[Word<E>] {
    const { assert_layout::<E>() };
    // SAFETY: an `Element` has the layout of its word, and each of its values is a word.
    unsafe { &*(core::ptr::from_ref(elements) as *const [Word<E>]) }
}

/// The words of elements, to be written by kernels only.
#[inline]
pub(super) const fn kernel_words<E: Element>(elements: &mut [E]) -> &mut [Word<E>] {
    const { assert_layout::<E>() };
    // SAFETY: an `Element` has the layout of its word, and kernels write valid values.
    unsafe { &mut *(core::ptr::from_mut(elements) as *mut [Word<E>]) }
}

/// The elements whose words kernels accept.
#[inline]
pub(super) const fn of_words<E: Element>(words: &mut [Word<E>]) -> &mut [E] {
    const { assert_layout::<E>() };
    // SAFETY: an `Element` has the layout of its word, of which every value is valid to the language.
    unsafe { &mut *(core::ptr::from_mut(words) as *mut [E]) }
}

const fn assert_layout<E: Element>() {
    assert!(size_of::<E>() == size_of::<Word<E>>());
    assert!(align_of::<E>() == align_of::<Word<E>>());
}

/// The elements of vectors, one vector after the other.
#[inline]
pub(super) const fn elements<V: PackedValue>(vectors: &[V]) -> &[V::Value] {
    const { assert_array::<V>() };
    let length = vectors.len() * V::WIDTH;
    // SAFETY: this relies on a vector being `WIDTH` values in memory. `PackedValue` warrants that of a vector that is
    // a `PackedField`. Of any other, size and alignment are compared above, and Plonky3's own
    // `PackedValue::pack_slice` relies on the same. The borrow is passed on whole.
    unsafe { core::slice::from_raw_parts(vectors.as_ptr().cast(), length) }
}

/// The same, to be written.
#[inline]
pub(super) const fn elements_mut<V: PackedValue>(vectors: &mut [V]) -> &mut [V::Value] {
    const { assert_array::<V>() };
    let length = vectors.len() * V::WIDTH;
    // SAFETY: as in `elements`.
    unsafe { core::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), length) }
}

const fn assert_array<V: PackedValue>() {
    assert!(size_of::<V>() == V::WIDTH * size_of::<V::Value>());
    assert!(align_of::<V>() >= align_of::<V::Value>());
}

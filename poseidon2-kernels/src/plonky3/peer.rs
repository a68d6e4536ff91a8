//! What Plonky3 has for a field: its element, and its own permutation.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::panic::RefUnwindSafe;

use super::p3_field::{self, PackedValue, PrimeField64};
use super::p3_poseidon2::{
    ExternalLayerConstants, ExternalLayerConstructor, InternalLayerConstructor, Poseidon2,
};
use super::p3_symmetric::Permutation;
use super::words::{Element, of_words};
use super::*;
use crate::field::{self, Field};
use crate::parameters::Stock;

/// A field that Plonky3 also has.
#[doc(hidden)]
pub trait Peer: Field {
    /// Plonky3's element.
    type Element: Element<Field = Self> + PrimeField64;
}

macro_rules! peers {
    ($($field:ident { field: $row:tt, names: $names:tt, plonky3: ($krate:ident), })+) => {
        $(having!($field {
            impl Peer for field::$field {
                type Element = $krate::$field;
            }
        });)+

        /// The lanes of a field's packed type, by the field's name.
        pub(crate) fn lanes(field: &str) -> Option<usize> {
            $(having!($field {
                if field == field::$field::NAME {
                    return Some(packed_lanes::<field::$field>());
                }
            });)+
            None
        }
    };
}

poseidon2_generated::each_field!(peers);

/// The type that Plonky3 packs elements in, in this build.
type Packing<F> = <<F as Peer>::Element as p3_field::Field>::Packing;

/// Its lanes.
pub(crate) const fn packed_lanes<F: Peer>() -> usize {
    Packing::<F>::WIDTH
}

/// What builds a permutation of Plonky3's, whichever type it is in this build.
pub(crate) trait FromConstants<E, const W: usize> {
    fn from_constants(external: ExternalLayerConstants<E, W>, internal: Vec<E>) -> Self;
}

impl<E, External, Internal, const W: usize, const D: u64> FromConstants<E, W>
    for Poseidon2<E, External, Internal, W, D>
where
    E: p3_field::PrimeField,
    External: ExternalLayerConstructor<E, W>,
    Internal: InternalLayerConstructor<E>,
{
    fn from_constants(external: ExternalLayerConstants<E, W>, internal: Vec<E>) -> Self {
        Self::new(external, internal)
    }
}

having!(Goldilocks {
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    impl<const W: usize> FromConstants<p3_goldilocks::Goldilocks, W>
        for p3_goldilocks::Poseidon2Goldilocks<W>
    {
        fn from_constants(
            external: ExternalLayerConstants<p3_goldilocks::Goldilocks, W>,
            internal: Vec<p3_goldilocks::Goldilocks>,
        ) -> Self {
            Self::new(&external, &internal)
        }
    }
});

/// Plonky3's own permutation with those constants, in words that kernels accept.
pub(crate) fn stock<P, F: Peer, const W: usize>(
    external: &[[F::Word; W]],
    internal: &[F::Word],
) -> Arc<dyn Stock<F::Word>>
where
    P: FromConstants<F::Element, W>
        + Permutation<[F::Element; W]>
        + Permutation<[Packing<F>; W]>
        + Send
        + RefUnwindSafe
        + 'static,
{
    let row = |row: &[F::Word; W]| row.map(element::<F>);
    let (initial, terminal) = external.split_at(external.len() / 2);
    let half = |rows: &[[F::Word; W]]| rows.iter().map(row).collect();
    let external = ExternalLayerConstants::new(half(initial), half(terminal));
    let internal = internal.iter().copied().map(element::<F>).collect();
    Arc::new(Own::<F, P, W> {
        permutation: P::from_constants(external, internal),
        field: PhantomData,
    })
}

fn element<F: Peer>(mut word: F::Word) -> F::Element {
    let [element] = *of_words(core::array::from_mut(&mut word)) else {
        unreachable!("one word, one element")
    };
    element
}

struct Own<F, P, const W: usize> {
    permutation: P,
    field: PhantomData<fn() -> F>,
}

impl<F: Peer, P, const W: usize> Stock<F::Word> for Own<F, P, W>
where
    P: Permutation<[F::Element; W]> + Permutation<[Packing<F>; W]> + Send + RefUnwindSafe,
{
    fn permute(&self, words: &mut [F::Word]) {
        let elements = of_words::<F::Element>(words);
        if elements.len() == W {
            let state: Option<&mut [F::Element; W]> = elements.first_chunk_mut();
            state
                .into_iter()
                .for_each(|state| self.permutation.permute_mut(state));
        } else {
            assert_eq!(elements.len(), W * packed_lanes::<F>());
            let vectors = Packing::<F>::pack_slice_mut(elements);
            let states: Option<&mut [Packing<F>; W]> = vectors.first_chunk_mut();
            states
                .into_iter()
                .for_each(|states| self.permutation.permute_mut(states));
        }
    }
}

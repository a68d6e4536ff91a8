//! Plonky3's permutations: one state, or as many as its packed type holds in this build.

use std::marker::PhantomData;

use p3_field::{Field, PackedValue};
use p3_symmetric::Permutation;
use poseidon2_kernels::plonky3::Peer;

use crate::contestant::Permuter;
use crate::phases::Phased;

/// A field of our kernels that the peer has, too.
pub trait SharedField: Peer<Word: Phased + TryFrom<u64> + Into<u64>> {
    /// Our kernels' word for the residue of any word.
    fn word(any: u64) -> Self::Word {
        let residue = any % Self::MODULUS.into();
        let Ok(residue) = residue.try_into() else {
            unreachable!("words hold residues")
        };
        Self::from_residue(residue)
    }

    /// The residue that our kernels mean by a word.
    fn residue(word: Self::Word) -> u64 {
        Self::to_residue(word).into()
    }
}

impl<F: Peer<Word: Phased + TryFrom<u64> + Into<u64>>> SharedField for F {}

/// The peer's permutation, or a part of it, on states of `WIDTH` elements of type `S`.
#[derive(Clone, Debug)]
pub struct Theirs<R, S, const WIDTH: usize> {
    rounds: R,
    element: PhantomData<S>,
}

impl<R, S, const WIDTH: usize> Theirs<R, S, WIDTH> {
    /// Of some rounds.
    pub fn new(rounds: R) -> Self {
        let element = PhantomData;
        Self { rounds, element }
    }
}

/// Rounds of the peer, applied to a state of elements or of packed elements.
pub trait Rounds<S, const WIDTH: usize> {
    /// Applies them.
    fn apply(&self, state: &mut [S; WIDTH]);
}

/// All rounds.
#[derive(Clone, Debug)]
pub struct All<P>(pub P);

impl<S: Clone, P: Permutation<[S; WIDTH]>, const WIDTH: usize> Rounds<S, WIDTH> for All<P> {
    #[inline]
    fn apply(&self, state: &mut [S; WIDTH]) {
        self.0.permute_mut(state);
    }
}

impl<F, S, R, const WIDTH: usize> Permuter<F> for Theirs<R, S, WIDTH>
where
    F: Field,
    S: PackedValue<Value = F>,
    R: Rounds<S, WIDTH>,
{
    fn width(&self) -> usize {
        WIDTH
    }

    fn lanes(&self) -> usize {
        S::WIDTH
    }

    fn states(&self) -> usize {
        S::WIDTH
    }

    #[inline]
    fn permute(&self, words: &mut [F]) {
        let state = <&mut [S; WIDTH]>::try_from(S::pack_slice_mut(words));
        self.rounds.apply(state.expect("words for one state"));
    }
}

/// The phases apart: layers of the same types as the whole permutation has.
#[cfg(not(target_arch = "aarch64"))]
pub mod phases {
    use p3_field::{Field, PrimeCharacteristicRing};
    use p3_poseidon2::{
        ExternalLayer, ExternalLayerConstants, ExternalLayerConstructor, InternalLayer,
        InternalLayerConstructor, Poseidon2,
    };

    use super::Rounds;

    /// One phase of three: external layers, internal layers, which one.
    #[derive(Clone, Debug)]
    pub struct Phase<E, I, const D: u64> {
        external: E,
        internal: I,
        index: usize,
    }

    impl<E, I, const D: u64> Phase<E, I, D> {
        /// A phase of permutations like `_whole`, with these constants.
        pub fn like<F, const WIDTH: usize>(
            _whole: &Poseidon2<F, E, I, WIDTH, D>,
            external: &[[F; WIDTH]],
            internal: &[F],
            index: usize,
        ) -> Self
        where
            F: Field,
            E: ExternalLayerConstructor<F, WIDTH>,
            I: InternalLayerConstructor<F>,
        {
            let (initial, terminal) = external.split_at(external.len() / 2);
            let external = ExternalLayerConstants::new(initial.to_vec(), terminal.to_vec());
            Self {
                external: E::new_from_constants(external),
                internal: I::new_from_constants(internal.to_vec()),
                index,
            }
        }
    }

    impl<S, E, I, const WIDTH: usize, const D: u64> Rounds<S, WIDTH> for Phase<E, I, D>
    where
        S: PrimeCharacteristicRing,
        E: ExternalLayer<S, WIDTH, D>,
        I: InternalLayer<S, WIDTH, D>,
    {
        #[inline]
        fn apply(&self, state: &mut [S; WIDTH]) {
            match self.index {
                0 => self.external.permute_state_initial(state),
                1 => self.internal.permute_state(state),
                _ => self.external.permute_state_terminal(state),
            }
        }
    }
}

//! What modes of use are built on.

use core::fmt::Debug;

use crate::field::{self, Field, Width};
use crate::goldilocks::Poseidon2Goldilocks;
use crate::koala_bear::Poseidon2KoalaBear;

/// A permutation of this crate on states of `W` words, for [`Sponge`](crate::Sponge) and
/// [`Compression`](crate::Compression). Sealed: they go straight to its kernels.
pub trait Poseidon2<const W: usize>: sealed::Sealed<W> + Copy + Debug {}

pub(crate) mod sealed {
    use super::Debug;

    /// Lengths are the callers' to check.
    pub trait Sealed<const W: usize> {
        /// The word that holds one element, in and out as its residue.
        type Word: Copy + Debug + Default + Eq + Send + Sync + 'static;

        /// See [`Engine::sponge`](crate::engine::Engine::sponge).
        fn sponge<const RATE: usize, const OUT: usize>(
            &self,
            rows: &[Self::Word],
            digests: &mut [[Self::Word; OUT]],
        );

        /// See [`Engine::compress`](crate::engine::Engine::compress).
        fn compress<const N: usize, const CHUNK: usize>(
            &self,
            groups: &[[[Self::Word; CHUNK]; N]],
            nodes: &mut [[Self::Word; CHUNK]],
        );
    }
}

macro_rules! permutation {
    ($name:ident over $field:ident: $rf:literal + $rp:literal) => {
        impl<const W: usize> Poseidon2<W> for $name<W> where field::$field: Width<W, $rf, $rp> {}

        impl<const W: usize> sealed::Sealed<W> for $name<W>
        where
            field::$field: Width<W, $rf, $rp>,
        {
            type Word = <field::$field as Field>::Word;

            fn sponge<const RATE: usize, const OUT: usize>(
                &self,
                rows: &[Self::Word],
                digests: &mut [[Self::Word; OUT]],
            ) {
                let (load, store) = (field::$field::from_residue, field::$field::to_residue);
                self.engine()
                    .sponge::<RATE, OUT>(rows, digests, load, store);
            }

            fn compress<const N: usize, const CHUNK: usize>(
                &self,
                groups: &[[[Self::Word; CHUNK]; N]],
                nodes: &mut [[Self::Word; CHUNK]],
            ) {
                let (load, store) = (field::$field::from_residue, field::$field::to_residue);
                self.engine().compress(groups, nodes, load, store);
            }
        }
    };
}

permutation!(Poseidon2Goldilocks over Goldilocks: 8 + 22);
permutation!(Poseidon2KoalaBear over KoalaBear: 8 + 20);

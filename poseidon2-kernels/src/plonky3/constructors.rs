//! The constructors that Plonky3's permutations have.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;

use super::p3_poseidon2::{ExternalLayerConstants, poseidon2_round_numbers_128};
use super::rand::Rng;
use super::rand::distr::{Distribution, StandardUniform};
use super::words::words;
use super::{Peer, Plonky3};
use crate::constants::CanonicalConstants;
use crate::parameters::ParameterSet;
use crate::poseidon2::Poseidon2;

/// The round constants are for numbers of rounds for which there are no kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedRounds {
    /// The given numbers of external rounds before the internal ones, internal rounds, and external rounds
    /// after them.
    pub given: [usize; 3],
    /// The numbers for which there are kernels, in the same order.
    pub supported: [usize; 3],
}

impl fmt::Display for UnsupportedRounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b, c], [x, y, z]) = (self.given, self.supported);
        write!(
            f,
            "no kernels for {a} + {b} + {c} rounds; there are for {x} + {y} + {z}"
        )
    }
}

impl core::error::Error for UnsupportedRounds {}

macro_rules! constructors {
    ($set:ty) => {
        /// The constructors that Plonky3's own types have.
        impl<F: Peer, const W: usize> Poseidon2<F, W, $set>
        where
            $set: ParameterSet<F, W>,
        {
            /// The permutation with round constants in Plonky3's form, by value or by reference: Plonky3's own
            /// constructor takes a value on some targets and a reference on others.
            ///
            /// # Panics
            /// If the numbers of rounds are not those of the kernels; see [`try_new`](Self::try_new).
            #[must_use]
            pub fn new(
                external: impl Borrow<ExternalLayerConstants<F::Element, W>>,
                internal: impl AsRef<[F::Element]>,
            ) -> Self {
                match Self::try_new(external, internal) {
                    Ok(permutation) => permutation,
                    Err(error) => panic!("{error}"),
                }
            }

            /// The permutation with round constants in Plonky3's form.
            ///
            /// # Errors
            /// If the numbers of rounds are not those of the kernels.
            pub fn try_new(
                external: impl Borrow<ExternalLayerConstants<F::Element, W>>,
                internal: impl AsRef<[F::Element]>,
            ) -> Result<Self, UnsupportedRounds> {
                let external = external.borrow();
                let initial = external.get_initial_constants();
                let terminal = external.get_terminal_constants();
                let internal = internal.as_ref();
                let half = <$set>::INSTANCE.external_rounds / 2;
                let rounds = UnsupportedRounds {
                    given: [initial.len(), internal.len(), terminal.len()],
                    supported: [half, <$set>::INSTANCE.internal_rounds, half],
                };
                if rounds.given != rounds.supported {
                    return Err(rounds);
                }
                let external = initial.iter().chain(terminal).flat_map(|row| words(row));
                let words = external.chain(words(internal)).copied();
                Ok(Self::with_constants(CanonicalConstants::shared(words)))
            }

            /// The permutation with random round constants: the function that Plonky3's constructor of this
            /// name builds from the same generator.
            ///
            /// # Panics
            /// If Plonky3's round numbers for 128 bits of security are not those of the kernels. Tests check
            /// that they are, for each width.
            #[must_use]
            pub fn new_from_rng_128<R: Rng>(rng: &mut R) -> Self
            where
                StandardUniform: Distribution<F::Element>,
            {
                let instance = <$set>::INSTANCE;
                let (external, internal) =
                    poseidon2_round_numbers_128::<F::Element>(W, <$set>::DEGREE)
                        .unwrap_or((instance.external_rounds, instance.internal_rounds));
                Self::new_from_rng(external, internal, rng)
            }

            /// The permutation with random round constants: the function that Plonky3's constructor of this
            /// name builds from the same numbers of external and internal rounds and the same generator.
            ///
            /// # Panics
            /// If the numbers of rounds are not those of the kernels.
            #[must_use]
            pub fn new_from_rng<R: Rng>(rounds_f: usize, rounds_p: usize, rng: &mut R) -> Self
            where
                StandardUniform: Distribution<F::Element>,
            {
                let external = ExternalLayerConstants::new_from_rng(rounds_f, rng);
                let internal: Vec<F::Element> =
                    StandardUniform.sample_iter(rng).take(rounds_p).collect();
                Self::new(external, internal)
            }
        }
    };
}

constructors!(Plonky3);
own_sets!();

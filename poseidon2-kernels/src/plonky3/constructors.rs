//! The constructors that Plonky3's permutations have.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;

use p3_field::{PrimeField32, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_poseidon2::{ExternalLayerConstants, poseidon2_round_numbers_128};
use rand::distr::StandardUniform;
use rand::{Rng, RngExt};

use crate::constants::CanonicalConstants;
use crate::field::{self, Width};
use crate::goldilocks::Poseidon2Goldilocks;
use crate::koala_bear::Poseidon2KoalaBear;

/// Round constants were given for numbers of rounds that there are no kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedRounds {
    /// External rounds before the internal ones, internal rounds, and external rounds after them.
    pub given: [usize; 3],
    /// The numbers that there are kernels for.
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
    (
        $name:ident over $element:ident, x^$alpha:literal,
        rounds 2 * $half:literal + $internal:literal, $residue:ident
    ) => {
        /// The constructors that Plonky3's own type has.
        impl<const W: usize> $name<W>
        where
            field::$element: Width<W, { 2 * $half }, $internal>,
        {
            /// With round constants in Plonky3's form, taken by value or by reference (the peer's
            /// constructor takes the one on some targets and the other on others).
            ///
            /// # Panics
            /// If the numbers of rounds are not those of the kernels; see
            /// [`try_new`](Self::try_new).
            #[must_use]
            pub fn new(
                external: impl Borrow<ExternalLayerConstants<$element, W>>,
                internal: impl AsRef<[$element]>,
            ) -> Self {
                match Self::try_new(external, internal) {
                    Ok(permutation) => permutation,
                    Err(error) => panic!("{error}"),
                }
            }

            /// With round constants in Plonky3's form.
            ///
            /// # Errors
            /// If the numbers of rounds are not those of the kernels.
            pub fn try_new(
                external: impl Borrow<ExternalLayerConstants<$element, W>>,
                internal: impl AsRef<[$element]>,
            ) -> Result<Self, UnsupportedRounds> {
                let external = external.borrow();
                let initial = external.get_initial_constants();
                let terminal = external.get_terminal_constants();
                let internal = internal.as_ref();
                let unsupported = || UnsupportedRounds {
                    given: [initial.len(), internal.len(), terminal.len()],
                    supported: [$half, $internal, $half],
                };
                let half = |rows: &[[$element; W]]| <[_; $half]>::try_from(rows).ok();
                let rows = half(initial).zip(half(terminal));
                let (initial, terminal) = rows.ok_or_else(unsupported)?;
                let internal = <[_; $internal]>::try_from(internal).map_err(|_| unsupported())?;
                let residue = |x: $element| x.$residue();
                Ok(Self::with_constants(CanonicalConstants::new(
                    &initial.map(|row| row.map(residue)),
                    &internal.map(residue),
                    &terminal.map(|row| row.map(residue)),
                )))
            }

            /// With random round constants: the function that Plonky3's constructor of this name
            /// builds from the same generator.
            ///
            /// # Panics
            /// If Plonky3's round numbers for 128 bits of security are not those of the kernels,
            /// which is tested for each width.
            #[must_use]
            pub fn new_from_rng_128<R: Rng>(rng: &mut R) -> Self {
                let (external, internal) = poseidon2_round_numbers_128::<$element>(W, $alpha)
                    .unwrap_or((2 * $half, $internal));
                let external = ExternalLayerConstants::new_from_rng(external, rng);
                let internal: Vec<$element> =
                    rng.sample_iter(StandardUniform).take(internal).collect();
                Self::new(external, internal)
            }
        }
    };
}

constructors!(Poseidon2Goldilocks over Goldilocks, x^7, rounds 2 * 4 + 22, as_canonical_u64);
constructors!(Poseidon2KoalaBear over KoalaBear, x^3, rounds 2 * 4 + 20, as_canonical_u32);

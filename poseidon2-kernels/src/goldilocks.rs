//! Poseidon2 over Goldilocks.

use poseidon2_generated::{Isa, Kernel, Shape};

use crate::constants::CanonicalConstants;
use crate::engine::Engine;
use crate::field::{Field as _, Goldilocks, Width};
use crate::select::UnsupportedIsa;

/// External rounds of each Goldilocks permutation here, both halves together.
const EXTERNAL_ROUNDS: usize = 8;

/// Internal rounds of each Goldilocks permutation here.
const INTERNAL_ROUNDS: usize = 22;

/// Round constants of [`Poseidon2Goldilocks`].
pub type GoldilocksConstants<const W: usize> =
    CanonicalConstants<Goldilocks, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS>;

/// Poseidon2 over Goldilocks (p = 2^64 − 2^32 + 1) on states of `W` = 8, 12 or 16 elements, with
/// the S-box x^7, 8 + 22 rounds and the linear layers of the parameter set `plonky3`.
///
/// **Words in**: any `u64`; it stands for its residue mod p. **Words out**: below p.
///
/// A value holds its round constants and the kernels to use. The kernels are chosen when it is
/// built, from those that this CPU can run; see [`selected`](crate::selected).
///
/// ```
/// use poseidon2_kernels::Poseidon2Goldilocks;
///
/// let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
/// let mut state = [0, 1, 2, 3, 4, 5, 6, 7];
/// poseidon2.permute_one(&mut state);
/// assert_eq!(state[0], 0x020c_f04a_1b21_4d14);
///
/// // Any number of states at once: as many as the kernels permute together, then the rest.
/// let mut states = [[0, 1, 2, 3, 4, 5, 6, 7]; 100];
/// poseidon2.permute_many(&mut states);
/// assert!(states.iter().all(|other| *other == state));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Poseidon2Goldilocks<const W: usize>(
    Engine<Goldilocks, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS>,
);

impl<const W: usize> Poseidon2Goldilocks<W>
where
    Goldilocks: Width<W>,
{
    /// With the constants of the parameter set `plonky3`: the function that Plonky3's
    /// `default_goldilocks_poseidon2_*` constructors build.
    #[must_use]
    pub fn plonky3() -> Self {
        Self::with_constants(CanonicalConstants::plonky3())
    }

    /// With other round constants.
    #[must_use]
    pub fn with_constants(constants: GoldilocksConstants<W>) -> Self {
        Self(Engine::new(constants))
    }

    /// The same permutation on the kernels for `isa`, whatever is selected.
    ///
    /// ```
    /// use poseidon2_kernels::{Isa, Poseidon2Goldilocks};
    ///
    /// let scalar = Poseidon2Goldilocks::<12>::plonky3().with_isa(Isa::Scalar)?;
    /// assert_eq!(scalar.isa(), Isa::Scalar);
    /// # Ok::<(), poseidon2_kernels::UnsupportedIsa>(())
    /// ```
    ///
    /// # Errors
    /// If kernels for `isa` cannot run here.
    pub fn with_isa(self, isa: Isa) -> Result<Self, UnsupportedIsa> {
        self.0.with_isa(isa).map(Self)
    }
}

impl<const W: usize> Poseidon2Goldilocks<W> {
    /// The instruction set in use. Single states may be left to scalar kernels.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.0.isa()
    }

    /// The kernels in use for many states, in the order in which they are tried: a kernel is used
    /// as long as there are states for it.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel<u64>> {
        self.kernels_for(Shape::Independent)
    }

    /// The kernels in use for that, in the order in which they are tried.
    pub fn kernels_for(&self, shape: Shape) -> impl Iterator<Item = &'static Kernel<u64>> {
        self.0.kernels(shape)
    }

    pub(crate) const fn engine(&self) -> &Engine<Goldilocks, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS> {
        &self.0
    }

    /// The round constants.
    #[must_use]
    pub const fn constants(&self) -> &GoldilocksConstants<W> {
        self.0.constants()
    }

    /// Permutes one state. This is for latency: to permute many, use
    /// [`permute_many`](Self::permute_many).
    #[inline]
    pub fn permute_one(&self, state: &mut [u64; W]) {
        self.0
            .permute_one(state, Goldilocks::from_residue, Goldilocks::to_residue);
    }

    /// Permutes each state, several at a time. States are independent; their number is arbitrary.
    #[inline]
    pub fn permute_many(&self, states: &mut [[u64; W]]) {
        self.0
            .permute_many(states, Goldilocks::from_residue, Goldilocks::to_residue);
    }
}

macro_rules! defaults {
    ($($name:ident $width:literal),+) => {$(
        #[doc = concat!("Poseidon2 over Goldilocks of width ", $width, " with its standard constants.")]
        ///
        /// It has the name and computes the function of Plonky3's constructor.
        #[must_use]
        pub fn $name() -> Poseidon2Goldilocks<$width> {
            Poseidon2Goldilocks::plonky3()
        }
    )+};
}

defaults!(
    default_goldilocks_poseidon2_8 8,
    default_goldilocks_poseidon2_12 12,
    default_goldilocks_poseidon2_16 16
);

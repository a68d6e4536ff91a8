//! Poseidon2 over KoalaBear.

use core::convert::identity;

use poseidon2_generated::{Isa, Kernel, Shape};

use crate::constants::CanonicalConstants;
use crate::engine::Engine;
use crate::field::{Field as _, KoalaBear, Width};
use crate::select::UnsupportedIsa;

/// External rounds of each KoalaBear permutation here, both halves together.
const EXTERNAL_ROUNDS: usize = 8;

/// Internal rounds of each KoalaBear permutation here.
const INTERNAL_ROUNDS: usize = 20;

/// Round constants of [`Poseidon2KoalaBear`].
pub type KoalaBearConstants<const W: usize> =
    CanonicalConstants<KoalaBear, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS>;

/// Poseidon2 over KoalaBear (p = 2^31 − 2^24 + 1) on states of `W` = 16 elements, with the S-box
/// x^3, 8 + 20 rounds and the linear layers of the parameter set `plonky3`.
///
/// Words are residues ([`permute_one`](Self::permute_one), [`permute_many`](Self::permute_many)), or
/// Montgomery words ([`permute_many_montgomery`](Self::permute_many_montgomery)), which saves two
/// conversions. **Words in**: any `u32`; it stands for its residue mod p. **Words out**: below p.
///
/// ```
/// use poseidon2_kernels::Poseidon2KoalaBear;
///
/// let poseidon2 = Poseidon2KoalaBear::<16>::plonky3();
/// let mut states = [core::array::from_fn(|i| i as u32); 3];
/// poseidon2.permute_many(&mut states);
///
/// let mut state = core::array::from_fn(|i| i as u32);
/// poseidon2.permute_one(&mut state);
/// assert_eq!(states, [state; 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Poseidon2KoalaBear<const W: usize>(
    Engine<KoalaBear, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS>,
);

impl<const W: usize> Poseidon2KoalaBear<W>
where
    KoalaBear: Width<W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS>,
{
    /// With the constants of the parameter set `plonky3`: the function that Plonky3's
    /// `default_koalabear_poseidon2_16` builds.
    #[must_use]
    pub fn plonky3() -> Self {
        Self::with_constants(CanonicalConstants::plonky3())
    }

    /// With other round constants.
    #[must_use]
    pub fn with_constants(constants: KoalaBearConstants<W>) -> Self {
        Self(Engine::new(constants))
    }

    /// The same permutation on the kernels for `isa`, whatever is selected; where there are none
    /// for KoalaBear, on those for the next narrower instruction set.
    ///
    /// # Errors
    /// If kernels for `isa` cannot run here.
    pub fn with_isa(self, isa: Isa) -> Result<Self, UnsupportedIsa> {
        self.0.with_isa(isa).map(Self)
    }
}

impl<const W: usize> Poseidon2KoalaBear<W> {
    /// The instruction set in use. Single states may be left to scalar kernels.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.0.isa()
    }

    /// The kernels in use for many states, in the order in which they are tried: a kernel is used
    /// as long as there are states for it.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel<u32>> {
        self.kernels_for(Shape::Independent)
    }

    /// The kernels in use for that, in the order in which they are tried.
    pub fn kernels_for(&self, shape: Shape) -> impl Iterator<Item = &'static Kernel<u32>> {
        self.0.kernels(shape)
    }

    pub(crate) const fn engine(&self) -> &Engine<KoalaBear, W, EXTERNAL_ROUNDS, INTERNAL_ROUNDS> {
        &self.0
    }

    /// The round constants.
    #[must_use]
    pub const fn constants(&self) -> &KoalaBearConstants<W> {
        self.0.constants()
    }

    /// Permutes one state of residues. This is for latency: to permute many, use
    /// [`permute_many`](Self::permute_many).
    #[inline]
    pub fn permute_one(&self, state: &mut [u32; W]) {
        self.0
            .permute_one(state, KoalaBear::from_residue, KoalaBear::to_residue);
    }

    /// Permutes each state of residues, several at a time. States are independent; their number
    /// is arbitrary.
    #[inline]
    pub fn permute_many(&self, states: &mut [[u32; W]]) {
        self.0
            .permute_many(states, KoalaBear::from_residue, KoalaBear::to_residue);
    }

    /// As [`permute_many`](Self::permute_many), on words x·2^32 mod p in place of residues x.
    #[inline]
    pub fn permute_many_montgomery(&self, states: &mut [[u32; W]]) {
        // Kernels accept and give words below p.
        self.0.permute_many(states, KoalaBear::reduce, identity);
    }
}

/// Poseidon2 over KoalaBear of width 16 with its standard constants.
///
/// It has the name and computes the function of Plonky3's constructor.
#[must_use]
pub fn default_koalabear_poseidon2_16() -> Poseidon2KoalaBear<16> {
    Poseidon2KoalaBear::plonky3()
}

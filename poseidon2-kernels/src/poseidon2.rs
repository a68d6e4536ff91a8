//! The permutation: one type for all fields, widths and parameter sets.

use core::convert::identity;
use core::fmt;

use poseidon2_generated::{Isa, Kernel, Shape};

use crate::constants::CanonicalConstants;
use crate::engine::Engine;
use crate::field::{Field, Montgomery};
use crate::parameters::{ParameterSet, Plonky3};
use crate::select::UnsupportedIsa;

/// Poseidon2 over the field `F` on states of `W` elements, with the rounds and linear layers of the
/// parameter set `S`. It has an alias for each field, such as
/// [`Poseidon2Goldilocks`](crate::Poseidon2Goldilocks).
///
/// Functions accept any words as input, each of which stands for its residue mod p, and return residues below
/// p.
///
/// A value is small: it refers to the kernels to use, and to round constants, which copies share. The
/// constructor chooses the kernels from those that this CPU can run; see [`selected`](crate::selected).
///
/// ```
/// use poseidon2_kernels::{Poseidon2Goldilocks, Poseidon2KoalaBear};
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
///
/// // Fields of 31 bits have words of 32.
/// let mut states = [core::array::from_fn(|i| i as u32); 3];
/// Poseidon2KoalaBear::<16>::plonky3().permute_many(&mut states);
/// ```
pub struct Poseidon2<F: Field, const W: usize, S = Plonky3>(Engine<F, W, S>);

impl<F: Field, const W: usize> Poseidon2<F, W>
where
    Plonky3: ParameterSet<F, W>,
{
    /// The permutation with the constants of the parameter set `plonky3`: the function that Plonky3's
    /// `default_*` constructor for this field and width builds.
    #[must_use]
    pub fn plonky3() -> Self {
        Self::with_constants(CanonicalConstants::plonky3())
    }
}

impl<F: Field, const W: usize, S: ParameterSet<F, W>> Poseidon2<F, W, S> {
    /// The permutation with the constants of its parameter set.
    #[must_use]
    pub fn standard() -> Self {
        Self::with_constants(CanonicalConstants::standard())
    }

    /// The permutation with the given round constants.
    #[must_use]
    pub fn with_constants(constants: CanonicalConstants<F, W, S>) -> Self {
        Self(Engine::new(constants))
    }

    /// The same permutation on the kernels for `isa`, whatever is selected. Without kernels for `isa`, it uses
    /// those for the next narrower instruction set. It never uses Plonky3's own permutation.
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

impl<F: Field, const W: usize, S> Poseidon2<F, W, S> {
    /// The instruction set in use. Kernels for a narrower one may still permute single states.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.0.isa()
    }

    /// The kernels in use for many states, in the order in which they are tried: each is used as long as enough
    /// states are left for it.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel<F::Word>> {
        self.kernels_for(Shape::Independent)
    }

    /// The kernels in use for work of that shape, in the order in which they are tried. Empty if Plonky3's own
    /// permutation does all of it.
    pub fn kernels_for(&self, shape: Shape) -> impl Iterator<Item = &'static Kernel<F::Word>> {
        self.0.kernels(shape)
    }

    /// The round constants.
    #[must_use]
    pub const fn constants(&self) -> &CanonicalConstants<F, W, S> {
        self.0.constants()
    }

    pub(crate) const fn engine(&self) -> &Engine<F, W, S> {
        &self.0
    }

    /// Permutes one state of residues, with the lowest latency. To permute many, use
    /// [`permute_many`](Self::permute_many).
    #[inline]
    pub fn permute_one(&self, state: &mut [F::Word; W]) {
        self.0.permute_one(state, F::from_residue, F::to_residue);
    }

    /// Permutes any number of independent states of residues, several at a time.
    #[inline]
    pub fn permute_many(&self, states: &mut [[F::Word; W]]) {
        self.0.permute_many(states, F::from_residue, F::to_residue);
    }
}

impl<F: Montgomery, const W: usize, S> Poseidon2<F, W, S> {
    /// Like [`permute_many`](Self::permute_many), on Montgomery words x·2^32 mod p instead of residues x, which
    /// saves two conversions.
    #[inline]
    pub fn permute_many_montgomery(&self, states: &mut [[F::Word; W]]) {
        // Kernels give words below p.
        self.0.permute_many(states, F::accept, identity);
    }
}

impl<F: Field, const W: usize, S> Clone for Poseidon2<F, W, S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: Field, const W: usize, S> fmt::Debug for Poseidon2<F, W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poseidon2")
            .field("field", &F::NAME)
            .field("width", &W)
            .field("isa", &self.isa())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Poseidon2Goldilocks, Poseidon2KoalaBear};

    /// Plonky3's is 72 bytes.
    #[test]
    fn values_are_small() {
        const WORD: usize = size_of::<usize>();
        let most = if cfg!(feature = "_plonky3") { 6 } else { 4 } * WORD;
        assert!(size_of::<Poseidon2Goldilocks<8>>() <= most);
        assert!(size_of::<Poseidon2Goldilocks<16>>() <= most);
        assert!(size_of::<Poseidon2KoalaBear<16>>() <= most);
    }
}

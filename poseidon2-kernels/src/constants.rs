//! Round constants that kernels may be given.

use poseidon2_generated::Constants;

use crate::field::{Field, Width};

/// Round constants, each below p.
///
/// Kernels leave out every reduction that is provably needless, and some are needless only because
/// round constants are below p. There is no way to build this type from words that are not reduced,
/// so that precondition holds wherever a kernel is called.
///
/// ```
/// use poseidon2_kernels::{CanonicalConstants, Poseidon2Goldilocks};
///
/// // Any word may stand for a constant; here each stands for 2^64 − 1 mod p.
/// let constants = CanonicalConstants::new(&[[u64::MAX; 8]; 4], &[u64::MAX; 22], &[[u64::MAX; 8]; 4]);
/// assert_eq!(constants.external()[0][0], 0xffff_fffe);
/// let poseidon2 = Poseidon2Goldilocks::with_constants(constants);
/// # let _ = poseidon2;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalConstants<F: Field, const W: usize, const RF: usize, const RP: usize>(
    Constants<F::Word, W, RF, RP>,
);

impl<F, const W: usize, const RF: usize, const RP: usize> CanonicalConstants<F, W, RF, RP>
where
    F: Width<W, RF, RP>,
{
    /// Constants from any residues, which are reduced here: of the external rounds before the
    /// internal ones, of the internal rounds, and of the external rounds after them.
    ///
    /// `HALF` is half of `RF`; anything else does not compile.
    #[must_use]
    pub fn new<const HALF: usize>(
        external_initial: &[[F::Word; W]; HALF],
        internal: &[F::Word; RP],
        external_terminal: &[[F::Word; W]; HALF],
    ) -> Self {
        const { assert!(2 * HALF == RF, "half of the external rounds go first") };
        let external = core::array::from_fn(|round| {
            let row = external_initial.iter().chain(external_terminal).nth(round);
            row.map_or([F::Word::default(); W], |row| row.map(canonical::<F>))
        });
        Self(Constants {
            external,
            internal: internal.map(canonical::<F>),
        })
    }

    /// The constants of the parameter set `plonky3`, which Plonky3's `default_*` constructors use.
    #[must_use]
    pub fn plonky3() -> Self {
        // Reduced again rather than believed: this costs once what a kernel call costs.
        let Constants { external, internal } = F::PLONKY3;
        Self(Constants {
            external: external.map(|row| row.map(F::reduce)),
            internal: internal.map(F::reduce),
        })
    }
}

impl<F: Field, const W: usize, const RF: usize, const RP: usize> CanonicalConstants<F, W, RF, RP> {
    /// Constants of the external rounds, in the words that kernels read, each below p.
    #[must_use]
    pub const fn external(&self) -> &[[F::Word; W]; RF] {
        &self.0.external
    }

    /// Constants of the internal rounds, in the words that kernels read, each below p.
    #[must_use]
    pub const fn internal(&self) -> &[F::Word; RP] {
        &self.0.internal
    }

    /// Where a kernel reads them, laid out as [`Constants`].
    pub(crate) const fn as_ptr(&self) -> *const F::Word {
        (&raw const self.0).cast()
    }
}

/// The one word below p with which kernels stand for the residue of `x`.
fn canonical<F: Field>(x: F::Word) -> F::Word {
    F::reduce(F::from_residue(x))
}

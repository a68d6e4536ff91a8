//! Fields, round constants, matrices: what an instance *is*, before any machine.
//!
//! "Poseidon2 over Goldilocks, width 8" does not name a function: projects differ in rounds,
//! diagonals and constants. A *named parameter set* does, so its name goes into every spec,
//! kernel name and message.

mod companion;
mod field;
mod grain;
mod irreducible;
mod layer;
mod poseidon1;
mod rational;
mod sets;
mod spectrum;
mod statement;
mod subspace;
mod zero;

pub use companion::Companion;
pub(crate) use field::gcd;
pub use field::{Family, Field, GOLDILOCKS, KOALA_BEAR};
pub use grain::{Cut, round_constants};
pub use irreducible::is_irreducible;
pub use layer::{ExternalLayer, HORIZEN_M4, InternalLayer, Kind, Linear, M4, Mds, Order};
pub use poseidon1::{poseidon1_constants, single_constants};
pub use rational::{ParseRationalError, Rational};
pub use sets::{ParameterSet, instance};
pub use spectrum::{Remainder, Roots, Spectrum};
pub use subspace::{Subspace, invariant_subspace, invariant_subspaces};
pub use zero::{Balance, Offset};

/// Widths that the pipeline knows how to build; the external layer works on blocks of four.
pub const WIDTHS: &[usize] = &[8, 12, 16, 20, 24];

/// Round constants as residues in `[0, p)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundConstants {
    /// One row of `width` residues for each external round: the first half's, then the second's.
    pub external: Vec<Vec<u64>>,
    /// One residue for each internal round, Poseidon1's partial rounds included: the others are moved on.
    pub internal: Vec<u64>,
    /// How the Grain LFSR gives them; none: they are what they are.
    pub grain: Option<Cut>,
}

/// One Poseidon2 or Poseidon1 permutation, fully specified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Name of the parameter set, such as `plonky3`.
    pub parameter_set: String,
    /// The field its elements live in.
    pub field: &'static Field,
    /// Elements in a state.
    pub width: usize,
    /// External rounds, both halves together; Poseidon1's full rounds.
    pub external_rounds: usize,
    /// Internal rounds; Poseidon1's partial rounds.
    pub internal_rounds: usize,
    /// Exponent of the S-box, coprime to `p - 1`.
    pub alpha: u64,
    /// The linear layers.
    pub linear: Linear,
    /// Round constants.
    pub constants: RoundConstants,
}

impl Instance {
    /// Whose rounds and layers it has.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match &self.linear {
            Linear::Poseidon2 { .. } => Kind::Poseidon2,
            Linear::Poseidon1(_) => Kind::Poseidon1,
        }
    }

    /// Whether a linear layer comes before the first round.
    #[must_use]
    pub const fn starts_linear(&self) -> bool {
        match &self.linear {
            Linear::Poseidon2 { external, .. } => external.initial,
            Linear::Poseidon1(_) => false,
        }
    }

    /// Poseidon2's internal layer.
    #[must_use]
    pub const fn internal(&self) -> Option<&InternalLayer> {
        match &self.linear {
            Linear::Poseidon2 { internal, .. } => Some(internal),
            Linear::Poseidon1(_) => None,
        }
    }

    /// The factor of Poseidon2's internal layer, where it is not 1.
    #[must_use]
    pub fn scale(&self) -> Option<Rational> {
        let scale = self.internal().map(|layer| layer.scale);
        scale.filter(|scale| *scale != Rational::ONE)
    }

    /// `c·V`: what elements are multiplied by in the internal layer `c·1·1ᵀ + diag(c·V)`, each small
    /// if there is a small number for it. None in Poseidon1.
    #[must_use]
    pub fn entries(&self) -> Vec<Rational> {
        let Some(InternalLayer { scale, diagonal }) = self.internal() else {
            return Vec::new();
        };
        let entry = |d: &Rational| {
            if *scale == Rational::ONE && d.is_small(self.field) {
                return *d;
            }
            let [scale, d] = [scale, d].map(|factor| factor.residue(self.field));
            Rational::of_residue(self.field, self.field.mul(scale, d))
        };
        diagonal.iter().map(entry).collect()
    }

    /// `V` of Poseidon2's internal layer, as residues.
    #[must_use]
    pub fn diagonal_residues(&self) -> Vec<u64> {
        let diagonal = self
            .internal()
            .into_iter()
            .flat_map(|layer| &layer.diagonal);
        diagonal.map(|d| d.residue(self.field)).collect()
    }

    /// What tells it from others: parameter set, field and width.
    #[must_use]
    pub fn key(&self) -> (&str, &str, usize) {
        (&self.parameter_set, self.field.name, self.width)
    }

    /// Where its kernels, constants and proofs are, as a path and as modules: `plonky3/koala_bear`.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("{}/{}", self.parameter_set, self.field.module())
    }

    /// The name of one of its programs, by what tells it from others: `plonky3/koala_bear/w16_signed`.
    #[must_use]
    pub fn program(&self, variant: &str) -> String {
        format!("{}/w{}_{variant}", self.folder(), self.width)
    }
}

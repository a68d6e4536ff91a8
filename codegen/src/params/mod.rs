//! Fields, round constants, diagonals: what a Poseidon2 instance *is*, before any machine.
//!
//! "Poseidon2 over Goldilocks, width 8" does not name a function: projects differ in rounds,
//! diagonals and constants. A *named parameter set* does, so its name goes into every spec,
//! kernel name and message.

mod field;
mod grain;
mod irreducible;
mod layer;
mod rational;
mod sets;
mod statement;
mod subspace;
mod zero;

pub use field::{Family, Field, GOLDILOCKS, KOALA_BEAR};
pub use grain::{Cut, round_constants};
pub use irreducible::is_irreducible;
pub use layer::{ExternalLayer, HORIZEN_M4, M4, Order};
pub use rational::{ParseRationalError, Rational};
pub use sets::{ParameterSet, instance};
pub use subspace::{Subspace, invariant_subspace};
pub use zero::{Balance, Offset};

/// Widths that the pipeline knows how to build; the external layer works on blocks of four.
pub const WIDTHS: &[usize] = &[8, 12, 16, 20, 24];

/// Round constants as residues in `[0, p)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundConstants {
    /// One row of `width` residues for each external round: the first half's, then the second's.
    pub external: Vec<Vec<u64>>,
    /// One residue for each internal round.
    pub internal: Vec<u64>,
    /// How the Grain LFSR gives them; none: they are what they are.
    pub grain: Option<Cut>,
}

/// One Poseidon2 permutation, fully specified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Name of the parameter set, such as `plonky3`.
    pub parameter_set: String,
    /// The field its elements live in.
    pub field: &'static Field,
    /// Elements in a state.
    pub width: usize,
    /// External rounds, both halves together.
    pub external_rounds: usize,
    /// Internal rounds.
    pub internal_rounds: usize,
    /// Exponent of the S-box, coprime to `p - 1`.
    pub alpha: u64,
    /// The external layer.
    pub external: ExternalLayer,
    /// The factor `c` of the internal layer `c·(1·1ᵀ + diag(V))`; 1 in the paper.
    pub scale: Rational,
    /// `V` of the internal layer.
    pub diagonal: Vec<Rational>,
    /// Round constants.
    pub constants: RoundConstants,
}

impl Instance {
    /// `c·V`: what elements are multiplied by in the internal layer `c·1·1ᵀ + diag(c·V)`, each small
    /// if there is a small number for it.
    #[must_use]
    pub fn entries(&self) -> Vec<Rational> {
        let entry = |d: &Rational| {
            if self.scale == Rational::ONE && d.is_small(self.field) {
                return *d;
            }
            let [scale, d] = [self.scale, *d].map(|factor| factor.residue(self.field));
            Rational::of_residue(self.field, self.field.mul(scale, d))
        };
        self.diagonal.iter().map(entry).collect()
    }

    /// `V` of the internal layer, as residues.
    #[must_use]
    pub fn diagonal_residues(&self) -> Vec<u64> {
        let residues = self.diagonal.iter().map(|d| d.residue(self.field));
        residues.collect()
    }

    /// What tells it from others: parameter set, field and width.
    #[must_use]
    pub fn key(&self) -> (&str, &str, usize) {
        (&self.parameter_set, self.field.name, self.width)
    }
}

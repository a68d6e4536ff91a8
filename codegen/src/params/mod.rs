//! Fields, round constants, diagonals: what a Poseidon2 instance *is*, before any machine.
//!
//! "Poseidon2 over Goldilocks, width 8" does not name a function: projects differ in rounds,
//! diagonals and constants. A *named parameter set* does, so its name goes into every spec,
//! kernel name and message.

mod field;
mod grain;
mod rational;
mod sets;
mod zero;

pub use field::{Family, Field, GOLDILOCKS, KOALA_BEAR};
pub use grain::round_constants;
pub use rational::{ParseRationalError, Rational};
pub use sets::{ParameterSet, instance};
pub use zero::{Balance, Offset};

/// The 4×4 block of the external layer: `circ(2, 3, 1, 1)`.
pub const M4: [[u64; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];

/// Widths that the pipeline knows how to build; the external layer works on blocks of four.
pub const WIDTHS: &[usize] = &[8, 12, 16, 24];

/// Round constants as residues in `[0, p)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundConstants {
    /// One row of `width` residues for each external round: the first half's, then the second's.
    pub external: Vec<Vec<u64>>,
    /// One residue for each internal round.
    pub internal: Vec<u64>,
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
    /// `V` of the internal layer `1·1ᵀ + diag(V)`.
    pub diagonal: Vec<Rational>,
    /// Round constants.
    pub constants: RoundConstants,
}

impl Instance {
    /// What tells it from others: parameter set, field and width.
    #[must_use]
    pub fn key(&self) -> (&str, &str, usize) {
        (&self.parameter_set, self.field.name, self.width)
    }
}

//! From field level to arithmetic: which macro-op does each operation, and where operands are
//! canonicalised.
//!
//! Strategy `eager` keeps every value in one machine word. By default it canonicalises at every
//! site whatever the site's bound might need ([`default_operands`]); each claim of the proof set
//! removes one such canonicalisation. Nothing is decided by ranges here: whether the claims are
//! true is the prover's business, and an unproved program cannot be rendered.
//!
//! Strategies `columns`, `redc` and `limbs` keep every element in two words and reduce where ranges ask for
//! it.

mod claims;
mod columns;
mod eager;
pub mod infer;
mod limbs;
mod parts;
mod redc;
#[cfg(test)]
mod tests;

pub use claims::{Claims, Conflict, Decision};
pub use columns::lower as lower_columns;
pub use eager::{default_operands, lower, macro_op};
pub use limbs::{NoLimbs, lower as lower_limbs};
pub use parts::NoRuns;
pub use redc::{NoRedc, lower as lower_redc};

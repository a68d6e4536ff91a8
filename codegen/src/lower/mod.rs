//! From field level to arithmetic: which macro-op does each operation, and where operands are
//! canonicalised.
//!
//! Strategy `eager` keeps every value in one machine word. By default it canonicalises at every
//! site whatever the site's bound might need ([`default_operands`]); each claim of the proof set
//! removes one such canonicalisation. Nothing is decided by ranges here: whether the claims are
//! true is the prover's business, and an unproved program cannot be rendered.
//!
//! Strategy `columns` keeps every element in two words and reduces where ranges ask for it.

mod claims;
mod columns;
mod eager;
pub mod infer;

pub use claims::{Claims, Conflict, Decision};
pub use columns::{NoRuns, lower as lower_columns};
pub use eager::{default_operands, lower, macro_op};

//! Puts generated kernels into a checkout of Plonky3's `p3-goldilocks`, and takes them out again.
//!
//! The tuning tables choose a kernel for each of the crate's `Permutation` implementations
//! (`choice`); its text, its certificate and the modules around it go into the crate's folders
//! (`kernel`, `texts`), and a few edits make the crate's `Poseidon2Goldilocks` use them (`wiring`).
//! What was done is recorded in the checkout itself, edit by edit (`record`), so that it can be
//! compared, renewed and taken out again by any later version.

mod checkout;
mod choice;
mod cli;
mod edit;
mod implementations;
mod kernel;
mod platform;
mod record;
mod slots;
mod texts;
mod vendored;
mod wiring;

pub use cli::run;

/// The folder that the kernels of all platforms share, and the record.
const SHARED: &str = "src/poseidon2_generated";

#[cfg(test)]
mod tests;

//! Puts generated kernels into a checkout of Plonky3's `p3-goldilocks`, `p3-baby-bear` or `p3-koala-bear`,
//! and takes them out again.
//!
//! The tuning tables choose a kernel for each of the crate's `Permutation` implementations
//! (`choice`); its text, its certificate and the modules around it go into the crate's folders
//! (`kernel`, `texts`), and a few edits make the crate's own type use them (`wiring`). What tells the crates
//! apart is a row for each (`package`).
//! What was done is recorded in the checkout itself, edit by edit (`record`), so that it can be
//! compared, renewed and taken out again by any later version.

mod checkout;
mod choice;
mod cli;
mod edit;
mod implementations;
mod kernel;
mod package;
mod platform;
mod record;
mod slots;
mod texts;
mod vendored;
mod wiring;

pub use cli::run;
pub use package::{PACKAGES, Package};

/// The folder that the kernels of all platforms share, and the record.
const SHARED: &str = "src/poseidon2_generated";

#[cfg(test)]
mod tests;

//! What is the same text for each version of Plonky3. The module around it says which version that is:
//! its crates, by the names that they have in Plonky3; its parameter set; and macros for what not every
//! version has. `having!` keeps what is of a field that kernels serve, `batches!` what is of traits that
//! hand over several messages in a call, `own_sets!` what is of parameter sets of one's own.

use super::{Plonky3, p3_baby_bear, p3_field, p3_koala_bear, p3_poseidon2, p3_symmetric, rand};
having!(Goldilocks {
    use super::p3_goldilocks;
});

mod constructors;
mod modes;
mod peer;
mod permutation;
#[cfg(test)]
mod tests;
mod words;

pub use constructors::UnsupportedRounds;
pub use modes::state;
#[doc(hidden)]
pub use peer::Peer;
pub(crate) use peer::{lanes, packed_lanes, stock};
#[allow(
    unreachable_pub,
    unused_imports,
    reason = "it is empty where there is no Goldilocks"
)]
pub use words::interface::*;

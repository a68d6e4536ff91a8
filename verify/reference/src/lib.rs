//! Poseidon2 as the paper has it, and the instances that are known by name or stated in a text.

mod grain;
mod instance;
mod permutation;
mod statement;

pub use instance::{Field, GOLDILOCKS, Instance, KOALA_BEAR, fields, find, instances};
pub use permutation::{External, HORIZEN_M4, Layer, Order, PLONKY3_M4, Poseidon2};
pub use statement::{Entries, Misstated, Statement, entries};

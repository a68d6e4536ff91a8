//! Poseidon2 and Poseidon1 as the papers have them, and the instances that are known by name or stated in a
//! text.

mod grain;
mod instance;
mod permutation;
mod poseidon1;
mod statement;

pub use instance::{Field, GOLDILOCKS, Instance, KOALA_BEAR, fields, find, instances};
pub use permutation::{External, HORIZEN_M4, Layer, Linear, Order, PLONKY3_M4, Permutation};
pub use poseidon1::Poseidon1;
pub use statement::{Entries, Misstated, Statement, entries, lines};

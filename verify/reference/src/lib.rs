//! Poseidon2 and Poseidon1 as the papers have them, and the instances that are known by name or stated in a
//! text.

mod grain;
mod instance;
mod permutation;
mod poseidon1;
mod statement;

pub use instance::{Field, GOLDILOCKS, Instance, KOALA_BEAR, fields, find, instances};
pub use permutation::{External, Layer, Linear, Order, Permutation};
pub use statement::{Entries, Misstated, entries, lines};

//! Poseidon2 as the paper has it, and the instances that are known by name.

mod grain;
mod instance;
mod permutation;

pub use grain::Grain;
pub use instance::{Field, GOLDILOCKS, Instance, KOALA_BEAR, fields, find, instances};
pub use permutation::{Layer, M4, Poseidon2};

//! What kernels are compared with: a reference written from the paper, the peer, known answers.

pub mod grain;
pub mod instance;
pub mod inverse;
pub mod known_answers;
pub mod plonky3;
pub mod reference;

pub use instance::{Field, GOLDILOCKS, Instance, KOALA_BEAR, fields, find, instances};
pub use inverse::Inverse;
pub use known_answers::{KnownAnswer, known_answers};
pub use reference::{Layer, Poseidon2};

#[cfg(test)]
mod tests;

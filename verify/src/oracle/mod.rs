//! What kernels are compared with: a reference written from the paper, the peer, known answers.

pub mod inverse;
pub mod known_answers;
pub mod plonky3;

pub use inverse::Inverse;
pub use known_answers::{KnownAnswer, known_answers};
pub use reference::{
    Field, GOLDILOCKS, Instance, KOALA_BEAR, Layer, Poseidon2, fields, find, instances,
};

#[cfg(test)]
mod tests;

//! What kernels are compared with: a reference written from the paper, the peer, known answers.

pub mod inverse;
pub mod known_answers;
pub mod modes;
pub mod plonky3;

pub use inverse::Inverse;
pub use known_answers::{KnownAnswer, known_answers};
pub use modes::Modes;
pub use reference::{Field, GOLDILOCKS, Instance, KOALA_BEAR, Layer, Permutation, fields, find};

/// The instances that the reference knows by name and that have kernels in this repository, for which
/// there is a peer. Others are packaged: `cargo verify instances`.
#[must_use]
pub fn instances() -> Vec<Instance> {
    let mut instances = reference::instances();
    instances.retain(|instance| plonky3::permutation(instance).is_some());
    instances
}

#[cfg(test)]
mod tests;

//! Programs of somebody who uses Plonky3 with the kernels of `poseidon2-kernels`, and the tests of
//! them. They are a package of their own, so that nobody else compiles Plonky3's trees and prover.

pub mod contest;
pub mod turns;

/// The examples of the feature's documentation, and of the repository's README, are tests.
#[cfg(doctest)]
#[doc = include_str!("../../src/plonky3/about.md")]
#[doc = include_str!("../../../README.md")]
struct About;

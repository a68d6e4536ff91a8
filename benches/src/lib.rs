//! Ours and the peer, side by side: the same work, in the same process, in turns.

#[cfg(not(target_arch = "aarch64"))]
use p3_poseidon2 as _;

pub mod arena;
pub mod cell;
#[cfg(feature = "front")]
pub mod cli;
#[cfg(feature = "front")]
pub mod compare;
pub mod contest;
pub mod contestant;
#[cfg(feature = "front")]
pub mod host;
#[cfg(feature = "front")]
pub mod manifest;
#[cfg(feature = "front")]
pub mod model;
pub mod ours;
pub mod peer;
mod phases;
pub mod plan;
pub mod shape;
pub mod statistics;
#[cfg(feature = "front")]
pub mod stop;

// What kernels call `crate` when they are cut.
pub use poseidon2_generated::{Constants, Kernel};

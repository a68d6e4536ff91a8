//! Ours and the peer, side by side: the same work, in the same process, in turns.
//!
//! The peer chooses its types when it is compiled, so what is timed is a program of its own
//! (feature `contest`), built once for each set of CPU flags by the command line (feature `front`).

pub mod cell;
pub mod protocol;
pub mod shape;
pub mod statistics;

#[cfg(feature = "contest")]
pub mod arena;
#[cfg(feature = "contest")]
pub mod contest;
#[cfg(feature = "contest")]
pub mod contestant;
#[cfg(feature = "contest")]
pub mod ours;
#[cfg(feature = "contest")]
pub mod peer;
#[cfg(feature = "contest")]
mod phases;
#[cfg(feature = "contest")]
pub mod plan;

#[cfg(feature = "front")]
pub mod cli;
#[cfg(feature = "front")]
pub mod compare;
#[cfg(feature = "front")]
pub mod flags;
#[cfg(feature = "front")]
pub mod host;
#[cfg(feature = "front")]
pub mod json;
#[cfg(feature = "front")]
pub mod manifest;
#[cfg(feature = "front")]
pub mod model;
#[cfg(feature = "front")]
pub mod stop;

// What kernels call `crate` when they are cut.
#[cfg(feature = "contest")]
pub use poseidon2_generated::{Constants, Kernel};

// On this architecture, Goldilocks permutations of the peer are not made of its layers.
#[cfg(all(feature = "contest", target_arch = "aarch64"))]
use p3_poseidon2 as _;

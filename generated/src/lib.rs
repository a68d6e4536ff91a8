//! Generated Poseidon2 kernels.
#![no_std]

mod types;

pub use types::{Constants, Isa, Kernel};

/// Goldilocks kernels that this target can be compiled for.
pub static GOLDILOCKS: &[Kernel<u64>] = &[];

/// KoalaBear kernels that this target can be compiled for.
pub static KOALA_BEAR: &[Kernel<u32>] = &[];

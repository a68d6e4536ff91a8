//! What a program without a standard library needs to run under Linux, on 32-bit RISC-V and 32-bit Arm: a
//! start, input, output and an end. Elsewhere there is nothing in it.

#![cfg_attr(target_os = "none", no_std)]

#[cfg(target_os = "none")]
mod system;

#[cfg(target_os = "none")]
pub use system::{exit, read, read_u32, write, write_u32};

//! What a program for `riscv32im-unknown-none-elf` needs to run under Linux: a start, input, output and an
//! end. Elsewhere there is nothing in it.

#![cfg_attr(target_arch = "riscv32", no_std)]

#[cfg(target_arch = "riscv32")]
mod system;

#[cfg(target_arch = "riscv32")]
pub use system::{exit, read, read_u32, write, write_u32};

//! Runs kernels for the kernel suite, which needs a standard library and is on another machine. The other
//! side is `verify/src/suite/guest.rs`.

#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(target_arch = "riscv32")]
mod serve;

#[cfg(not(target_arch = "riscv32"))]
fn main() -> std::process::ExitCode {
    eprintln!("guest: `cargo verify rv32` builds it for riscv32, and runs it there");
    std::process::ExitCode::from(2)
}

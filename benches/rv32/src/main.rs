//! Every kernel that `riscv32` has and Plonky3's own permutations, for whoever counts the instructions of
//! a call: `cargo verify rv32`.

#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(target_arch = "riscv32")]
mod contest;

#[cfg(not(target_arch = "riscv32"))]
fn main() -> std::process::ExitCode {
    eprintln!("rv32-contest: `cargo verify rv32` builds it for riscv32, and runs it there");
    std::process::ExitCode::from(2)
}

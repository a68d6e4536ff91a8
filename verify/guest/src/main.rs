//! Runs kernels for the kernel suite, which needs a standard library and is on another machine. The other
//! side is `verify/src/suite/guest.rs`.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod serve;

#[cfg(not(target_os = "none"))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "guest: `cargo verify rv32` or `armv8m` builds it for a small machine, and runs it there"
    );
    std::process::ExitCode::from(2)
}

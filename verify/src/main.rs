//! `cargo verify`: every kernel, on every host that can run it, against the oracles.

use std::process::ExitCode;

fn main() -> ExitCode {
    verify::runner::main()
}

//! `codegen`: see `codegen --help`, and the library for how it works.

use std::process::ExitCode;

fn main() -> ExitCode {
    codegen::cli::run(std::env::args_os(), &mut std::io::stdout().lock()).into()
}

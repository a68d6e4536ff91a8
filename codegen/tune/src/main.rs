//! `tune`: see `cargo run -p tune -- --help`, and the library for how it works.

use std::process::ExitCode;

fn main() -> ExitCode {
    tune::cli::run(std::env::args_os(), &mut std::io::stdout().lock()).into()
}

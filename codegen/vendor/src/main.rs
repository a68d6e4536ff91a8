//! `vendor`: see `vendor --help`, and the library for how it works.

use std::process::ExitCode;

fn main() -> ExitCode {
    vendor::run(std::env::args_os(), &mut std::io::stdout().lock()).into()
}

//! `cargo run -p benches --release -- --help`.

use std::process::ExitCode;

use benches::cli::{Cli, Verb};
use benches::{compare, model};
use clap::Parser;

fn main() -> ExitCode {
    let outcome = match Cli::parse().verb {
        Verb::Compare(options) => compare::run(&options),
        Verb::Model(options) => model::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => stop.tell(),
    }
}

//! The command line.

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;
use codegen::cli::places::Workspace;
use codegen::cli::{Exit, Places, program};

use crate::measure::benches;
use crate::request::{HELP, Request};
use crate::session;

/// Times kernels on this machine, or models them, and selects the fastest for programs to use.
///
/// The result is the tuning table of a CPU, codegen/tuning/CPU.toml: figures for each kernel, how they
/// came about, and which kernels are used. What it decides goes into generated/src/tuning.rs, by which
/// programs choose their kernels at run time.
#[derive(Debug, Parser)]
#[command(
    name = "tune",
    bin_name = "cargo run -p tune --",
    version,
    after_help = HELP,
    after_long_help = HELP,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Cli {
    #[command(flatten)]
    request: Request,
    #[command(flatten)]
    places: Places,
}

/// Runs the command line `arguments`, the program's name first; tells on `out`, complains on
/// standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Exit {
    program(arguments, out, |cli: &Cli, out| {
        let workspace = Workspace::open(&cli.places)?;
        session::run(&workspace, &cli.request, &benches, out)
    })
}

//! The command line: what is asked for, which stages run, and what is told about it.

mod args;
mod check;
mod crate_files;
mod diff;
mod generate;
mod infer;
mod list;
mod places;
mod produce;
mod prove;
mod select;
mod sites;
mod summary;
mod text;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;

use crate::diag::{Diagnostic, Diagnostics};
use args::{Cli, Verb};
use places::Workspace;

/// How a run ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// `check` found a difference.
    Differs = 1,
    /// Bad input; nothing was written.
    Refused = 2,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Runs the command line `arguments`, the program's name first; tells on `out`, complains on
/// standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for; the rest is not understood.
            let exit = if error.use_stderr() {
                Exit::Refused
            } else {
                Exit::Done
            };
            return error.print().map_or(Exit::Refused, |()| exit);
        }
    };
    match dispatch(&cli, out) {
        Ok(exit) => exit,
        Err(errors) => {
            eprint!("{}", errors.render());
            Exit::Refused
        }
    }
}

fn dispatch(cli: &Cli, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    match &cli.verb {
        None => {
            let workspace = Workspace::open(&cli.places)?;
            generate::matching(workspace, &cli.selection, &cli.output, out)
        }
        Some(Verb::Generate {
            all,
            selection,
            output,
            places,
        }) => {
            let workspace = Workspace::open(places)?;
            if *all {
                generate::all(workspace, output, out)
            } else {
                generate::matching(workspace, selection, output, out)
            }
        }
        Some(Verb::Check { places }) => check::run(&Workspace::open(places)?, out),
        Some(Verb::Diff { kernel, places }) => {
            diff::run(&Workspace::open(places)?, kernel.as_deref(), out)
        }
        Some(Verb::Sites { kernel, places }) => sites::list(&Workspace::open(places)?, kernel, out),
        Some(Verb::Explain {
            kernel,
            site,
            places,
        }) => sites::explain(&Workspace::open(places)?, kernel, site, out),
        Some(Verb::Prove { force, places }) => prove::run(&Workspace::open(places)?, *force, out),
        Some(Verb::List { json, places }) => list::run(&Workspace::open(places)?, *json, out),
    }
}

/// Writes to `out`. A reader that closed the pipe has seen enough.
fn tell(out: &mut dyn Write, text: &str) -> Result<(), Diagnostic> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Diagnostic::new(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

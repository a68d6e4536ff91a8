//! The command line: what is asked for, which stages run, and what is reported.
//!
//! Programs beside this one are made of the same parts: [`program`], [`places`], [`select`], [`produce`].

mod args;
mod check;
pub mod crate_files;
mod diff;
pub mod generate;
mod identify;
mod infer;
mod list;
mod package;
pub mod places;
pub mod produce;
mod prove;
pub mod select;
mod sites;
mod summary;
pub mod text;
mod usage;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;

use crate::diag::{Diagnostic, Diagnostics};
use args::{Cli, Verb};
pub use args::{Output, Places, Selection};
use places::Workspace;

/// How a run ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A comparison found a difference.
    Differs = 1,
    /// Bad input, or a kernel that is refused; nothing was written.
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
    program(arguments, out, |cli: &Cli, out| {
        let done = dispatch(cli, out);
        done.map_err(|errors| errors.with_help(|help| cli.places.advice(help)))
    })
}

/// Runs a program whose command line is a `C`: does its `work`, tells on `out`, complains on
/// standard error.
pub fn program<C: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    work: impl FnOnce(&C, &mut dyn Write) -> Result<Exit, Diagnostics>,
) -> Exit {
    let cli = match C::try_parse_from(arguments) {
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
    match work(&cli, out) {
        Ok(exit) => exit,
        Err(errors) => {
            complain(&errors.render());
            Exit::Refused
        }
    }
}

fn dispatch(cli: &Cli, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    if cli.verb.is_some() && (cli.selection.is_some() || cli.output.is_some()) {
        let message = "flags of `generate` stand before another verb";
        let help = "write them after `generate`, or leave the verb out";
        return Err(Diagnostic::new(message).help(help).into());
    }
    let Places {
        spec,
        templates,
        out: folder,
    } = &cli.places;
    let ignored = match &cli.verb {
        Some(Verb::Package { .. }) if folder.is_some() => {
            "`package` writes --into a folder, and takes no --out"
        }
        Some(Verb::Prove { .. }) if folder.is_some() => {
            "`prove` writes codegen/lemmas.json, and takes no --out"
        }
        Some(Verb::Identify { .. })
            if spec.is_some() || templates.is_some() || folder.is_some() =>
        {
            "`identify` tries what is in codegen/, and takes no --spec, --templates or --out"
        }
        _ => "",
    };
    if !ignored.is_empty() {
        return Err(Diagnostic::new(ignored).help("leave it out").into());
    }
    let workspace = if cli.infers() {
        Workspace::open_to_infer(&cli.places)?
    } else {
        Workspace::open(&cli.places)?
    };
    match &cli.verb {
        None => {
            let selection = cli.selection.clone().unwrap_or_default();
            let output = cli.output.clone().unwrap_or_default();
            generate::matching(workspace, &selection, &output, out)
        }
        Some(Verb::Generate {
            all,
            candidates,
            only,
            output,
            ..
        }) if *all => {
            let candidates = candidates.then_some(&only[..]);
            generate::all(workspace, candidates, output, out)
        }
        Some(Verb::Generate {
            selection, output, ..
        }) => generate::matching(workspace, selection, output, out),
        Some(Verb::Package { into, check }) => package::run(&workspace, into, *check, out),
        Some(Verb::Identify { known_answer }) => identify::run(&workspace, known_answer, out),
        Some(Verb::Check) => check::run(&workspace, out),
        Some(Verb::Diff { kernel }) => diff::run(&workspace, kernel.as_deref(), out),
        Some(Verb::Sites { kernel }) => sites::list(&workspace, kernel, out),
        Some(Verb::Explain { kernel, site }) => sites::explain(&workspace, kernel, site, out),
        Some(Verb::Prove { force, solver }) => prove::run(&workspace, *force, solver, out),
        Some(Verb::List { json }) => list::run(&workspace, *json, out),
    }
}

/// Writes to standard error; of whoever closed it, nobody complains.
pub fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes to `out`. A reader that closed the pipe has seen enough.
///
/// # Errors
/// `out` takes no more.
pub fn tell(out: &mut dyn Write, text: &str) -> Result<(), Diagnostic> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Diagnostic::new(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

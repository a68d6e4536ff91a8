//! `codegen vendor`.

use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use owo_colors::{OwoColorize as _, Style};
use similar::TextDiff;

use super::places::{Workspace, shown};
use super::produce::produce;
use super::select::{self, Job};
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics};
use crate::diff::{compare, render};
use crate::emit::is_owned;
use crate::kernel::Generated;
use crate::names::{Isa, Layout};
use crate::vendor::{Change, Checkout, Slots, Vendored, Wanted};

/// What is asked.
#[derive(Clone, Debug, Args)]
pub(super) struct Request {
    /// The folder of p3-goldilocks 0.8.0: a copy of the published crate, or `goldilocks/` in a clone
    /// of Plonky3.
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Kernels by name, such as w8_avx2_b1 [default: the best for each place].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    kernels: Vec<String>,
    /// Is what was vendored as it would be written now? Writes nothing.
    #[arg(long)]
    check: bool,
    /// Take everything out again.
    #[arg(long, conflicts_with_all = ["check", "kernels"])]
    remove: bool,
}

pub(super) fn run(
    workspace: &Workspace,
    request: &Request,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let checkout = Checkout::open(&request.into)?;
    let vendored = Vendored::read(checkout)?;
    let folder = shown(&request.into);
    if request.remove {
        if !vendored.is_there() {
            tell(out, &format!("{folder}: nothing is vendored there\n"))?;
            return Ok(Exit::Done);
        }
        let wanted = vendored.without()?;
        return write(&vendored, &wanted, &folder, out);
    }
    // A check is of what was asked for when it was written.
    let asked = if request.check && request.kernels.is_empty() {
        vendored.asked()
    } else {
        &request.kernels
    };
    let kernels = kernels(workspace, asked)?;
    let wanted = vendored.with(&kernels, asked)?;
    if !request.check {
        return write(&vendored, &wanted, &folder, out);
    }
    let mend = workspace.command(&mend(&request.into, asked));
    let found = vendored.check(&wanted, &mend)?;
    if found.is_empty() {
        let count = text::number(kernels.len(), "kernel");
        tell(out, &format!("{folder}: {count}, all as generated\n"))?;
        return Ok(Exit::Done);
    }
    tell(out, &changes(wanted.changes()))?;
    for mismatch in &found {
        let (kind, path) = (mismatch.kind.name(), &mismatch.path);
        tell(out, &format!("{kind:<14}  {path}\n"))?;
    }
    let bad = text::number(found.len(), "file");
    tell(
        out,
        &format!("\n{folder}: {bad} not as generated; {mend}\n"),
    )?;
    Ok(Exit::Differs)
}

fn mend(into: &Path, asked: &[String]) -> String {
    let mut command = format!("cargo run -p codegen -- vendor --into {}", into.display());
    if !asked.is_empty() {
        command += &format!(" --kernels {}", asked.join(","));
    }
    command
}

/// The kernels of these names, or the best for each place.
fn kernels(workspace: &Workspace, asked: &[String]) -> Result<Vec<Generated>, Diagnostics> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    let mut errors = Diagnostics::new();
    for name in asked {
        match select::named(&workspace.specs, name) {
            Ok(job) if jobs.iter().any(|known| known.name() == job.name()) => {}
            Ok(job) => jobs.push(job),
            Err(error) => errors.push(error),
        }
    }
    errors.into_result()?;
    if !asked.is_empty() {
        return produce(&jobs, &workspace.templates()?);
    }
    jobs = select::all(&workspace.specs);
    jobs.retain(may_fit);
    let candidates = produce(&jobs, &workspace.templates()?)?;
    let best = Slots::best(&candidates).into_iter().cloned();
    let best: Vec<_> = best.collect();
    if best.is_empty() {
        let message = "the specs ask for no kernel that p3-goldilocks has a place for";
        return Err(Diagnostic::new(message).into());
    }
    Ok(best)
}

/// Spares the work of generating what has no place anyway.
fn may_fit(job: &Job<'_>) -> bool {
    let apart = job.kernel.layout == Layout::Registers && job.kernel.isa != Isa::Scalar;
    job.spec.instance.field.name == "goldilocks" && (job.batch == 1 || apart)
}

fn write(
    vendored: &Vendored,
    wanted: &Wanted,
    folder: &str,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let outcome = vendored.write(wanted)?;
    tell(out, &changes(wanted.changes()))?;
    let told = format!(
        "{folder}: {} written, {} unchanged, {} deleted\n",
        text::number(outcome.written.len(), "file"),
        outcome.unchanged.len(),
        outcome.deleted.len(),
    );
    tell(out, &told)?;
    Ok(Exit::Done)
}

/// Files that differ: their names, and where they were there before, what changes in them.
fn changes(changes: &[Change]) -> String {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let told = changes.iter().map(|change| one(change, colour));
    let told: String = told.collect();
    if told.is_empty() { told } else { told + "\n" }
}

fn one(change: &Change, colour: bool) -> String {
    let path = &change.path;
    let lines = |text: &str| text::number(text.lines().count(), "line");
    match (&change.now, &change.wanted) {
        (None, None) => String::new(),
        (None, Some(new)) => paint(&format!("+ {path}  (new, {})", lines(new)), colour),
        (Some(old), None) => paint(&format!("- {path}  (deleted, {})", lines(old)), colour),
        (Some(old), Some(new)) => match by_instruction(path, old, new, colour) {
            Some(told) => format!("{path}\n{told}"),
            None => unified(path, old, new, colour),
        },
    }
}

/// Kernels are compared as `codegen diff` compares them.
fn by_instruction(path: &str, old: &str, new: &str, colour: bool) -> Option<String> {
    if path.ends_with(".cert") {
        return Some("    another certificate\n".to_owned());
    }
    if !is_owned(new) {
        return None;
    }
    let changes = compare(old, new).ok()?;
    (!changes.is_empty()).then(|| render(&changes, colour))
}

fn unified(path: &str, old: &str, new: &str, colour: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let text = unified
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    text.lines().map(|line| paint(line, colour)).collect()
}

fn paint(line: &str, colour: bool) -> String {
    let style = match line.as_bytes().first() {
        Some(b'+') => Style::new().green(),
        Some(b'-') => Style::new().red(),
        _ => Style::new(),
    };
    if colour {
        format!("{}\n", line.style(style))
    } else {
        format!("{line}\n")
    }
}

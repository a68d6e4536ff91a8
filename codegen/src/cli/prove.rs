//! `codegen prove`.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};

use super::places::{Workspace, shown};
use super::{Exit, tell, text};
use crate::diag::{Diagnostic, Diagnostics};
use crate::lemma::{self, Ledger, Solver};

pub(super) fn run(
    workspace: &Workspace,
    force: bool,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let templates = workspace.templates()?;
    let path = workspace.lemmas();
    let mut ledger = match Ledger::load(&path) {
        Err(_) if force => Ledger::empty(&path),
        ledger => ledger.map_err(Diagnostic::from)?,
    };
    let solver = Solver::find(lemma::TIMEOUT);
    let bar = ProgressBar::new(lemma::all(&templates).len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let proved = lemma::prove_all(&templates, &mut ledger, solver.as_ref(), force, |name| {
        bar.set_message(name.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    proved?;
    let changed = ledger.is_changed();
    if changed {
        ledger
            .save()
            .map_err(|error| Diagnostic::new(format!("cannot write {}: {error}", shown(&path))))?;
    }
    let file = if changed { "written" } else { "unchanged" };
    let count = text::number(ledger.len(), "lemma");
    tell(out, &format!("{}: {count} proved, {file}\n", shown(&path)))?;
    Ok(Exit::Done)
}

//! `codegen check`.

use std::io::Write;

use super::crate_files::{files, untuned};
use super::places::{ALL, Workspace, shown};
use super::produce::produce;
use super::{Exit, select, tell, text};
use crate::diag::Diagnostics;
use crate::emit::{Scope, check};

pub(super) fn run(workspace: &Workspace, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    let generated = produce(&select::all(&workspace.specs), &workspace.templates()?)?;
    let scope = if workspace.one_spec {
        Scope::Part
    } else {
        Scope::Whole
    };
    let files = files(workspace, &generated, scope)?;
    let found = check(&files, &workspace.out, scope, ALL)?;
    for mut mismatch in found.iter().cloned() {
        mismatch.mend = workspace.command(&mismatch.mend);
        tell(out, &format!("{mismatch}\n"))?;
    }
    let untuned = untuned(workspace, &generated)?;
    if !untuned.is_empty() {
        eprintln!("{}", untuned.render());
    }
    let count = text::number(files.iter().count(), "file");
    let folder = shown(&workspace.out);
    if found.is_empty() {
        tell(out, &format!("{folder}: {count}, all as generated\n"))?;
        return Ok(Exit::Done);
    }
    let bad = found.len();
    let told = format!(
        "\n{folder}: {bad} of {count} not as generated. `codegen diff` shows what would change; all at once: {}\n",
        workspace.command(ALL),
    );
    tell(out, &told)?;
    Ok(Exit::Differs)
}

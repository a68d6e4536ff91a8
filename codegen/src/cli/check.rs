//! `codegen check`.

use std::io::Write;

use super::crate_files::{files, untuned};
use super::places::{ALL, Workspace, shown};
use super::produce::produce;
use super::{Exit, complain, tell};
use crate::diag::{Diagnostic, Diagnostics, number};
use crate::emit::{Kind, Scope, check, listed};

pub(super) fn run(workspace: &Workspace, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    if !workspace.out.is_dir() {
        let what = format!("{}: there is no such folder", shown(&workspace.out));
        let help = format!("`{}` writes it", workspace.command(ALL));
        return Err(Diagnostic::new(what).help(help).into());
    }
    let used = workspace.used()?;
    let generated = produce(&used, &workspace.templates()?)?;
    let all = workspace.command(ALL);
    let files = files(workspace, &generated, Scope::Whole, &all)?;
    let found = check(&files, &workspace.out, Scope::Whole, &all)?;
    tell(out, &listed(&found))?;
    let untuned = untuned(workspace, &generated)?;
    if !untuned.is_empty() {
        complain(&format!("{}\n", untuned.render()));
    }
    let orphans = found.iter().filter(|one| one.kind == Kind::Orphaned);
    let count = number(files.ours() + orphans.count(), "file");
    let folder = shown(&workspace.out);
    if found.is_empty() {
        tell(out, &format!("{folder}: {count}, all as generated\n"))?;
        return Ok(Exit::Done);
    }
    let bad = found.len();
    let told = format!(
        "\n{folder}: {bad} of {count} not as generated. `codegen diff` shows what would change; all at once: {all}\n",
    );
    tell(out, &workspace.advice(&told))?;
    Ok(Exit::Differs)
}

//! `codegen check`.

use std::io::Write;

use super::crate_files::files;
use super::places::{ALL, Workspace, shown};
use super::produce::produce;
use super::usage::Usage;
use super::{Exit, tell, text};
use crate::diag::Diagnostics;
use crate::emit::check;

pub(super) fn run(workspace: &Workspace, out: &mut dyn Write) -> Result<Exit, Diagnostics> {
    let used = Usage::of(&workspace.specs, &workspace.tables()?).jobs(&workspace.specs);
    let generated = produce(&used, &workspace.templates()?)?;
    let scope = workspace.scope();
    let files = files(workspace, &generated, scope)?;
    let found = check(&files, &workspace.out, scope, ALL)?;
    for mut mismatch in found.iter().cloned() {
        mismatch.mend = workspace.command(&mismatch.mend);
        tell(out, &format!("{mismatch}\n"))?;
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

//! `codegen` without a verb, and `codegen generate`.

use std::io::Write;

use super::args::{Output, Selection};
use super::crate_files::{files, untuned};
use super::infer::Inferred;
use super::places::{ALL, Workspace, shown};
use super::produce::{produce, warnings};
use super::select::Job;
use super::{Exit, complain, select, summary, tell};
use crate::diag::Diagnostics;
use crate::emit::{Scope, bless};
use crate::kernel::Generated;

/// Every kernel that is used, or with `candidates` every kernel that the specs ask for, or
/// those whose names contain one of these parts.
///
/// # Errors
/// What is refused, and what cannot be written.
pub fn all(
    mut workspace: Workspace,
    candidates: Option<&[String]>,
    output: &Output,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let started = std::time::Instant::now();
    let specs = workspace.specs.iter_mut();
    let inferred = specs.filter(|_| output.infer).map(Inferred::of);
    let inferred: Vec<_> = inferred.collect::<Result<_, _>>()?;
    let templates = workspace.templates()?;
    if let Some(parts) = candidates {
        let all = parts.is_empty();
        workspace.write_candidates(if all { "candidates" } else { "only" });
    }
    let jobs = match candidates {
        None => workspace.used()?,
        Some([]) => select::all(&workspace.specs),
        Some(parts) => select::containing(&workspace.specs, parts)?,
    };
    if jobs.is_empty() {
        return Err(select::nothing(&workspace).into());
    }
    let generated = produce(&jobs, &templates)?;
    warn(&workspace, &jobs, &generated)?;
    let files = files(
        &workspace,
        &generated,
        Scope::Whole,
        &workspace.command(ALL),
    )?;
    let outcome = bless(&files, &workspace.out, Scope::Whole)?;
    for spec in inferred {
        spec.write(out)?;
    }
    tell(
        out,
        &summary::all(&generated, &outcome, &workspace, started.elapsed()),
    )?;
    Ok(Exit::Done)
}

/// The kernels that match the flags.
pub(super) fn matching(
    mut workspace: Workspace,
    selection: &Selection,
    output: &Output,
    out: &mut dyn Write,
) -> Result<Exit, Diagnostics> {
    let mut inferred = Vec::new();
    if output.infer {
        let chosen: Vec<_> = select::matching(&workspace, selection)?
            .iter()
            .map(|job| job.spec.path.clone())
            .collect();
        let specs = workspace.specs.iter_mut();
        for spec in specs.filter(|spec| chosen.contains(&spec.path)) {
            inferred.push(Inferred::of(spec)?);
        }
    }
    let jobs = select::matching(&workspace, selection)?;
    let generated = produce(&jobs, &workspace.templates()?)?;
    warn(&workspace, &jobs, &generated)?;
    if output.stdout {
        for kernel in &generated {
            tell(out, &kernel.source)?;
        }
        return Ok(Exit::Done);
    }
    let (generated, candidates) = workspace.without_candidates(generated)?;
    write(&workspace, selection, &generated, out)?;
    if !candidates.is_empty() {
        workspace.write_candidates("candidates");
        let folder = shown(&workspace.out);
        let told = format!(
            "nothing uses these candidates, which go to {folder}; `codegen list` says what is used\n"
        );
        tell(out, &workspace.advice(&told))?;
        write(&workspace, selection, &candidates, out)?;
    }
    for spec in inferred {
        spec.write(out)?;
    }
    Ok(Exit::Done)
}

/// Adds kernels to the crate in the output folder.
fn write(
    workspace: &Workspace,
    selection: &Selection,
    generated: &[Generated],
    out: &mut dyn Write,
) -> Result<(), Diagnostics> {
    if generated.is_empty() {
        return Ok(());
    }
    // The usual folder holds whatever the specs ask for, another one what was generated into it.
    let around = if workspace.is_usual() {
        ALL.to_owned()
    } else if *selection == Selection::default() {
        workspace.command(ALL)
    } else {
        workspace.command(&selection.command())
    };
    let files = files(workspace, generated, Scope::Part, &around)?;
    let outcome = bless(&files, &workspace.out, Scope::Part)?;
    for kernel in generated {
        tell(out, &summary::one(kernel, &outcome, workspace))?;
    }
    tell(out, &summary::around(generated, &outcome, workspace))?;
    Ok(())
}

/// Warns of claims that are true but useless, of what no claim removes though it could, and of kernels
/// whose figures this run makes stale.
fn warn(
    workspace: &Workspace,
    jobs: &[Job<'_>],
    generated: &[Generated],
) -> Result<(), Diagnostics> {
    let mut warnings = warnings(jobs)?;
    warnings.extend(untuned(workspace, generated)?);
    if !warnings.is_empty() {
        let warnings = warnings.with_help(|help| workspace.advice(help));
        complain(&format!("{}\n", warnings.render()));
    }
    Ok(())
}

//! All files of the generated crate, from kernels just generated and those already there.

use std::collections::HashSet;

use super::args::Selection;
use super::places::{ALL, Workspace};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{FileSet, Scope};
use crate::kernel::{Generated, KernelInfo};
use crate::params::Instance;
use crate::scaffold::{MANIFEST, PACKAGE, kernel_table, read_manifest, scaffold};
use crate::spec::Spec;
use crate::tuning;

/// The files of `generated` and of the crate around them, which `around` writes.
///
/// The crate around them also has what stays of the kernels already there.
///
/// # Errors
/// Tables or manifest are broken, kernels there are of no spec, or rustfmt is missing.
pub fn files(
    workspace: &Workspace,
    generated: &[Generated],
    scope: Scope,
    around: &str,
) -> Result<FileSet, Diagnostics> {
    let mut files = FileSet::new();
    for kernel in generated {
        let info = &kernel.info;
        let command = workspace.command(&Selection::of(info).command());
        files.insert(&info.file, &command, &kernel.source);
        files.insert(&kernel.program.path, around, &kernel.program.certificate);
        if let Some((path, source)) = &kernel.program.preparation {
            files.insert(path, around, source);
        }
    }
    let others = workspace.other_specs();
    let mut kernels = stay(workspace, &others, generated, scope)?;
    for path in kernels.iter().flat_map(KernelInfo::files) {
        files.leave(path);
    }
    kernels.extend(generated.iter().map(|kernel| kernel.info.clone()));
    let wanted = |instance: &&Instance| {
        let mut kernels = kernels.iter();
        kernels.any(|kernel| kernel.instance() == instance.key())
    };
    // In the repository's order, whichever of its specs is named.
    let specs = others.iter().map(|other| {
        let mut specs = workspace.specs.iter();
        let named = specs.find(|spec| spec.instance.key() == other.instance.key());
        named.unwrap_or(other)
    });
    let specs = specs.chain(&workspace.specs);
    let instances = specs.map(|spec| &spec.instance).filter(wanted);
    let mut instances: Vec<&Instance> = instances.collect();
    let mut seen = HashSet::new();
    instances.retain(|instance| seen.insert(instance.key()));
    for instance in &instances {
        if let Some(path) = instance.statement_path() {
            files.insert(path, around, &instance.statement());
        }
    }
    let tables = workspace.tables()?;
    let names = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let tunings = tuning::resolve(&tables, &names);
    scaffold(&kernels, &instances, &tunings, PACKAGE, around, &mut files)?;
    let everything = scope == Scope::Whole && !workspace.is_of_one_spec();
    if let Some(readme) = workspace.readme.as_ref().filter(|_| everything) {
        let table = kernel_table(&kernels)?;
        files.insert_region(readme, "kernels", around, &table)?;
    }
    Ok(files)
}

/// The kernels already there that stay beside those just generated: of other specs, and of these if not all were
/// generated that they ask for.
fn stay(
    workspace: &Workspace,
    others: &[Spec],
    generated: &[Generated],
    scope: Scope,
) -> Result<Vec<KernelInfo>, Diagnostic> {
    if scope == Scope::Whole && !workspace.is_of_one_spec() {
        return Ok(Vec::new());
    }
    let is_of = |specs: &[Spec], kernel: &KernelInfo| {
        let mut specs = specs.iter();
        specs.any(|spec| spec.instance.key() == kernel.instance())
    };
    let there = there(workspace)?.into_iter();
    let (own, mut stay): (Vec<_>, Vec<_>) = there.partition(|old| is_of(&workspace.specs, old));
    // Without their spec, the crate around them cannot be written.
    if let Some(stranger) = stay.iter().find(|old| !is_of(others, old)) {
        let (manifest, name) = (workspace.display(MANIFEST), &stranger.name);
        let message = format!("{manifest} lists {name}, whose permutation no spec of this run has");
        return Err(Diagnostic::new(message).help(workspace.without_strangers()));
    }
    if scope == Scope::Part {
        let replaced = |old: &KernelInfo| generated.iter().any(|new| new.info.name == old.name);
        stay.extend(own.into_iter().filter(|old| !replaced(old)));
    }
    Ok(stay)
}

/// Warnings of kernels that have figures and are about to change. `tune --status` lists those that changed earlier.
pub(super) fn untuned(
    workspace: &Workspace,
    generated: &[Generated],
) -> Result<Diagnostics, Diagnostics> {
    let there = there(workspace)?;
    let changes = |new: &&Generated| {
        let mut old = there.iter().filter(|old| old.name == new.info.name);
        old.any(|old| old.code != new.info.code)
    };
    let changed = generated.iter().filter(changes);
    let kernels: Vec<_> = changed.map(|kernel| kernel.info.clone()).collect();
    Ok(tuning::warnings(&workspace.tables()?, &kernels))
}

/// Kernels that the manifest in the output folder lists and whose files are there.
///
/// # Errors
/// It is no manifest.
pub fn there(workspace: &Workspace) -> Result<Vec<KernelInfo>, Diagnostic> {
    let path = workspace.out.join(MANIFEST);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(Vec::new());
    };
    let kernels = read_manifest(&text).map_err(|error| {
        Diagnostic::new(format!(
            "{} is not a manifest: {error}",
            workspace.display(MANIFEST)
        ))
        .help(format!(
            "delete it; then `{}` writes it anew",
            workspace.command(ALL)
        ))
    })?;
    let exists = |kernel: &KernelInfo| workspace.out.join(&kernel.file).is_file();
    Ok(kernels.into_iter().filter(exists).collect())
}

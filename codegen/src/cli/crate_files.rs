//! All files of the generated crate, from kernels just generated and those already there.

use std::collections::HashSet;

use super::args::Selection;
use super::places::{ALL, Workspace};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{FileSet, Scope};
use crate::kernel::{Generated, KernelInfo};
use crate::params::Instance;
use crate::scaffold::{MANIFEST, PACKAGE, kernel_table, read_manifest, scaffold};
use crate::tuning;

/// The files of `generated` and of the crate around them, which `around` writes.
///
/// If that is not the whole crate, the crate around them also has the kernels already there.
///
/// # Errors
/// Tables or manifest are broken, or rustfmt is missing.
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
    let specs = || workspace.specs.iter().chain(&others);
    let mut kernels: Vec<_> = generated.iter().map(|kernel| kernel.info.clone()).collect();
    if scope == Scope::Part {
        let there = there(workspace)?.into_iter().filter(|old| {
            let replaced = generated.iter().any(|new| new.info.name == old.name);
            !replaced && specs().any(|spec| spec.instance.key() == old.instance())
        });
        kernels.extend(there);
    }
    let wanted = |instance: &&Instance| {
        let mut kernels = kernels.iter();
        kernels.any(|kernel| kernel.instance() == instance.key())
    };
    let instances = specs().map(|spec| &spec.instance).filter(wanted);
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
    if let Some(readme) = workspace.readme.as_ref().filter(|_| scope == Scope::Whole) {
        let table = kernel_table(&kernels)?;
        files.insert_region(readme, "kernels", around, &table)?;
    }
    Ok(files)
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
        .help(format!("`{}` writes it anew", workspace.command(ALL)))
    })?;
    let exists = |kernel: &KernelInfo| workspace.out.join(&kernel.file).is_file();
    Ok(kernels.into_iter().filter(exists).collect())
}

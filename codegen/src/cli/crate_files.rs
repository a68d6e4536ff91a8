//! All files of the generated crate, from kernels just generated and those already there.

use super::places::{ALL, Workspace};
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{FileSet, Region, Scope};
use crate::kernel::{Generated, KernelInfo};
use crate::names::Strategy;
use crate::params::Instance;
use crate::scaffold::{MANIFEST, kernel_table, read_manifest, scaffold};

/// The files of `generated` and of the crate around them, which `around` writes.
///
/// If that is not the whole crate, the crate around them also has the kernels already there.
pub(super) fn files(
    workspace: &Workspace,
    generated: &[Generated],
    scope: Scope,
    around: &str,
) -> Result<FileSet, Diagnostics> {
    let mut files = FileSet::new();
    for kernel in generated {
        let info = &kernel.info;
        let command = workspace.command(&command(info));
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
            !replaced && specs().any(|spec| is_of(old, &spec.instance))
        });
        kernels.extend(there);
    }
    let mut instances: Vec<&Instance> = Vec::new();
    for instance in specs().map(|spec| &spec.instance) {
        let wanted = kernels.iter().any(|kernel| is_of(kernel, instance));
        if wanted && !instances.iter().any(|known| same(known, instance)) {
            instances.push(instance);
        }
    }
    let tables = workspace.tables()?;
    scaffold(&kernels, &instances, &tables, around, &mut files)?;
    if let Some(readme) = workspace.readme.as_ref().filter(|_| scope == Scope::Whole) {
        let table = kernel_table(&kernels)?;
        files.insert_region(Region::new(readme, "kernels", &table, around));
    }
    Ok(files)
}

/// Kernels that the manifest in the output folder lists and whose files are there.
pub(super) fn there(workspace: &Workspace) -> Result<Vec<KernelInfo>, Diagnostic> {
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

fn is_of(kernel: &KernelInfo, instance: &Instance) -> bool {
    (
        kernel.parameter_set.as_str(),
        kernel.field.as_str(),
        kernel.width,
    ) == (
        instance.parameter_set.as_str(),
        instance.field.name,
        instance.width,
    )
}

fn same(a: &Instance, b: &Instance) -> bool {
    (&a.parameter_set, a.field, a.width) == (&b.parameter_set, b.field, b.width)
}

/// The command that writes a kernel.
fn command(kernel: &KernelInfo) -> String {
    let KernelInfo {
        field,
        isa,
        layout,
        width,
        batch,
        strategy,
        ..
    } = kernel;
    let mut command = format!(
        "cargo run -p codegen -- --field {field} --isa {isa} --layout {layout} --width {width} --batch {batch}"
    );
    if strategy != Strategy::DEFAULT.name() {
        command += &format!(" --strategy {strategy}");
    }
    command
}

//! Kernels to be timed, used or not, and a copy of the workspace with them in it.

use std::path::{Path, PathBuf};

use codegen::cli::places::{ALL, Workspace};
use codegen::cli::produce::produce;
use codegen::cli::select::{self, Job};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::{FileSet, Scope, bless};
use codegen::kernel::{Generated, KernelInfo, source_path};
use codegen::scaffold::{PACKAGE, scaffold};
use codegen::tuning::resolve;

use crate::knobs::{Variant, variants};

/// The kernels of the selection, whether they are used or not, as their specs have them or in all
/// variants; and those that `poseidon2-kernels` needs to be built.
pub(crate) fn generate(
    workspace: &Workspace,
    chosen: &[Job<'_>],
    as_specified: bool,
) -> Result<Vec<Generated>, Diagnostics> {
    let mut wanted: Vec<(Job<'_>, Variant)> = Vec::new();
    for job in chosen {
        let all = if as_specified {
            vec![Variant::as_specified(job.kernel)]
        } else {
            variants(job.kernel, job.spec.instance.width, job.batch)
        };
        wanted.extend(all.into_iter().map(|variant| (*job, variant)));
    }
    let plain = select::all(&workspace.specs)
        .into_iter()
        .filter(|job| job.is_plain() && !chosen.iter().any(|other| other.name() == job.name()));
    wanted.extend(plain.map(|job| (job, Variant::as_specified(job.kernel))));
    let jobs: Vec<Job<'_>> = wanted
        .iter()
        .map(|(job, Variant { kernel, .. })| Job { kernel, ..*job })
        .collect();
    let mut made = produce(&jobs, &workspace.templates()?)?;
    for (Generated { info, .. }, (_, variant)) in made.iter_mut().zip(&wanted) {
        info.name += &variant.suffix;
        info.file = source_path(&info.name);
    }
    Ok(made)
}

/// Makes a workspace with these kernels under cargo's build folder, where benches can be built.
pub(crate) fn write(workspace: &Workspace, kernels: &[Generated]) -> Result<PathBuf, Diagnostics> {
    let mut files = FileSet::new();
    for kernel in kernels {
        files.insert(&kernel.info.file, ALL, &kernel.source);
        files.insert(&kernel.program.path, ALL, &kernel.program.certificate);
        if let Some((path, source)) = &kernel.program.preparation {
            files.insert(path, ALL, source);
        }
    }
    let infos: Vec<KernelInfo> = kernels.iter().map(|kernel| kernel.info.clone()).collect();
    let instances: Vec<_> = workspace.specs.iter().map(|spec| &spec.instance).collect();
    let tunings = resolve(&[], &Default::default());
    scaffold(&infos, &instances, &tunings, PACKAGE, ALL, &mut files)?;
    let (from, folder) = (workspace.root(), workspace.target.join("tune"));
    std::fs::create_dir_all(&folder)
        .map_err(|error| Diagnostic::new(format!("cannot make {}: {error}", folder.display())))?;
    for name in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "benches",
        "codegen",
        "poseidon2-kernels",
        "templates",
        "verify",
    ] {
        copy(&from.join(name), &folder.join(name))?;
    }
    bless(&files, &folder.join("generated"), Scope::Whole)?;
    Ok(folder)
}

/// Copies a file or a folder. Files that are already there as they should be are left alone, so that
/// cargo builds again only what changed.
fn copy(from: &Path, to: &Path) -> Result<(), Diagnostic> {
    let cannot = |path: &Path, error: std::io::Error| {
        Diagnostic::new(format!("cannot copy {}: {error}", path.display()))
    };
    if from.is_dir() {
        std::fs::create_dir_all(to).map_err(|error| cannot(to, error))?;
        for entry in std::fs::read_dir(from).map_err(|error| cannot(from, error))? {
            let entry: PathBuf = entry.map_err(|error| cannot(from, error))?.path();
            if let Some(name) = entry.file_name().filter(|name| *name != "target") {
                copy(&entry, &to.join(name))?;
            }
        }
        return Ok(());
    }
    let bytes = std::fs::read(from).map_err(|error| cannot(from, error))?;
    if std::fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    std::fs::write(to, bytes).map_err(|error| cannot(to, error))
}

//! A copy of the workspace, with other kernels in it.

use std::path::{Path, PathBuf};

use codegen::cli::places::{ALL, Workspace};
use codegen::cli::produce::{cores, each, once};
use codegen::cli::select::{self, Job};
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::{FileSet, Scope, bless};
use codegen::kernel::{Generated, KernelInfo, source_path};
use codegen::names::{Isa, Layout};
use codegen::pipeline;
use codegen::scaffold::scaffold;

use crate::knobs::{Variant, variants};

/// Cargo's build folder.
pub(crate) fn target(root: &Path) -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR");
    given.map_or_else(|| root.join("target"), |target| root.join(target))
}

/// Adds a kernel's files, under the name of its variant.
fn add(set: &mut FileSet, generated: Generated, variant: Option<&Variant>) -> KernelInfo {
    let mut info = generated.info;
    if let Some(variant) = variant {
        info.name += &variant.suffix;
        info.file = source_path(&info.name);
    }
    set.insert(&info.file, ALL, &generated.source);
    let program = &generated.program;
    set.insert(&program.path, ALL, &program.certificate);
    if let Some((path, source)) = &program.preparation {
        set.insert(path, ALL, source);
    }
    info
}

/// Makes a workspace under cargo's build folder with the kernels of the selection, whether they ship
/// or not: as their specs have them, or in all variants.
pub(crate) fn build(
    workspace: &Workspace,
    chosen: &[Job<'_>],
    here: &dyn Fn(&Isa) -> bool,
    as_specified: bool,
) -> Result<(Vec<KernelInfo>, PathBuf), Diagnostics> {
    let templates = workspace.templates()?;
    let mut wanted: Vec<(Job<'_>, Option<Variant>)> = Vec::new();
    for job in chosen.iter().filter(|job| here(&job.kernel.isa)) {
        if as_specified {
            wanted.push((*job, None));
            continue;
        }
        let width = job.spec.instance.width;
        let all = variants(job.kernel, width, job.batch);
        wanted.extend(all.into_iter().map(|variant| (*job, Some(variant))));
    }
    // What `poseidon2-kernels` needs to be built.
    let plain = select::all(&workspace.specs).into_iter().filter(|job| {
        job.kernel.isa == Isa::Scalar
            && job.kernel.layout == Layout::Registers
            && !chosen.iter().any(|other| other.name() == job.name())
    });
    wanted.extend(plain.map(|job| (job, None)));
    let jobs: Vec<Job<'_>> = wanted
        .iter()
        .map(|(job, variant)| Job {
            kernel: variant
                .as_ref()
                .map_or(job.kernel, |variant| &variant.kernel),
            ..*job
        })
        .collect();
    let made = each(&jobs, cores(), Job::name, |job| {
        pipeline::generate(job.spec, job.kernel, job.batch, &templates)
    });
    let (mut set, mut kernels, mut errors) = (FileSet::new(), Vec::new(), Diagnostics::new());
    for (result, (_, variant)) in made.into_iter().zip(&wanted) {
        match result {
            Ok(generated) => kernels.push(add(&mut set, generated, variant.as_ref())),
            Err(refused) => errors.extend(refused),
        }
    }
    once(errors).into_result()?;
    let instances: Vec<_> = workspace.specs.iter().map(|spec| &spec.instance).collect();
    scaffold(&kernels, &instances, &[], ALL, &mut set)?;
    let folder = target(workspace.root()).join("tune");
    packages(workspace.root(), &folder)?;
    bless(&set, &folder.join("generated"), Scope::Whole)?;
    Ok((kernels, folder))
}

/// Copies the packages that time kernels to `into`, with what they need to be built there; `generated/`
/// is not among them. Files that are already there as they should be are left alone, so that cargo
/// builds again only what changed.
fn packages(root: &Path, into: &Path) -> Result<(), Diagnostic> {
    std::fs::create_dir_all(into)
        .map_err(|error| Diagnostic::new(format!("cannot make {}: {error}", into.display())))?;
    for name in ["Cargo.toml", "Cargo.lock", "README.md"] {
        copy(&root.join(name), &into.join(name))?;
    }
    for package in [
        "benches",
        "codegen",
        "poseidon2-kernels",
        "templates",
        "verify",
    ] {
        copy(&root.join(package), &into.join(package))?;
    }
    Ok(())
}

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

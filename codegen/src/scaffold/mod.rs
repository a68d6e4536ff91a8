//! The parts of the generated crate around its kernels: manifest, module tree, registry,
//! constants, and the table in the README.

mod constants;
mod texts;

use std::collections::BTreeMap;

pub use constants::{constants_module, constants_path};
pub use texts::{TYPES, kernel_table};

use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::FileSet;
use crate::format::rustfmt;
use crate::kernel::KernelInfo;
use crate::params::Instance;
use crate::tuning::{TuningTable, resolve};

/// Path of the manifest, relative to the generated crate.
pub const MANIFEST: &str = "manifest.json";

/// Everything around `kernels`: added to `files`, each as written by `command`.
///
/// `instances` are those of the kernels; `tables` tell which of them are the fastest where.
///
/// # Errors
/// rustfmt is missing.
pub fn scaffold(
    kernels: &[KernelInfo],
    instances: &[&Instance],
    tables: &[TuningTable],
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let kernels = in_order(kernels);
    let names = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let tree = Tree::of(&kernels, instances);
    let mut rust = |path: &str, text: &str| -> Result<(), Diagnostics> {
        files.insert(path, command, &rustfmt(text)?);
        Ok(())
    };
    rust("src/types.rs", texts::TYPES)?;
    rust("src/cpu.rs", texts::CPU)?;
    rust("src/tuning.rs", &texts::tuning(&resolve(tables, &names))?)?;
    rust("src/lib.rs", &texts::library(&tree, &kernels)?)?;
    rust("src/registry.rs", &texts::registry(&kernels)?)?;
    rust("src/each.rs", &texts::each(instances)?)?;
    for (set, fields) in &tree.0 {
        rust(&format!("src/{set}/mod.rs"), &texts::set(set, fields)?)?;
        for (field, leaves) in fields {
            let path = format!("src/{set}/{field}/mod.rs");
            rust(&path, &texts::field(set, field, leaves)?)?;
        }
    }
    for instance in instances {
        rust(&constants_path(instance), &constants_module(instance))?;
    }
    files.insert("Cargo.toml", command, &texts::package()?);
    files.insert(".gitattributes", command, texts::ATTRIBUTES);
    files.insert(MANIFEST, command, &manifest(&kernels)?);
    Ok(())
}

/// The kernels in the order of manifest, registry and tables.
#[must_use]
pub fn in_order(kernels: &[KernelInfo]) -> Vec<KernelInfo> {
    let mut kernels = kernels.to_vec();
    let isa = |kernel: &KernelInfo| kernel.isa.parse::<crate::names::Isa>().ok();
    kernels.sort_by(|a, b| {
        let family = |k: &KernelInfo| (k.parameter_set.clone(), k.field.clone(), k.width, isa(k));
        // Layouts by name would put `lanes` before neon's default.
        let form = |k: &KernelInfo| (k.name.matches('_').count(), k.layout.clone());
        let rest = |k: &KernelInfo| (k.strategy.clone(), k.batch);
        (family(a), form(a), rest(a)).cmp(&(family(b), form(b), rest(b)))
    });
    kernels
}

/// The manifest's text: a line for each kernel.
fn manifest(kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    let lines: Result<Vec<_>, _> = kernels.iter().map(serde_json::to_string).collect();
    let lines =
        lines.map_err(|error| Diagnostic::new(format!("cannot write the manifest: {error}")))?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// Reads a manifest's text.
///
/// # Errors
/// It is none.
pub fn read_manifest(text: &str) -> Result<Vec<KernelInfo>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Modules below a field: constants, and kernels with the architecture they are for.
#[derive(Clone, Debug, Default)]
struct Leaves {
    constants: Vec<String>,
    kernels: Vec<Leaf>,
}

#[derive(Clone, Debug)]
struct Leaf {
    module: String,
    arch: Option<String>,
}

/// Parameter set → field → modules.
struct Tree(BTreeMap<String, BTreeMap<String, Leaves>>);

impl Tree {
    fn of(kernels: &[KernelInfo], instances: &[&Instance]) -> Self {
        let mut tree: BTreeMap<String, BTreeMap<String, Leaves>> = BTreeMap::new();
        let mut leaves = |path: &str, insert: &dyn Fn(&mut Leaves, String)| {
            if let [set, field, leaf] = path.split('/').collect::<Vec<_>>()[..] {
                let fields = tree.entry(set.to_owned()).or_default();
                insert(fields.entry(field.to_owned()).or_default(), leaf.to_owned());
            }
        };
        for instance in instances {
            let path = constants_path(instance);
            let path = path.trim_start_matches("src/").trim_end_matches(".rs");
            leaves(path, &|leaves, module| leaves.constants.push(module));
        }
        for kernel in kernels {
            leaves(&kernel.name, &|leaves, module| {
                leaves.kernels.push(Leaf {
                    module,
                    arch: kernel.target_arch.clone(),
                });
            });
        }
        Self(tree)
    }
}

#[cfg(test)]
mod tests;

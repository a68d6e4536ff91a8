//! The parts of the generated crate around its kernels: manifest, module tree, registry,
//! constants, and the table in the README.

mod constants;
mod texts;
mod tunings;

use std::collections::BTreeMap;

pub use constants::{constants_module, constants_path};
pub(crate) use texts::{ATTRIBUTES, constant, render};
pub use texts::{TYPES, kernel_table};

use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::FileSet;
use crate::format::rustfmt;
use crate::kernel::KernelInfo;
use crate::names::{Isa, pascal_case};
use crate::params::Instance;
use crate::tuning::Resolved;

/// The name of the generated crate.
pub const PACKAGE: &str = "poseidon2-generated";

/// Path of the manifest, relative to the generated crate.
pub const MANIFEST: &str = "manifest.json";

/// Everything around `kernels`: added to `files`, each as written by `command`.
///
/// `instances` are those of the kernels; `tunings` tell which of them are the fastest where.
///
/// # Errors
/// Two parameter sets become one type, or rustfmt is missing.
pub fn scaffold(
    kernels: &[KernelInfo],
    instances: &[&Instance],
    tunings: &[Resolved],
    package: &str,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let kernels = in_order(kernels);
    let tree = tree(&kernels, instances);
    distinct(tree.keys())?;
    let mut rust = |path: &str, text: &str| -> Result<(), Diagnostics> {
        files.insert(path, command, &rustfmt(text)?);
        Ok(())
    };
    rust("src/types.rs", texts::TYPES)?;
    rust("src/cpu.rs", texts::CPU)?;
    rust("src/tuning.rs", &tunings::text(tunings)?)?;
    rust("src/lib.rs", &texts::library(&tree, &kernels, instances)?)?;
    rust("src/registry.rs", &texts::registry(&kernels, instances)?)?;
    rust("src/each.rs", &texts::each(instances)?)?;
    for (set, fields) in &tree {
        let text = render(&texts::Set { name: set, fields })?;
        rust(&format!("src/{set}/mod.rs"), &text)?;
        for (field, modules) in fields {
            let path = format!("src/{set}/{field}/mod.rs");
            let text = render(&texts::FieldModule {
                set,
                field,
                modules,
            })?;
            rust(&path, &text)?;
        }
    }
    for instance in instances {
        rust(&constants_path(instance), &constants_module(instance)?)?;
    }
    files.insert("Cargo.toml", command, &render(&texts::Package { package })?);
    files.insert(".gitattributes", command, ATTRIBUTES);
    files.insert(MANIFEST, command, &manifest(&kernels)?);
    Ok(())
}

/// Refuses parameter sets that become the same type, such as `mine` and `mine_`.
fn distinct<'s>(sets: impl Iterator<Item = &'s String>) -> Result<(), Diagnostic> {
    let mut types = BTreeMap::new();
    for set in sets {
        let named = pascal_case(set);
        if let Some(other) = types.insert(named.clone(), set) {
            let message =
                format!("parameter sets `{other}` and `{set}` both become the type `{named}`");
            return Err(Diagnostic::new(message).help("give one of them another name"));
        }
    }
    Ok(())
}

/// The kernels in the order of manifest, registry and tables.
#[must_use]
pub fn in_order(kernels: &[KernelInfo]) -> Vec<KernelInfo> {
    let mut kernels = kernels.to_vec();
    kernels.sort_by_cached_key(|kernel| {
        let (set, field, width) = kernel.instance();
        let family = (set.to_owned(), field.to_owned(), width);
        let isa = kernel.isa.parse::<Isa>().ok();
        // Layouts by name would put `lanes` before neon's default.
        let form = (kernel.name.matches('_').count(), kernel.layout.clone());
        (family, isa, form, kernel.strategy.clone(), kernel.batch)
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

/// A module below a field: constants, or a kernel with what a build must be to have it.
struct Leaf {
    module: String,
    condition: Option<String>,
}

/// Parameter set → field → modules.
type Tree = BTreeMap<String, BTreeMap<String, Vec<Leaf>>>;

fn tree(kernels: &[KernelInfo], instances: &[&Instance]) -> Tree {
    let constants = instances.iter().map(|instance| {
        let path = constants_path(instance);
        let path = path.trim_start_matches("src/").trim_end_matches(".rs");
        (path.to_owned(), None)
    });
    let kernels = kernels.iter();
    let kernels = kernels.map(|kernel| (kernel.name.clone(), texts::compiled(kernel)));
    let mut tree = Tree::new();
    for (path, condition) in constants.chain(kernels) {
        if let [set, field, module] = path.split('/').collect::<Vec<_>>()[..] {
            let fields = tree.entry(set.to_owned()).or_default();
            let modules = fields.entry(field.to_owned()).or_default();
            let module = module.to_owned();
            modules.push(Leaf { module, condition });
        }
    }
    tree
}

#[cfg(test)]
mod tests;

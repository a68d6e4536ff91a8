//! The templates of the scaffold. They are compiled in: a renamed field breaks the build.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::{Leaf, Leaves, Tree};
use crate::diag::Diagnostic;
use crate::kernel::KernelInfo;
use crate::params::Field;

/// The types that kernels share, as they stand.
pub(super) const TYPES: &str = include_str!("../../scaffold/types.rs");

pub(super) const ATTRIBUTES: &str = "* text eol=lf linguist-generated\n";

#[derive(Template)]
#[template(path = "Cargo.toml.jinja", escape = "none")]
struct Package {
    version: &'static str,
    rust_version: &'static str,
    license: &'static str,
    repository: &'static str,
}

pub(super) fn package() -> Result<String, Diagnostic> {
    render(&Package {
        version: env!("CARGO_PKG_VERSION"),
        rust_version: env!("CARGO_PKG_RUST_VERSION"),
        license: env!("CARGO_PKG_LICENSE"),
        repository: env!("CARGO_PKG_REPOSITORY"),
    })
}

#[derive(Template)]
#[template(path = "lib.rs.jinja", escape = "none")]
struct Library<'a> {
    prepared: BTreeSet<&'a str>,
    sets: Vec<&'a str>,
    fields: Vec<String>,
}

pub(super) fn library(tree: &Tree, kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    let prepared = kernels.iter().filter(|kernel| kernel.parts > 1);
    render(&Library {
        prepared: prepared.map(|kernel| kernel.strategy.as_str()).collect(),
        sets: tree.0.keys().map(String::as_str).collect(),
        fields: Field::all().iter().map(|field| constant(field)).collect(),
    })
}

#[derive(Template)]
#[template(path = "set.rs.jinja", escape = "none")]
struct Set<'a> {
    name: &'a str,
    fields: Vec<&'a str>,
}

pub(super) fn set(name: &str, fields: &BTreeMap<String, Leaves>) -> Result<String, Diagnostic> {
    render(&Set {
        name,
        fields: fields.keys().map(String::as_str).collect(),
    })
}

#[derive(Template)]
#[template(path = "field.rs.jinja", escape = "none")]
struct FieldModule<'a> {
    set: &'a str,
    field: &'a str,
    constants: &'a [String],
    kernels: &'a [Leaf],
}

pub(super) fn field(set: &str, field: &str, leaves: &Leaves) -> Result<String, Diagnostic> {
    render(&FieldModule {
        set,
        field,
        constants: &leaves.constants,
        kernels: &leaves.kernels,
    })
}

#[derive(Template)]
#[template(path = "registry.rs.jinja", escape = "none")]
struct Registry<'a> {
    fields: Vec<RegistryField<'a>>,
}

struct RegistryField<'a> {
    name: &'static str,
    constant: String,
    word_bits: u32,
    kernels: Vec<Row<'a>>,
}

pub(super) fn registry(kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    let fields = Field::all().iter().map(|field| RegistryField {
        name: field.name,
        constant: constant(field),
        word_bits: field.word_bits,
        kernels: kernels
            .iter()
            .filter(|k| k.field == field.name)
            .map(Row::new)
            .collect(),
    });
    render(&Registry {
        fields: fields.collect(),
    })
}

#[derive(Template)]
#[template(path = "kernels.md.jinja", escape = "none")]
struct KernelTable<'a> {
    kernels: Vec<Row<'a>>,
}

/// The table of kernels in the README, in Markdown.
///
/// # Errors
/// None that is known; formatting may fail in principle.
pub fn kernel_table(kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    let kernels = super::in_order(kernels);
    render(&KernelTable {
        kernels: kernels.iter().map(Row::new).collect(),
    })
}

fn constant(field: &Field) -> String {
    field.module().to_uppercase()
}

fn render(template: &impl Template) -> Result<String, Diagnostic> {
    template
        .render()
        .map_err(|error| Diagnostic::new(format!("cannot write the scaffold: {error}")))
}

/// A kernel as templates see it.
struct Row<'a> {
    info: &'a KernelInfo,
    /// Variant of `Isa`.
    variant: String,
    /// Module path.
    path: String,
    /// What it runs on.
    cpu: String,
    /// Instructions for each of a call's permutations.
    instructions: u64,
}

impl<'a> Row<'a> {
    fn new(info: &'a KernelInfo) -> Self {
        let (first, rest) = info.isa.split_at_checked(1).unwrap_or_default();
        Self {
            info,
            variant: first.to_uppercase() + rest,
            path: info.name.replace('/', "::"),
            cpu: info.target_arch.as_ref().map_or_else(
                || "any".to_owned(),
                |arch| format!("{arch}, {}", info.features.join(", ")),
            ),
            instructions: info.instructions() / info.states().max(1),
        }
    }
}

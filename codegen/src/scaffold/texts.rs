//! The templates of the scaffold. They are compiled in: a renamed field breaks the build.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::{Leaf, Tree};
use crate::diag::Diagnostic;
use crate::kernel::KernelInfo;
use crate::names::{Isa, pascal_case, variant};
use crate::params::{Field, Instance, ParameterSet};

/// The types that kernels share, as they stand.
pub const TYPES: &str = include_str!("../../scaffold/types.rs");

/// How CPUs tell what they are, as it stands.
pub(super) const CPU: &str = include_str!("../../scaffold/cpu.rs");

/// Files are compared byte by byte, so Git must not give them the line ends of a system.
pub(crate) const ATTRIBUTES: &str = "* text eol=lf linguist-generated\n";

#[derive(Template)]
#[template(path = "Cargo.toml.jinja", escape = "none")]
pub(super) struct Package<'a> {
    pub(super) package: &'a str,
}

#[derive(Template)]
#[template(path = "lib.rs.jinja", escape = "none")]
struct Library<'a> {
    prepared: BTreeSet<&'a str>,
    sets: Vec<&'a String>,
    fields: Vec<&'static Field>,
}

/// The fields of some instances.
fn fields(instances: &[&Instance]) -> impl Iterator<Item = &'static Field> {
    let all = Field::all().iter().copied();
    all.filter(|field| instances.iter().any(|instance| instance.field == *field))
}

pub(super) fn library(
    tree: &Tree,
    kernels: &[KernelInfo],
    instances: &[&Instance],
) -> Result<String, Diagnostic> {
    let prepared = kernels
        .iter()
        .filter_map(|kernel| kernel.preparation.as_deref());
    render(&Library {
        prepared: prepared.collect(),
        sets: tree.keys().collect(),
        fields: fields(instances).collect(),
    })
}

#[derive(Template)]
#[template(path = "set.rs.jinja", escape = "none")]
pub(super) struct Set<'a> {
    pub(super) name: &'a str,
    pub(super) fields: &'a BTreeMap<String, Vec<Leaf>>,
}

#[derive(Template)]
#[template(path = "field.rs.jinja", escape = "none")]
pub(super) struct FieldModule<'a> {
    pub(super) set: &'a str,
    pub(super) field: &'a str,
    pub(super) modules: &'a [Leaf],
}

#[derive(Template)]
#[template(path = "registry.rs.jinja", escape = "none")]
struct Registry<'a> {
    fields: Vec<RegistryField<'a>>,
}

struct RegistryField<'a> {
    field: &'static Field,
    kernels: Vec<&'a KernelInfo>,
    /// Strategies that read constants otherwise than as they are: how many words of each, and what
    /// makes them.
    prepared: BTreeMap<&'a str, (usize, &'a str)>,
}

pub(super) fn registry(
    kernels: &[KernelInfo],
    instances: &[&Instance],
) -> Result<String, Diagnostic> {
    let fields = fields(instances).map(|field| {
        let kernels = kernels.iter().filter(|k| k.field == field.name);
        let prepared = kernels.clone().filter_map(|kernel| {
            let module = kernel.preparation.as_deref()?;
            Some((kernel.strategy.as_str(), (kernel.parts, module)))
        });
        RegistryField {
            field,
            kernels: kernels.collect(),
            prepared: prepared.collect(),
        }
    });
    render(&Registry {
        fields: fields.collect(),
    })
}

#[derive(Template)]
#[template(path = "each.rs.jinja", escape = "none")]
struct Each<'a> {
    fields: Vec<EachField>,
    permutations: Vec<EachPermutation<'a>>,
    /// Of parameter sets without a name that the generator knows, by that name.
    own: BTreeMap<&'a str, Vec<EachPermutation<'a>>>,
}

struct EachField {
    ident: String,
    module: String,
    constant: String,
    family: &'static str,
    name: &'static str,
    modulus: String,
    prime: String,
    /// In which a named parameter set has a permutation.
    widths: String,
}

struct EachPermutation<'a> {
    set: String,
    field: EachField,
    instance: &'a Instance,
    module: String,
    constructor: String,
}

pub(super) fn each(instances: &[&Instance]) -> Result<String, Diagnostic> {
    let named = |i: &&&Instance| ParameterSet::by_name(&i.parameter_set).is_some();
    let named: Vec<&Instance> = instances.iter().filter(named).copied().collect();
    let mut own: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for instance in instances
        .iter()
        .filter(|instance| !named.contains(instance))
    {
        let rows = own.entry(&instance.parameter_set).or_default();
        rows.push(EachPermutation::new(instance, instances));
    }
    let fields = fields(instances);
    render(&Each {
        own,
        fields: fields.map(|field| EachField::new(field, &named)).collect(),
        permutations: named
            .iter()
            .map(|instance| EachPermutation::new(instance, &named))
            .collect(),
    })
}

impl EachField {
    fn new(field: &Field, instances: &[&Instance]) -> Self {
        let widths = instances.iter().filter(|instance| instance.field == field);
        let widths: Vec<String> = widths.map(|instance| instance.width.to_string()).collect();
        Self {
            ident: pascal_case(field.name),
            module: field.module(),
            constant: constant(field),
            family: field.family.name(),
            name: field.name,
            modulus: format!("{:#x}", field.modulus),
            prime: format!("2^{} − 2^{} + 1", field.bits(), field.two_adicity()),
            widths: widths.join(", "),
        }
    }
}

impl<'a> EachPermutation<'a> {
    fn new(instance: &'a Instance, all: &[&Instance]) -> Self {
        let path = super::constants_path(instance);
        let module = path.trim_start_matches("src/").trim_end_matches(".rs");
        let field = instance.field.name.replace('-', "");
        Self {
            set: pascal_case(&instance.parameter_set),
            field: EachField::new(instance.field, all),
            instance,
            module: module.replace('/', "::"),
            constructor: format!("default_{field}_poseidon2_{}", instance.width),
        }
    }
}

/// What a build must be to have a kernel; none: any is right.
pub(super) fn compiled(kernel: &KernelInfo) -> Option<String> {
    let condition = kernel.isa.parse::<Isa>().ok()?.condition();
    condition.or_else(|| Some(format!("not({})", of_arch(kernel.except()?))))
}

pub(super) fn of_arch(arch: &str) -> String {
    format!("target_arch = \"{arch}\"")
}

#[derive(Template)]
#[template(path = "kernels.md.jinja", escape = "none")]
struct KernelTable {
    kernels: Vec<KernelInfo>,
}

/// The table of kernels in the README, in Markdown.
///
/// # Errors
/// None that is known; formatting may fail in principle.
pub fn kernel_table(kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    render(&KernelTable {
        kernels: super::in_order(kernels),
    })
}

/// What a kernel runs on.
fn cpu(kernel: &KernelInfo) -> String {
    let Some(arch) = &kernel.target_arch else {
        let but = kernel.except().map(|arch| format!(" but {arch}"));
        return "any".to_owned() + but.as_deref().unwrap_or_default();
    };
    let needs = std::iter::once(arch).chain(&kernel.features).cloned();
    needs.collect::<Vec<_>>().join(", ")
}

/// A field as a constant.
pub(crate) fn constant(field: &Field) -> String {
    field.module().to_uppercase()
}

pub(crate) fn render(template: &impl Template) -> Result<String, Diagnostic> {
    template
        .render()
        .map_err(|error| Diagnostic::new(format!("cannot write the scaffold: {error}")))
}

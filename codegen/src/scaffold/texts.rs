//! The templates of the scaffold. They are compiled in: a renamed field breaks the build.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::{Leaf, Leaves, Tree};
use crate::diag::Diagnostic;
use crate::kernel::KernelInfo;
use crate::params::{Field, Instance, ParameterSet};
use crate::render::target_arch;
use crate::tuning::{self, CpuPattern, Resolved};

/// The types that kernels share, as they stand.
pub const TYPES: &str = include_str!("../../scaffold/types.rs");

/// How CPUs tell what they are, as it stands.
pub(super) const CPU: &str = include_str!("../../scaffold/cpu.rs");

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
    module: String,
    constant: String,
    word_bits: u32,
    kernels: Vec<Row<'a>>,
    /// Strategies that read constants otherwise than as they are, and how many words of each.
    prepared: BTreeMap<&'a str, usize>,
}

pub(super) fn registry(kernels: &[KernelInfo]) -> Result<String, Diagnostic> {
    let fields = Field::all().iter().map(|field| RegistryField {
        name: field.name,
        module: field.module().to_owned(),
        constant: constant(field),
        word_bits: field.word_bits(),
        kernels: kernels
            .iter()
            .filter(|k| k.field == field.name)
            .map(Row::new)
            .collect(),
        prepared: kernels
            .iter()
            .filter(|k| k.field == field.name && k.parts > 1)
            .map(|k| (k.strategy.as_str(), k.parts))
            .collect(),
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
    let fields = Field::all().iter();
    render(&Each {
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

/// `koala-bear` as the name of a type.
fn pascal_case(name: &str) -> String {
    let words = name.split('-');
    words.map(variant).collect()
}

#[derive(Template)]
#[template(path = "tuning.rs.jinja", escape = "none")]
struct Tunings {
    tunings: Vec<TuningRow>,
}

struct TuningRow {
    condition: String,
    cpu: String,
    default: bool,
    known_by: String,
    kin: String,
    modelled: bool,
    choices: Vec<ChoiceRow>,
}

struct ChoiceRow {
    arch: Option<&'static str>,
    parameter_set: String,
    field: String,
    width: usize,
    variant: String,
    shape: &'static str,
    steps: Vec<StepRow>,
    stands: String,
    beside: Vec<BesideRow>,
}

struct BesideRow {
    lanes: usize,
    /// A kernel, or Plonky3's own for so many states where so many are left.
    servers: Vec<Result<StepRow, (usize, usize)>>,
}

struct StepRow {
    kernel: String,
    least: usize,
    ratio: String,
    spread: String,
}

pub(super) fn tuning(tables: &[Resolved]) -> Result<String, Diagnostic> {
    render(&Tunings {
        tunings: tables.iter().map(TuningRow::new).collect(),
    })
}

impl TuningRow {
    fn new(table: &Resolved) -> Self {
        // Elsewhere than on Arm what is known of x86 must do: of plain Rust.
        let arch = &table.arch;
        let condition = match (table.default, arch.as_str()) {
            (true, "x86_64") => "not(target_arch = \"aarch64\")".to_owned(),
            _ => format!("target_arch = \"{arch}\""),
        };
        Self {
            condition,
            cpu: table.cpu.clone(),
            default: table.default,
            known_by: (table.known_by.as_ref()).map_or("None".to_owned(), |known| {
                format!("Some({})", pattern(known))
            }),
            kin: table.kin.iter().map(pattern).collect::<Vec<_>>().join(", "),
            modelled: table.modelled,
            choices: table.choices.iter().map(ChoiceRow::new).collect(),
        }
    }
}

/// A pattern as an expression.
fn pattern(pattern: &CpuPattern) -> String {
    let CpuPattern {
        vendor,
        family,
        models,
        features,
    } = pattern;
    let (vendor, family) = (vendor.as_deref().unwrap_or(""), family.unwrap_or(0));
    format!(
        "CpuPattern {{ vendor: {vendor:?}, family: {family}, models: &{models:?}, features: &{features:?} }}"
    )
}

impl ChoiceRow {
    fn new(choice: &tuning::Choice) -> Self {
        let tuning::Choice { key, workload, .. } = choice;
        Self {
            arch: target_arch(key.isa),
            parameter_set: key.parameters.clone(),
            field: key.field.clone(),
            width: key.width,
            variant: variant(key.isa.name()),
            shape: match workload {
                None => "One",
                Some(tuning::Workload::Chain) => "Chain",
                Some(tuning::Workload::Independent) => "Independent",
                Some(tuning::Workload::Merkle) => "Merkle",
            },
            steps: choice.steps.iter().map(StepRow::new).collect(),
            stands: format!("{:?}", choice.stands),
            beside: choice.beside.iter().map(BesideRow::new).collect(),
        }
    }
}

impl BesideRow {
    fn new((lanes, servers): &(usize, Vec<tuning::Server>)) -> Self {
        let row = |server: &tuning::Server| match server {
            tuning::Server::Kernel(step) => Ok(StepRow::new(step)),
            tuning::Server::Stock { states, least } => Err((*states, *least)),
        };
        Self {
            lanes: *lanes,
            servers: servers.iter().map(row).collect(),
        }
    }
}

impl StepRow {
    fn new(step: &tuning::Step) -> Self {
        Self {
            kernel: step.kernel.clone(),
            least: step.least,
            ratio: format!("{:.3}", step.ratio),
            spread: format!("{:.3}", step.spread),
        }
    }
}

/// The variant of `Isa` of that name, or one word of another type's name.
fn variant(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or_default();
    first.to_uppercase() + rest
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
        Self {
            info,
            variant: variant(&info.isa),
            path: info.name.replace('/', "::"),
            cpu: info.target_arch.as_ref().map_or_else(
                || "any".to_owned(),
                |arch| {
                    let needs = std::iter::once(arch).chain(&info.features).cloned();
                    needs.collect::<Vec<_>>().join(", ")
                },
            ),
            instructions: info.instructions() / info.states().max(1),
        }
    }
}

//! The tuning tables as code. Choices of a permutation that say the same of several shapes are one row.

use askama::Template;

use super::texts::{of_arch, render};
use crate::diag::Diagnostic;
use crate::names::{Isa, variant};
use crate::tuning::{Choice, CpuPattern, Key, Resolved, Server, Step, Workload};

#[derive(Template)]
#[template(path = "tuning.rs.jinja", escape = "none")]
struct Tunings<'a> {
    tables: Vec<Table<'a>>,
}

struct Table<'a> {
    of: &'a Resolved,
    condition: String,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    key: &'a Key,
    /// What a build must be for it to be of use, where its table is there in others, too.
    condition: Option<String>,
    shapes: Vec<String>,
    serving: Serving<'a>,
    /// Of each step, by shape.
    ratios: Vec<[f64; SHAPES]>,
}

/// Single states, and the workloads.
const SHAPES: usize = 1 + Workload::ALL.len();

/// Who serves.
#[derive(PartialEq)]
struct Serving<'a> {
    /// Kernels, and how many states must be left for them.
    steps: Vec<(&'a str, usize)>,
    stands: &'a [usize],
    /// By lanes of Plonky3's packed type, as expressions.
    beside: Vec<(Vec<usize>, String)>,
}

pub(super) fn text(tunings: &[Resolved]) -> Result<String, Diagnostic> {
    let tables = tunings.iter().map(|of| Table {
        of,
        condition: condition(tunings, of),
        rows: rows(of),
    });
    render(&Tunings {
        tables: tables.collect(),
    })
}

fn rows(table: &Resolved) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for choice in &table.choices {
        let workload = choice.workload.map_or("one", |workload| workload.name());
        let shape = format!("Shape::{}", variant(workload));
        let serving = Serving::of(choice);
        let same = |row: &Row<'_>| *row.key == choice.key && row.serving == serving;
        let at = rows.iter().position(same).unwrap_or_else(|| {
            rows.push(Row {
                key: &choice.key,
                condition: narrower(table, choice.key.isa),
                shapes: Vec::new(),
                ratios: vec![[0.0; SHAPES]; serving.steps.len()],
                serving,
            });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.shapes.push(shape);
        let place = choice.workload.map_or(0, |workload| 1 + workload as usize);
        for (ratios, step) in row.ratios.iter_mut().zip(&choice.steps) {
            ratios[place] = step.ratio;
        }
    }
    rows
}

impl<'a> Serving<'a> {
    fn of(choice: &'a Choice) -> Self {
        let mut beside: Vec<(Vec<usize>, String)> = Vec::new();
        for (lanes, servers) in &choice.beside {
            let servers = servers.iter().map(|server| self::server(server, choice));
            let servers = servers.collect::<Vec<_>>().join(", ");
            match beside.iter_mut().find(|(_, other)| *other == servers) {
                Some((builds, _)) => builds.push(*lanes),
                None => beside.push((vec![*lanes], servers)),
            }
        }
        Self {
            steps: (choice.steps.iter())
                .map(|step| (&*step.kernel, step.least))
                .collect(),
            stands: &choice.stands,
            beside,
        }
    }
}

impl Row<'_> {
    /// The steps as expressions.
    fn steps(&self) -> Vec<String> {
        let steps = self.serving.steps.iter().zip(&self.ratios);
        let step = |((kernel, least), ratios): (&(&str, usize), &[f64; SHAPES])| {
            let ratios = ratios.map(|ratio| format!("{ratio:.2}")).join(", ");
            format!("Step {{ kernel: {kernel:?}, least: {least}, ratios: [{ratios}] }}")
        };
        steps.map(step).collect()
    }
}

/// A server as an expression: a kernel is that of one of the steps.
fn server(server: &Server, choice: &Choice) -> String {
    match server {
        Server::Kernel(Step { kernel, least, .. }) => {
            let step = choice.steps.iter().position(|step| step.kernel == *kernel);
            let step = step.expect("what stays beside Plonky3's own serves without it, too");
            format!("Server::Kernel {{ step: {step}, least: {least} }}")
        }
        Server::Stock { states, least } => {
            format!("Server::Stock {{ states: {states}, least: {least} }}")
        }
    }
}

/// What a target must be for one of the tables to be there.
fn condition(tables: &[Resolved], table: &Resolved) -> String {
    if !table.default || table.arch != ELSEWHERE {
        return tuned(&table.arch);
    }
    let others = tables
        .iter()
        .filter(|other| other.default && other.arch != ELSEWHERE);
    match &others.map(|other| tuned(&other.arch)).collect::<Vec<_>>()[..] {
        [one] => format!("not({one})"),
        all => format!("not(any({}))", all.join(", ")),
    }
}

/// What is known of its CPUs in plain Rust must do on architectures without tables. On those of `x86_64`,
/// kernels with longer words than their fields' are fast; on machines of 32 bits they are slow.
const ELSEWHERE: &str = "aarch64";

/// What a build must be for an instruction set's choices to be of use, where their table is there in others,
/// too.
fn narrower(table: &Resolved, isa: Isa) -> Option<String> {
    let condition = isa.condition()?;
    let elsewhere = table.default && table.arch == ELSEWHERE;
    (elsewhere || condition != tuned(&table.arch)).then_some(condition)
}

/// What a build must be for an architecture's tables. On `x86_64` they are of kernels of which a build without vectors
/// has none: that is one of the architectures without tables.
fn tuned(arch: &str) -> String {
    let vectors = Isa::X86_64.condition().filter(|_| arch == "x86_64");
    vectors.unwrap_or_else(|| of_arch(arch))
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

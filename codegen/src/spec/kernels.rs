//! The `[[kernel]]` tables.

use std::collections::{BTreeMap, HashMap};

use super::KernelSpec;
use super::proofs::ProofSet;
use super::reader::{Placed, Report, Value};
use crate::diag::UnknownName;
use crate::names::Core;
use crate::names::{BATCHES, Isa, Layout, Strategy};

const KEYS: &[&str] = &[
    "isa", "layout", "batch", "ship", "strategy", "sboxes", "general", "order", "proof",
];

/// The greatest number of S-boxes that a kernel interleaves: more would only spill.
pub const SBOXES: usize = 16;

/// What the tables ask for.
#[derive(Default)]
pub(super) struct Requests {
    /// Every kernel that could be read.
    pub(super) kernels: Vec<KernelSpec>,
    /// Every proof set that is named, also by a kernel that could not be read.
    pub(super) proofs: Vec<Placed<String>>,
    /// Whether a name may be missing from `proofs`.
    pub(super) unsure: bool,
}

impl Requests {
    /// A set without claims for each name.
    pub(super) fn empty_sets(&self) -> BTreeMap<String, ProofSet> {
        let sets = self.proofs.iter().map(|name| {
            let set = ProofSet {
                claims: Vec::new(),
                span: name.span.clone(),
            };
            (name.value.clone(), set)
        });
        sets.collect()
    }
}

pub(super) fn read(report: &Report<'_>, value: &Value<'_>) -> Requests {
    let mut requests = Requests::default();
    let Some(tables) = report.tables("kernel", value) else {
        return Requests {
            unsure: true,
            ..requests
        };
    };
    for table in tables.iter() {
        let kernel = read_one(report, table, &mut requests);
        requests.kernels.extend(kernel);
    }
    refuse_duplicates(report, &requests.kernels);
    requests
}

fn read_one(report: &Report<'_>, value: &Value<'_>, requests: &mut Requests) -> Option<KernelSpec> {
    let Some(table) = report.table("[[kernel]]", value, KEYS) else {
        requests.unsure = true;
        return None;
    };
    // Each key is read before the first `?`, so that every error shows.
    let isa = table
        .required("isa")
        .and_then(|value| report.name::<Isa>(value));
    let layout = table
        .optional("layout")
        .map(|value| report.name::<Layout>(value));
    let batches = table
        .required("batch")
        .and_then(|value| read_batches(report, value));
    let ship = match table.optional("ship") {
        Some(value) => read_ship(report, value, batches.as_deref()),
        None => Some(Vec::new()),
    };
    let strategy = match table.optional("strategy") {
        Some(value) => report.name(value).map(|strategy| strategy.value),
        None => Some(Strategy::DEFAULT),
    };
    let sboxes = match table.optional("sboxes") {
        Some(value) => read_sboxes(report, value, strategy),
        None => Some(1),
    };
    let general = match table.optional("general") {
        Some(value) => report.size(value).map(Some),
        None => Some(None),
    };
    let order = match table.optional("order") {
        Some(value) => read_core(report, value).map(Some),
        None => Some(None),
    };
    let proof = table.optional("proof").map(|value| report.string(value));
    requests.unsure |= matches!(proof, Some(None));
    let proof = proof.flatten().map(|proof| {
        let name = proof.value.to_owned();
        requests.proofs.push(Placed {
            value: name.clone(),
            span: proof.span,
        });
        name
    });
    if let (Some(strategy), Some(proof)) = (strategy, table.optional("proof"))
        && !strategy.takes_proofs()
    {
        let message = format!("strategy `{strategy}` takes no proof set");
        let error = report.error(proof.span(), message, "nothing to claim");
        report.push(error.help("it canonicalises nowhere; drop `proof`"));
    }
    let isa = isa?.value;
    let layout = match layout {
        None => isa.default_layout(),
        Some(layout) => check_layout(report, isa, layout?)?,
    };
    let (strategy, sboxes) = (strategy?, sboxes?);
    let general = match general? {
        Some(general) => {
            let form = (isa, layout, strategy);
            check_general(report, &general, form, sboxes)?
        }
        None => 0,
    };
    let order = match order? {
        Some(order) => {
            if !mixes(isa, layout, strategy) {
                let message = "`order` is for strategy `columns` in the lanes of `neon`";
                report.push(report.error(order.span, message, "not for this kernel"));
                return None;
            }
            Some(order.value)
        }
        None => None,
    };
    Some(KernelSpec {
        isa,
        layout,
        batches: batches?,
        ship: ship?,
        strategy,
        sboxes,
        general,
        order,
        proof,
        span: value.span(),
    })
}

fn check_layout(report: &Report<'_>, isa: Isa, layout: Placed<Layout>) -> Option<Layout> {
    if isa.layouts().contains(&layout.value) {
        return Some(layout.value);
    }
    let message = format!("ISA `{isa}` has no layout `{}`", layout.value);
    let valid: Vec<_> = isa.layouts().iter().map(|layout| layout.name()).collect();
    let error = report.error(layout.span, message, "not for this ISA");
    report.push(error.help(format!("valid for `{isa}`: `{}`", valid.join("`, `"))));
    None
}

fn read_batches(report: &Report<'_>, value: &Value<'_>) -> Option<Vec<usize>> {
    let array = report.array(value)?;
    if array.is_empty() {
        report.push(report.error(value.span(), "`batch` is empty", "no kernel is asked for"));
        return None;
    }
    let mut batches = Vec::with_capacity(array.len());
    for value in array.iter() {
        let Some(batch) = report.size(value) else {
            continue;
        };
        if !BATCHES.contains(&batch.value) {
            let valid = BATCHES.iter().map(ToString::to_string);
            report.unknown(
                batch.span,
                &UnknownName::new("batch", batch.value.to_string(), valid),
            );
        } else if batches.contains(&batch.value) {
            let message = format!("batch {} is listed twice", batch.value);
            report.push(report.error(batch.span, message, "once is enough"));
        } else {
            batches.push(batch.value);
        }
    }
    Some(batches)
}

/// Batches to ship, which must be asked for.
fn read_ship(
    report: &Report<'_>,
    value: &Value<'_>,
    batches: Option<&[usize]>,
) -> Option<Vec<usize>> {
    let ship = read_batches(report, value)?;
    let asked = |batch: &usize| batches.is_none_or(|batches| batches.contains(batch));
    if let Some(other) = ship.iter().find(|batch| !asked(batch)) {
        let message = format!("`ship` lists batch {other}, which `batch` does not");
        let error = report.error(value.span(), message, "no such kernel");
        report.push(error.help(format!("add {other} to `batch`, or take it out of `ship`")));
        return None;
    }
    Some(ship)
}

fn read_sboxes(
    report: &Report<'_>,
    value: &Value<'_>,
    strategy: Option<Strategy>,
) -> Option<usize> {
    let sboxes = report.size(value)?;
    if !(1..=SBOXES).contains(&sboxes.value) {
        let message = format!("`sboxes` is {}", sboxes.value);
        let error = report.error(sboxes.span, message, "out of range");
        report.push(error.help(format!(
            "from 1 to {SBOXES}: S-boxes that an external round interleaves"
        )));
        return None;
    }
    if let Some(strategy) = strategy.filter(|strategy| !strategy.takes_sboxes()) {
        let message = format!("strategy `{strategy}` takes no `sboxes`");
        let error = report.error(sboxes.span, message, "nothing to interleave");
        report.push(error.help("one S-box of a group at a time; drop `sboxes`"));
        return None;
    }
    Some(sboxes.value)
}

/// Whether kernels can have code on vectors and on general registers side by side.
fn mixes(isa: Isa, layout: Layout, strategy: Strategy) -> bool {
    (isa, layout, strategy) == (Isa::Neon, Layout::Lanes, Strategy::Columns)
}

fn read_core(report: &Report<'_>, value: &Value<'_>) -> Option<Placed<&'static Core>> {
    let name = report.string(value)?;
    if let Some(core) = Core::by_name(name.value) {
        return Some(Placed {
            value: core,
            span: name.span,
        });
    }
    let known = Core::names().map(str::to_owned);
    report.unknown(name.span, &UnknownName::new("core", name.value, known));
    None
}

/// Only vectors whose lanes are read as cheaply as NEON's have something to gain.
fn check_general(
    report: &Report<'_>,
    general: &Placed<usize>,
    form: (Isa, Layout, Strategy),
    sboxes: usize,
) -> Option<usize> {
    let span = general.span.clone();
    let (isa, layout, strategy) = form;
    if !mixes(isa, layout, strategy) {
        let message = "`general` is for strategy `columns` in the lanes of `neon`";
        report.push(report.error(span, message, "not for this kernel"));
        return None;
    }
    if general.value > sboxes {
        let message = format!("`general` is {}, `sboxes` is {sboxes}", general.value);
        let error = report.error(span, message, "more than there are");
        report.push(error.help("so many of the interleaved S-boxes run on general registers"));
        return None;
    }
    Some(general.value)
}

fn refuse_duplicates(report: &Report<'_>, kernels: &[KernelSpec]) {
    let mut first = HashMap::new();
    for kernel in kernels {
        for &batch in &kernel.batches {
            let key = (kernel.isa, kernel.layout, kernel.strategy, batch);
            let Some(before) = first.insert(key, kernel.span.clone()) else {
                continue;
            };
            let message = format!(
                "kernel asked for twice: {}, {}, {}, batch {batch}",
                kernel.isa, kernel.layout, kernel.strategy
            );
            let error = report.error(kernel.span.clone(), message, "again here");
            report.push(error.at(report.source, before, "first here"));
        }
    }
}

//! The `[[kernel]]` tables.

use std::collections::HashMap;
use std::ops::Range;

use super::reader::{Placed, Report, Value};
use super::{BATCHES, Isa, KernelSpec, Layout, Strategy};
use crate::diag::UnknownName;

const KEYS: &[&str] = &["isa", "layout", "batch", "strategy", "proof"];

/// A kernel request, and where it names its proof set.
pub(super) struct Request {
    pub(super) kernel: KernelSpec,
    pub(super) proof_span: Range<usize>,
}

/// Every kernel that could be read.
pub(super) fn read(report: &Report<'_>, value: &Value<'_>) -> Vec<Request> {
    let Some(tables) = report.array(value) else {
        return Vec::new();
    };
    let requests: Vec<_> = tables
        .iter()
        .filter_map(|table| read_one(report, table))
        .collect();
    refuse_duplicates(report, &requests);
    requests
}

fn read_one(report: &Report<'_>, value: &Value<'_>) -> Option<Request> {
    let table = report.table("[[kernel]]", value, KEYS)?;
    let isa = table
        .required("isa")
        .and_then(|value| report.name::<Isa>(value));
    let layout = table
        .optional("layout")
        .map(|value| report.name::<Layout>(value));
    let batches = table
        .required("batch")
        .and_then(|value| read_batches(report, value));
    let strategy = match table.optional("strategy") {
        Some(value) => report.name(value).map(|strategy| strategy.value),
        None => Some(Strategy::DEFAULT),
    };
    let proof = table.optional("proof").map(|value| report.string(value));
    let isa = isa?.value;
    let layout = match layout {
        None => isa.default_layout(),
        Some(layout) => check_layout(report, isa, layout?)?,
    };
    let (proof, proof_span) = match proof {
        None => (None, value.span()),
        Some(proof) => proof.map(|proof| (Some(proof.value.to_owned()), proof.span))?,
    };
    let (batches, strategy) = (batches?, strategy?);
    let kernel = KernelSpec {
        isa,
        layout,
        batches,
        strategy,
        proof,
        span: value.span(),
    };
    Some(Request { kernel, proof_span })
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
    let batches: Vec<_> = array
        .iter()
        .map(|value| {
            let batch = report.size(value)?;
            if BATCHES.contains(&batch.value) {
                return Some(batch.value);
            }
            let valid = BATCHES.iter().map(ToString::to_string);
            report.unknown(
                batch.span,
                &UnknownName::new("batch", batch.value.to_string(), valid),
            );
            None
        })
        .collect();
    batches.into_iter().collect()
}

fn refuse_duplicates(report: &Report<'_>, requests: &[Request]) {
    let mut first = HashMap::new();
    for Request { kernel, .. } in requests {
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

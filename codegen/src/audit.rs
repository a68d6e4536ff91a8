//! The rendered text, read back without trusting whoever rendered it.
//!
//! The audit shares no code with rendering: it parses the file as the compiler would and compares
//! what it finds with what was planned.

mod asm;
mod reader;
mod reading;
mod registers;
mod vocabulary;

use std::collections::BTreeSet;

pub(crate) use reading::Reading;
pub use vocabulary::{CROSSINGS, computing, lines, unsafe_blocks, vocabulary};

use crate::ir::{BlockKind, Step};
use crate::kernel::KernelInfo;
use reading::{Form, Instruction};

/// What a rendered file must be.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The kernel.
    pub info: &'a KernelInfo,
    /// Instructions, calls and operators that may occur; see [`vocabulary`].
    pub allowed: &'a BTreeSet<String>,
    /// Those of them that compute, see [`computing`]: for macro-ops and `asm!` blocks alone.
    pub computing: &'a BTreeSet<String>,
    /// What the certificate says of the order of rounds.
    pub flow: &'a [Step],
    /// `unsafe { … }` blocks.
    pub unsafe_blocks: usize,
    /// The certificate's sites.
    pub sites: &'a BTreeSet<&'a str>,
}

/// One objection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct Finding {
    /// The line of the rendered file; the first one where something is missing.
    pub line: usize,
    /// What is wrong.
    pub fault: String,
}

impl Finding {
    fn at(line: usize, fault: impl Into<String>) -> Self {
        let fault = fault.into();
        Self { line, fault }
    }
}

/// Everything in `source` that is not as planned; empty if the file is accepted.
#[must_use]
pub fn audit(source: &str, plan: &Plan<'_>) -> Vec<Finding> {
    let reading = match Reading::of(source) {
        Ok(reading) => reading,
        Err(error) => {
            let line = error.span().start().line;
            return vec![Finding::at(line, format!("not Rust: {error}"))];
        }
    };
    let mut findings = Vec::new();
    instructions(&reading, plan, &mut findings);
    features(&reading, plan, &mut findings);
    loops(&reading, plan, &mut findings);
    branches(&reading, plan, &mut findings);
    sites(&reading, plan, &mut findings);
    let (found, planned) = (reading.unsafe_blocks.len(), plan.unsafe_blocks);
    if found != planned {
        let fault = format!("{found} unsafe blocks, planned are {planned}");
        let line = reading.unsafe_blocks.last().copied().unwrap_or(1);
        findings.push(Finding::at(line, fault));
    }
    // Of macros of one name, an invocation means the one above it.
    let mut macros = BTreeSet::new();
    for (line, name) in &reading.macros {
        if !macros.insert(name) {
            let fault = format!("macro `{name}` is defined a second time");
            findings.push(Finding::at(*line, fault));
        }
    }
    for block in &reading.asm {
        registers::check(block, &mut findings);
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn instructions(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    let local = |instruction: &Instruction| match instruction.form {
        Form::Call => reading.functions.iter().any(|f| f.name == instruction.name),
        Form::Macro => reading.macros.iter().any(|(_, m)| *m == instruction.name),
        Form::Method | Form::Asm | Form::Operator => false,
    };
    for instruction in &reading.instructions {
        let Instruction { name, text, .. } = instruction;
        if !plan.allowed.contains(name) && !local(instruction) {
            let fault = format!("`{name}` is not an instruction of this ISA: `{text}`");
            findings.push(Finding::at(instruction.line, fault));
        }
        let called = instruction.form == Form::Call;
        if called && plan.computing.contains(name) && !is_macro(&instruction.place) {
            let fault = format!("`{text}` computes outside of any macro-op");
            findings.push(Finding::at(instruction.line, fault));
        }
    }
    let right = |o: &&Instruction| plan.allowed.contains(&o.name) && is_macro(&o.place);
    for operator in reading.operators.iter().filter(|o| !right(o)) {
        let name = &operator.name;
        let fault = format!("operator `{name}` outside an index, a loop bound or a macro-op");
        findings.push(Finding::at(operator.line, fault));
    }
}

fn is_macro(place: &str) -> bool {
    place.ends_with('!')
}

/// Nothing is conditional but what the round decides, and that as the flow has it.
fn branches(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    let mut planned = vec!["step > 0".to_owned()];
    let external = plan.flow.iter().find_map(|step| match step {
        Step::External(rounds) => Some(rounds.end),
        _ => None,
    });
    planned.extend(external.map(|half| format!("step == {half}")));
    for pair in plan.flow.windows(2) {
        if let [
            Step::Once(BlockKind::InternalNormalise),
            Step::Internal(rounds),
        ] = pair
        {
            planned.push(format!("round == {}", rounds.start));
        }
    }
    for branch in &reading.branches {
        let text = &branch.text;
        let fault = if !branch.on_counter {
            format!("`{text}` decides by something else than a loop's counter")
        } else if !planned.contains(text) {
            let planned = planned.join("`, `");
            format!("`if {text}`: the flow has conditions `{planned}` and no others")
        } else {
            continue;
        };
        findings.push(Finding::at(branch.line, fault));
    }
    for condition in planned {
        let same = reading.branches.iter().filter(|b| b.text == condition);
        if same.count() != 1 {
            let fault = format!("`if {condition}` of the flow must be in the text once");
            findings.push(Finding::at(1, fault));
        }
    }
}

fn features(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    let planned: BTreeSet<&str> = plan.info.features.iter().map(String::as_str).collect();
    for function in &reading.functions {
        let found: BTreeSet<&str> = function.features.iter().map(String::as_str).collect();
        // The raw entry does nothing but call the typed one.
        let raw = function.name == RAW_ENTRY && found.is_empty();
        if found != planned && !raw {
            let planned = plan.info.features.join(", ");
            let (name, found) = (&function.name, function.features.join(", "));
            let fault = format!("`{name}` enables [{found}], planned is [{planned}]");
            findings.push(Finding::at(function.line, fault));
        }
    }
    for instruction in &reading.instructions {
        let calls = |name: &str| instruction.form == Form::Call && instruction.name == name;
        if instruction.place == RAW_ENTRY && instruction.form != Form::Method && !calls(ENTRY) {
            let does = &instruction.text;
            let fault = format!("`{RAW_ENTRY}` may only call `{ENTRY}`, but does `{does}`");
            findings.push(Finding::at(instruction.line, fault));
        }
    }
    for name in [ENTRY, RAW_ENTRY] {
        if !reading.functions.iter().any(|f| f.name == name) {
            findings.push(Finding::at(1, format!("there is no function `{name}`")));
        }
    }
}

const ENTRY: &str = "permute";
const RAW_ENTRY: &str = "permute_raw";

/// One loop over `0..=RF`, in it one over the internal rounds; all others run over data.
fn loops(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    let info = plan.info;
    let steps = info.external_rounds as u64 + 1;
    let internal = info.internal_rounds as u64;
    // A pass of the S-box loop may take several elements.
    let passes = (1..=info.width).filter(|n| info.width.is_multiple_of(*n));
    let data: Vec<u64> = [info.batch, info.lanes]
        .into_iter()
        .chain(passes)
        .map(|n| n as u64)
        .collect();
    for found in &reading.loops {
        let trips_ok = found
            .trips
            .is_none_or(|n| n == steps || n == internal || data.contains(&n));
        let ranged = found.text.contains("..");
        if !found.bounded || !trips_ok || (ranged && found.trips.is_none()) {
            let fault = format!("loop over `{}`: neither rounds nor elements", found.text);
            findings.push(Finding::at(found.line, fault));
        }
    }
    let at = |depth: usize, trips: u64| {
        reading
            .loops
            .iter()
            .filter(|l| l.depth == depth && l.trips == Some(trips))
            .count()
    };
    for (what, depth, trips) in [("0..=RF", 0, steps), ("0..RP", 1, internal)] {
        let found = at(depth, trips);
        // A loop over data may have as many trips as there are internal rounds.
        let enough = found == 1 || (found > 1 && data.contains(&trips));
        if !enough {
            let fault = format!("{found} loops over {what} ({trips} times), planned is one");
            findings.push(Finding::at(1, fault));
        }
    }
}

fn sites(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    for (name, line) in &reading.sites {
        if !plan.sites.contains(name.as_str()) {
            let fault = format!("site `{name}` is not in the certificate");
            findings.push(Finding::at(*line, fault));
        }
    }
    for name in plan.sites {
        if !reading.sites.contains_key(*name) {
            let fault = format!("site `{name}` of the certificate is not in the text");
            findings.push(Finding::at(1, fault));
        }
    }
}

#[cfg(test)]
mod tests;

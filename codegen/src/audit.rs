//! The rendered text, read back without trusting whoever rendered it.
//!
//! The audit shares no code with rendering: it parses the file as the compiler would and compares
//! what it finds with what was planned.

mod asm;
mod finding;
mod reader;
mod reading;
mod registers;
mod vocabulary;

use std::collections::BTreeSet;

pub use asm::{AsmBlock, AsmLine, AsmOperand};
pub use finding::{Fault, Finding};
pub use reading::{Branch, Form, Function, Instruction, Loop, Operator, Reading};
pub use vocabulary::{CROSSINGS, computing, lines, unsafe_blocks, vocabulary};

use crate::ir::{BlockKind, Step};
use crate::kernel::KernelInfo;

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

/// Everything in `source` that is not as planned; empty if the file is accepted.
#[must_use]
pub fn audit(source: &str, plan: &Plan<'_>) -> Vec<Finding> {
    let reading = match Reading::of(source) {
        Ok(reading) => reading,
        Err(error) => {
            let line = error.span().start().line;
            return vec![Finding::at(line, Fault::NotRust(error.to_string()))];
        }
    };
    let mut findings = Vec::new();
    instructions(&reading, plan, &mut findings);
    features(&reading, plan, &mut findings);
    loops(&reading, plan, &mut findings);
    branches(&reading, plan, &mut findings);
    sites(&reading, plan, &mut findings);
    if reading.unsafe_blocks.len() != plan.unsafe_blocks {
        let fault = Fault::UnsafeBlocks {
            planned: plan.unsafe_blocks,
            found: reading.unsafe_blocks.len(),
        };
        let line = reading.unsafe_blocks.last().copied().unwrap_or(1);
        findings.push(Finding::at(line, fault));
    }
    let mut macros = BTreeSet::new();
    for (line, name) in &reading.macros {
        if !macros.insert(name) {
            findings.push(Finding::at(*line, Fault::MacroTwice(name.clone())));
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
        Form::Method | Form::Asm => false,
    };
    for instruction in &reading.instructions {
        let name = instruction.name.as_str();
        let allowed = plan.allowed.contains(name) || local(instruction);
        if !allowed {
            findings.push(Finding::at(
                instruction.line,
                Fault::NotAllowed(instruction.clone()),
            ));
        }
        let called = matches!(instruction.form, Form::Call | Form::Method);
        if called && plan.computing.contains(name) && !is_macro(&instruction.place) {
            let fault = Fault::Unproved(instruction.clone());
            findings.push(Finding::at(instruction.line, fault));
        }
    }
    let right = |o: &&Operator| plan.allowed.contains(&o.text) && is_macro(&o.place);
    for operator in reading.operators.iter().filter(|o| !right(o)) {
        let fault = Fault::Operator(operator.text.clone());
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
        let fault = if !branch.on_counter {
            Fault::Branch(branch.text.clone())
        } else if !planned.contains(&branch.text) {
            let found = branch.text.clone();
            let planned = format!("`{}`", planned.join("`, `"));
            Fault::Condition { found, planned }
        } else {
            continue;
        };
        findings.push(Finding::at(branch.line, fault));
    }
    for condition in planned {
        let same = reading.branches.iter().filter(|b| b.text == condition);
        if same.count() != 1 {
            findings.push(Finding::at(1, Fault::NoCondition(condition)));
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
            let fault = Fault::Features {
                function: function.name.clone(),
                planned: plan.info.features.clone(),
                found: function.features.clone(),
            };
            findings.push(Finding::at(function.line, fault));
        }
    }
    for instruction in &reading.instructions {
        let calls = |name: &str| instruction.form == Form::Call && instruction.name == name;
        if instruction.place == RAW_ENTRY && instruction.form != Form::Method && !calls(ENTRY) {
            let fault = Fault::RawEntry(instruction.clone());
            findings.push(Finding::at(instruction.line, fault));
        }
    }
    for name in [ENTRY, RAW_ENTRY] {
        if !reading.functions.iter().any(|f| f.name == name) {
            findings.push(Finding::at(1, Fault::NoEntry(name)));
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
            findings.push(Finding::at(found.line, Fault::Loop(found.text.clone())));
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
            findings.push(Finding::at(1, Fault::Rounds { what, trips, found }));
        }
    }
}

fn sites(reading: &Reading, plan: &Plan<'_>, findings: &mut Vec<Finding>) {
    for (name, line) in &reading.sites {
        if !plan.sites.contains(name.as_str()) {
            findings.push(Finding::at(*line, Fault::UncertifiedSite(name.clone())));
        }
    }
    for name in plan.sites {
        if !reading.sites.contains_key(*name) {
            findings.push(Finding::at(1, Fault::SiteNotInText((*name).to_owned())));
        }
    }
}

#[cfg(test)]
mod tests;

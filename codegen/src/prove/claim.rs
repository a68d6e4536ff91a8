//! Discharging one claim at one site.

use super::{Refusal, SiteProof};
use crate::arith::{Block, Treatment};
use crate::ir::{Input, Value};
use crate::lower::Claims;
use crate::names::Operand;
use crate::ops::Range;
use crate::spec::{Claim, ClaimKind};

/// Discharges every claim that a site rests on and records the reasons.
pub(super) fn discharge_all(
    block: &Block,
    ranges: &[Range],
    site: &mut SiteProof,
    claims: &Claims<'_>,
) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for treatment in &site.treatments {
        let Treatment::Elided(claim) = *treatment else {
            continue;
        };
        if site.claims.iter().any(|(c, _)| *c == claim) {
            continue;
        }
        match discharge(block, ranges, &site.values, claims.get(claim)) {
            Ok(reason) => site.claims.push((claim, reason)),
            Err((says, derived)) => refusals.push(Refusal::Claim {
                claim,
                site: site.name.clone(),
                says,
                derived,
            }),
        }
    }
    refusals
}

/// Derives what `claim` says of a site with these operands; gives the reason in words, or what the
/// claim says and what was derived in its place.
fn discharge(
    block: &Block,
    ranges: &[Range],
    operands: &[Value],
    claim: &Claim,
) -> Result<String, (String, String)> {
    let last = operands.len() - 1;
    let (letter, value) = match claim.operand {
        Operand::A => ("a", operands[0]),
        Operand::B => ("b", operands[last]),
    };
    let range = ranges[value.index()];
    // Whose range as an input is that of canonical words.
    let is_constant = block.inputs.get(value.index()) == Some(&Input::Constant);
    let (holds, says, reason) = match &claim.kind {
        ClaimKind::OutputOf(producer) => {
            let says = format!("{letter} is the output of {producer}");
            let reason = format!("{says}, in {range}");
            (produced_by(block, value, producer), says, reason)
        }
        ClaimKind::ConstantTable => {
            let says = format!("{letter} is an entry of the constant table");
            let reason = format!("{says}, below p");
            (is_constant, says, reason)
        }
        ClaimKind::CanonicalisedAtConstruction => {
            let says = format!("{letter} was canonicalised at construction");
            let reason =
                format!("{letter} is a round constant, canonicalised at construction, below p");
            (is_constant, says, reason)
        }
        ClaimKind::Zero => {
            let says = format!("{letter} is zero");
            (range == Range::new(0, 0), says.clone(), says)
        }
        ClaimKind::Range { a, b } => {
            let within = |v: &Value, bound: u128| {
                let range = ranges[v.index()];
                range.lo >= 0 && range.hi as u128 <= bound
            };
            let [first, second] = [0, last].map(|n| ranges[operands[n].index()]);
            let derived = format!("a in {first}, b in {second}");
            let mut bounds = operands.iter().zip([*a, *b]);
            return if bounds.all(|(v, bound)| within(v, bound)) {
                Ok(format!("ranges: {derived}"))
            } else {
                Err((format!("a ≤ {a:#x}, b ≤ {b:#x}"), derived))
            };
        }
        ClaimKind::Canonicalise => unreachable!("leaves nothing out"),
    };
    if holds {
        Ok(reason)
    } else {
        let origin = origin(block, value);
        Err((says, format!("{letter} is {origin}, in {range}")))
    }
}

fn produced_by(block: &Block, value: Value, producer: &str) -> bool {
    match block.definition(value) {
        Some(operation) => operation.op.template() == producer || operation.name == producer,
        None => producer == block.kind.name(),
    }
}

/// Where a value comes from, in words.
pub(super) fn origin(block: &Block, value: Value) -> String {
    match block.definition(value) {
        Some(operation) => match operation.serves {
            Some(_) => format!("{value}, canonicalised for {}", operation.name),
            None => format!(
                "{value}, the output of {} at {}",
                operation.op, operation.name
            ),
        },
        None => format!("{value}, the input {}", block.inputs[value.index()]),
    }
}

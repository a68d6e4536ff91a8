//! Discharging one claim at one site.

use super::{Refusal, SiteProof};
use crate::arith::{Block, Range, Treatment};
use crate::ir::{Input, Value};
use crate::lower::Claims;
use crate::names::Operand;
use crate::params::Field;
use crate::spec::{Claim, ClaimKind};

/// What a claim is judged by.
pub(super) struct Context<'a> {
    pub(super) field: &'static Field,
    pub(super) block: &'a Block,
    pub(super) ranges: &'a [Range],
}

impl Context<'_> {
    /// Discharges every claim that a site rests on and records the reasons.
    pub(super) fn discharge_all(&self, site: &mut SiteProof, claims: &Claims<'_>) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        for treatment in &site.treatments {
            let Treatment::Elided(claim) = *treatment else {
                continue;
            };
            if site.claims.iter().any(|(c, _)| *c == claim) {
                continue;
            }
            match self.discharge(&site.values, claims.get(claim)) {
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

    /// Derives what `claim` says of a site with these operands; gives the reason in words, or
    /// what the claim says and what was derived in its place.
    fn discharge(&self, operands: &[Value], claim: &Claim) -> Result<String, (String, String)> {
        let Self {
            field,
            block,
            ranges,
        } = self;
        let (letter, index) = match claim.operand {
            Operand::A => ("a", 0),
            Operand::B => ("b", operands.len() - 1),
        };
        let value = operands[index];
        let range = ranges[value.index()];
        let derived = || format!("{letter} is {}, in {range}", origin(block, value));
        let canonical = Range::below(field.modulus).contains(&range);
        let is_constant = matches!(input(block, value), Some(Input::Constant));
        let verdict = |holds: bool, says: String, reason: String| {
            if holds {
                Ok(reason)
            } else {
                Err((says, derived()))
            }
        };
        match &claim.kind {
            ClaimKind::OutputOf(producer) => verdict(
                produced_by(block, value, producer),
                format!("{letter} is the output of {producer}"),
                format!("{letter} is the output of {producer}, in {range}"),
            ),
            ClaimKind::ConstantTable => verdict(
                is_constant && canonical,
                format!("{letter} is an entry of the constant table"),
                format!("{letter} is an entry of the constant table, below p"),
            ),
            ClaimKind::CanonicalisedAtConstruction => verdict(
                is_constant && canonical,
                format!("{letter} was canonicalised at construction"),
                format!("{letter} is a round constant, canonicalised at construction, below p"),
            ),
            ClaimKind::Zero => verdict(
                range == Range::new(0, 0),
                format!("{letter} is zero"),
                format!("{letter} is zero"),
            ),
            ClaimKind::Range { a, b } => {
                let bounds = [*a, *b];
                let last = operands.len() - 1;
                let holds = operands.iter().zip(bounds).all(|(v, bound)| {
                    let range = ranges[v.index()];
                    range.lo >= 0 && range.hi as u128 <= bound
                });
                let text = |n: usize| ranges[operands[n].index()];
                let says = format!("a ≤ {a:#x}, b ≤ {b:#x}");
                let derived = format!("a in {}, b in {}", text(0), text(last));
                if holds {
                    Ok(format!("ranges: {derived}"))
                } else {
                    Err((says, derived))
                }
            }
            ClaimKind::Canonicalise => Ok(format!("{letter} is canonicalised here")),
        }
    }
}

fn input(block: &Block, value: Value) -> Option<Input> {
    block.inputs.get(value.index()).copied()
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

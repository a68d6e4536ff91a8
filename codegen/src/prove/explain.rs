//! Derivations in words: how the prover got from the block's inputs to a site's bound.

use super::claim::origin;
use super::{Proved, Refusal, SiteProof};
use crate::arith::{MacroOp, Program, Range, Treatment};
use crate::ir::{Input, Value};
use std::collections::BTreeSet;

/// What was derived about a program, proved or refused: for explanations only. Later stages take a
/// [`Proved`] program.
#[derive(Debug)]
pub struct Derived {
    pub(super) program: Program,
    pub(super) ranges: Vec<Vec<Range>>,
    pub(super) sites: Vec<SiteProof>,
    pub(super) refusals: Vec<Refusal>,
}

impl Derived {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Every site in program order.
    #[must_use]
    pub fn sites(&self) -> &[SiteProof] {
        &self.sites
    }

    /// What keeps the program from being proved.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// As [`Proved::derivation`].
    #[must_use]
    pub fn derivation(&self, site: &SiteProof) -> Vec<String> {
        Explanation {
            program: &self.program,
            ranges: &self.ranges[site.block],
        }
        .of(site)
    }
}

impl Proved {
    /// The derivation of a site's verdict, one step a line, inputs first.
    #[must_use]
    pub fn derivation(&self, site: &SiteProof) -> Vec<String> {
        Explanation {
            program: &self.program,
            ranges: &self.ranges[site.block],
        }
        .of(site)
    }
}

/// What the derivations of a block's sites are told from.
struct Explanation<'a> {
    program: &'a Program,
    ranges: &'a [Range],
}

impl Explanation<'_> {
    fn of(&self, site: &SiteProof) -> Vec<String> {
        let block = &self.program.blocks[site.block];
        let ranges = self.ranges;
        let mut values = BTreeSet::new();
        for &operand in &site.values {
            self.ancestors(site.block, operand, &mut values);
        }
        let mut steps: Vec<String> = values
            .into_iter()
            .map(|value| {
                let range = ranges[value.index()];
                match block.definition(value) {
                    None => format!(
                        "{value} = {}: in {range}, {}",
                        block.inputs[value.index()],
                        why(block.inputs[value.index()])
                    ),
                    Some(operation) => {
                        let operands: Vec<String> =
                            operation.operands.iter().map(ToString::to_string).collect();
                        if operation.op == MacroOp::Second {
                            return format!(
                                "{value} = the second result beside {}, in {range}  [{}]",
                                operands[0], operation.name
                            );
                        }
                        let contract = self.program.contract(operation.op);
                        let gives = contract.gives_text();
                        format!(
                            "{value} = {}({}): {gives}, so in {range}  [{}]",
                            operation.op,
                            operands.join(", "),
                            operation.name
                        )
                    }
                }
            })
            .collect();
        let letters = site.letters();
        for (letter, value) in letters.iter().zip(&site.values) {
            let range: Range = ranges[value.index()];
            steps.push(format!("{letter} = {}: in {range}", origin(block, *value)));
        }
        for met in &site.needs {
            let verdict = if met.reached < met.bound {
                "so it holds for every input"
            } else {
                "so there are inputs for which it does not hold"
            };
            steps.push(format!(
                "{} needs {}: the left side is at most {:#x}, the bound is {:#x}, {verdict}",
                site.op, met.text, met.reached, met.bound
            ));
        }
        for (letter, treatment) in letters.iter().zip(&site.treatments) {
            steps.push(match treatment {
                Treatment::AsIs => continue,
                Treatment::Canonicalised => {
                    format!("{letter} is canonicalised here: no claim removes it")
                }
                Treatment::Elided(claim) => {
                    let reason = site.claims.iter().find(|(c, _)| c == claim);
                    let text = reason.map_or("a claim that is not derived", |(_, text)| text);
                    format!("the canonicalisation of {letter} is left out: {text}")
                }
            });
        }
        steps
    }

    /// A value and what its range was derived from: ranges that are a macro-op's promise for all
    /// operands (products, canonical outputs) need nothing before them.
    fn ancestors(&self, block: usize, value: Value, seen: &mut BTreeSet<Value>) {
        if !seen.insert(value) {
            return;
        }
        if let Some(operation) = self.program.blocks[block].definition(value) {
            if operation.op != MacroOp::Second
                && self.program.contract(operation.op).is_unconditional()
            {
                return;
            }
            for &operand in &operation.operands {
                self.ancestors(block, operand, seen);
            }
        }
    }
}

fn why(input: Input) -> &'static str {
    match input {
        Input::State(_) => "the loop invariant of state words",
        Input::Constant => "canonicalised at construction",
        Input::StatePart(..) => "the join over every execution of the block",
        Input::ConstantPart(_) => "what block `constant` makes of a canonical constant",
    }
}

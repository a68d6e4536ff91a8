//! Derivations in words: how the prover got from the block's inputs to a site's bound.

use super::claim::origin;
use super::{Proved, SiteProof};
use crate::arith::{MacroOp, Range, Treatment};
use crate::ir::{Input, Value};
use std::collections::BTreeSet;

impl Proved {
    /// The derivation of a site's verdict, one step a line, inputs first.
    #[must_use]
    pub fn derivation(&self, site: &SiteProof) -> Vec<String> {
        let block = &self.program.blocks[site.block];
        let ranges = &self.ranges[site.block];
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
                        let gives = contract.row.text;
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
            steps.push(format!(
                "{} needs {}: the left side is at most {:#x}, the bound is {:#x}, so it holds for every input",
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
                    let text = reason.map_or("", |(_, text)| text.as_str());
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

//! Derivations in words: how the prover got from the block's inputs to a site's bound.

use super::claim::origin;
use super::{Derived, SiteProof};
use crate::arith::{Block, Treatment};
use crate::ir::{Input, Value};
use crate::ops::{Compared, MacroOp, NeedLeft};
use std::collections::BTreeSet;

impl Derived {
    /// The derivation of a site's verdict, one step a line, inputs first.
    #[must_use]
    pub fn derivation(&self, site: &SiteProof) -> Vec<String> {
        let block = &self.program.blocks[site.block];
        let ranges = &self.ranges[site.block];
        let mut values = BTreeSet::new();
        for &operand in &site.values {
            self.ancestors(block, operand, &mut values);
        }
        let step = |value: Value| {
            let range = ranges[value.index()];
            let Some(operation) = block.definition(value) else {
                let input = block.inputs[value.index()];
                return format!("{value} = {input}: in {range}, {}", why(input));
            };
            let (op, name) = (operation.op, &operation.name);
            let operands: Vec<String> = operation.operands.iter().map(Value::to_string).collect();
            let operands = operands.join(", ");
            if op == MacroOp::Second {
                return format!(
                    "{value} = the second result beside {operands}, in {range}  [{name}]"
                );
            }
            let gives = self.program.contract(block.kind, op).row.text;
            format!("{value} = {op}({operands}): {gives}, so in {range}  [{name}]")
        };
        let mut steps: Vec<String> = values.into_iter().map(step).collect();
        let letters = site.letters();
        for (letter, value) in letters.iter().zip(&site.values) {
            let range = ranges[value.index()];
            steps.push(format!("{letter} = {}: in {range}", origin(block, *value)));
        }
        for need in &site.needs {
            if need.left == NeedLeft::Carry {
                let verdict = "which follows from how its factors are made";
                steps.push(format!("{} needs that {}, {verdict}", site.op, need.text));
                continue;
            }
            let reached = need.reached(&site.operands).0;
            let verdict = if reached < need.bound {
                "so it holds for every input"
            } else {
                "so there are inputs for which it does not hold"
            };
            let Compared { least, left, bound } = need.compared(reached);
            let extreme = if least { "least" } else { "most" };
            steps.push(format!(
                "{} needs {}: the left side is at {extreme} {left}, the bound is {bound}, {verdict}",
                site.op, need.text
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
    fn ancestors(&self, block: &Block, value: Value, seen: &mut BTreeSet<Value>) {
        if !seen.insert(value) {
            return;
        }
        let unconditional =
            |op| op != MacroOp::Second && self.program.contract(block.kind, op).is_unconditional();
        if let Some(operation) = block.definition(value)
            && !unconditional(operation.op)
        {
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
        Input::Factor(_) => "the factors of all internal rounds",
        Input::StatePart(..) | Input::Inner(_) => "the join over every execution of the block",
        Input::ConstantPart(_) | Input::InnerConstant => {
            "what block `constant` makes of a canonical constant"
        }
    }
}

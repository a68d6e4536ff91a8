//! One group's code for a block, from the macro-op bodies of an ISA.

use super::code::{Action, Code, Line, Pointer};
use crate::arith::{Block, MacroOp};
use crate::ir::{Input, Value};
use crate::isa::Kind;
use crate::machine::{Body, Instruction, Reg, Source};
use std::collections::BTreeMap;

/// The body of every macro-op that a program uses, on one ISA.
pub type Bodies = BTreeMap<MacroOp, Body>;

/// The code of `block` for one state whose words begin at word `base` behind
/// [`Pointer::State`]; the round constant is word 0 behind [`Pointer::Constants`].
///
/// # Panics
/// If `bodies` lacks a macro-op of the block.
#[must_use]
pub fn stream(block: &Block, bodies: &Bodies, base: usize) -> Code {
    let mut code = Code::default();
    let mut held: Vec<Option<Reg>> = vec![None; block.values()];
    let last = last_definitions(block);
    for (n, operation) in block.operations.iter().enumerate() {
        let operands: Vec<Reg> = operation
            .operands
            .iter()
            .map(|&v| fetch(&mut code, block, &mut held, v, base))
            .collect();
        let results = inline(&mut code, &bodies[&operation.op], &operands, n);
        held[operation.result.index()] = Some(results[0]);
        for &element in last.get(&operation.result).into_iter().flatten() {
            let action = Action::Store {
                source: results[0],
                pointer: Pointer::State,
                word: base + element,
            };
            code.lines.push(Line {
                action,
                operation: None,
            });
        }
    }
    code
}

/// State elements by the value that becomes them. Every output of a block is computed in it.
fn last_definitions(block: &Block) -> BTreeMap<Value, Vec<usize>> {
    let mut outputs: BTreeMap<Value, Vec<usize>> = BTreeMap::new();
    for (element, &value) in block.outputs.iter().enumerate() {
        outputs.entry(value).or_default().push(element);
    }
    outputs
}

fn fetch(
    code: &mut Code,
    block: &Block,
    held: &mut [Option<Reg>],
    value: Value,
    base: usize,
) -> Reg {
    if let Some(reg) = held[value.index()] {
        return reg;
    }
    let (pointer, word) = match block.inputs[value.index()] {
        Input::State(i) => (Pointer::State, base + i),
        Input::Constant => (Pointer::Constants, 0),
        Input::StatePart(i, part) => (Pointer::State, 2 * (base + i) + part as usize),
        Input::ConstantPart(part) => (Pointer::Constants, part as usize),
    };
    let result = code.fresh(Kind::Word);
    code.lines.push(Line {
        action: Action::Load {
            result,
            pointer,
            word,
        },
        operation: None,
    });
    held[value.index()] = Some(result);
    result
}

/// Appends a body with its registers renamed; gives the registers of its results.
fn inline(code: &mut Code, body: &Body, operands: &[Reg], operation: usize) -> Vec<Reg> {
    let mut names: Vec<Option<Reg>> = vec![None; body.registers.len()];
    for (inner, outer) in body.operands.iter().zip(operands) {
        names[inner.0 as usize] = Some(*outer);
    }
    for instruction in &body.instructions {
        let sources = instruction
            .sources
            .iter()
            .map(|source| match source {
                Source::Reg(reg) => {
                    Source::Reg(names[reg.0 as usize].expect("bodies define before use"))
                }
                Source::Constant(name) => Source::Constant(name),
            })
            .collect();
        let results = instruction
            .results
            .iter()
            .map(|reg| {
                let fresh = code.fresh(body.registers[reg.0 as usize]);
                names[reg.0 as usize] = Some(fresh);
                fresh
            })
            .collect();
        let action = Action::Compute(Instruction {
            row: instruction.row,
            results,
            sources,
            immediates: instruction.immediates.clone(),
        });
        code.lines.push(Line {
            action,
            operation: Some(operation),
        });
    }
    let results = body.results.iter();
    results
        .map(|reg| names[reg.0 as usize].expect("bodies define their results"))
        .collect()
}

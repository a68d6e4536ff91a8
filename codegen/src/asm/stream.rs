//! One group's code for a block, from the macro-op bodies of an ISA.

use super::code::{Action, Code, Line, Pointer};
use crate::arith::{Block, MacroOp};
use crate::ir::{Input, Value};
use crate::isa::Kind;
use crate::machine::{Body, Reg};
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

/// Appends a body; gives the registers of its results.
fn inline(code: &mut Code, body: &Body, operands: &[Reg], operation: usize) -> Vec<Reg> {
    let (instructions, results) = body.instantiate(operands, |kind| code.fresh(kind));
    code.lines
        .extend(instructions.into_iter().map(|instruction| Line {
            action: Action::Compute(instruction),
            operation: Some(operation),
        }));
    results
}

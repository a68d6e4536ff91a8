//! Changing programs step by step.

use codegen::arith::{Block, Program};
use codegen::ir::Value;
use codegen::ops::MacroOp;

/// Whether all that a macro-op does is to canonicalise, or nearly.
pub(super) fn is_canonicalisation(op: MacroOp) -> bool {
    matches!(
        op,
        MacroOp::Canonicalise | MacroOp::CanonicaliseSigned | MacroOp::Reduce | MacroOp::Fold
    )
}

/// What a value is the canonical form of, if it is one.
pub(super) fn before(block: &Block, value: Value) -> Option<Value> {
    let operation = block.definition(value)?;
    is_canonicalisation(operation.op).then(|| operation.operands[0])
}

/// The value without any canonicalisation.
pub(super) fn residue(block: &Block, value: Value) -> Value {
    before(block, value).map_or(value, |value| residue(block, value))
}

/// Everything that reads a value reads what `other` says instead.
fn replace(block: &mut Block, other: impl Fn(Value) -> Value) {
    // The operand of `second` does not read a value but names an operation.
    let operations = block.operations.iter_mut();
    let operations = operations.filter(|o| o.op != MacroOp::Second);
    let operands = operations.flat_map(|o| &mut o.operands);
    let returns = block.returns.iter_mut().map(|r| &mut r.value);
    for value in operands.chain(&mut block.outputs).chain(returns) {
        *value = other(*value);
    }
}

/// Everything that reads `from` reads `to` instead.
pub(super) fn redirect(block: &mut Block, from: Value, to: Value) {
    replace(block, |value| if value == from { to } else { value });
}

/// Everything that reads `a` reads `b` instead, and the other way round.
pub(super) fn exchange(block: &mut Block, a: Value, b: Value) {
    replace(block, |value| match value {
        _ if value == a => b,
        _ if value == b => a,
        _ => value,
    });
}

/// All readers of canonicalised operands at operations of this kind read the values before.
pub(super) fn without_canonicalisation(program: &Program, op: MacroOp) -> Box<Program> {
    let mut copy = Box::new(program.clone());
    for (block, source) in copy.blocks.iter_mut().zip(&program.blocks) {
        for operation in block.operations.iter_mut().filter(|o| o.op == op) {
            for operand in &mut operation.operands {
                *operand = residue(source, *operand);
            }
        }
    }
    copy
}

//! Differences that stay between -p and p.

use crate::arith::{Block, Operation, Program};
use crate::ops::{Contract, MacroOp, Range, Reading};
use crate::params::Field;

/// Leaves differences as they are where only products take them, and sums of these have room for both signs.
pub(super) fn loosened(mut lowered: Program) -> Program {
    let inputs = lowered.input_ranges();
    let field = lowered.words;
    for (block, inputs) in lowered.blocks.iter_mut().zip(&inputs) {
        for n in 0..block.operations.len() {
            loosen(block, n, field, inputs);
        }
    }
    lowered
}

fn loosen(block: &mut Block, n: usize, field: &'static Field, inputs: &[Range]) {
    let Operation { op, result, .. } = block.operations[n];
    if op != MacroOp::Sub || block.outputs.contains(&result) {
        return;
    }
    let users = block.operations.iter();
    let mut users = users.filter(|user| user.operands.contains(&result));
    let takes_any_sign = |user: &Operation| {
        let contract = Contract::of(field, user.op);
        contract.is_some_and(|contract| contract.row.reads == Reading::Signed)
    };
    if users.all(takes_any_sign) {
        block.operations[n].op = MacroOp::Minus;
        if !block.ranges(field, inputs).1.is_empty() {
            block.operations[n].op = MacroOp::Sub;
        }
    }
}

//! Statements on general registers in a kernel on vectors: each lane's word by itself.
//!
//! What is computed is the same operation of the same arithmetic program, by a body of another
//! target, whose lemma is the same contract's. Words are taken out of a vector where the first
//! operation on general registers needs them, and results go back where an operation on vectors
//! may read them.

use super::layout::Layout;
use super::macros::{Side, invocation, macro_name};
use crate::arith::{Block, Operation, Program};
use crate::asm::LANES;
use crate::ir::{BlockKind, Input, Value};
use crate::ops::MacroOp;
use std::collections::BTreeSet;

/// What general registers can do in place of vectors in every S-box.
const PRODUCTS: [MacroOp; 3] = [MacroOp::Square, MacroOp::Mul, MacroOp::MulColumns];

/// The values of a block that are words on general registers, in the S-box of that lead.
///
/// In external rounds these are the products of some leads, spread evenly. In internal rounds they
/// are all products; and where instructions have an order of our own, all that leads from element 0
/// to the next element 0, which is words from the first round to the last: every round waits for
/// the one before along that way and no other, and a sixth of it would be moves and vectors.
pub(super) fn words(layout: Layout, block: &Block, lead: usize) -> BTreeSet<Value> {
    let before = |lead: usize| lead * layout.general / layout.stage;
    let internal = block.kind == BlockKind::InternalRound;
    let share = match block.kind {
        BlockKind::InternalRound => layout.general > 0,
        BlockKind::ExternalSbox => before(lead) < before(lead + 1),
        _ => false,
    };
    if share {
        placed(block, internal && layout.first_is_words())
    } else {
        BTreeSet::new()
    }
}

/// The macro-ops that any lead has on general registers.
pub(crate) fn shared(program: &Program, way_of_first: bool) -> BTreeSet<MacroOp> {
    let sboxes = [BlockKind::ExternalSbox, BlockKind::InternalRound];
    let blocks = program.blocks.iter().filter(|b| sboxes.contains(&b.kind));
    let shared = blocks.flat_map(|block| {
        let internal = block.kind == BlockKind::InternalRound;
        let words = placed(block, internal && way_of_first);
        let operations = block.operations.iter();
        operations.filter(move |o| words.contains(&o.result) && o.is_coded())
    });
    shared.map(|operation| operation.op).collect()
}

/// Products, or all on the way from element 0 to the next.
fn placed(block: &Block, way_of_first: bool) -> BTreeSet<Value> {
    let first = |input: &Input| matches!(input, Input::StatePart(0, _) | Input::ConstantPart(_));
    let inputs = (0..block.inputs.len()).filter(|&n| way_of_first && first(&block.inputs[n]));
    let mut words: BTreeSet<Value> = inputs.map(|n| Value(n as u32)).collect();
    let of_first = |value: Value| {
        let mut outputs = block.outputs.iter().zip(block.places());
        outputs.any(|(output, place)| *output == value && first(&place))
    };
    for operation in &block.operations {
        let leads = match operation
            .operands
            .iter()
            .filter(|v| words.contains(v))
            .count()
        {
            0 => false,
            n => n == operation.operands.len() || of_first(operation.result),
        };
        if PRODUCTS.contains(&operation.op) || way_of_first && leads {
            words.extend(operation.results());
        }
    }
    words
}

/// The statements of one operation, all lanes. `name` names a value's vector.
pub(super) fn statements(
    block: &Block,
    operation: &Operation,
    name: &dyn Fn(Value) -> String,
) -> String {
    let word = |value: Value, lane: usize| format!("{}_lane_{lane}", name(value));
    let words = |value: Value| (0..LANES).map(|lane| word(value, lane)).collect::<Vec<_>>();
    let mut text = String::new();
    for &operand in &operation.operands {
        let made = block.definition(operand);
        let in_words = made.is_some_and(|o| PRODUCTS.contains(&o.op));
        if !in_words && is_first(block, operation, operand) {
            text += &invocation(&words(operand), "words", &[name(operand)]);
        }
    }
    let op = format!("{}{}", macro_name(operation.op), Side::General.suffix());
    for lane in 0..LANES {
        let results: Vec<String> = operation.results().map(|v| word(v, lane)).collect();
        let operands = operation.operands.iter().map(|&v| word(v, lane));
        text += &invocation(&results, &op, &operands.collect::<Vec<_>>());
    }
    let users = |op: &&Operation| operation.results().any(|v| op.operands.contains(&v));
    let mut users = block.operations.iter().filter(users);
    if !users.any(|o| PRODUCTS.contains(&o.op)) {
        for result in operation.results() {
            text += &invocation(&[name(result)], "vector", &words(result));
        }
    }
    text
}

/// Whether no product before `operation` reads `operand`.
fn is_first(block: &Block, operation: &Operation, operand: Value) -> bool {
    let products = block.operations.iter().filter(|o| PRODUCTS.contains(&o.op));
    let mut readers = products.filter(|o| o.operands.contains(&operand));
    readers.next().is_some_and(|o| o.result == operation.result)
}

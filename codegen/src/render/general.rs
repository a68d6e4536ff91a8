//! Statements on general registers in a kernel on vectors: each lane's word by itself.
//!
//! What is computed is the same operation of the same arithmetic program, by a body of another
//! target, whose lemma is the same contract's. Words are taken out of a vector where the first
//! operation on general registers needs them, and results go back where an operation on vectors
//! may read them.

use super::macros::macro_name;
use super::rust::Layout;
use crate::arith::{Block, MacroOp, Operation};
use crate::ir::{BlockKind, Value};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Lanes of a vector.
const LANES: [usize; 2] = [0, 1];

/// The macro-ops that general registers can do in place of vectors: an S-box's products.
pub(crate) const PRODUCTS: [MacroOp; 3] = [MacroOp::Square, MacroOp::Mul, MacroOp::MulColumns];

/// Whether an operation in the S-box of that lead runs on general registers: products do, in
/// internal rounds all of them, in external ones those of some leads, spread evenly.
pub(super) fn takes(layout: Layout, kind: BlockKind, op: MacroOp, lead: usize) -> bool {
    let before = |lead: usize| lead * layout.general / layout.stage;
    PRODUCTS.contains(&op)
        && match kind {
            BlockKind::InternalRound => layout.general > 0,
            BlockKind::ExternalSbox => before(lead) < before(lead + 1),
            _ => false,
        }
}

/// The statements of one operation, all lanes. `name` names a value's vector.
pub(super) fn statements(
    block: &Block,
    operation: &Operation,
    name: &dyn Fn(Value) -> TokenStream,
) -> String {
    let word = |value: Value, lane: usize| format_ident!("{}_lane_{lane}", name(value).to_string());
    let mut text = String::new();
    let mut push = |statement: TokenStream| {
        text.push_str(&statement.to_string());
        text.push('\n');
    };
    for &operand in &operation.operands {
        let made = block.definition(operand).map(|o| o.op);
        let words = made.is_some_and(|op| PRODUCTS.contains(&op));
        if !words && is_first(block, operation, operand) {
            let (vector, words) = (name(operand), LANES.map(|lane| word(operand, lane)));
            push(quote!(let (#(#words),*) = words!(#vector);));
        }
    }
    let op = format_ident!("{}_general", macro_name(operation.op));
    let results: Vec<Value> = (0..operation.op.results() as u32)
        .map(|n| Value(operation.result.0 + n))
        .collect();
    for lane in LANES {
        let operands = operation.operands.iter().map(|&v| word(v, lane));
        let bound = results.iter().map(|&v| word(v, lane));
        let bound = match operation.op.results() {
            1 => quote!(#(#bound)*),
            _ => quote!((#(#bound),*)),
        };
        push(quote!(let #bound = #op!(#(#operands),*);));
    }
    let users = |op: &&Operation| op.operands.iter().any(|v| results.contains(v));
    let mut users = block.operations.iter().filter(users);
    let inside = users.any(|o| PRODUCTS.contains(&o.op));
    if !inside {
        for &result in &results {
            let (vector, words) = (name(result), LANES.map(|lane| word(result, lane)));
            push(quote!(let #vector = vector!(#(#words),*);));
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

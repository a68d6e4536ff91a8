//! Linear forms of values, and states that make them take given values.

use codegen::arith::{Block, Operation, Program};
use codegen::ir::{BlockKind, Input, Value};
use codegen::names::Part;
use codegen::ops;
use codegen::ops::{Contract, MacroOp};
use codegen::params::Field;

use crate::corpus::values::Fill;
use crate::oracle::Permutation;

/// One coefficient for each element of a state.
pub(super) type Form = Vec<u64>;

/// Changes one or two elements so that the forms take the values wanted; where one form is a
/// multiple of the other, the first decides.
pub(super) fn bend(
    permutation: &Permutation,
    state: &mut [u64],
    forms: &[&Form],
    to: (u64, u64),
    fill: &mut Fill,
) {
    let minus = |x: u64, y: u64| permutation.add(x, permutation.modulus - y);
    let value = |form: &[u64], state: &[u64]| {
        let terms = form.iter().zip(state).map(|(m, x)| permutation.mul(*m, *x));
        terms.fold(0, |sum, term| permutation.add(sum, term))
    };
    let width = state.len();
    let turned = fill.index(width);
    let a = forms[0];
    let b = forms[forms.len() - 1];
    let (miss_a, miss_b) = (minus(to.0, value(a, state)), minus(to.1, value(b, state)));
    let pivots = (0..width).map(|i| (i + turned) % width);
    let Some(i) = pivots.clone().find(|i| a[*i] != 0) else {
        return;
    };
    let determinant = |j: usize| minus(permutation.mul(a[i], b[j]), permutation.mul(a[j], b[i]));
    let invert = |x: u64| permutation.pow(x, permutation.modulus - 2);
    match pivots.clone().find(|j| determinant(*j) != 0) {
        Some(j) => {
            let scale = invert(determinant(j));
            let by_i = minus(permutation.mul(miss_a, b[j]), permutation.mul(a[j], miss_b));
            let by_j = minus(permutation.mul(a[i], miss_b), permutation.mul(miss_a, b[i]));
            state[i] = permutation.add(state[i], permutation.mul(by_i, scale));
            state[j] = permutation.add(state[j], permutation.mul(by_j, scale));
        }
        None => state[i] = permutation.add(state[i], permutation.mul(miss_a, invert(a[i]))),
    }
}

/// The linear form of each value that has one, over the state at the block's start; in an internal
/// round over the state after the S-box, whose power counts as element 0. Where elements have
/// parts, the low part has the form of the element, and the high part counts nothing.
///
/// Between internal rounds an element is a form over the state itself, where the basis says so; where that is another
/// in each round, it is the first round's.
pub(super) fn forms(program: &Program, block: &Block) -> Vec<Option<Form>> {
    let (field, width) = (program.words_of(block.kind), program.instance.width);
    let internal = block.kind == BlockKind::InternalRound;
    let in_basis = [BlockKind::InternalNormalise, BlockKind::InternalLeave];
    let in_basis = internal || in_basis.contains(&block.kind);
    let unit = |i: usize| -> Form {
        let coefficient = |j: usize| {
            let mut state = vec![0; width];
            state[j] = 1;
            if in_basis {
                program.basis.enter(field, 0, &mut state);
            }
            state[i]
        };
        (0..width).map(coefficient).collect()
    };
    let input = |input: &Input| match input {
        _ if block.kind == BlockKind::ExternalSbox => None,
        Input::State(0) | Input::StatePart(0, _) | Input::Inner(0) if internal => None,
        Input::State(i) | Input::StatePart(i, Part::Low) | Input::Inner(i) => Some(unit(*i)),
        Input::StatePart(_, Part::High) => Some(vec![0; width]),
        Input::Constant | Input::ConstantPart(_) | Input::InnerConstant | Input::Factor(_) => None,
    };
    let mut forms: Vec<Option<Form>> = block.inputs.iter().map(input).collect();
    let products = block
        .operations
        .iter()
        .rposition(|o| is_product(field, o.op) && factors(field, block, o).is_none());
    for (n, operation) in block.operations.iter().enumerate() {
        let operands = operation.operands.iter().map(|v| forms[v.index()].as_ref());
        let operands: Option<Vec<&Form>> = operands.collect();
        let linear = |linear: Vec<u64>, operands: &[&Form]| -> Form {
            let element = |i: usize| {
                let terms = linear.iter().zip(operands);
                let terms = terms.map(|(k, form)| field.mul(*k, form[i]));
                terms.fold(0, |sum, term| field.add(sum, term))
            };
            (0..width).map(element).collect()
        };
        forms.push(match result(field, operation.op) {
            None => Some(vec![0; width]),
            Some(result) if !result.products.is_empty() => match factors(field, block, operation) {
                Some(factors) => operands.map(|operands| {
                    let elements: Vec<&Form> = operands.into_iter().step_by(2).collect();
                    linear(factors, &elements)
                }),
                None => (internal && Some(n) == products).then(|| unit(0)),
            },
            Some(result) => operands.map(|operands| linear(result.linear, &operands)),
        });
    }
    forms
}

/// The residues that elements are multiplied by, if all of them are constants: the second factor of each
/// product.
fn factors(field: &Field, block: &Block, operation: &Operation) -> Option<Vec<u64>> {
    let word = |value: &Value| block.definition(*value)?.word();
    let residue = |value: &Value| match word(value) {
        Some(word) => Some(field.from_montgomery(word)),
        // A constant less p.
        None => match block.definition(*value)? {
            Operation {
                op: MacroOp::Minus,
                operands,
                ..
            } if word(&operands[1])? == field.modulus => {
                Some(field.from_montgomery(word(&operands[0])?))
            }
            _ => None,
        },
    };
    operation
        .operands
        .iter()
        .skip(1)
        .step_by(2)
        .map(residue)
        .collect()
}

/// Whether a macro-op is one of the S-box's.
pub(super) fn is_product(field: &'static Field, op: MacroOp) -> bool {
    result(field, op).is_some_and(|result| !result.products.is_empty())
}

/// What the results of a macro-op stand for; none for the second one of the operation before.
fn result(field: &'static Field, op: MacroOp) -> Option<ops::Form> {
    Contract::of(field, op)?.form()
}

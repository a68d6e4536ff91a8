//! Linear forms of values, and states that make them take given values.

use codegen::arith::{Block, MacroOp, Pair};
use codegen::ir::{BlockKind, Input, Value};
use codegen::names::Part;

use crate::corpus::values::Fill;
use crate::oracle::{Instance, Poseidon2};

/// Changes one or two elements so that the forms take the values wanted; where one form is a
/// multiple of the other, the first decides.
pub(super) fn bend(
    p2: &Poseidon2,
    state: &mut [u64],
    forms: &[&Vec<u64>],
    to: (u64, u64),
    fill: &mut Fill,
) {
    let minus = |x: u64, y: u64| p2.add(x, p2.modulus - y);
    let value = |form: &[u64], state: &[u64]| {
        let terms = form.iter().zip(state).map(|(m, x)| p2.mul(*m, *x));
        terms.fold(0, |sum, term| p2.add(sum, term))
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
    let determinant = |j: usize| minus(p2.mul(a[i], b[j]), p2.mul(a[j], b[i]));
    let invert = |x: u64| p2.pow(x, p2.modulus - 2);
    match pivots.clone().find(|j| determinant(*j) != 0) {
        Some(j) => {
            let scale = invert(determinant(j));
            let by_i = minus(p2.mul(miss_a, b[j]), p2.mul(a[j], miss_b));
            let by_j = minus(p2.mul(a[i], miss_b), p2.mul(miss_a, b[i]));
            state[i] = p2.add(state[i], p2.mul(by_i, scale));
            state[j] = p2.add(state[j], p2.mul(by_j, scale));
        }
        None => state[i] = p2.add(state[i], p2.mul(miss_a, invert(a[i]))),
    }
}

/// The linear form of each value that has one. The last power of an internal round counts as
/// element 0. Where elements have parts, the low part has the form of the element.
///
/// Between internal rounds an element is a form over the state itself, where it is in a pair.
pub(super) fn forms(instance: &Instance, pairs: &[Pair], block: &Block) -> Vec<Option<Vec<u64>>> {
    let p2 = &instance.permutation;
    let internal = block.kind == BlockKind::InternalRound;
    let between = [
        BlockKind::InternalRound,
        BlockKind::InternalNormalise,
        BlockKind::InternalLeave,
    ];
    let in_pairs = between.contains(&block.kind);
    let unit = |i: usize| {
        let mut row = vec![0; p2.width()];
        row[i] = 1;
        for pair in pairs.iter().filter(|_| in_pairs) {
            let scale = p2.pow(2, u64::from(pair.shift));
            if i == pair.sum {
                row[pair.difference] = 1;
            } else if i == pair.difference {
                row[pair.sum] = scale;
                row[pair.difference] = p2.modulus - scale;
            }
        }
        row
    };
    let input = |input: &Input| match input {
        Input::State(0) | Input::StatePart(0, _) if internal => None,
        Input::State(i) | Input::StatePart(i, Part::Low) => Some(unit(*i)),
        _ => None,
    };
    let mut forms: Vec<Option<Vec<u64>>> = block.inputs.iter().map(input).collect();
    let last = block
        .operations
        .iter()
        .rposition(|o| super::is_product(o.op));
    for (n, operation) in block.operations.iter().enumerate() {
        let form = |v: Value| forms[v.index()].clone();
        let a = form(operation.operands[0]);
        let b = form(operation.operands[operation.operands.len() - 1]);
        let sum = |scale: u64| -> Option<Vec<u64>> {
            let (a, b) = (a.clone()?, b?);
            Some(
                a.iter()
                    .zip(&b)
                    .map(|(a, b)| p2.add(*a, p2.mul(*b, scale)))
                    .collect(),
            )
        };
        let scaled = |scale: u64| -> Option<Vec<u64>> {
            Some(a.as_ref()?.iter().map(|a| p2.mul(*a, scale)).collect())
        };
        let divided = |k: u32| scaled(p2.pow(p2.modulus.div_ceil(2), u64::from(k)));
        let result = match operation.op {
            MacroOp::Add | MacroOp::Plus => sum(1),
            MacroOp::Sub | MacroOp::Minus => sum(p2.modulus - 1),
            MacroOp::Canonicalise
            | MacroOp::Offset(..)
            | MacroOp::Split
            | MacroOp::Pack
            | MacroOp::Carry
            | MacroOp::Preshift => a,
            MacroOp::ShiftLeft(k) => scaled(1 << k),
            MacroOp::Halve => divided(1),
            MacroOp::Div2Exp(k) | MacroOp::Div2ExpColumns(k) | MacroOp::Div2ExpSigned(k) => {
                divided(k)
            }
            MacroOp::Mul
            | MacroOp::Square
            | MacroOp::MulColumns
            | MacroOp::MulWide
            | MacroOp::MulColumnsRedc
            | MacroOp::SquareLimbs(_)
            | MacroOp::MulLimbs(_) => (internal && Some(n) == last).then(|| unit(0)),
            MacroOp::Share | MacroOp::Second => None,
        };
        forms.push(result);
    }
    forms
}

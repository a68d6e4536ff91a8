//! Arithmetic programs on concrete words, straight from the contracts.

use super::{Block, Contract, Gives, Program};
use crate::ir::BlockKind;
use crate::params::Field;

impl Contract {
    /// The result for concrete operands.
    ///
    /// Where the contract leaves the representative open (a product is *some* word of the right
    /// residue), the one that reduction by folding gives is returned. Operands that break a
    /// precondition give what a machine word would hold: the promised integer modulo 2^word.
    #[must_use]
    pub fn apply(&self, operands: &[u64]) -> u64 {
        let p = i128::from(self.field.modulus);
        let linear = |c: &[i128]| -> i128 {
            c.iter()
                .zip(operands)
                .map(|(&c, &x)| c * i128::from(x))
                .sum()
        };
        let mask = (1i128 << self.field.word_bits) - 1;
        let value = match &self.gives {
            Gives::Exact(c) => linear(c),
            Gives::SubtractOnce(c, threshold) => {
                let e = linear(c);
                if e >= *threshold { e - p } else { e }
            }
            Gives::AddOnce(c) => {
                let e = linear(c);
                if e < 0 { e + p } else { e }
            }
            Gives::Halve => {
                let x = i128::from(operands[0]);
                (x + (x & 1) * p) / 2
            }
            Gives::Divide(k) => {
                let residue = self.field.reduce(u128::from(operands[0]));
                let half = self.field.modulus.div_ceil(2);
                i128::from(self.field.mul(residue, self.field.pow(half, u64::from(*k))))
            }
            Gives::Product => i128::from(fold(self.field, operands)),
            Gives::MontgomeryProduct => {
                let product = self.field.mul(operands[0], operands[operands.len() - 1]);
                i128::from(self.field.from_montgomery(product))
            }
        };
        (value & mask) as u64
    }
}

/// The representative of `a·b` that `lo - h + (2^32 - 1)·m` with one correction each way gives.
fn fold(field: &Field, operands: &[u64]) -> u64 {
    let product = u128::from(operands[0]) * u128::from(operands[operands.len() - 1]);
    let (lo, hi) = (product as u64, (product >> 64) as u64);
    let epsilon = field.modulus.wrapping_neg();
    let (t, borrow) = lo.overflowing_sub(hi >> 32);
    let t = if borrow { t.wrapping_sub(epsilon) } else { t };
    let (r, carry) = t.overflowing_add((hi & epsilon) * epsilon);
    if carry { r.wrapping_add(epsilon) } else { r }
}

impl Block {
    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        let mut values = inputs.to_vec();
        for operation in &self.operations {
            let operands: Vec<u64> = operation
                .operands
                .iter()
                .map(|v| values[v.index()])
                .collect();
            let contract = Contract::of(field, operation.op).expect("macro-op of the field");
            values.push(contract.apply(&operands));
        }
        values
    }

    /// The new state elements for the given inputs.
    #[must_use]
    pub fn eval(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        let values = self.trace(field, inputs);
        self.outputs.iter().map(|v| values[v.index()]).collect()
    }
}

impl Program {
    /// Permutes a state of kernel words, with round constants of the instance.
    #[must_use]
    pub fn permute(&self, state: &[u64]) -> Vec<u64> {
        run(&self.instance, state, |kind, inputs| {
            let block = self
                .blocks
                .iter()
                .find(|b| b.kind == kind)
                .expect("all three blocks");
            block.eval(self.instance.field, inputs)
        })
    }
}

/// The control flow that every kernel has, over any way of executing a block.
///
/// `execute` gets the inputs in the order of the block's input list (state words, then the
/// constant where there is one) and returns the new state words.
pub fn run(
    instance: &crate::params::Instance,
    state: &[u64],
    mut execute: impl FnMut(BlockKind, &[u64]) -> Vec<u64>,
) -> Vec<u64> {
    let word = |x: u64| instance.field.to_montgomery(x);
    let mut state = state.to_vec();
    for step in 0..=instance.external_rounds {
        if step > 0 {
            for (x, &c) in state.iter_mut().zip(&instance.constants.external[step - 1]) {
                *x = execute(BlockKind::ExternalSbox, &[*x, word(c)])[0];
            }
        }
        state = execute(BlockKind::ExternalLinear, &state);
        if step == instance.external_rounds / 2 {
            for &c in &instance.constants.internal {
                state.push(word(c));
                state = execute(BlockKind::InternalRound, &state);
            }
        }
    }
    state
}

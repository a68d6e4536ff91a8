//! Arithmetic programs on concrete words, straight from the contracts.

use super::{Block, Program};
use crate::ops::Contract;
use crate::params::Field;

impl Block {
    /// Every value of the block over any domain: `execute` gives the results of an operation, by its
    /// index, for its operands.
    pub(super) fn evaluate<T: Copy>(
        &self,
        inputs: &[T],
        mut execute: impl FnMut(usize, Vec<T>) -> Vec<T>,
    ) -> Vec<T> {
        let mut values = inputs.to_vec();
        let mut second = None;
        for (n, operation) in self.operations.iter().enumerate() {
            let before = second.take().filter(|_| !operation.is_coded());
            values.push(before.unwrap_or_else(|| {
                let operands = operation.operands.iter();
                let results = execute(n, operands.map(|v| values[v.index()]).collect());
                second = results.get(1).copied();
                results[0]
            }));
        }
        values
    }

    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        self.evaluate(inputs, |n, operands| {
            let contract = Contract::of(field, self.operations[n].op);
            let contract = contract.expect("macro-op of the field");
            contract.apply_all(&operands)
        })
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
        let field = self.instance.field;
        let constant = |c| self.prepared(c);
        self.execute(state.to_vec(), constant, |block, inputs| {
            self.blocks[block].eval(field, inputs)
        })
    }

    /// A round constant in the words that blocks read.
    #[must_use]
    pub fn prepared(&self, residue: u64) -> Vec<u64> {
        let field = self.instance.field;
        let word = field.to_montgomery(residue);
        self.block(crate::ir::BlockKind::Constant)
            .map_or_else(|| vec![word], |b| self.blocks[b].eval(field, &[word]))
    }
}

//! Arithmetic programs on concrete words, straight from the contracts.

use super::{Block, Contract, MacroOp, Program};
use crate::params::Field;

impl Block {
    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        let mut values = inputs.to_vec();
        let mut second = None;
        for operation in &self.operations {
            let operands: Vec<u64> = operation
                .operands
                .iter()
                .map(|v| values[v.index()])
                .collect();
            values.push(
                second
                    .take()
                    .filter(|_| operation.op == MacroOp::Second)
                    .unwrap_or_else(|| {
                        let contract =
                            Contract::of(field, operation.op).expect("macro-op of the field");
                        let mut results = contract.apply_all(&operands).into_iter();
                        let first = results.next().expect("at least one result");
                        second = results.next();
                        first
                    }),
            );
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
        let field = self.instance.field;
        let constant = |c| self.prepared(c);
        self.flow(state.to_vec(), constant, |block, inputs| {
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

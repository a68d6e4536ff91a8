//! Arithmetic programs on any domain, and on concrete words straight from the contracts.

use super::{Block, Operation, Program};
use crate::ops::{Contract, MacroOp};
use crate::params::Field;

impl Block {
    /// Every value of the block for the given inputs, where `apply` gives the results of an
    /// operation for its operands.
    ///
    /// # Panics
    /// If a second result is asked for where there was none.
    pub fn run<T: Clone>(
        &self,
        inputs: &[T],
        mut apply: impl FnMut(&Operation, &[T]) -> Vec<T>,
    ) -> Vec<T> {
        let mut values = inputs.to_vec();
        let mut second = None;
        for operation in &self.operations {
            if operation.op == MacroOp::Second {
                values.push(
                    second
                        .take()
                        .expect("follows an operation with two results"),
                );
                continue;
            }
            let operands = operation.operands.iter();
            let operands: Vec<T> = operands.map(|v| values[v.index()].clone()).collect();
            let mut results = apply(operation, &operands).into_iter();
            values.push(results.next().expect("at least one result"));
            second = results.next();
        }
        values
    }

    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        self.run(inputs, |operation, operands| {
            let contract = Contract::of(field, operation.op).expect("macro-op of the field");
            contract.apply_all(operands)
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
        let constants = self.constants(|c| self.prepared(c), |word| word);
        self.execute(state.to_vec(), &constants, |block, inputs, next| {
            let block = &self.blocks[block];
            next.extend(block.eval(self.words_of(block.kind), inputs));
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

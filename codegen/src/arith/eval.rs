//! Arithmetic programs on concrete words, straight from the contracts.

use super::{Block, Contract, MacroOp, Program};
use crate::params::Field;

impl Block {
    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        self.run(inputs.to_vec(), |op, operands| {
            let contract = Contract::of(field, op).expect("macro-op of the field");
            contract.apply_all(operands)
        })
    }

    /// Every value of the block, by what `apply` makes of a macro-op's operands.
    pub(crate) fn run<T: Copy>(
        &self,
        inputs: Vec<T>,
        apply: impl Fn(MacroOp, &[T]) -> Vec<T>,
    ) -> Vec<T> {
        let (mut values, mut second) = (inputs, None);
        for operation in &self.operations {
            let operands = operation.operands.iter().map(|v| values[v.index()]);
            let operands: Vec<T> = operands.collect();
            let followed = second.take().filter(|_| operation.op == MacroOp::Second);
            values.push(followed.unwrap_or_else(|| {
                let mut results = apply(operation.op, &operands).into_iter();
                let first = results.next().expect("at least one result");
                second = results.next();
                first
            }));
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

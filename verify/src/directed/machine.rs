//! Arithmetic programs on machine words, whether or not their preconditions hold.
//!
//! Every macro-op does what the usual instruction sequence does; operands that break its
//! precondition give the word that the sequence would leave in the register.

use codegen::arith::Program;
use codegen::ir::BlockKind;
use codegen::ops::MacroOp;
use codegen::params::Field;

use super::{signed, word};
use crate::corpus::Table;

/// Which execution of which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Index of the block in the program.
    pub(crate) block: usize,
    /// Which of its executions; of the S-box block, the external round.
    pub(crate) round: usize,
    /// The element at hand, in the S-box block.
    pub(crate) element: usize,
}

/// A program ready to be run with a table of constants.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) program: Program,
    /// Whether constants come as words that are not canonical, where such words fit.
    pub(crate) raw_constants: bool,
}

impl Machine {
    pub(crate) fn new(program: &Program, table: &Table) -> Self {
        let mut program = program.clone();
        let constants = &mut program.instance.constants;
        constants.external.clone_from(&table.external);
        constants.internal.clone_from(&table.internal);
        Self {
            program,
            raw_constants: false,
        }
    }

    /// Every value of a block for these inputs.
    pub(crate) fn trace(&self, block: usize, inputs: &[u64]) -> Vec<u64> {
        let block = &self.program.blocks[block];
        let field = self.program.words_of(block.kind);
        let mut values = Vec::with_capacity(block.values());
        values.extend(inputs);
        let mut second = 0;
        for operation in &block.operations {
            if operation.op == MacroOp::Second {
                values.push(second);
                continue;
            }
            let operands = &operation.operands;
            // More operands than others have.
            if let MacroOp::Dot(_) = operation.op {
                let factors = operands.chunks_exact(2);
                let factors =
                    factors.map(|pair| [values[pair[0].index()], values[pair[1].index()]]);
                values.push(signed::dot(field, factors));
                continue;
            }
            if let MacroOp::Sum(_) = operation.op {
                let words = operands.iter().map(|operand| values[operand.index()]);
                values.push(signed::reduced_sum(field, words));
                continue;
            }
            let last = operands.last().map_or(0, |last| values[last.index()]);
            let mut words = [last; 4];
            // A closure for each would not be inlined, and mutants are run for a minute.
            for (word, operand) in words.iter_mut().zip(operands) {
                *word = values[operand.index()];
            }
            let results = word::apply(field, operation.op, words);
            values.push(results.0);
            second = results.1;
        }
        values
    }

    fn outputs(&self, block: usize, values: &[u64]) -> Vec<u64> {
        let outputs = self.program.blocks[block].outputs.iter();
        outputs.map(|v| values[v.index()]).collect()
    }

    /// A round constant in the words that blocks read.
    pub(crate) fn prepared(&self, residue: u64) -> Vec<u64> {
        let field = self.program.instance.field;
        let mut word = field.to_montgomery(residue);
        if self.raw_constants {
            word = other_word(field, word);
        }
        match self.program.block(BlockKind::Constant) {
            None => vec![word],
            Some(block) => self.outputs(block, &self.trace(block, &[word])),
        }
    }

    /// Permutes a state of words; `visit` sees every value of every block execution.
    pub(crate) fn run(&self, state: &[u64], mut visit: impl FnMut(Visit, &[u64])) -> Vec<u64> {
        let width = state.len();
        let mut executed = vec![0; self.program.blocks.len()];
        let constant = |residue| self.prepared(residue);
        self.program
            .execute(state.to_vec(), constant, |block, inputs| {
                let values = self.trace(block, inputs);
                let sboxes = self.program.blocks[block].kind == BlockKind::ExternalSbox;
                let elements = if sboxes { width } else { 1 };
                let at = Visit {
                    block,
                    round: executed[block] / elements,
                    element: executed[block] % elements,
                };
                executed[block] += 1;
                visit(at, &values);
                self.outputs(block, &values)
            })
    }
}

/// The word that is p more, where it fits; the same word elsewhere.
pub(super) fn other_word(field: &Field, word: u64) -> u64 {
    let top = u64::MAX >> (64 - field.word_bits());
    let other = word.checked_add(field.modulus);
    other.filter(|other| *other <= top).unwrap_or(word)
}

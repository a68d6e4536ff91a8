//! Arithmetic programs on machine words, whether or not their preconditions hold.
//!
//! Every macro-op does what the usual instruction sequence does; operands that break its
//! precondition give the word that the sequence would leave in the register.

use codegen::arith::{Constants, Program};
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
pub(crate) struct Machine<'a> {
    program: &'a Program,
    constants: Constants<u64>,
}

impl<'a> Machine<'a> {
    /// With `raw`, constants come as words that are not canonical, where such words fit.
    pub(crate) fn new(program: &'a Program, table: &Table, raw: bool) -> Self {
        let field = program.instance.field;
        let words = |residue| {
            let word = field.to_montgomery(residue);
            prepared(program, if raw { other_word(field, word) } else { word })
        };
        Self {
            program,
            constants: Constants::new(program, &table.external, &table.internal, words, |word| {
                word
            }),
        }
    }

    /// Every value of a block for these inputs.
    pub(crate) fn trace(&self, block: usize, inputs: &[u64]) -> Vec<u64> {
        let mut values = Vec::new();
        trace(self.program, block, inputs, &mut values);
        values
    }

    /// Permutes a state of words.
    pub(crate) fn run(&self, state: &[u64]) -> Vec<u64> {
        self.run_until(state, |_, _| false).0
    }

    /// Whether any block execution has values of some kind, for that state of words.
    pub(super) fn finds(&self, state: &[u64], found: impl FnMut(Visit, &[u64]) -> bool) -> bool {
        self.run_until(state, found).1
    }

    /// Nothing is computed after what is looked for has been found: the state is zeros then.
    fn run_until(
        &self,
        state: &[u64],
        mut found: impl FnMut(Visit, &[u64]) -> bool,
    ) -> (Vec<u64>, bool) {
        let (program, width) = (self.program, state.len());
        let mut executed = vec![0; program.blocks.len()];
        let mut values = Vec::new();
        let mut is_found = false;
        let state = program.execute(state.to_vec(), &self.constants, |block, inputs, next| {
            if is_found {
                let outputs = program.blocks[block].outputs.len();
                return next.extend(std::iter::repeat_n(0, outputs));
            }
            trace(program, block, inputs, &mut values);
            let sboxes = program.blocks[block].kind == BlockKind::ExternalSbox;
            let elements = if sboxes { width } else { 1 };
            let at = Visit {
                block,
                round: executed[block] / elements,
                element: executed[block] % elements,
            };
            executed[block] += 1;
            is_found = found(at, &values);
            next.extend(outputs(program, block, &values));
        });
        (state, is_found)
    }
}

/// The word of a round constant in the words that blocks read.
pub(super) fn prepared(program: &Program, word: u64) -> Vec<u64> {
    let Some(block) = program.block(BlockKind::Constant) else {
        return vec![word];
    };
    let mut values = Vec::new();
    trace(program, block, &[word], &mut values);
    outputs(program, block, &values).collect()
}

fn outputs(program: &Program, block: usize, values: &[u64]) -> impl Iterator<Item = u64> {
    let outputs = program.blocks[block].outputs.iter();
    outputs.map(|v| values[v.index()])
}

/// Every value of a block for some inputs, in place of what a list held.
fn trace(program: &Program, block: usize, inputs: &[u64], values: &mut Vec<u64>) {
    let block = &program.blocks[block];
    let field = program.words_of(block.kind);
    values.clear();
    values.reserve(block.values());
    values.extend(inputs);
    let mut second = 0;
    for operation in &block.operations {
        let operands = &operation.operands;
        let value = match operation.op {
            MacroOp::Second => second,
            // More operands than others have.
            MacroOp::Dot(_) => {
                let (factors, _) = operands.as_chunks::<2>();
                let factors = factors
                    .iter()
                    .map(|pair| pair.map(|operand| values[operand.index()]));
                signed::dot(field, factors)
            }
            MacroOp::Sum(_) => {
                let words = operands.iter().map(|operand| values[operand.index()]);
                signed::reduced_sum(field, words)
            }
            op => {
                let last = operands.last().map_or(0, |last| values[last.index()]);
                let mut words = [last; 4];
                // Nothing that might not be inlined: mutants are run for a minute.
                for (n, operand) in operands.iter().enumerate() {
                    words[n] = values[operand.index()];
                }
                let value;
                (value, second) = word::apply(field, op, &words);
                value
            }
        };
        values.push(value);
    }
}

/// The word that is p more, where it fits; the same word elsewhere.
pub(super) fn other_word(field: &Field, word: u64) -> u64 {
    let top = u64::MAX >> (64 - field.word_bits());
    let other = word.checked_add(field.modulus);
    other.filter(|other| *other <= top).unwrap_or(word)
}

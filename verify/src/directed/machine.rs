//! Arithmetic programs on machine words, whether or not their preconditions hold.
//!
//! Every macro-op does what the usual instruction sequence does; operands that break its
//! precondition give the word that the sequence would leave in the register.

use codegen::arith::{Block, MacroOp, Program};
use codegen::ir::{self, BlockKind};

use super::word::{self, Scale};
use crate::corpus::Table;
use crate::oracle::Field;

/// The words of a table of constants, as residues are kept in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// One row for each external round.
    pub external: Vec<Vec<u64>>,
    /// One word for each internal round.
    pub internal: Vec<u64>,
}

impl Words {
    /// The words of a table of residues.
    #[must_use]
    pub fn of(field: &Field, table: &Table) -> Self {
        let row = |row: &Vec<u64>| row.iter().map(|x| field.encode(*x)).collect();
        Self {
            external: table.external.iter().map(row).collect(),
            internal: row(&table.internal),
        }
    }
}

/// Which execution of which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Index of the block in the program.
    pub block: usize,
    /// Which of its executions, counted by rounds; the external linear layer has one more than
    /// there are rounds.
    pub round: usize,
    /// The element at hand, in the S-box block.
    pub element: usize,
}

#[derive(Clone, Debug)]
struct Step {
    op: MacroOp,
    /// Operands; the last one again where there are fewer than four.
    operands: [usize; 4],
    scale: Scale,
}

#[derive(Clone, Debug)]
struct Code {
    kind: BlockKind,
    steps: Vec<Step>,
    outputs: Vec<usize>,
}

/// A program ready to be run.
#[derive(Clone, Debug)]
pub struct Machine {
    field: Field,
    blocks: Vec<Code>,
    flow: Vec<ir::Step>,
    /// An external round that is left out.
    pub without_external: Option<usize>,
    /// An internal round that is left out.
    pub without_internal: Option<usize>,
}

impl Machine {
    /// Prepares a program over this field.
    #[must_use]
    pub fn new(field: Field, program: &Program) -> Self {
        let blocks = program.blocks.iter().map(|block| code(&field, block));
        Self {
            field,
            blocks: blocks.collect(),
            flow: program.flow.clone(),
            without_external: None,
            without_internal: None,
        }
    }

    /// Every value of a block for these inputs.
    #[must_use]
    pub fn trace(&self, block: usize, inputs: &[u64]) -> Vec<u64> {
        let mut values = inputs.to_vec();
        let mut second = 0;
        for step in &self.blocks[block].steps {
            if step.op == MacroOp::Second {
                values.push(second);
                continue;
            }
            let operands = step.operands.map(|v| values[v]);
            let results = word::apply(&self.field, step.op, operands, step.scale);
            second = results.1;
            values.push(results.0);
        }
        values
    }

    /// A round constant in the words that blocks read.
    pub(super) fn prepared(&self, constant: u64) -> Vec<u64> {
        let kinds = self.blocks.iter().map(|block| block.kind);
        let Some(block) = kinds.into_iter().position(|k| k == BlockKind::Constant) else {
            return vec![constant];
        };
        let values = self.trace(block, &[constant]);
        self.blocks[block]
            .outputs
            .iter()
            .map(|v| values[*v])
            .collect()
    }

    /// Permutes a state of words; `visit` sees every value of every block execution.
    pub fn run(
        &self,
        words: &Words,
        state: &[u64],
        mut visit: impl FnMut(Visit, &[u64]),
    ) -> Vec<u64> {
        let width = state.len();
        let mut execute = |kind, round, element, inputs: Vec<u64>| -> Vec<u64> {
            let block = self.blocks.iter().position(|b| b.kind == kind);
            let block = block.expect("a flow's blocks are the program's");
            let values = self.trace(block, &inputs);
            let at = Visit {
                block,
                round,
                element,
            };
            visit(at, &values);
            let outputs = self.blocks[block].outputs.iter();
            outputs.map(|v| values[*v]).collect()
        };
        let mut state = state.to_vec();
        let mut normalised = 0..;
        for step in &self.flow {
            match step {
                ir::Step::Once(kind) => {
                    let again = *kind == BlockKind::InternalNormalise;
                    let round = if again { normalised.next() } else { None };
                    state = execute(*kind, round.unwrap_or(0), 0, state);
                }
                ir::Step::External(rounds) => {
                    for round in rounds.clone().filter(|n| self.without_external != Some(*n)) {
                        let parts = state.len() / width;
                        let elements = state.chunks(parts).zip(&words.external[round]);
                        let sboxes = elements.enumerate().flat_map(|(i, (x, c))| {
                            let inputs = [x, &self.prepared(*c)].concat();
                            execute(BlockKind::ExternalSbox, round, i, inputs)
                        });
                        state = sboxes.collect();
                        state = execute(BlockKind::ExternalLinear, round + 1, 0, state);
                    }
                }
                ir::Step::Internal(rounds) => {
                    for round in rounds.clone().filter(|n| self.without_internal != Some(*n)) {
                        state.extend(self.prepared(words.internal[round]));
                        state = execute(BlockKind::InternalRound, round, 0, state);
                    }
                }
            }
        }
        state
    }
}

fn code(field: &Field, block: &Block) -> Code {
    let steps = block.operations.iter().map(|operation| {
        let operands = &operation.operands;
        let operand = |n: usize| operands[n.min(operands.len() - 1)].index();
        Step {
            op: operation.op,
            operands: std::array::from_fn(operand),
            scale: Scale::of(field, operation.op),
        }
    });
    Code {
        kind: block.kind,
        steps: steps.collect(),
        outputs: block.outputs.iter().map(|v| v.index()).collect(),
    }
}

//! Arithmetic programs on machine words, whether or not their preconditions hold.
//!
//! Every macro-op does what the usual instruction sequence does; operands that break its
//! precondition give the word that the sequence would leave in the register.

use codegen::arith::{Block, MacroOp, Program};

use crate::corpus::Table;
use crate::oracle::Field;

/// The words of a table of constants, as a kernel reads them.
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
    /// Which of its rounds; the external linear layer has one more than there are rounds.
    pub round: usize,
    /// The element at hand, in the S-box block.
    pub element: usize,
}

#[derive(Clone, Debug)]
struct Code {
    steps: Vec<(MacroOp, usize, usize, u64)>,
    outputs: Vec<usize>,
}

/// A program ready to be run.
#[derive(Clone, Debug)]
pub struct Machine {
    field: Field,
    blocks: [Code; 3],
    /// An external round that is left out.
    pub without_external: Option<usize>,
    /// An internal round that is left out.
    pub without_internal: Option<usize>,
}

impl Machine {
    /// Prepares a program over this field.
    #[must_use]
    pub fn new(field: Field, program: &Program) -> Self {
        let blocks = std::array::from_fn(|n| code(&field, &program.blocks[n]));
        Self {
            field,
            blocks,
            without_external: None,
            without_internal: None,
        }
    }

    /// Every value of a block for these inputs.
    #[must_use]
    pub fn trace(&self, block: usize, inputs: &[u64]) -> Vec<u64> {
        let mut values = inputs.to_vec();
        for &(op, a, b, scale) in &self.blocks[block].steps {
            values.push(apply(&self.field, op, values[a], values[b], scale));
        }
        values
    }

    /// Permutes a state of words; `visit` sees every value of every block execution.
    pub fn run(
        &self,
        words: &Words,
        state: &[u64],
        mut visit: impl FnMut(Visit, &[u64]),
    ) -> Vec<u64> {
        let rounds = words.external.len();
        let mut state = state.to_vec();
        let mut execute = |block, round, element, inputs: &[u64]| -> Vec<u64> {
            let values = self.trace(block, inputs);
            visit(
                Visit {
                    block,
                    round,
                    element,
                },
                &values,
            );
            self.blocks[block]
                .outputs
                .iter()
                .map(|v| values[*v])
                .collect()
        };
        for step in 0..=rounds {
            let skipped = step > 0 && self.without_external == Some(step - 1);
            if !skipped {
                if step > 0 {
                    for (i, x) in state.iter_mut().enumerate() {
                        let constant = words.external[step - 1][i];
                        *x = execute(1, step - 1, i, &[*x, constant])[0];
                    }
                }
                state = execute(0, step, 0, &state);
            }
            if step == rounds / 2 {
                for (round, constant) in words.internal.iter().enumerate() {
                    if self.without_internal != Some(round) {
                        state.push(*constant);
                        state = execute(2, round, 0, &state);
                    }
                }
            }
        }
        state
    }
}

fn code(field: &Field, block: &Block) -> Code {
    let steps = block.operations.iter().map(|operation| {
        let operand = |n: usize| operation.operands[n].index();
        let scale = match operation.op {
            MacroOp::Div2Exp(k) => {
                let half = u128::from(field.modulus.div_ceil(2));
                let p = u128::from(field.modulus);
                (0..k).fold(1, |x, _| (u128::from(x) * half % p) as u64)
            }
            _ => 0,
        };
        (
            operation.op,
            operand(0),
            operand(operation.operands.len() - 1),
            scale,
        )
    });
    Code {
        steps: steps.collect(),
        outputs: block.outputs.iter().map(|v| v.index()).collect(),
    }
}

/// One macro-op; both operands are the same where it takes one.
fn apply(field: &Field, op: MacroOp, a: u64, b: u64, scale: u64) -> u64 {
    let p = field.modulus;
    let wide = |x: u64| u128::from(x);
    let montgomery = field.montgomery_bits > 0;
    match op {
        MacroOp::Add if montgomery => (a + b) & 0xffff_ffff,
        MacroOp::Add => {
            let (sum, carry) = a.overflowing_add(b);
            if carry { sum.wrapping_sub(p) } else { sum }
        }
        MacroOp::Sub => {
            let (difference, borrow) = a.overflowing_sub(b);
            let word = if borrow {
                difference.wrapping_add(p)
            } else {
                difference
            };
            if montgomery { word & 0xffff_ffff } else { word }
        }
        MacroOp::Canonicalise => {
            if a >= p {
                a - p
            } else {
                a
            }
        }
        MacroOp::Halve => ((wide(a) + wide(a & 1) * wide(p)) >> 1) as u64,
        MacroOp::Div2Exp(_) => (wide(a) * wide(scale) % wide(p)) as u64,
        MacroOp::Mul | MacroOp::Square if montgomery => {
            let product = a * b;
            // p⁻¹ modulo 2^32, for p = 2^31 - 2^24 + 1.
            let quotient = (product as u32).wrapping_mul(0x8100_0001);
            let (high, less) = (product >> 32, (u64::from(quotient) * p) >> 32);
            if high < less {
                high + p - less
            } else {
                high - less
            }
        }
        MacroOp::Mul | MacroOp::Square => {
            let epsilon = p.wrapping_neg();
            let product = wide(a) * wide(b);
            let (low, high) = (product as u64, (product >> 64) as u64);
            let (t, borrow) = low.overflowing_sub(high >> 32);
            let t = if borrow { t.wrapping_sub(epsilon) } else { t };
            let (r, carry) = t.overflowing_add((high & epsilon) * epsilon);
            if carry { r.wrapping_add(epsilon) } else { r }
        }
    }
}

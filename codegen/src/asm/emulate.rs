//! Allocated code, executed by the table's instruction meanings: the last check before text.

use super::code::{Action, Pointer};
use super::{Allocation, Line};
use crate::isa::Kind;
use crate::machine::Reg;
use crate::term::Term;
use std::collections::HashMap;

/// The memory that code sees.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Behind [`Pointer::State`].
    pub state: Vec<u64>,
    /// Behind [`Pointer::Constants`].
    pub constants: Vec<u64>,
    /// Behind [`Pointer::Scratch`].
    pub scratch: Vec<u64>,
}

impl Memory {
    fn cell(&mut self, pointer: Pointer, word: usize) -> &mut u64 {
        match pointer {
            Pointer::State => &mut self.state[word],
            Pointer::Constants => &mut self.constants[word],
            Pointer::Scratch => &mut self.scratch[word],
        }
    }
}

/// Executes allocated code on one flags register and general registers that start as garbage.
///
/// # Panics
/// If the code touches memory that is not there.
pub fn emulate(code: &Allocation, memory: &mut Memory) {
    const GARBAGE: u128 = 0xdead_beef_0bad_cafe;
    let mut general: HashMap<u32, u128> = HashMap::new();
    let mut flags: u128 = 0b11;
    for Line { action, .. } in &code.lines {
        match action {
            Action::Load {
                result,
                pointer,
                word,
            } => {
                general.insert(result.0, u128::from(*memory.cell(*pointer, *word)));
            }
            Action::Store {
                source,
                pointer,
                word,
            } => {
                let value = general.get(&source.0).copied().unwrap_or(GARBAGE);
                *memory.cell(*pointer, *word) = value as u64;
            }
            Action::Compute(instruction) => {
                let kinds = instruction.row.sources;
                let held = |n: usize, reg: Reg| {
                    let value = match kinds[n] {
                        Kind::Flags => flags,
                        _ => general.get(&reg.0).copied().unwrap_or(GARBAGE),
                    };
                    Some(Term::constant(value, kinds[n].bits()))
                };
                let outcomes = instruction.terms(held).unwrap_or_default();
                let outcomes: Vec<u128> = outcomes.iter().map(|term| term.eval(&[])).collect();
                for ((reg, kind), value) in instruction
                    .results
                    .iter()
                    .zip(instruction.row.results)
                    .zip(outcomes)
                {
                    if *kind == Kind::Flags {
                        flags = value;
                    } else {
                        general.insert(reg.0, value);
                    }
                }
            }
        }
    }
}

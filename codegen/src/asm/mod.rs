//! Code on vectors and general registers at once, in pieces that can be put in any order which
//! keeps values before their readers.
//!
//! A piece is one instruction; or one that writes flags with those that read them, so that flags
//! are alive inside of a piece only; or a move between the two kinds of registers.

mod build;

pub use build::{Recipe, mixed};

use crate::arith::MacroOp;
use crate::ir::Input;
use crate::isa::Kind;
use crate::machine::{Body, Instruction, Named, Reg};
use crate::names::Part;
use std::collections::{BTreeMap, BTreeSet};

/// The body of every macro-op that a program uses, on one ISA.
pub type Bodies = BTreeMap<MacroOp, Body>;

/// Lanes of a vector.
pub const LANES: [usize; 2] = [0, 1];

/// A general register for each lane.
pub type Words = [Reg; LANES.len()];

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bank {
    /// Vectors, a word or half a word to a lane.
    Vector,
    /// General registers.
    General,
}

/// What can be put in order.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Instructions, one unless they pass flags on.
    Rows {
        /// In their order.
        instructions: Vec<Instruction>,
        /// Where they work.
        bank: Bank,
        /// Index of the operation that they help to compute.
        operation: usize,
    },
    /// `result` = the word of `source` in `lane`.
    Take {
        /// The general register written.
        result: Reg,
        /// The vector read.
        source: Reg,
        /// The lane.
        lane: usize,
    },
    /// `result` = the vector of two words.
    Join {
        /// The vector written.
        result: Reg,
        /// The general registers read.
        words: Words,
    },
    /// `result` = a word of the state, all lanes; or the part of a constant, as a word.
    Load {
        /// The register written.
        result: Reg,
        /// What is read.
        input: Input,
        /// Of which stream.
        stream: usize,
    },
    /// `result` = the part of a constant, in every lane.
    Broadcast {
        /// The vector written.
        result: Reg,
        /// Which part.
        part: Part,
        /// Of which stream.
        stream: usize,
    },
    /// A word of the state = `source`.
    Store {
        /// The vector read.
        source: Reg,
        /// What is written.
        output: Input,
        /// Of which stream.
        stream: usize,
    },
}

impl Piece {
    /// Registers read that something else wrote; twice, if they are read twice.
    #[must_use]
    pub fn reads(&self) -> Vec<Reg> {
        match self {
            Self::Rows { instructions, .. } => {
                let mut inside = BTreeSet::new();
                let mut reads = Vec::new();
                for instruction in instructions {
                    reads.extend(instruction.reads().filter(|reg| !inside.contains(reg)));
                    inside.extend(instruction.results.iter().copied());
                }
                reads
            }
            Self::Take { source, .. } | Self::Store { source, .. } => vec![*source],
            Self::Join { words, .. } => words.to_vec(),
            Self::Load { .. } | Self::Broadcast { .. } => Vec::new(),
        }
    }

    /// Registers written, flags aside.
    #[must_use]
    pub fn writes(&self) -> Vec<Reg> {
        match self {
            Self::Rows { instructions, .. } => {
                let results = |i: &Instruction| {
                    let kinds = i.row.results.to_vec();
                    let results = i.results.clone().into_iter().zip(kinds);
                    results.filter(|(_, kind)| *kind != Kind::Flags)
                };
                let written = instructions.iter().flat_map(results);
                written.map(|(reg, _)| reg).collect()
            }
            Self::Take { result, .. }
            | Self::Join { result, .. }
            | Self::Load { result, .. }
            | Self::Broadcast { result, .. } => vec![*result],
            Self::Store { .. } => Vec::new(),
        }
    }
}

/// What holds a word of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A vector.
    Vector(Reg),
    /// General registers.
    Words(Words),
}

/// A word of a stream's state where the code begins or ends.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Which stream.
    pub stream: usize,
    /// Which word.
    pub word: Input,
    /// Where it is.
    pub held: Held,
}

/// The code of one block for some streams, each value written once.
#[derive(Clone, Debug, Default)]
pub struct Mixed {
    /// Bank and kind of every register.
    pub registers: Vec<(Bank, Kind)>,
    /// The pieces, values before their readers.
    pub pieces: Vec<Piece>,
    /// What registers hold at the beginning.
    pub entries: Vec<Port>,
    /// What registers hold at the end.
    pub exits: Vec<Port>,
    /// Registers of the entries.
    pub inputs: Vec<Reg>,
    /// Registers of the exits.
    pub outputs: Vec<Reg>,
    /// Outputs, each with the input that it is the next time.
    pub carried: Vec<(Reg, Reg)>,
}

impl Mixed {
    /// Where a register is.
    #[must_use]
    pub fn bank(&self, reg: Reg) -> Bank {
        self.registers[reg.0 as usize].0
    }

    /// Named constants that instructions read there.
    #[must_use]
    pub fn constants(&self, wanted: Bank) -> BTreeSet<(Named, Kind)> {
        let instructions = self.pieces.iter().flat_map(|piece| match piece {
            Piece::Rows {
                instructions, bank, ..
            } if *bank == wanted => instructions.as_slice(),
            _ => &[],
        });
        instructions.flat_map(Instruction::constants).collect()
    }

    fn fresh(&mut self, bank: Bank, kind: Kind) -> Reg {
        self.registers.push((bank, kind));
        Reg(self.registers.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests;

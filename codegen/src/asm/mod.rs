//! Code on vectors and general registers at once, in pieces that can be put in any order which
//! keeps values before their readers.
//!
//! A piece is one instruction; or one that writes flags with those that read them, so that flags
//! are alive inside of a piece only; or a move between the two kinds of registers.

mod build;

pub use build::{Recipe, mixed};

use crate::ir::Input;
use crate::isa::Kind;
use crate::machine::{Body, Reg, Source};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// The body of every macro-op that a program uses, on one ISA.
pub type Bodies = BTreeMap<MacroOp, Body>;

/// Lanes of a vector.
pub const LANES: usize = 2;

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bank {
    /// Vectors, a word or half a word to a lane.
    Vector,
    /// General registers.
    General,
}

impl Bank {
    /// Registers that hold one word of every lane.
    #[must_use]
    pub const fn registers(self) -> usize {
        match self {
            Self::Vector => 1,
            Self::General => LANES,
        }
    }
}

/// What can be put in order.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it does.
    pub work: Work,
    /// Registers read that something else wrote, twice if they are read twice; and named constants.
    pub sources: Vec<Source>,
    /// Registers written, flags aside.
    pub results: Vec<Reg>,
}

/// What a piece does with its sources.
#[derive(Clone, Debug)]
pub enum Work {
    /// These instructions, one unless they pass flags on.
    Rows {
        /// On operands for the sources.
        body: Body,
        /// Index of the operation that they help to compute.
        operation: usize,
    },
    /// Takes the word in this lane out of a vector.
    Take(usize),
    /// Makes a vector of two words.
    Join,
    /// Reads a word of a stream's state, all lanes; or the part of a constant, into every lane where
    /// a vector is written.
    Load(usize, Input),
    /// Writes a word of a stream's state.
    Store(usize, Input),
}

impl Piece {
    /// Registers read.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        self.sources.iter().filter_map(|source| source.reg())
    }
}

/// A word of a stream's state where the code begins or ends.
#[derive(Clone, Debug)]
pub struct Port {
    /// Which stream.
    pub stream: usize,
    /// Which word.
    pub word: Input,
    /// Where it is: in a vector, or in a general register for each lane.
    pub registers: Vec<Reg>,
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
    /// Whether it is of several blocks: a round, or two.
    pub rounds: bool,
}

impl Mixed {
    /// Where a register is.
    #[must_use]
    pub fn bank(&self, reg: Reg) -> Bank {
        self.registers[reg.0 as usize].0
    }

    /// How many of its bank's registers a value takes.
    #[must_use]
    pub fn room(&self, reg: Reg) -> usize {
        match self.registers[reg.0 as usize].1 {
            Kind::Pair => 2,
            _ => 1,
        }
    }

    fn fresh(&mut self, bank: Bank, kind: Kind) -> Reg {
        self.registers.push((bank, kind));
        Reg(self.registers.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests;

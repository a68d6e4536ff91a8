//! Assembly as data: instructions, loads and stores over virtual or physical registers.

use crate::isa::Kind;
use crate::machine::{Instruction, Reg};

/// What a memory operand is relative to. Each is held in a register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pointer {
    /// The state words of the groups at hand.
    State,
    /// The round constant at hand.
    Constants,
    /// Room for values that the registers cannot hold.
    Scratch,
}

/// One line of assembly.
#[derive(Clone, Debug)]
pub enum Action {
    /// `result = pointer[word]`.
    Load {
        /// The register written.
        result: Reg,
        /// What the address is relative to.
        pointer: Pointer,
        /// Offset in 64-bit words.
        word: usize,
    },
    /// `pointer[word] = source`.
    Store {
        /// The register read.
        source: Reg,
        /// What the address is relative to.
        pointer: Pointer,
        /// Offset in 64-bit words.
        word: usize,
    },
    /// An instruction of the ISA's table.
    Compute(Instruction),
}

impl Action {
    /// Registers written.
    #[must_use]
    pub fn results(&self) -> &[Reg] {
        match self {
            Self::Load { result, .. } => std::slice::from_ref(result),
            Self::Store { .. } => &[],
            Self::Compute(instruction) => &instruction.results,
        }
    }

    /// Registers read.
    pub fn sources(&self) -> impl Iterator<Item = Reg> + '_ {
        let (stored, computed) = match self {
            Self::Load { .. } => (None, None),
            Self::Store { source, .. } => (Some(*source), None),
            Self::Compute(instruction) => (None, Some(instruction.reads())),
        };
        stored.into_iter().chain(computed.into_iter().flatten())
    }

    /// The same action on other registers.
    #[must_use]
    pub fn renamed(
        &self,
        mut read: impl FnMut(Reg) -> Reg,
        mut written: impl FnMut(Reg) -> Reg,
    ) -> Self {
        match *self {
            Self::Load {
                result,
                pointer,
                word,
            } => Self::Load {
                result: written(result),
                pointer,
                word,
            },
            Self::Store {
                source,
                pointer,
                word,
            } => Self::Store {
                source: read(source),
                pointer,
                word,
            },
            Self::Compute(ref instruction) => Self::Compute(instruction.renamed(read, written)),
        }
    }
}

/// One action with the operation it belongs to.
#[derive(Clone, Debug)]
pub struct Line {
    /// What is done.
    pub action: Action,
    /// Index of the arithmetic operation it helps to compute; none for loads and stores.
    pub operation: Option<usize>,
}

/// Straight-line assembly over virtual registers, each written once.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The kind of every register.
    pub registers: Vec<Kind>,
    /// The lines in order.
    pub lines: Vec<Line>,
}

impl Code {
    pub(super) fn fresh(&mut self, kind: Kind) -> Reg {
        self.registers.push(kind);
        Reg(self.registers.len() as u32 - 1)
    }

    /// The kind of a register.
    #[must_use]
    pub fn kind(&self, reg: Reg) -> Kind {
        self.registers[reg.0 as usize]
    }
}

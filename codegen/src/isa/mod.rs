//! Instruction tables: one row per instruction, with its types, spelling and meaning.

pub mod term;

use term::Term;

/// What a machine register holds, per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A 64-bit word or lane.
    Word,
    /// A 32-bit word or lane.
    Half,
    /// One bit: a mask lane or a boolean.
    Bit,
    /// AArch64 condition flags, two bits: Z in bit 0, C in bit 1.
    Flags,
}

impl Kind {
    /// Width of the lane in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Word => 64,
            Self::Half => 32,
            Self::Bit => 1,
            Self::Flags => 2,
        }
    }
}

/// Groups of instructions, for operation counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Additions and subtractions.
    Add,
    /// Multiplications, fused ones included.
    Multiply,
    /// Bitwise logic.
    Logic,
    /// Shifts.
    Shift,
    /// Compares and minima.
    Compare,
    /// Selects and conditional instructions.
    Select,
    /// Permutations within a lane, narrowing and widening moves.
    Shuffle,
}

/// One instruction of an ISA.
#[derive(Debug)]
pub struct Row {
    /// The manual's name: a mnemonic, an intrinsic, or a path such as `u64::overflowing_add`.
    pub name: &'static str,
    /// Kinds of the registers written.
    pub results: &'static [Kind],
    /// Kinds of the operands read.
    pub sources: &'static [Kind],
    /// Number of immediates.
    pub immediates: usize,
    /// Group in operation counts.
    pub class: Class,
    /// Results as terms of the operands and immediates. Written here and nowhere else.
    pub meaning: fn(&[Term], &[u32]) -> Vec<Term>,
}

//! Instruction tables: one row per instruction, with its types, spelling and meaning.
//!
//! A row is all that the generator knows of an instruction. Templates are read, kernels are
//! written, lemmas are proved and emulation runs from the same row. Rows are data: the file of
//! instructions, which the checker reads as well.

pub mod constants;
mod instructions;
mod pattern;
mod smt;
mod table;

pub use pattern::{Hole, Operand, Token, TokenKind, tokens};
pub use table::{Mismatch, Reading, Syntax, Table, Target, features, table};

use crate::term::Term;
use instructions::{DEFINITIONS, section};
use smt::Function;

/// What a machine register holds, per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A 64-bit word or lane.
    Word,
    /// A 32-bit word or lane.
    Half,
    /// Two 64-bit words, one for each half of a lane.
    Pair,
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
            Self::Pair => 128,
            Self::Bit => 1,
            Self::Flags => 2,
        }
    }

    /// In messages.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Word => "a 64-bit word",
            Self::Half => "a 32-bit word",
            Self::Pair => "two 64-bit words",
            Self::Bit => "a mask bit",
            Self::Flags => "the flags",
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

impl Class {
    /// Its name in manifests and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Multiply => "multiply",
            Self::Logic => "logic",
            Self::Shift => "shift",
            Self::Compare => "compare",
            Self::Select => "select",
            Self::Shuffle => "shuffle",
        }
    }

    /// The group of that name.
    fn named(name: &str) -> Option<Self> {
        use Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
        let all = [Add, Multiply, Logic, Shift, Compare, Select, Shuffle];
        all.into_iter().find(|class| class.name() == name)
    }
}

/// One instruction of an ISA.
///
/// Text has holes: `{0}` for source 0, `{r0}` for result 0, `{i0}` for immediate 0; a letter after a
/// colon is the view of a register, as `asm!` has it (`{0:w}`, `{0:e}`: its low 32 bits).
#[derive(Debug)]
pub struct Row {
    /// The manual's name: a mnemonic, an intrinsic, or a path such as `u64::overflowing_add`;
    /// where one mnemonic has several forms, what tells them apart follows it.
    pub name: &'static str,
    /// How kernels write it in Rust, if Rust has words for it.
    rust: Option<&'static str>,
    /// Its line of assembler. A source that it does not name is in the register of result 0 before.
    pub line: Option<&'static str>,
    /// Where it is several lines of assembler, a Rust expression around them. Names in braces are of registers.
    block: Option<&'static str>,
    /// How templates write it, if not as kernels do: without casts that Rust asks for, or as a call
    /// where there is only a line. A [`Kind::Bit`] of such a line is the carry flag, which only the
    /// next instruction can read.
    template: Option<&'static str>,
    /// Kinds of the registers written.
    pub results: &'static [Kind],
    /// Kinds of the operands read.
    pub sources: &'static [Kind],
    /// Least and greatest value of each immediate.
    pub immediates: &'static [(u32, u32)],
    /// The group in operation counts of each instruction that it is: more than one where a single one
    /// has no meaning in each lane.
    pub classes: &'static [Class],
    /// A function of the operands and immediates for each result.
    meaning: Vec<&'static Function>,
}

/// Moves of each lane's word into a general register.
#[must_use]
pub fn take() -> &'static [Row] {
    &section("lanes")[..2]
}

/// Moves of two words into the lanes of a vector, one after the other.
#[must_use]
pub fn join() -> &'static [Row] {
    &section("lanes")[2..]
}

impl Row {
    /// The instruction as text, every hole filled by `fill`.
    pub fn render_with(&self, fill: impl FnMut(Hole) -> String) -> String {
        let text = self.texts().next().expect("a row is written somehow");
        pattern::fill(text, fill)
    }

    /// The instruction as text: a Rust expression (results are not named in it), or a line of
    /// assembler over operand names.
    #[must_use]
    pub fn render<S: AsRef<str>>(
        &self,
        results: &[S],
        sources: &[S],
        immediates: &[u32],
    ) -> String {
        self.render_with(|hole| match hole.operand {
            Operand::Result(n) => hole.viewed(results[n].as_ref()),
            Operand::Source(n) => hole.viewed(sources[n].as_ref()),
            Operand::Immediate(n) => immediates[n].to_string(),
        })
    }

    /// Its line of assembler, every hole filled by `fill`; `None` if it has none.
    pub fn line_with(&self, fill: impl FnMut(Hole) -> String) -> Option<String> {
        self.line.map(|line| pattern::fill(line, fill))
    }

    /// Whether it has a block of assembler.
    #[must_use]
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Its block of assembler, if it has one.
    #[must_use]
    pub fn block<S: AsRef<str>>(&self, sources: &[S]) -> Option<String> {
        let filled = |block| {
            pattern::fill(block, |hole| match hole.operand {
                Operand::Source(n) => sources[n].as_ref().to_owned(),
                other => unreachable!("a block names no {other:?}"),
            })
        };
        self.block.map(filled)
    }

    /// The first word of its line of assembler.
    #[must_use]
    pub fn mnemonic(&self) -> Option<&'static str> {
        self.line?.split(' ').next()
    }

    /// Whether its line of assembler names an operand.
    #[must_use]
    pub fn line_names(&self, operand: Operand) -> bool {
        let holes = self.line.map(pattern::holes);
        holes.is_some_and(|mut holes| holes.any(|hole| hole.operand == operand))
    }

    /// Whether its line of assembler is all that kernels can have of it.
    #[must_use]
    pub fn is_assembler(&self) -> bool {
        self.rust.is_none()
    }

    /// The meaning for given operands.
    #[must_use]
    pub fn apply(&self, sources: &[Term], immediates: &[u32]) -> Vec<Term> {
        let immediates = immediates
            .iter()
            .map(|&value| Term::constant(value.into(), 64));
        let arguments: Vec<Term> = sources.iter().cloned().chain(immediates).collect();
        let results = self.meaning.iter();
        results
            .map(|function| DEFINITIONS.call(function, &arguments))
            .collect()
    }
}

#[cfg(test)]
mod tests;

//! Mutation: everything that could be wrong with a kernel's program is made wrong, once each.
//!
//! A mutant must be refused by the prover or caught by executed tests. Both verdicts are recorded
//! for each, and a third one: whether uniform random inputs would have caught it.

mod judge;
mod mutants;
mod parts;
mod steps;
mod table;
pub mod template;
#[cfg(test)]
mod tests;

use codegen::arith::Program;

pub use judge::score;
pub use table::{Row, Table, Tally};

/// What a mutant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A canonicalisation is left out, for everything that reads it.
    Dropped,
    /// One reader of a canonicalised value reads the value before.
    Bypassed,
    /// No addition canonicalises an operand (p3 #1580).
    EveryAdd,
    /// No subtraction canonicalises an operand (p3 #1591).
    EverySub,
    /// Round constants are taken as they are given (p3 #2262).
    RawConstants,
    /// A claim of the proof set says more than is so.
    Claim,
    /// A kept canonicalisation is claimed away.
    ClaimedAway,
    /// The operands of a difference change places.
    SubSwapped,
    /// Two outputs change places.
    OutputsSwapped,
    /// An operand is another value.
    OtherOperand,
    /// An addition subtracts, or the reverse.
    OtherOperation,
    /// A round constant is one more or one less.
    Constant,
    /// A round is left out.
    Round,
    /// An entry of the diagonal is another number.
    Diagonal,
    /// The S-box has another exponent.
    Exponent,
    /// A pair that stands for zero is left out, in one part or in both.
    OffsetDropped,
    /// Another constant is added, to one part or to both.
    OtherOffset,
    /// A shift or a division by another power of two.
    Distance,
    /// A macro-op that leads from parts to a word or back is left out.
    Passed,
    /// The two parts of a value change places.
    PartsSwapped,
    /// The operands of `pack` or of a division change places.
    PackSwapped,
    /// An element is not normalised between two runs, or none is.
    NotNormalised,
    /// Runs of internal rounds have other lengths.
    Runs,
}

impl Kind {
    /// In the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dropped => "canonicalisation dropped",
            Self::Bypassed => "canonicalisation bypassed",
            Self::EveryAdd => "no add canonicalises (p3 #1580)",
            Self::EverySub => "no sub canonicalises (p3 #1591)",
            Self::RawConstants => "constants as given (p3 #2262)",
            Self::Claim => "false claim",
            Self::ClaimedAway => "canonicalisation claimed away",
            Self::SubSwapped => "operands of a difference swapped",
            Self::OutputsSwapped => "outputs swapped",
            Self::OtherOperand => "other operand",
            Self::OtherOperation => "other operation",
            Self::Constant => "constant changed by one",
            Self::Round => "round dropped",
            Self::Diagonal => "diagonal changed",
            Self::Exponent => "exponent changed",
            Self::OffsetDropped => "offset dropped",
            Self::OtherOffset => "other offset",
            Self::Distance => "shift distance changed",
            Self::Passed => "pack or split left out",
            Self::PartsSwapped => "parts swapped",
            Self::PackSwapped => "operands of pack swapped",
            Self::NotNormalised => "normalisation dropped",
            Self::Runs => "runs changed",
        }
    }
}

/// One mutant of one program.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its kind.
    pub kind: Kind,
    /// The site it is at, or what else says where.
    pub site: String,
    /// What is wrong there.
    pub what: String,
    body: Body,
}

/// What of a mutant can be executed, and what can be proved.
#[derive(Clone, Debug)]
enum Body {
    /// Another program, to be proved under the same claims.
    Program(Box<Program>),
    /// Another proof set; with the program that it lowers to, or nothing where its claims
    /// contradict each other.
    Claims(Vec<codegen::spec::Claim>),
    /// The same program on a table with one other constant: external round and element, or
    /// internal round; and the difference.
    Constant(Option<(usize, usize)>, usize, bool),
    /// The same program on tables whose words are not canonical where c + p fits.
    RawConstants,
    /// The same program without one round.
    WithoutExternal(usize),
    /// The same program without one round.
    WithoutInternal(usize),
}

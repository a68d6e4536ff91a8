//! Mutation: everything that could be wrong with a kernel's program is made wrong, once each.
//!
//! A mutant must be refused by the prover or caught by executed tests. Both verdicts are recorded
//! for each, and a third one: whether uniform random inputs would have caught it.

mod judge;
mod mutants;
mod parts;
mod steps;
mod table;
pub(crate) mod template;
#[cfg(test)]
mod tests;
pub(crate) mod text;

use codegen::arith::Program;
use codegen::ir::Step;

pub(crate) use judge::score;

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident = $name:literal,)*) => {
        /// What a mutant is; kinds without a comment are what the table calls them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Kind { $($(#[$about])* $kind,)* }

        impl Kind {
            /// In the table.
            fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    /// For everything that reads it.
    Dropped = "canonicalisation dropped",
    /// One reader of a canonicalised value reads the value before.
    Bypassed = "canonicalisation bypassed",
    EveryAdd = "no add canonicalises (p3 #1580)",
    EverySub = "no sub canonicalises (p3 #1591)",
    RawConstants = "constants as given (p3 #2262)",
    /// A claim of the proof set says more than is so.
    Claim = "false claim",
    ClaimedAway = "canonicalisation claimed away",
    SubSwapped = "operands of a difference swapped",
    OutputsSwapped = "outputs swapped",
    OtherOperand = "other operand",
    /// An addition subtracts, or the reverse.
    OtherOperation = "other operation",
    Constant = "constant changed by one",
    Round = "round dropped",
    Matrix = "matrix changed",
    Exponent = "exponent changed",
    /// A pair that is added to parts is left out, in one part or in both.
    OffsetDropped = "offset dropped",
    /// Another constant is added, to one part or to both.
    OtherOffset = "other offset",
    /// A shift or a division by another power of two.
    Distance = "shift distance changed",
    /// A macro-op that leads from parts to a word or back is left out.
    Passed = "pack or split left out",
    PartsSwapped = "parts swapped",
    /// Or those of a division.
    PackSwapped = "operands of pack swapped",
    /// An element is not normalised between two runs, or none is.
    NotNormalised = "normalisation dropped",
    /// Runs of internal rounds have other lengths.
    Runs = "runs changed",
}

/// One mutant of one program.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) kind: Kind,
    /// The site it is at, or what else says where.
    pub(crate) site: String,
    /// What is wrong there.
    pub(crate) what: String,
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
    /// The same program on tables with one other constant, counted as tables have them; and what is
    /// added to it.
    Constant(usize, u64),
    /// The same program on tables whose words are not canonical where c + p fits.
    RawConstants,
    /// The same blocks in another flow.
    Flow(Vec<Step>),
}

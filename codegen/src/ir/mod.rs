//! The permutation as the paper states it: field elements, static single assignment, named sites.
//!
//! Nothing here knows machines. A permutation is three straight-line blocks, each executed many
//! times by the same control flow (Poseidon2, eprint 2023/323, section 5):
//!
//! ```text
//! for step in 0 ..= RF {
//!     if step > 0 { every element: external-sbox with external constants of round step - 1 }
//!     external-linear
//!     if step == RF/2 { RP times: internal-round }
//! }
//! ```

mod build;

pub use build::{binary_powers, powers, signed_digits, small};

use crate::names::{Part, vocabulary};
use crate::params::Instance;
use std::fmt;
use std::ops::Range;

/// A value of a [`Block`], numbered from 0 in order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// Index into tables kept per value.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

vocabulary!(
    /// Which block of a program.
    BlockKind, {
        /// The external linear layer: M4 on each block, then the sums over the blocks.
        ExternalLinear = "external-linear",
        /// Round constant and S-box of one element of an external round.
        ExternalSbox = "external-sbox",
        /// A whole internal round: round constant and S-box of element 0, then `1·1ᵀ + diag V`.
        InternalRound = "internal-round",
        /// State words into the parts that blocks work on. Only where an element has parts.
        Enter = "enter",
        /// Parts back into state words.
        Leave = "leave",
        /// What internal rounds ask of some elements, before the first of them.
        InternalEnter = "internal-enter",
        /// The same and the linear layer before it, in place of both.
        LinearEnter = "linear-enter",
        /// Elements that grow, brought back between two runs of internal rounds.
        InternalNormalise = "internal-normalise",
        /// Back from the basis of internal rounds, after the last of them.
        InternalLeave = "internal-leave",
        /// A round constant into the parts that kernels read; done once, when constants are set up.
        Constant = "constant",
    }
);

/// What a permutation does next. A flow of them is a permutation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The block, once.
    Once(BlockKind),
    /// External rounds, one for each of these rows of constants: the S-box of every element, then
    /// the linear layer.
    External(Range<usize>),
    /// Internal rounds, one for each of these constants.
    Internal(Range<usize>),
}

impl Step {
    /// How often a state of `width` elements goes through the block of that kind.
    #[must_use]
    pub fn executions(&self, kind: BlockKind, width: usize) -> usize {
        match (self, kind) {
            (Self::Once(once), kind) => usize::from(*once == kind),
            (Self::External(rounds), BlockKind::ExternalSbox) => rounds.len() * width,
            (Self::External(rounds), BlockKind::ExternalLinear)
            | (Self::Internal(rounds), BlockKind::InternalRound) => rounds.len(),
            (Self::External(_) | Self::Internal(_), _) => 0,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once(block) => f.write_str(block.name()),
            Self::External(rounds) => write!(f, "external-rounds {} {}", rounds.start, rounds.end),
            Self::Internal(rounds) => write!(f, "internal-rounds {} {}", rounds.start, rounds.end),
        }
    }
}

/// Where a block's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// State element `i`; for [`BlockKind::ExternalSbox`], `State(0)` is the element at hand.
    State(usize),
    /// The round constant at hand.
    Constant,
    /// A part of state element `i`.
    StatePart(usize, Part),
    /// A part of the round constant at hand.
    ConstantPart(Part),
    /// State element `i` in the word that blocks work on, where that is not the word in memory.
    Inner(usize),
    /// The round constant at hand in the word that blocks work on.
    InnerConstant,
    /// A factor of the internal round at hand, by number: an odd word that is the same in all states.
    Factor(usize),
}

impl Input {
    /// Whether it is a round constant in words that blocks work on, or a part of one.
    #[must_use]
    pub const fn is_constant(self) -> bool {
        matches!(self, Self::ConstantPart(_) | Self::InnerConstant)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(i) => write!(f, "state[{i}]"),
            Self::Constant => f.write_str("constant"),
            Self::StatePart(i, part) => write!(f, "state[{i}].{}", part.name()),
            Self::ConstantPart(part) => write!(f, "constant.{}", part.name()),
            Self::Inner(i) => write!(f, "inner[{i}]"),
            Self::InnerConstant => f.write_str("constant.inner"),
            Self::Factor(n) => write!(f, "factor[{n}]"),
        }
    }
}

/// A field operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldOp {
    /// `a + b`.
    Add(Value, Value),
    /// `a - b`.
    Sub(Value, Value),
    /// `x / 2^k`.
    Div2Exp(Value, u32),
    /// `a · b`.
    Mul(Value, Value),
    /// `x²`.
    Square(Value),
    /// A residue that is the same in all states.
    Constant(u64),
}

/// One operation of a block, with its stable name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The stable, human-readable name; add-sites are known by it everywhere.
    pub name: String,
    /// What it does.
    pub op: FieldOp,
    /// The value it defines.
    pub result: Value,
}

/// Straight-line field arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which block this is.
    pub kind: BlockKind,
    /// Inputs; input `n` is value `n`.
    pub inputs: Vec<Input>,
    /// Operations in order; every operand is defined before it is used.
    pub operations: Vec<Operation>,
    /// `outputs[i]` is the new state element `i` (one entry for the S-box block).
    pub outputs: Vec<Value>,
}

/// A Poseidon2 permutation at field level.
#[derive(Clone, Debug)]
pub struct Program {
    /// The instance it computes.
    pub instance: Instance,
    /// The blocks: external-linear, external-sbox, internal-round.
    pub blocks: [Block; 3],
}

//! What keeps a program from being proved.

use super::Mismatch;
use crate::ir::{BlockKind, Value};
use crate::ops::{Contract, Range, Reading, Unmet};

/// Why a program was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A site's operands can break the macro-op's precondition.
    Bound {
        /// The site.
        site: String,
        /// Its block.
        block: BlockKind,
        /// The macro-op's contract.
        contract: Box<Contract>,
        /// Ranges of the operands.
        operands: Vec<Range>,
        /// What is broken, with values that do it.
        unmet: Unmet,
        /// The claim that removed the canonicalisation, if one did.
        claim: Option<usize>,
    },
    /// A claim that the prover cannot derive.
    Claim {
        /// Number of the claim.
        claim: usize,
        /// The site.
        site: String,
        /// What the claim says.
        says: String,
        /// What was derived.
        derived: String,
    },
    /// A claim whose pattern matches no site.
    Unmatched {
        /// Number of the claim.
        claim: usize,
    },
    /// A block output that leaves the range in which the next block takes it.
    Boundary {
        /// The block.
        block: BlockKind,
        /// The state element.
        output: usize,
        /// Its range.
        range: Range,
        /// The range that the loop invariant asks for.
        boundary: Range,
    },
    /// A word that its reader takes for another integer than was written.
    Reading {
        /// The block.
        block: BlockKind,
        /// The operation that reads it, or the place that it goes to.
        by: String,
        /// The value.
        value: Value,
        /// How it stands for an integer.
        written: Reading,
        /// How it is read.
        read: Reading,
    },
    /// A block that computes something else than the specification.
    Function {
        /// The block.
        block: BlockKind,
        /// What differs.
        mismatch: Mismatch,
    },
}

impl Refusal {
    /// The site that it is about, if it is about one.
    #[must_use]
    pub fn site(&self) -> Option<&str> {
        match self {
            Self::Bound { site, .. } | Self::Claim { site, .. } => Some(site),
            _ => None,
        }
    }
}

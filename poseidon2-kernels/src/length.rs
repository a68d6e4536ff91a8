//! The error of lengths that do not match.

use core::fmt;

use crate::modes::Lengths;

/// Slices were given whose lengths do not fit together. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthMismatch {
    /// Words that do not divide into rows.
    Columns {
        /// How many words there are.
        words: usize,
        /// How many words a row was said to have.
        columns: usize,
    },
    /// Words that do not divide evenly among the digests, a row for each.
    Digests {
        /// How many words there are.
        words: usize,
        /// How many digests are asked for.
        digests: usize,
    },
    /// Messages of a length that the mode does not take.
    Message {
        /// How many words a message has.
        words: usize,
        /// How many it may have.
        takes: Lengths,
    },
    /// Groups that are not as many as the nodes that they are to become.
    Nodes {
        /// How many groups there are.
        groups: usize,
        /// How many nodes are asked for.
        nodes: usize,
    },
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns { words, columns } => {
                write!(f, "{words} words do not divide into rows of {columns}")
            }
            Self::Digests { words, digests } => {
                write!(
                    f,
                    "{words} words do not divide evenly among {digests} digests"
                )
            }
            Self::Message { words, takes } => {
                write!(f, "a message of {words} words: the mode takes {takes}")
            }
            Self::Nodes { groups, nodes } => {
                write!(f, "{groups} groups cannot be compressed to {nodes} nodes")
            }
        }
    }
}

impl core::error::Error for LengthMismatch {}

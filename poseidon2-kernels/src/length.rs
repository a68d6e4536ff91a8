//! The error for lengths that do not match.

use core::fmt;

use crate::modes::Lengths;

/// The lengths of the slices do not match. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthMismatch {
    /// Words that do not divide into rows.
    Columns {
        /// How many words there are.
        words: usize,
        /// How many words a row should have.
        columns: usize,
    },
    /// Words that do not divide evenly into rows, one for each digest.
    Digests {
        /// How many words there are.
        words: usize,
        /// How many digests were requested.
        digests: usize,
    },
    /// A message length that the mode does not take.
    Message {
        /// How many words a message has.
        words: usize,
        /// How many words it may have.
        takes: Lengths,
    },
    /// Numbers of groups and of nodes that differ.
    Nodes {
        /// How many groups there are.
        groups: usize,
        /// How many nodes were requested.
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

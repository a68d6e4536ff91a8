//! Blocks as they are written where one state lies across the lanes of vectors.
//!
//! The arithmetic program is the same as for any layout: operations on words, of which a certificate tells. Here they
//! are gathered: an operation that some words have in common is one statement on the vectors that they are in.

use super::Block;
use crate::ir::{BlockKind, Value};
use crate::names::vocabulary;
use crate::ops::MacroOp;
use std::collections::BTreeSet;

/// Words in a vector.
pub const LANES: usize = 8;

vocabulary!(
    /// Words of a vector in other lanes. Four lanes are a block of the external layer.
    Move, {
        /// Each lane has the word of the next one in its block.
        Next = "next",
        /// Neighbours change places.
        Neighbours = "neighbours",
        /// The halves of each block change places.
        Pairs = "pairs",
        /// Blocks change places.
        Blocks = "blocks",
        /// Each lane has the first word of its block.
        Spread0 = "spread_0",
        /// The second.
        Spread1 = "spread_1",
        /// The third.
        Spread2 = "spread_2",
        /// The last.
        Spread3 = "spread_3",
    }
);

impl Move {
    /// The lane that a lane's word comes from.
    #[must_use]
    pub const fn source(self, lane: usize) -> usize {
        match self {
            Self::Next => lane / 4 * 4 + (lane + 1) % 4,
            Self::Neighbours => lane ^ 1,
            Self::Pairs => lane ^ 2,
            Self::Blocks => lane ^ 4,
            Self::Spread0 | Self::Spread1 | Self::Spread2 | Self::Spread3 => {
                lane / 4 * 4 + self as usize - Self::Spread0 as usize
            }
        }
    }

    /// Those that bring each word of a block to all of it.
    pub const SPREADS: [Self; 4] = [Self::Spread0, Self::Spread1, Self::Spread2, Self::Spread3];
}

/// A piece by its number in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceId(pub usize);

/// How a piece comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// A vector of the state, by number.
    Row(usize),
    /// Element 0, a word.
    First,
    /// The round constant at hand, a word.
    Constant,
    /// A word that is the same in all states.
    Word(u64),
    /// Such words, one in each lane.
    Words([u64; LANES]),
    /// A macro-op in each lane, or on words.
    Operation(MacroOp, Vec<PieceId>),
    /// A vector's words in other lanes.
    Moved(Move, PieceId),
    /// A word in every lane.
    Broadcast(PieceId),
    /// The word in the first lane.
    FirstOf(PieceId),
    /// The first vector, but for lane 0, which is the second one's.
    WithFirst([PieceId; 2]),
}

/// What a statement makes: a word on general registers, or one in each lane of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// How it comes about.
    pub made: Made,
    /// The values of the block that it holds: one of a word. Nobody reads what is in a lane without one.
    pub lanes: Vec<Option<Value>>,
}

impl Piece {
    /// Whether it is in a vector.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.lanes.len() == LANES
    }
}

/// A block in pieces, in the order of its statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// All of them.
    pub all: Vec<Piece>,
    /// Element 0, where it is a word of its own.
    pub first: Option<PieceId>,
    /// The vectors of the state.
    pub rows: Vec<PieceId>,
}

/// The blocks whose words are in lanes of their own. An S-box is the same in each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Across {
    /// The external linear layer.
    pub linear: Pieces,
    /// An internal round. Its element 0 is a word, and nobody reads lane 0 of the first vector.
    pub internal: Pieces,
}

impl Across {
    /// Whether a piece comes about in such a way.
    #[must_use]
    pub fn has(&self, made: impl Fn(&Made) -> bool) -> bool {
        let blocks = [&self.linear, &self.internal];
        let mut pieces = blocks.iter().flat_map(|pieces| &pieces.all);
        pieces.any(|piece| made(&piece.made))
    }

    /// The macro-ops on vectors, and those on general registers, each as often as it is executed where a block of each
    /// kind is `executions` times, the S-box once for each element.
    pub fn executed(
        &self,
        sbox: &Block,
        executions: impl Fn(BlockKind) -> usize,
    ) -> [Vec<(MacroOp, usize)>; 2] {
        let sboxes = executions(sbox.kind).div_ceil(LANES);
        let sbox = sbox.operations.iter().filter(|o| o.has_body());
        let mut vectors: Vec<_> = sbox.map(|operation| (operation.op, sboxes)).collect();
        let mut words = Vec::new();
        let blocks = [
            (&self.linear, BlockKind::ExternalLinear),
            (&self.internal, BlockKind::InternalRound),
        ];
        for (piece, kind) in blocks
            .iter()
            .flat_map(|(pieces, kind)| pieces.all.iter().map(move |piece| (piece, *kind)))
        {
            if let Made::Operation(op, _) = piece.made {
                let side = if piece.is_vector() {
                    &mut vectors
                } else {
                    &mut words
                };
                side.push((op, executions(kind)));
            }
        }
        [vectors, words]
    }

    /// Those macro-ops.
    #[must_use]
    pub fn macro_ops(&self, sbox: &Block) -> [BTreeSet<MacroOp>; 2] {
        let executed = self.executed(sbox, |_| 1);
        executed.map(|all| all.into_iter().map(|(op, _)| op).collect())
    }
}

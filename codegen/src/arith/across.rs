//! Blocks as they are written where one state lies across the lanes of vectors.
//!
//! The arithmetic program is the same as for any layout: operations on words, of which a certificate tells. Here they
//! are gathered: an operation that some words have in common is one statement on the vectors that they are in.

use super::Program;
use crate::ir::{BlockKind, Value};
use crate::names::vocabulary;
use crate::ops::MacroOp;
use std::collections::BTreeSet;

/// Words of a 31-bit field in a vector. Of others an element is in one, in two columns.
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
    /// An element's word in memory.
    State(usize),
    /// A word of element 0, by its part.
    First(usize),
    /// The round constant at hand, a word, by its part.
    Constant(usize),
    /// All of it, in a vector.
    Constants,
    /// A word that is the same in all states.
    Word(u64),
    /// Such words, one in each lane.
    Words(Vec<u64>),
    /// A macro-op in each lane, or on words.
    Operation(MacroOp, Vec<PieceId>),
    /// What else the piece before it gives.
    Second,
    /// The words of a vector of two: the first, and then [`Made::Second`].
    Taken(PieceId),
    /// A vector of two words.
    Joined([PieceId; 2]),
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
        self.lanes.len() > 1
    }
}

/// A block in pieces, in the order of its statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// Which block.
    pub kind: BlockKind,
    /// All of them.
    pub all: Vec<Piece>,
    /// The words of element 0, where they are not in a vector.
    pub first: Vec<PieceId>,
    /// What is made anew, by its place: vectors of the state, or words of it in memory.
    pub rows: Vec<(usize, PieceId)>,
}

/// The blocks whose words are in lanes of their own. Where an S-box is not among them, it is the same in each lane.
/// Where element 0 of an internal round is in words, nobody reads its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Across(pub Vec<Pieces>);

impl Across {
    /// The block of that kind.
    #[must_use]
    pub fn block(&self, kind: BlockKind) -> Option<&Pieces> {
        self.0.iter().find(|pieces| pieces.kind == kind)
    }

    /// The moves of words between lanes that its blocks have.
    #[must_use]
    pub fn moves(&self) -> BTreeSet<Move> {
        let pieces = self.0.iter().flat_map(|pieces| &pieces.all);
        let moves = pieces.filter_map(|piece| match piece.made {
            Made::Moved(way, _) => Some(way),
            _ => None,
        });
        moves.collect()
    }
}

impl Program {
    /// The macro-ops that a state across lanes takes on vectors, and those on general registers, each as often as it
    /// is executed; none of other layouts.
    ///
    /// # Panics
    /// If the program has no S-box.
    #[must_use]
    pub fn executed_across(&self) -> Option<[Vec<(MacroOp, usize)>; 2]> {
        let across = self.across.as_ref()?;
        let mut executed = [Vec::new(), Vec::new()];
        if across.block(BlockKind::ExternalSbox).is_none() {
            let sbox = self.block(BlockKind::ExternalSbox);
            let sbox = &self.blocks[sbox.expect("every permutation has S-boxes")];
            let sboxes = self.executions(sbox.kind) / LANES;
            let coded = sbox.operations.iter().filter(|o| o.has_body());
            executed[0].extend(coded.map(|operation| (operation.op, sboxes)));
        }
        for pieces in &across.0 {
            for piece in &pieces.all {
                if let Made::Operation(op, _) = piece.made {
                    let side = usize::from(!piece.is_vector());
                    executed[side].push((op, self.executions(pieces.kind)));
                }
            }
        }
        Some(executed)
    }
}

//! The arithmetic program: what the machine computes, on integers with exact ranges.

mod across;
mod basis;
mod beside;
mod carry;
mod eval;
mod flow;
mod program;

pub use across::{Across, LANES, Made, Move, Piece, PieceId, Pieces};
pub use basis::{Basis, Growth, Pair};
pub(crate) use flow::Outputs;
pub use flow::{Broken, Constants};
pub(crate) use program::Remade;
pub use program::{Block, Operation, Program, Return, Site, Treatment};

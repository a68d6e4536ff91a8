//! What the command line and the measuring process say to each other, as lines of JSON.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Filter};
use crate::statistics::Comparison;

/// What is asked of the process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The instruction set of the kernels.
    pub isa: String,
    /// Which of them, and in which shapes.
    pub filter: Filter,
    /// What the states are made from.
    pub seed: u64,
    /// Time to keep to.
    pub budget: Option<Duration>,
}

/// What the process tells, one line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// States in the peer's packed types, and the cells that will be measured.
    Planned {
        /// By field.
        packed: Vec<(String, usize)>,
        /// How many cells.
        cells: usize,
    },
    /// A cell is done with.
    Done(Outcome),
}

/// What became of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The cell.
    pub cell: Cell,
    /// States of the peer in one of its calls.
    pub peer_states: usize,
    /// How it went.
    pub finding: Finding,
}

/// How a match went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// The outcomes were the same, and this is how long they took.
    Measured {
        /// In nanoseconds per permutation.
        comparison: Comparison,
        /// Samples of each side.
        turns: usize,
    },
    /// The outcomes differed, so nothing was timed.
    Differs,
    /// There was no time for it.
    OverBudget,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back() {
        let event = Event::Planned {
            packed: vec![("goldilocks".to_owned(), 4)],
            cells: 7,
        };
        let line = serde_json::to_string(&event).expect("it is plain data");
        assert!(!line.contains('\n'));
        assert_eq!(serde_json::from_str::<Event>(&line).ok(), Some(event));
    }
}

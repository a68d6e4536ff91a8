//! What a computation is: macro-ops applied to words of states and constants, each written once.

use std::collections::HashMap;

use crate::flow::Constant;

/// A value that is computed, by its place in the graph.
pub(super) type Id = u32;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A word of the states: group, element, lane.
    State(usize, usize, usize),
    /// A word of a constant, by its part.
    Constant(Constant, usize),
    /// A result of a macro-op: which, of what, the first or the second.
    Result(String, Vec<Id>, usize),
}

/// All values. Two that are computed alike are one.
#[derive(Default)]
pub(super) struct Graph(HashMap<Node, Id>);

impl Graph {
    pub(super) fn add(&mut self, node: Node) -> Id {
        let next = Id::try_from(self.0.len()).expect("a kernel has fewer operations");
        *self.0.entry(node).or_insert(next)
    }
}

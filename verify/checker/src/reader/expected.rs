//! What a kernel must compute: its program, on names of values.

use std::collections::BTreeSet;

use super::graph::{Graph, Id, Node};
use crate::Step;
use crate::certificate::{Operation, Program};
use crate::flow::{Constant, Domain};

impl Program {
    /// The type of a word.
    pub(crate) fn word(&self) -> &'static str {
        match self.field.montgomery_bits {
            0 => "u64",
            _ => "u32",
        }
    }

    /// The macros with two results.
    pub(super) fn pairs(&self) -> BTreeSet<String> {
        let operations = self.blocks.values().flat_map(|block| &block.operations);
        let pairs = operations.filter(|operation| operation.row.results.len() > 1);
        pairs.map(Operation::macro_name).collect()
    }

    /// One state, permuted.
    pub(super) fn expected(&self, graph: &mut Graph, group: usize, lane: usize) -> Step<Vec<Id>> {
        let words = (0..self.p2.width()).map(|i| graph.add(Node::State(group, i, lane)));
        let state = words.collect();
        let parts = self.parts;
        self.permute(&mut Names { graph, parts }, state)
    }
}

struct Names<'g> {
    graph: &'g mut Graph,
    parts: usize,
}

impl Domain for Names<'_> {
    type Value = Id;

    fn constant(&mut self, place: Constant) -> Step<Vec<Id>> {
        let part = |part| self.graph.add(Node::Constant(place, part));
        Ok((0..self.parts).map(part).collect())
    }

    fn apply(&mut self, operation: &Operation, operands: &[Id]) -> Step<Vec<Id>> {
        let mut result = |n| {
            let node = Node::Result(operation.macro_name(), operands.to_vec(), n);
            self.graph.add(node)
        };
        Ok((0..operation.row.results.len()).map(&mut result).collect())
    }
}

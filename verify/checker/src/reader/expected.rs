//! What a kernel must compute: its program, on names of values.

use std::collections::BTreeSet;

use super::constants::word;
use super::execute::Value;
use super::graph::{Graph, Id, Node};
use crate::Step;
use crate::certificate::{Operation, Program};
use crate::flow::{Constant, Domain};

impl Program {
    /// The type of a word.
    pub(crate) fn word(&self) -> &'static str {
        word(self.field.montgomery_bits)
    }

    /// The macros of all blocks that kernels have.
    pub(super) fn macros(&self) -> BTreeSet<&str> {
        self.operations(false)
            .map(|operation| &*operation.name)
            .collect()
    }

    /// One state, permuted.
    pub(super) fn expected(&self, graph: &mut Graph, group: usize, lane: usize) -> Step<Vec<Id>> {
        let words = (0..self.p2.width()).map(|i| graph.add(Node::State(group, i, lane)));
        let state = words.collect();
        let parts = self.parts;
        self.permute(&mut Names { graph, parts }, state)
    }

    /// The table of constants, as it lies in memory.
    pub(super) fn constants(&self, graph: &mut Graph) -> Value {
        let mut words = |internal, round, element| {
            let place = Constant {
                internal,
                round,
                element,
            };
            let part = |part| Value::Words(vec![graph.add(Node::Constant(place, part))]);
            let mut parts = (0..self.parts).map(part);
            match self.parts {
                1 => parts.next().expect("one is one"),
                _ => Value::Many(parts.collect()),
            }
        };
        let width = self.p2.width();
        let mut round = |n| Value::Many((0..width).map(|i| words(false, n, i)).collect());
        let external = (0..self.p2.external.len()).map(&mut round).collect();
        let internal = (0..self.p2.internal.len())
            .map(|n| words(true, n, 0))
            .collect();
        Value::Many(vec![Value::Many(external), Value::Many(internal)])
    }

    /// The words of a constant as kernels read it.
    pub(super) fn prepared(&self, graph: &mut Graph) -> Step<Vec<Id>> {
        let word = graph.add(Node::State(0, 0, 0));
        let parts = self.parts;
        self.run(&mut Names { graph, parts }, "constant", vec![word])
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
            let node = Node::Result(operation.name.clone(), operands.to_vec(), n);
            self.graph.add(node)
        };
        Ok((0..operation.row.results.len()).map(&mut result).collect())
    }
}

//! What a kernel must compute: the blocks of its certificate in the order of the paper.

use std::collections::BTreeSet;

use super::graph::{Graph, Id, Node};

/// The blocks of a certificate that holds, and how a permutation is made of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The type of a word.
    pub(crate) word: &'static str,
    /// Elements of a state.
    pub(crate) width: usize,
    /// Words of an element between blocks.
    pub(crate) parts: usize,
    /// External rounds, both halves.
    pub(crate) external_rounds: usize,
    /// Runs of internal rounds, with a normalisation between two of them.
    pub(crate) runs: Vec<usize>,
    /// The blocks, by name.
    pub(crate) blocks: Vec<(&'static str, Steps)>,
}

/// The operations of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) inputs: usize,
    /// Macro-op and operands; none: the second result of the operation before.
    pub(crate) operations: Vec<(Option<String>, Vec<usize>)>,
    pub(crate) outputs: Vec<usize>,
}

impl Shape {
    /// The macro-ops of all blocks that kernels have.
    pub(super) fn macro_ops(&self) -> BTreeSet<&str> {
        let blocks = self.blocks.iter().filter(|(name, _)| *name != "constant");
        let operations = blocks.flat_map(|(_, steps)| &steps.operations);
        operations.filter_map(|(op, _)| op.as_deref()).collect()
    }

    /// One state, permuted.
    pub(super) fn permute(&self, graph: &mut Graph, group: usize, lane: usize) -> Vec<Id> {
        let words = (0..self.width).map(|i| graph.add(Node::State(group, i, lane)));
        let mut state: Vec<Id> = words.collect();
        state = self.run(graph, "enter", state);
        for step in 0..=self.external_rounds {
            if step > 0 {
                let mut next = Vec::new();
                for (i, element) in state.chunks(self.parts).enumerate() {
                    let constant = self.constant(graph, false, step - 1, i);
                    let inputs = [element, &constant].concat();
                    next.extend(self.run(graph, "external-sbox", inputs));
                }
                state = next;
            }
            state = self.run(graph, "external-linear", state);
            if step == self.external_rounds / 2 {
                state = self.internal_rounds(graph, state);
            }
        }
        self.run(graph, "leave", state)
    }

    fn internal_rounds(&self, graph: &mut Graph, mut state: Vec<Id>) -> Vec<Id> {
        state = self.run(graph, "internal-enter", state);
        let mut round = 0;
        for run in &self.runs {
            if round > 0 {
                state = self.run(graph, "internal-normalise", state);
            }
            for _ in 0..*run {
                state.extend(self.constant(graph, true, round, 0));
                state = self.run(graph, "internal-round", state);
                round += 1;
            }
        }
        self.run(graph, "internal-leave", state)
    }

    fn constant(&self, graph: &mut Graph, internal: bool, round: usize, i: usize) -> Vec<Id> {
        let parts = 0..self.parts;
        parts
            .map(|part| graph.add(Node::Constant(internal, round, i, part)))
            .collect()
    }

    /// The words of a constant as kernels have them.
    pub(super) fn prepared(&self, graph: &mut Graph) -> Vec<Id> {
        let word = graph.add(Node::State(0, 0, 0));
        self.run(graph, "constant", vec![word])
    }

    /// A block; one that this representation does not have leaves the state as it is.
    fn run(&self, graph: &mut Graph, name: &str, inputs: Vec<Id>) -> Vec<Id> {
        let Some((_, steps)) = self.blocks.iter().find(|(block, _)| *block == name) else {
            return inputs;
        };
        assert_eq!(
            inputs.len(),
            steps.inputs,
            "the checker compared the inputs of blocks"
        );
        let mut values = inputs;
        let mut last = None;
        for (op, operands) in &steps.operations {
            let node = match op {
                Some(op) => {
                    let operands = operands.iter().map(|v| values[*v]).collect();
                    last.insert(Node::Result(op.as_str().into(), operands, 0))
                        .clone()
                }
                None => match last.take() {
                    Some(Node::Result(op, operands, _)) => Node::Result(op, operands, 1),
                    _ => unreachable!("the checker compared second results"),
                },
            };
            values.push(graph.add(node));
        }
        steps.outputs.iter().map(|v| values[*v]).collect()
    }
}

//! What a kernel must compute: its program, on names of values.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::constants::word;
use super::execute::{STEPS, Value};
use super::graph::{Graph, Id, Node};
use crate::certificate::{FACTORS, Operation, Program};
use crate::flow::{Constant, Domain};
use crate::{Step, refuse};

/// What follows a constant in memory where lanes are longer than words.
pub(super) fn zero(graph: &mut Graph) -> Value {
    Value::Words(vec![graph.add(Node::Named(0, 32))])
}

impl Program {
    /// The type of a word.
    pub(crate) fn word(&self) -> &'static str {
        word(self.field.montgomery_bits)
    }

    /// The macros of all blocks that kernels have, but for named constants.
    pub(super) fn macros(&self) -> BTreeSet<&str> {
        let with_bodies = self.operations(false).filter(|o| o.row.operands > 0);
        with_bodies.map(|operation| &*operation.name).collect()
    }

    /// One state, permuted.
    pub(super) fn expected(
        &self,
        graph: &mut Graph,
        [group, lane]: [usize; 2],
        left: &mut usize,
    ) -> Step<Vec<Id>> {
        let words = (0..self.permutation.width()).map(|i| graph.add(Node::State(group, i, lane)));
        let mut state: Vec<Id> = words.collect();
        let convert = |graph: &mut Graph, state: Vec<Id>, name: &str| {
            let word = |id| graph.add(Node::Result(name.into(), vec![id], 0));
            state.into_iter().map(word).collect()
        };
        if self.wide.is_some() {
            // In a lane a word is the same integer. Words that leave are below p, as is proved.
            state = convert(graph, state, "wide");
        }
        let parts = self.parts;
        let permuted = self.permute(&mut Names { graph, parts, left }, state)?;
        Ok(match self.wide.is_some() {
            true => convert(graph, permuted, "narrow"),
            false => permuted,
        })
    }

    /// Words that a constant takes in memory: its parts, or a word of 32 bits and a zero where lanes have 64.
    pub(super) fn constant_words(&self) -> usize {
        match self.wide {
            Some(52) => 2,
            _ => self.parts,
        }
    }

    /// The table of constants, as it lies in memory.
    pub(super) fn constants(&self, graph: &mut Graph) -> Value {
        let zero = zero(graph);
        let mut words = |place| {
            let part = |part| self.in_memory(graph, Node::Constant(place, part));
            let mut parts: Vec<Value> = (0..self.parts).map(part).collect();
            match self.constant_words() {
                1 => parts.remove(0),
                words => {
                    parts.resize(words, zero.clone());
                    Value::Many(parts)
                }
            }
        };
        let width = self.permutation.width();
        let external = (0..self.permutation.external.len()).map(|round| {
            let words = (0..width).map(|i| words(Constant::External(round, i)));
            Value::Many(words.collect())
        });
        let external = Value::Many(external.collect());
        let internal = 0..self.permutation.internal.len();
        let internal = internal.map(|round| words(Constant::Internal(round)));
        Value::Many(vec![external, Value::Many(internal.collect())])
    }

    /// A word that all lanes share as it lies in memory, where it may be shorter than a lane.
    fn in_memory(&self, graph: &mut Graph, node: Node) -> Value {
        let word = graph.add(node);
        let wide = self.wide.is_some();
        Value::Words(vec![if wide { graph.short(word) } else { word }])
    }

    /// The factors of internal rounds: their type and text, and what that stands for. Lanes are as wide as those words.
    pub(super) fn factors(&self, graph: &mut Graph) -> ([String; 2], Value) {
        let rounds = &self.factors;
        let of_type = format!("[[u32; {FACTORS}]; {}]", rounds.len());
        let text = [of_type, format!("{rounds:?}")];
        let mut number = |word: &u32| self.in_memory(graph, Node::Named((*word).into(), 64));
        let mut round =
            |words: &[u32; FACTORS]| Value::Many(words.iter().map(&mut number).collect());
        (text, Value::Many(rounds.iter().map(&mut round).collect()))
    }

    /// The words of a constant as kernels read it.
    pub(super) fn prepared(&self, graph: &mut Graph) -> Step<Vec<Id>> {
        let word = graph.add(Node::State(0, 0, 0));
        let (parts, left) = (self.parts, &mut { STEPS });
        self.run(&mut Names { graph, parts, left }, "constant", vec![word])
    }
}

struct Names<'g> {
    graph: &'g mut Graph,
    parts: usize,
    /// Operands that may still be named, and instructions of bodies that may be taken.
    left: &'g mut usize,
}

impl<'p> Domain<'p> for Names<'_> {
    type Value = Id;

    fn constant(&mut self, place: Constant) -> Step<Vec<Id>> {
        let part = |part| self.graph.add(Node::Constant(place, part));
        Ok((0..self.parts).map(part).collect())
    }

    fn number(&mut self, word: u64) -> Id {
        self.graph.add(Node::Named(word, 64))
    }

    fn apply(&mut self, operation: &'p Operation, operands: &[Id]) -> Step<Vec<Id>> {
        let steps = 1 + operands.len() + self.graph.steps(&operation.name);
        *self.left = match self.left.checked_sub(steps) {
            Some(left) => left,
            None => {
                return refuse(
                    operation.line,
                    format!("more than {STEPS} steps of a kernel"),
                );
            }
        };
        if operands.is_empty() {
            let (row, bits) = (&operation.row, operation.row.bits);
            let word = row.results[0].constant as u64 & (u64::MAX >> (64 - bits));
            return Ok(vec![self.graph.add(Node::Named(word, bits))]);
        }
        // If a kernel has it of the body on other registers, it has no result of this one.
        let general: Arc<str> = format!("{}_general", operation.name).into();
        let first = Node::Result(general.clone(), operands.to_vec(), 0);
        let name = if self.graph.has(&first) {
            &general
        } else {
            &operation.name
        };
        let mut result = |n| {
            let node = Node::Result(name.clone(), operands.to_vec(), n);
            self.graph.add(node)
        };
        Ok((0..operation.row.results.len()).map(&mut result).collect())
    }
}

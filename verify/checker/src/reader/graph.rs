//! What a computation is: operations applied to words of states and constants, each written once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::execute::Read;
use super::file::Bodies;
use crate::body::{Body, Value};

use crate::flow::Constant;

/// A value that is computed, by its place in the graph.
pub(super) type Id = u32;

/// A word in each lane, or one that all lanes share.
pub(super) type Words = Vec<Id>;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A word of the states: group, element, lane.
    State(usize, usize, usize),
    /// A word of a constant, by its part.
    Constant(Constant, usize),
    /// A named constant, and its bits.
    Named(u64, u32),
    /// The same in a register half as long as others.
    Half(u64, u32),
    /// A word of 32 bits in memory, which kernels lengthen.
    Short(Id),
    /// A result of a macro-op, or of an instruction: which, of what, the first or the second.
    Result(Arc<str>, Vec<Id>, usize),
}

/// All values. Two that are computed alike are one.
#[derive(Default)]
pub(super) struct Graph {
    ids: HashMap<Node, Id>,
    next: Id,
    /// What macro-ops are, where instructions are compared: their bodies, on one kind of registers
    /// or another.
    bodies: Bodies,
    /// The last value that a kernel computes.
    computed: Id,
    /// Whether a register of 32 bits to a lane is half of one.
    has_halves: bool,
    /// What is in such registers.
    halves: HashSet<Id>,
    /// What short words become.
    lengthened: HashMap<Id, Id>,
}

impl Graph {
    pub(super) fn new(has_halves: bool) -> Self {
        Self {
            has_halves,
            ..Self::default()
        }
    }

    /// A constant in a register of so many bits to a lane.
    pub(super) fn constant(&mut self, word: u64, bits: u32, held: u32) -> Id {
        if self.has_halves && held < 64 {
            let id = self.add(Node::Half(word, bits));
            self.halves.insert(id);
            return id;
        }
        self.add(Node::Named(word, bits))
    }

    /// A word of 32 bits in memory, of one that kernels lengthen.
    pub(super) fn short(&mut self, word: Id) -> Id {
        let short = self.add(Node::Short(word));
        self.lengthened.insert(short, word);
        short
    }

    /// What a word of 32 bits is in a longer one.
    pub(super) fn lengthened(&self, word: Id) -> Option<Id> {
        self.lengthened.get(&word).copied()
    }

    /// From here on macro-ops are the instructions of a body.
    pub(super) fn replace(&mut self, bodies: &Bodies) {
        (self.bodies, self.computed) = (bodies.clone(), self.next);
    }

    /// The instructions that a macro-op is, where macro-ops are those.
    pub(super) fn steps(&self, name: &str) -> usize {
        let body = |name: &str| {
            self.bodies
                .get(name)
                .map_or(0, |(_, body)| body.steps.len())
        };
        body(name) + body(&format!("{name}_general"))
    }

    /// Whether something gives it.
    pub(super) fn has(&self, node: &Node) -> bool {
        self.ids.contains_key(node)
    }

    pub(super) fn add(&mut self, node: Node) -> Id {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = self.expanded(&node).unwrap_or_else(|| {
            self.next += 1;
            self.next
        });
        self.ids.insert(node, id);
        id
    }

    /// A macro-op's result as one of an instruction. Each body keeps the contract, so whichever a
    /// kernel computes is right; but not the first result of one with the second of another.
    fn expanded(&mut self, node: &Node) -> Option<Id> {
        let Node::Result(op, operands, which) = node else {
            return None;
        };
        let bodies = std::mem::take(&mut self.bodies);
        let operands: Vec<Words> = operands.iter().map(|operand| vec![*operand]).collect();
        let names = [op.to_string(), format!("{op}_general")];
        let found = names.iter().filter_map(|name| bodies.get(name));
        let results = found.map(|(_, body)| self.run(body, &operands));
        let results: Read<Vec<Vec<Words>>> = results.collect();
        self.bodies = bodies;
        let results = results.ok()?;
        let known = |results: &&Vec<Words>| results.iter().all(|words| words[0] <= self.computed);
        let results = results.iter().find(known).or(results.first())?;
        Some(results.get(*which)?[0])
    }

    /// The results of an operation on words, or on as many words as there are lanes.
    pub(super) fn apply(
        &mut self,
        name: &str,
        sources: &[Words],
        results: usize,
    ) -> Read<Vec<Words>> {
        let name: Arc<str> = name.into();
        let lanes = sources.first().map_or(1, Vec::len);
        if sources.iter().any(|words| words.len() != lanes) {
            return Err(format!("`{name}` of words and vectors"));
        }
        let mut result = |which, lane: usize| {
            let operands = sources.iter().map(|words| words[lane]).collect();
            self.add(Node::Result(name.clone(), operands, which))
        };
        let results =
            (0..results).map(|which| (0..lanes).map(|lane| result(which, lane)).collect());
        Ok(results.collect())
    }

    /// Executes a body.
    pub(super) fn run(&mut self, body: &Body, operands: &[Words]) -> Read<Vec<Words>> {
        if body.operands != operands.len() {
            return Err("not as many operands as a macro has".to_owned());
        }
        let mut done: Vec<Vec<Words>> = Vec::new();
        for step in &body.steps {
            let sources = self.words(&step.sources, &step.instruction.sources, operands, &done);
            let name = &*step.instruction.meanings[0];
            // To a line of assembler each register is one.
            let held = sources.iter().zip(&step.instruction.sources);
            let mut words = held.flat_map(|(words, bits)| words.iter().map(move |id| (id, bits)));
            if words.any(|(id, bits)| self.halves.contains(id) != (*bits == 32)) {
                return Err(format!("`{name}` of other registers"));
            }
            let results = match (name, &sources[..]) {
                ("|take lane 0|", [vector]) if vector.len() == 2 => vec![vec![vector[0]]],
                ("|take lane 1|", [vector]) if vector.len() == 2 => vec![vec![vector[1]]],
                ("|join lane 0|", [word]) if word.len() == 1 => {
                    vec![vec![word[0], self.add(Node::Named(0, 64))]]
                }
                ("|join lane 1|", [vector, word]) if (vector.len(), word.len()) == (2, 1) => {
                    vec![vec![vector[0], word[0]]]
                }
                _ if step.instruction.table == "lanes" => {
                    return Err(format!("`{name}` of words and vectors"));
                }
                _ => {
                    let (name, bits) = (
                        format!("{name} {:?}", step.immediates),
                        &step.instruction.results,
                    );
                    let results = self.apply(&name, &sources, bits.len())?;
                    let halves = results.iter().zip(bits).filter(|(_, bits)| **bits == 32);
                    self.halves.extend(halves.flat_map(|(words, _)| words));
                    results
                }
            };
            done.push(results);
        }
        let given = body.results.iter().map(|result| match result {
            Value::Result(step, n) => Ok(done[*step][*n].clone()),
            // It may be in another register than it was.
            _ => Err("a macro gives what no instruction does".to_owned()),
        });
        given.collect()
    }

    /// Values of a body, in registers of so many bits to a lane. Constants are in as many lanes as the others.
    fn words(
        &mut self,
        values: &[Value],
        held: &[u32],
        operands: &[Words],
        done: &[Vec<Words>],
    ) -> Vec<Words> {
        let found = |value: &Value| match value {
            Value::Operand(n) => Some(operands[*n].clone()),
            Value::Result(step, n) => Some(done[*step][*n].clone()),
            Value::Constant(..) => None,
        };
        let found: Vec<Option<Words>> = values.iter().map(found).collect();
        let lanes = found.iter().flatten().map(Vec::len).max().unwrap_or(1);
        let words = found.into_iter().zip(values).enumerate();
        let words = words.map(|(n, (words, value))| match (words, value) {
            (None, Value::Constant(word, bits)) => {
                vec![self.constant(*word, *bits, held[n]); lanes]
            }
            (words, _) => words.unwrap_or_default(),
        });
        words.collect()
    }
}

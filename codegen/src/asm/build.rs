//! From a block and the bodies of its macro-ops to pieces.

use super::{Bank, Bodies, Held, LANES, Mixed, Piece, Port, Words};
use crate::arith::{Block, MacroOp, Operation};
use crate::ir::{Input, Value};
use crate::isa::Kind;
use crate::machine::{Body, Instruction, Reg};
use crate::names::Part;
use std::collections::{BTreeMap, BTreeSet};

/// What the code of a block is made of.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// The block.
    pub block: &'a Block,
    /// Macro-ops on vectors.
    pub vectors: &'a Bodies,
    /// Macro-ops on general registers.
    pub words: &'a Bodies,
    /// For each stream the values that are words on general registers.
    pub placed: &'a [BTreeSet<Value>],
    /// For each stream which of the round constants it reads.
    pub constants: &'a [usize],
    /// Whether the state is in registers before and after, and not in memory.
    pub held: bool,
}

/// The code of a recipe.
///
/// # Panics
/// If the recipe lacks the body of a macro-op.
#[must_use]
pub fn mixed(recipe: Recipe<'_>) -> Mixed {
    let mut builder = Builder {
        recipe,
        code: Mixed::default(),
        vectors: BTreeMap::new(),
        words: BTreeMap::new(),
        constants: BTreeMap::new(),
    };
    if recipe.held {
        builder.enter();
    }
    for (n, operation) in recipe.block.operations.iter().enumerate() {
        if operation.op != MacroOp::Second {
            for stream in 0..recipe.placed.len() {
                builder.operation(stream, n, operation);
            }
        }
    }
    builder.leave();
    builder.code
}

struct Builder<'a> {
    recipe: Recipe<'a>,
    code: Mixed,
    vectors: BTreeMap<(usize, Value), Reg>,
    words: BTreeMap<(usize, Value), Words>,
    constants: BTreeMap<(usize, Part, Bank), Reg>,
}

impl Builder<'_> {
    fn enter(&mut self) {
        for stream in 0..self.recipe.placed.len() {
            for (n, &word) in self.recipe.block.inputs.iter().enumerate() {
                let value = Value(n as u32);
                let read = |o: &Operation| o.operands.contains(&value);
                let read = self.recipe.block.operations.iter().any(read);
                if !read || matches!(word, Input::ConstantPart(_)) {
                    continue;
                }
                let held = if self.recipe.placed[stream].contains(&value) {
                    let words = LANES.map(|_| self.code.fresh(Bank::General, Kind::Word));
                    self.words.insert((stream, value), words);
                    self.code.inputs.extend(words);
                    Held::Words(words)
                } else {
                    let vector = self.code.fresh(Bank::Vector, Kind::Word);
                    self.vectors.insert((stream, value), vector);
                    self.code.inputs.push(vector);
                    Held::Vector(vector)
                };
                self.code.entries.push(Port { stream, word, held });
            }
        }
    }

    fn leave(&mut self) {
        for stream in 0..self.recipe.placed.len() {
            for (word, value) in self.recipe.block.moved() {
                if !self.recipe.held {
                    let source = self.vector(stream, value);
                    let output = word;
                    self.code.pieces.push(Piece::Store {
                        source,
                        output,
                        stream,
                    });
                    continue;
                }
                let held = if self.recipe.placed[stream].contains(&value) {
                    Held::Words(self.word(stream, value))
                } else {
                    Held::Vector(self.vector(stream, value))
                };
                let before = |port: &&Port| port.stream == stream && port.word == word;
                let before = self.code.entries.iter().find(before).map(|port| port.held);
                match (held, before) {
                    (Held::Vector(reg), before) => {
                        self.code.outputs.push(reg);
                        if let Some(Held::Vector(before)) = before {
                            self.code.carried.push((reg, before));
                        }
                    }
                    (Held::Words(words), before) => {
                        self.code.outputs.extend(words);
                        if let Some(Held::Words(before)) = before {
                            self.code.carried.extend(words.into_iter().zip(before));
                        }
                    }
                }
                self.code.exits.push(Port { stream, word, held });
            }
        }
    }

    fn operation(&mut self, stream: usize, n: usize, operation: &Operation) {
        let results = (0..operation.op.results() as u32).map(|i| Value(operation.result.0 + i));
        let results: Vec<Value> = results.collect();
        if !self.recipe.placed[stream].contains(&operation.result) {
            let operands = operation.operands.iter();
            let operands: Vec<Reg> = operands.map(|&v| self.vector(stream, v)).collect();
            let body = &self.recipe.vectors[&operation.op];
            let made = self.inline(body, &operands, Bank::Vector, n);
            let made = results.into_iter().zip(made);
            self.vectors
                .extend(made.map(|(value, reg)| ((stream, value), reg)));
            return;
        }
        let operands = operation.operands.iter();
        let operands: Vec<Words> = operands.map(|&v| self.word(stream, v)).collect();
        let body = &self.recipe.words[&operation.op];
        let [first, second] = LANES.map(|lane| {
            let operands: Vec<Reg> = operands.iter().map(|words| words[lane]).collect();
            self.inline(body, &operands, Bank::General, n)
        });
        for (value, words) in results.into_iter().zip(first.into_iter().zip(second)) {
            self.words.insert((stream, value), [words.0, words.1]);
        }
    }

    /// The vector of a value, made where it is first asked for.
    fn vector(&mut self, stream: usize, value: Value) -> Reg {
        if let Some(&reg) = self.vectors.get(&(stream, value)) {
            return reg;
        }
        if let Some(Input::ConstantPart(part)) = self.input(value) {
            return self.constant(stream, part, Bank::Vector);
        }
        let result = self.code.fresh(Bank::Vector, Kind::Word);
        self.vectors.insert((stream, value), result);
        let piece = match (self.words.get(&(stream, value)), self.input(value)) {
            (Some(&words), _) => Piece::Join { result, words },
            (None, Some(input)) => Piece::Load {
                result,
                input,
                stream,
            },
            (None, None) => unreachable!("operations are in order"),
        };
        self.code.pieces.push(piece);
        result
    }

    /// The words of a value, taken where they are first asked for.
    fn word(&mut self, stream: usize, value: Value) -> Words {
        if let Some(&words) = self.words.get(&(stream, value)) {
            return words;
        }
        if let Some(Input::ConstantPart(part)) = self.input(value) {
            return LANES.map(|_| self.constant(stream, part, Bank::General));
        }
        let source = self.vector(stream, value);
        let words = LANES.map(|lane| {
            let result = self.code.fresh(Bank::General, Kind::Word);
            self.code.pieces.push(Piece::Take {
                result,
                source,
                lane,
            });
            result
        });
        self.words.insert((stream, value), words);
        words
    }

    fn constant(&mut self, stream: usize, part: Part, bank: Bank) -> Reg {
        let key = (self.recipe.constants[stream], part, bank);
        if let Some(&reg) = self.constants.get(&key) {
            return reg;
        }
        let result = self.code.fresh(bank, Kind::Word);
        self.constants.insert(key, result);
        self.code.pieces.push(match bank {
            Bank::Vector => Piece::Broadcast {
                result,
                part,
                stream,
            },
            Bank::General => Piece::Load {
                result,
                input: Input::ConstantPart(part),
                stream,
            },
        });
        result
    }

    fn input(&self, value: Value) -> Option<Input> {
        self.recipe.block.inputs.get(value.index()).copied()
    }

    /// Appends a body; gives the registers of its results.
    fn inline(&mut self, body: &Body, operands: &[Reg], bank: Bank, operation: usize) -> Vec<Reg> {
        let (instructions, results) =
            body.instantiate(operands, |kind| self.code.fresh(bank, kind));
        let mut together: Vec<Instruction> = Vec::new();
        for (n, instruction) in instructions.into_iter().enumerate() {
            together.push(instruction);
            if !passes_flags(body, n) {
                self.code.pieces.push(Piece::Rows {
                    instructions: std::mem::take(&mut together),
                    bank,
                    operation,
                });
            }
        }
        results
    }
}

/// Whether flags that were written up to instruction `n` of a body are read after it.
fn passes_flags(body: &Body, n: usize) -> bool {
    let (before, after) = body.instructions.split_at(n + 1);
    let is_flags = |reg: &&Reg| body.kind(**reg) == Kind::Flags;
    let mut flags = before
        .iter()
        .flat_map(|i| i.results.iter().filter(is_flags));
    flags.any(|reg| after.iter().any(|i| i.reads().any(|read| read == *reg)))
}

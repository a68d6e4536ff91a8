//! From a block and the bodies of its macro-ops to pieces.

use super::{Bank, Bodies, LANES, Mixed, Piece, Port, Work};
use crate::arith::{Block, Operation};
use crate::ir::{Input, Value};
use crate::isa::Kind;
use crate::machine::{Body, Instruction, Reg, Source};
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
        values: BTreeMap::new(),
        constants: BTreeMap::new(),
    };
    if recipe.held {
        builder.enter();
    }
    for (n, operation) in recipe.block.operations.iter().enumerate() {
        if operation.is_coded() {
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
    /// What holds the values of each stream, where anything does.
    values: BTreeMap<(usize, Value, Bank), Vec<Reg>>,
    constants: BTreeMap<(usize, Part, Bank), Reg>,
}

impl Builder<'_> {
    /// Where a value is made.
    fn home(&self, stream: usize, value: Value) -> Bank {
        match self.recipe.placed[stream].contains(&value) {
            true => Bank::General,
            false => Bank::Vector,
        }
    }

    fn enter(&mut self) {
        let block = self.recipe.block;
        for stream in 0..self.recipe.placed.len() {
            for (n, &word) in block.inputs.iter().enumerate() {
                let value = Value(n as u32);
                let read = block.operations.iter().any(|o| o.operands.contains(&value));
                if !read || matches!(word, Input::ConstantPart(_)) {
                    continue;
                }
                let bank = self.home(stream, value);
                let fresh = (0..bank.registers()).map(|_| self.code.fresh(bank, Kind::Word));
                let registers: Vec<Reg> = fresh.collect();
                self.values.insert((stream, value, bank), registers.clone());
                self.code.inputs.extend(&registers);
                self.code.entries.push(Port {
                    stream,
                    word,
                    registers,
                });
            }
        }
    }

    fn leave(&mut self) {
        for stream in 0..self.recipe.placed.len() {
            for (word, value) in self.recipe.block.moved() {
                if !self.recipe.held {
                    let source = self.value(stream, value, Bank::Vector)[0];
                    self.push(Work::Store(stream, word), &[source], &[]);
                    continue;
                }
                let registers = self.value(stream, value, self.home(stream, value));
                let before = |port: &&Port| port.stream == stream && port.word == word;
                if let Some(before) = self.code.entries.iter().find(before)
                    && before.registers.len() == registers.len()
                {
                    let pairs = registers.iter().copied().zip(before.registers.clone());
                    self.code.carried.extend(pairs);
                }
                self.code.outputs.extend(&registers);
                self.code.exits.push(Port {
                    stream,
                    word,
                    registers,
                });
            }
        }
    }

    fn operation(&mut self, stream: usize, n: usize, operation: &Operation) {
        let bank = self.home(stream, operation.result);
        let bodies = match bank {
            Bank::Vector => self.recipe.vectors,
            Bank::General => self.recipe.words,
        };
        let operands = operation.operands.iter();
        let operands: Vec<Vec<Reg>> = operands.map(|&v| self.value(stream, v, bank)).collect();
        for lane in 0..bank.registers() {
            let operands = operands.iter().map(|registers| registers[lane]);
            let made = self.inline(&bodies[&operation.op], operands, bank, n);
            for (value, reg) in operation.results().zip(made) {
                let registers = self.values.entry((stream, value, bank)).or_default();
                registers.push(reg);
            }
        }
    }

    fn push(&mut self, work: Work, sources: &[Reg], results: &[Reg]) {
        self.code.pieces.push(Piece {
            work,
            sources: sources.iter().copied().map(Source::Reg).collect(),
            results: results.to_vec(),
        });
    }

    /// What holds a value: taken, joined or loaded where it is first asked for.
    fn value(&mut self, stream: usize, value: Value, bank: Bank) -> Vec<Reg> {
        if let Some(registers) = self.values.get(&(stream, value, bank)) {
            return registers.clone();
        }
        let input = self.recipe.block.inputs.get(value.index()).copied();
        if let Some(Input::ConstantPart(part)) = input {
            return vec![self.constant(stream, part, bank); bank.registers()];
        }
        let registers = match bank {
            Bank::Vector => {
                let result = self.code.fresh(bank, Kind::Word);
                match self.values.get(&(stream, value, Bank::General)) {
                    Some(words) => self.push(Work::Join, &words.clone(), &[result]),
                    None => {
                        let input = input.expect("operations are in order");
                        self.push(Work::Load(stream, input), &[], &[result]);
                    }
                }
                vec![result]
            }
            Bank::General => {
                let vector = self.value(stream, value, Bank::Vector);
                let mut take = |lane| {
                    let result = self.code.fresh(bank, Kind::Word);
                    self.push(Work::Take(lane), &vector, &[result]);
                    result
                };
                (0..LANES).map(&mut take).collect()
            }
        };
        let key = (stream, value, bank);
        self.values.insert(key, registers.clone());
        registers
    }

    fn constant(&mut self, stream: usize, part: Part, bank: Bank) -> Reg {
        let key = (self.recipe.constants[stream], part, bank);
        if let Some(&reg) = self.constants.get(&key) {
            return reg;
        }
        let result = self.code.fresh(bank, Kind::Word);
        self.constants.insert(key, result);
        self.push(
            Work::Load(stream, Input::ConstantPart(part)),
            &[],
            &[result],
        );
        result
    }

    /// Appends a body; gives the registers of its results.
    fn inline(
        &mut self,
        body: &Body,
        operands: impl Iterator<Item = Reg>,
        bank: Bank,
        operation: usize,
    ) -> Vec<Reg> {
        let inner = body.operands.iter().copied();
        let mut names: BTreeMap<Reg, Reg> = inner.zip(operands).collect();
        let mut rest = body.instructions.as_slice();
        while !rest.is_empty() {
            let alone = |n: &usize| !passes_flags(body, rest, *n);
            let n = (1..=rest.len()).find(alone).expect("all are alone");
            let (group, after) = rest.split_at(n);
            rest = after;
            let (body, sources, results) = together(group);
            let sources = sources.into_iter().map(|source| match source {
                Source::Reg(reg) => Source::Reg(names[&reg]),
                constant @ Source::Constant(_) => constant,
            });
            let sources = sources.collect();
            for instruction in group {
                for (&reg, &kind) in instruction.results.iter().zip(instruction.row.results) {
                    names.insert(reg, self.code.fresh(bank, kind));
                }
            }
            self.code.pieces.push(Piece {
                work: Work::Rows { body, operation },
                sources,
                results: results.iter().map(|reg| names[reg]).collect(),
            });
        }
        body.results.iter().map(|reg| names[reg]).collect()
    }
}

/// Whether flags that the first `n` of these instructions write are read after them.
fn passes_flags(body: &Body, instructions: &[Instruction], n: usize) -> bool {
    let (before, after) = instructions.split_at(n);
    let mut written = before.iter().flat_map(|i| &i.results);
    let is_read = |reg| after.iter().any(|i| i.reads().any(|read| read == reg));
    written.any(|reg| body.kind(*reg) == Kind::Flags && is_read(*reg))
}

/// Instructions as a body of their own: whatever they read is an operand, constants and what is read
/// twice included; whatever they write is a result, flags aside. With what they read and write.
fn together(instructions: &[Instruction]) -> (Body, Vec<Source>, Vec<Reg>) {
    let written: BTreeSet<Reg> = instructions
        .iter()
        .flat_map(|i| i.results.clone())
        .collect();
    let outer = |source: &Source| !source.reg().is_some_and(|reg| written.contains(&reg));
    let read = instructions
        .iter()
        .flat_map(|i| i.sources.iter().copied().zip(i.row.sources));
    let (sources, kinds): (Vec<Source>, Vec<Kind>) = read.filter(|(s, _)| outer(s)).unzip();
    let mut body = Body {
        operands: (0..sources.len() as u32).map(Reg).collect(),
        registers: kinds,
        ..Body::default()
    };
    let mut operands = body.operands.clone().into_iter();
    let (mut inside, mut results) = (BTreeMap::new(), Vec::new());
    for instruction in instructions {
        let inner = |source: &Source| match source.reg().and_then(|reg| inside.get(&reg)) {
            Some(&reg) => Source::Reg(reg),
            None => Source::Reg(operands.next().expect("one for each")),
        };
        let sources = instruction.sources.iter().map(inner).collect();
        for (&reg, &kind) in instruction.results.iter().zip(instruction.row.results) {
            let new = Reg(body.registers.len() as u32);
            body.registers.push(kind);
            inside.insert(reg, new);
            if kind != Kind::Flags {
                body.results.push(new);
                results.push(reg);
            }
        }
        body.instructions.push(Instruction {
            results: instruction.results.iter().map(|reg| inside[reg]).collect(),
            sources,
            ..instruction.clone()
        });
    }
    (body, sources, results)
}

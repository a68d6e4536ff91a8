//! From a block and the bodies of its macro-ops to pieces.

use super::{Bank, Bodies, LANES, Mixed, Piece, Port, Work};
use crate::arith::{Block, Operation};
use crate::ir::{BlockKind, Input, Value};
use crate::isa::Kind;
use crate::machine::{Body, Instruction, Reg, Source};
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

/// The code of recipes, each of which works on what the one before leaves: S-boxes, a stream for each element, and the
/// linear layer after them; or internal rounds. Streams and operations are numbered on.
///
/// # Panics
/// If a recipe lacks the body of a macro-op.
#[must_use]
pub fn mixed(recipes: &[Recipe<'_>]) -> Mixed {
    let mut builder = Builder::new(recipes[0]);
    if recipes[0].held {
        builder.enter();
    }
    builder.operations();
    let first = builder.code.pieces.len();
    for &recipe in &recipes[1..] {
        builder.follow(recipe);
        builder.operations();
    }
    builder.leave();
    let mut code = builder.code;
    code.rounds = recipes.len() > 1;
    if code.rounds && !recipes[0].held {
        code.pieces = before_their_readers(code.pieces, first);
    }
    code
}

/// The pieces from one on, and those before it each right before what reads it.
fn before_their_readers(pieces: Vec<Piece>, later: usize) -> Vec<Piece> {
    let results = pieces.iter().enumerate();
    let made = results.flat_map(|(n, piece)| piece.results.iter().map(move |&reg| (reg, n)));
    let made: BTreeMap<Reg, usize> = made.collect();
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    for piece in later..pieces.len() {
        let mut path = vec![piece];
        while let Some(&last) = path.last() {
            let sources = pieces[last]
                .reads()
                .filter_map(|reg| made.get(&reg).copied());
            let awaited = sources.filter(|n| !seen.contains(n)).min();
            match awaited {
                Some(before) => path.push(before),
                None => {
                    path.pop();
                    if seen.insert(last) {
                        order.push(last);
                    }
                }
            }
        }
    }
    let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    order.into_iter().filter_map(|n| pieces[n].take()).collect()
}

struct Builder<'a> {
    recipe: Recipe<'a>,
    code: Mixed,
    /// What holds the values of each stream, where anything does.
    values: BTreeMap<(usize, Value, Bank), Vec<Reg>>,
    constants: BTreeMap<(usize, Input, Bank), Reg>,
    /// Numbers of the recipe's first stream, and of its block's first operation.
    first: (usize, usize),
}

impl<'a> Builder<'a> {
    fn new(recipe: Recipe<'a>) -> Self {
        Self {
            recipe,
            code: Mixed::default(),
            values: BTreeMap::new(),
            constants: BTreeMap::new(),
            first: (0, 0),
        }
    }

    /// Goes on with another recipe.
    fn follow(&mut self, next: Recipe<'a>) {
        let (before, streams) = (self.recipe, self.streams());
        let mut left = BTreeMap::new();
        for (n, stream) in streams.clone().enumerate() {
            let places = before.block.places().into_iter();
            for (place, &value) in places.zip(&before.block.outputs) {
                let place = match before.block.kind {
                    BlockKind::ExternalSbox => (0, Input::Inner(n)),
                    _ => (n, place),
                };
                let bank = self.home(stream, value);
                left.insert(place, (bank, self.value(stream, value, bank)));
            }
        }
        self.first = (streams.end, self.first.1 + before.block.operations.len());
        self.recipe = next;
        self.values.clear();
        self.constants.clear();
        for n in 0..next.placed.len() {
            for (value, &word) in (0..).map(Value).zip(&next.block.inputs) {
                if let Some((bank, registers)) = left.get(&(n, word)) {
                    let key = (self.first.0 + n, value, *bank);
                    self.values.insert(key, registers.clone());
                }
            }
        }
    }

    fn streams(&self) -> std::ops::Range<usize> {
        self.first.0..self.first.0 + self.recipe.placed.len()
    }

    /// The code of all operations.
    fn operations(&mut self) {
        for (n, operation) in self.recipe.block.operations.iter().enumerate() {
            if operation.is_coded() {
                for stream in self.streams() {
                    self.operation(stream, self.first.1 + n, operation);
                }
            }
        }
    }

    /// Where a value is made.
    fn home(&self, stream: usize, value: Value) -> Bank {
        match self.recipe.placed[stream - self.first.0].contains(&value) {
            true => Bank::General,
            false => Bank::Vector,
        }
    }

    fn enter(&mut self) {
        let block = self.recipe.block;
        for stream in self.streams() {
            for (n, &word) in block.inputs.iter().enumerate() {
                let value = Value(n as u32);
                let read = block.operations.iter().any(|o| o.operands.contains(&value));
                if !read || word.is_constant() {
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
        let block = self.recipe.block;
        for (n, stream) in self.streams().enumerate() {
            if !self.recipe.held {
                for (word, value) in block.moved() {
                    let source = self.value(stream, value, Bank::Vector)[0];
                    self.push(Work::Store(stream, word), &[source], &[]);
                }
                continue;
            }
            for (word, &value) in block.places().into_iter().zip(&block.outputs) {
                let registers = self.value(stream, value, self.home(stream, value));
                let before = |port: &&Port| port.stream == n && port.word == word;
                if let Some(before) = self.code.entries.iter().find(before) {
                    if before.registers == registers {
                        continue;
                    }
                    if before.registers.len() == registers.len() {
                        let pairs = registers.iter().copied().zip(before.registers.clone());
                        self.code.carried.extend(pairs);
                    }
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
        if let Some(input) = input.filter(|input| input.is_constant()) {
            return vec![self.constant(stream, input, bank); bank.registers()];
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

    fn constant(&mut self, stream: usize, input: Input, bank: Bank) -> Reg {
        let key = (self.recipe.constants[stream - self.first.0], input, bank);
        if let Some(&reg) = self.constants.get(&key) {
            return reg;
        }
        let result = self.code.fresh(bank, Kind::Word);
        self.constants.insert(key, result);
        self.push(Work::Load(stream, input), &[], &[result]);
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

//! Arithmetic programs: macro-ops on machine words, with what was decided at every site.

use super::{Across, Basis};
use crate::ir::{BlockKind, Input, Step, Value};
use crate::names::Part;
use crate::ops::{Contract, MacroOp, Range};
use crate::params::{Family, Field, Instance};
use std::collections::{BTreeMap, BTreeSet};

/// How the operand of a site came to meet the site's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The operand was never to be canonicalised here.
    AsIs,
    /// It is canonicalised for this site.
    Canonicalised,
    /// Its canonicalisation is left out on the strength of claim number `n` of the proof set.
    Elided(usize),
}

/// A site: an operation whose operands must meet a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// One entry per operand of the operation.
    pub treatments: Vec<Treatment>,
}

/// One macro-op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The macro-op.
    pub op: MacroOp,
    /// Operands, defined earlier.
    pub operands: Vec<Value>,
    /// The value it defines.
    pub result: Value,
    /// Name of the field operation it computes or serves.
    pub name: String,
    /// Decisions, if the macro-op has preconditions.
    pub site: Option<Site>,
    /// Set on a canonicalisation that was inserted: the operand of site `name` it serves.
    pub serves: Option<usize>,
}

impl Operation {
    /// Whether it has a line of its own.
    #[must_use]
    pub fn is_coded(&self) -> bool {
        self.op != MacroOp::Second
    }

    /// Whether it has a body: words that are the same in all states are named constants.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.is_coded() && self.word().is_none()
    }

    /// The word, where it is the same in all states.
    #[must_use]
    pub fn word(&self) -> Option<u64> {
        match self.op {
            MacroOp::Constant(word) => Some(word),
            _ => None,
        }
    }

    /// The values that its code defines.
    pub fn results(&self) -> impl Iterator<Item = Value> + use<> {
        let first = self.result.0;
        (first..first + self.op.results() as u32).map(Value)
    }
}

/// The return of an output to the boundary range, where the field asks for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Return {
    /// Stable name of the site.
    pub name: String,
    /// The value returned.
    pub value: Value,
    /// Whether it is canonicalised for that, or a claim says that it need not be.
    pub treatment: Treatment,
}

/// A block at arithmetic level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which block.
    pub kind: BlockKind,
    /// Inputs; input `n` is value `n`.
    pub inputs: Vec<Input>,
    /// Macro-ops in order.
    pub operations: Vec<Operation>,
    /// `outputs[i]` is the new state element `i`.
    pub outputs: Vec<Value>,
    /// One entry per output if the field's words are canonical between blocks, else none.
    pub returns: Vec<Return>,
}

impl Block {
    /// Number of values: inputs and results.
    #[must_use]
    pub fn values(&self) -> usize {
        self.inputs.len() + self.operations.len()
    }

    /// What each output is, in terms of the next block's inputs.
    #[must_use]
    pub fn places(&self) -> Vec<Input> {
        let parts = |i| Part::BOTH.map(|part| Input::StatePart(i, part));
        match self.kind {
            BlockKind::Leave => (0..self.outputs.len()).map(Input::State).collect(),
            BlockKind::Constant if self.outputs.len() == 1 => vec![Input::InnerConstant],
            BlockKind::Constant => Part::BOTH.map(Input::ConstantPart).to_vec(),
            BlockKind::Enter if self.outputs.len() == self.inputs.len() => {
                (0..self.inputs.len()).map(Input::Inner).collect()
            }
            BlockKind::Enter => (0..self.inputs.len()).flat_map(parts).collect(),
            _ => self.inputs[..self.outputs.len()].to_vec(),
        }
    }

    /// Outputs that are not where they belong already, each with its place.
    pub fn moved(&self) -> impl Iterator<Item = (Input, Value)> {
        let outputs = self.places().into_iter().zip(self.outputs.iter().copied());
        outputs.filter(|(place, value)| self.inputs.get(value.index()) != Some(place))
    }

    /// The operations with lines of their own that some values are made by, in order.
    #[must_use]
    pub fn leading_to(&self, values: &[Value]) -> Vec<&Operation> {
        let mut wanted = values.to_vec();
        let mut found = Vec::new();
        for operation in self.operations.iter().rev().filter(|o| o.is_coded()) {
            if operation.results().any(|result| wanted.contains(&result)) {
                wanted.extend(&operation.operands);
                found.push(operation);
            }
        }
        found.reverse();
        found
    }

    /// The block without operations that no output is made of, and what values are called in it.
    #[must_use]
    pub fn pruned(self) -> (Self, BTreeMap<Value, Value>) {
        let wanted = self.leading_to(&self.outputs).into_iter();
        let wanted: BTreeSet<Value> = wanted.flat_map(Operation::results).collect();
        let mut remade = Remade::new(&self);
        for operation in &self.operations {
            if wanted.contains(&operation.result) {
                remade.push(operation);
            }
        }
        let names = remade.names.clone();
        (remade.with(self.outputs.iter().copied()), names)
    }

    /// Whether its instructions may have an order of our own: named constants have none there, and sums of products
    /// have no lines of assembler.
    #[must_use]
    pub fn is_orderable(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.all(|operation| !matches!(operation.op, MacroOp::Constant(_) | MacroOp::Dot(_)))
    }

    /// Whether they have one where a core's is asked for. Other blocks are executed once, or are sums without a long
    /// chain, which the compiler lays out as well.
    #[must_use]
    pub fn has_sboxes_to_order(&self) -> bool {
        let has_sboxes = matches!(
            self.kind,
            BlockKind::ExternalSbox | BlockKind::InternalRound
        );
        has_sboxes && self.is_orderable()
    }

    /// The operation that defines `value`, or `None` for an input.
    #[must_use]
    pub fn definition(&self, value: Value) -> Option<&Operation> {
        value
            .index()
            .checked_sub(self.inputs.len())
            .map(|n| &self.operations[n])
    }
}

/// A block that is being made of operations of another.
pub(crate) struct Remade {
    block: Block,
    /// What values of the other are called here.
    pub(crate) names: BTreeMap<Value, Value>,
}

impl Remade {
    pub(crate) fn new(block: &Block) -> Self {
        let block = Block {
            operations: Vec::new(),
            ..block.clone()
        };
        let inputs = (0..block.inputs.len() as u32).map(Value);
        let names = inputs.map(|value| (value, value)).collect();
        Self { block, names }
    }

    /// Values that are called as others are here.
    pub(crate) fn rename(&mut self, values: &[Value], others: &[Value]) {
        let others: Vec<Value> = others.iter().map(|value| self.names[value]).collect();
        self.names.extend(values.iter().copied().zip(others));
    }

    pub(crate) fn push(&mut self, operation: &Operation) {
        let result = Value(self.block.values() as u32);
        let operands = operation.operands.iter();
        self.block.operations.push(Operation {
            operands: operands.map(|value| self.names[value]).collect(),
            result,
            ..operation.clone()
        });
        self.names.insert(operation.result, result);
    }

    /// The block of these outputs.
    pub(crate) fn with(mut self, outputs: impl Iterator<Item = Value>) -> Block {
        self.block.outputs = outputs.map(|value| self.names[&value]).collect();
        self.block
    }
}

/// A permutation at arithmetic level.
#[derive(Clone, Debug)]
pub struct Program {
    /// The instance it must compute.
    pub instance: Instance,
    /// The blocks: those of [`crate::ir::Program::blocks`] in their order, then what leads from
    /// words to parts and back, where elements have parts.
    pub blocks: Vec<Block>,
    /// Words that hold one element between blocks: 1, or 2 for its parts.
    pub parts: usize,
    /// Where elements have parts, the second weighs two to this power.
    pub radix: u32,
    /// The field in the words that blocks work on. Those that lead in and out have the instance's
    /// words in memory.
    pub words: &'static Field,
    /// What one permutation executes, in order.
    pub flow: Vec<Step>,
    /// The basis of the state between internal rounds.
    pub basis: Basis,
    /// How blocks are written, where one state lies across the lanes of vectors.
    pub across: Option<Across>,
}

impl Program {
    /// The range of every state word between blocks: the loop invariant that ranges are proved
    /// to keep. Goldilocks kernels take and give any word; 31-bit kernels Montgomery forms below `p`.
    pub fn boundary(field: &Field) -> Range {
        if field.is_montgomery() {
            Range::below(field.modulus)
        } else {
            Range::word(field.word_bits())
        }
    }

    /// The range of an input.
    pub fn input_range(field: &Field, input: Input) -> Range {
        match input {
            Input::State(_) => Self::boundary(field),
            Input::Constant => Range::below(field.modulus),
            _ => unreachable!("ranges of other words follow from the control flow"),
        }
    }

    /// Whether the words that blocks work on are wider than those in memory.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.words.word_bits() > self.instance.field.word_bits()
    }

    /// Words in memory that a round constant takes: one for each part. Where lanes have 64 bits, a zero follows a word
    /// of 32, so that an addition can take a constant from memory as it is.
    #[must_use]
    pub fn constant_words(&self) -> usize {
        match self.words.family {
            Family::Montgomery52 => 2,
            _ => self.parts,
        }
    }

    /// Whether blocks work on words that are not those in memory; others lead in and out.
    #[must_use]
    pub fn is_inner(&self) -> bool {
        self.block(BlockKind::Enter).is_some()
    }

    /// Where internal rounds move all elements but the first on by one place, and make but the first two anew: how many
    /// elements there are, and rounds.
    #[must_use]
    pub fn window(&self) -> Option<[usize; 2]> {
        let round = &self.blocks[self.block(BlockKind::InternalRound)?];
        let moved = round.outputs.iter().skip(2).map(|v| v.index());
        let slides = self.enters_linearly() && moved.eq(1..self.instance.width - 1);
        slides.then_some([self.instance.width, self.instance.internal_rounds])
    }

    /// The field in the words that a block works on: constants are prepared in those of memory.
    #[must_use]
    pub fn words_of(&self, kind: BlockKind) -> &'static Field {
        match kind {
            BlockKind::Constant => self.instance.field,
            _ => self.words,
        }
    }

    /// The field in the words that are in a place.
    #[must_use]
    pub fn words_in(&self, place: Input) -> &'static Field {
        match place {
            Input::State(_) | Input::Constant => self.instance.field,
            _ => self.words,
        }
    }

    /// The contract of an operation of a block of this program.
    ///
    /// # Panics
    /// If the field lacks the macro-op; lowering does not produce such operations.
    #[must_use]
    pub fn contract(&self, block: BlockKind, op: MacroOp) -> Contract {
        let contract = Contract::of(self.words_of(block), op);
        contract.expect("lowering emits only macro-ops of the field")
    }
}

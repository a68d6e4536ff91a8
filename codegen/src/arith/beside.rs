//! Blocks on columns as they are written where both columns of an element are in one vector.
//!
//! Sums and shifts are the same in both columns, and one statement on vectors. Products, and what makes one word of
//! two columns, are on general registers. So is all that leads from element 0 to element 0 of the next internal round:
//! every round waits for the one before along that way and no other.

use super::{Across, Block, Made, Move, Operation, Piece, PieceId, Pieces, Program};
use crate::ir::{BlockKind, Input, Value};
use crate::names::Part;
use crate::ops::MacroOp;
use std::collections::BTreeSet;

impl Across {
    /// The blocks of a program on columns; constants are prepared elsewhere.
    #[must_use]
    pub fn beside(program: &Program) -> Self {
        let blocks = program.blocks.iter();
        let blocks = blocks.filter(|block| block.kind != BlockKind::Constant);
        Self(blocks.map(gathered).collect())
    }
}

fn gathered(block: &Block) -> Pieces {
    let mut gathering = Gathering {
        block,
        apart: way_of_first(block),
        pieces: Vec::new(),
    };
    let coded: Vec<&Operation> = block.operations.iter().filter(|o| o.has_body()).collect();
    let mut rest = &coded[..];
    while let [operation, after @ ..] = rest {
        rest = match after {
            [twin, after @ ..] if gathering.are_twins(operation, twin) => {
                gathering.together([operation, twin]);
                after
            }
            _ => {
                gathering.alone(operation);
                after
            }
        };
    }
    gathering.finish()
}

/// What leads from element 0 and the constant to the next element 0, in internal rounds.
fn way_of_first(block: &Block) -> BTreeSet<Value> {
    if block.kind != BlockKind::InternalRound {
        return BTreeSet::new();
    }
    let is_first = |input: &Input| matches!(input, Input::StatePart(0, _) | Input::ConstantPart(_));
    let inputs = (0..).map(Value).zip(&block.inputs);
    let first = inputs.filter(|(_, input)| is_first(input));
    let mut way: BTreeSet<Value> = first.map(|(value, _)| value).collect();
    for operation in block.leading_to(&block.outputs[..2]) {
        if operation.operands.iter().any(|value| way.contains(value)) {
            way.extend(operation.results());
        }
    }
    way
}

/// A block that is being gathered.
struct Gathering<'a> {
    block: &'a Block,
    /// Values that are on general registers.
    apart: BTreeSet<Value>,
    pieces: Vec<Piece>,
}

impl Gathering<'_> {
    fn push(&mut self, made: Made, lanes: Vec<Option<Value>>) -> PieceId {
        self.pieces.push(Piece { made, lanes });
        PieceId(self.pieces.len() - 1)
    }

    fn found(&self, is: impl Fn(&Piece) -> bool) -> Option<PieceId> {
        self.pieces.iter().position(is).map(PieceId)
    }

    /// What an operation gives: the lanes of each result.
    fn given(&mut self, made: Made, results: &[Vec<Option<Value>>]) {
        for (n, lanes) in results.iter().enumerate() {
            let made = if n == 0 { made.clone() } else { Made::Second };
            self.push(made, lanes.clone());
        }
    }

    /// An input is read where something first asks for it.
    fn read(&mut self, value: Value) {
        let input = self.block.inputs.get(value.index());
        let Some(&input) = input.filter(|_| self.holder(value).is_none()) else {
            return;
        };
        let word = vec![Some(value)];
        let (made, lanes) = match (input, self.apart.contains(&value)) {
            (Input::State(i), _) => (Made::State(i), word),
            (Input::StatePart(_, part), true) => (Made::First(part as usize), word),
            (Input::ConstantPart(part), true) => (Made::Constant(part as usize), word),
            (Input::StatePart(i, _), false) => {
                (Made::Row(i), self.both(|part| Input::StatePart(i, part)))
            }
            (Input::ConstantPart(_), false) => (Made::Constants, self.both(Input::ConstantPart)),
            _ => unreachable!("columns have no other inputs"),
        };
        self.push(made, lanes);
    }

    /// The inputs of both parts.
    fn both(&self, input: impl Fn(Part) -> Input) -> Vec<Option<Value>> {
        let inputs = &self.block.inputs;
        let found = Part::BOTH.map(|part| {
            let at = inputs.iter().position(|own| *own == input(part));
            at.map(|n| Value(n as u32))
        });
        found.to_vec()
    }

    /// A piece that holds a value.
    fn holder(&self, value: Value) -> Option<PieceId> {
        self.found(|piece| piece.lanes.contains(&Some(value)))
    }

    fn word_of(&self, value: Value) -> Option<PieceId> {
        self.found(|piece| piece.lanes == [Some(value)])
    }

    fn constant(&self, value: Value) -> Option<u64> {
        self.block.definition(value).and_then(Operation::word)
    }

    /// The value on a general register.
    fn word(&mut self, value: Value) -> PieceId {
        self.read(value);
        if let Some(word) = self.word_of(value) {
            return word;
        }
        if let Some(word) = self.constant(value) {
            return self.push(Made::Word(word), vec![Some(value)]);
        }
        let vector = self.holder(value).expect("operands are made before");
        let lanes = self.pieces[vector.0].lanes.clone();
        let first = self.push(Made::Taken(vector), vec![lanes[0]]);
        let second = self.push(Made::Second, vec![lanes[1]]);
        if lanes[0] == Some(value) {
            first
        } else {
            second
        }
    }

    /// Whether two values can be the lanes of one vector: words, or columns that are in their lanes already.
    fn are_beside(&mut self, values: [Value; 2]) -> bool {
        for value in values {
            self.read(value);
        }
        let in_lanes = [0, 1].map(|lane| self.in_its_lane(values[lane], lane).is_some());
        let are_constants = values.iter().all(|value| self.constant(*value).is_some());
        let are_words = values.iter().all(|value| self.word_of(*value).is_some());
        are_constants || are_words || in_lanes == [true; 2]
    }

    fn in_its_lane(&self, value: Value, lane: usize) -> Option<PieceId> {
        self.found(|piece| piece.is_vector() && piece.lanes[lane] == Some(value))
    }

    /// Two values as the lanes of one vector.
    fn vector(&mut self, values: [Value; 2]) -> PieceId {
        for value in values {
            self.read(value);
        }
        let lanes = values.map(Some);
        if let Some(vector) = self.found(|piece| piece.lanes == lanes) {
            return vector;
        }
        let made = if let [Some(low), Some(high)] = values.map(|value| self.constant(value)) {
            Made::Words(vec![low, high])
        } else if let [Some(low), Some(high)] = values.map(|value| self.word_of(value)) {
            Made::Joined([low, high])
        } else {
            let [first, rest] = [0, 1].map(|lane| self.in_lane(values[lane], lane));
            Made::WithFirst([rest, first])
        };
        self.push(made, lanes.to_vec())
    }

    /// A vector with the value in a lane.
    fn in_lane(&mut self, value: Value, lane: usize) -> PieceId {
        if let Some(vector) = self.in_its_lane(value, lane) {
            return vector;
        }
        let other = self.in_its_lane(value, 1 - lane);
        let other = other.expect("operations on one column alone are of vectors");
        let lanes = self.pieces[other.0].lanes.iter().rev().copied().collect();
        self.push(Made::Moved(Move::Neighbours, other), lanes)
    }

    /// Whether an operation is on vectors.
    fn is_on_vectors(&self, operation: &Operation) -> bool {
        let is_lanewise = matches!(
            operation.op,
            MacroOp::Plus | MacroOp::Minus | MacroOp::ShiftLeft(_) | MacroOp::Cut(_)
        );
        is_lanewise && !self.apart.contains(&operation.result)
    }

    fn are_twins(&mut self, operation: &Operation, twin: &Operation) -> bool {
        let mut pairs = operation.operands.iter().zip(&twin.operands);
        operation.op == twin.op
            && self.is_on_vectors(operation)
            && self.is_on_vectors(twin)
            && pairs.all(|(a, b)| self.are_beside([*a, *b]))
    }

    /// The word that general registers have of the same operation on the same values.
    fn made_apart(&self, operation: &Operation) -> Option<PieceId> {
        let is_same = |other: &&Operation| {
            other.op == operation.op
                && other.operands == operation.operands
                && self.apart.contains(&other.result)
        };
        let other = self.block.operations.iter().find(is_same)?;
        self.word_of(other.result)
    }

    /// The same operation on both columns.
    fn together(&mut self, [low, high]: [&Operation; 2]) {
        // Of an operation on the same values a kernel has the results of one body: the checker tells bodies apart.
        if let [Some(first), Some(second)] = [low, high].map(|operation| self.made_apart(operation))
            && low.results().count() == 1
        {
            let lanes = vec![Some(low.result), Some(high.result)];
            self.push(Made::Joined([first, second]), lanes);
            return;
        }
        let operands = low.operands.iter().zip(&high.operands);
        let operands = operands.map(|(a, b)| self.vector([*a, *b])).collect();
        let results = low.results().zip(high.results());
        let results: Vec<_> = results.map(|(a, b)| vec![Some(a), Some(b)]).collect();
        self.given(Made::Operation(low.op, operands), &results);
    }

    /// An operation on one column alone, or on words.
    fn alone(&mut self, operation: &Operation) {
        let results = operation.results().map(Some);
        if !self.is_on_vectors(operation) {
            let operands = operation.operands.iter().map(|value| self.word(*value));
            let made = Made::Operation(operation.op, operands.collect());
            let results: Vec<_> = results.map(|result| vec![result]).collect();
            return self.given(made, &results);
        }
        let [first, ..] = operation.operands[..] else {
            unreachable!("constants have no bodies");
        };
        let lane = usize::from(self.in_its_lane(first, 0).is_none());
        let operands = operation.operands.iter();
        let operands = operands.map(|value| self.in_lane(*value, lane)).collect();
        let results = results.map(|result| {
            let mut lanes = vec![None, None];
            lanes[lane] = result;
            lanes
        });
        let results: Vec<_> = results.collect();
        self.given(Made::Operation(operation.op, operands), &results);
    }

    fn finish(mut self) -> Pieces {
        let (outputs, places) = (&self.block.outputs, self.block.places());
        let (mut first, mut rows) = (Vec::new(), Vec::new());
        if self.block.kind == BlockKind::Leave {
            let words = outputs.iter().map(|value| self.word(*value));
            rows = words.enumerate().collect();
        } else {
            for (i, columns) in outputs.chunks(2).enumerate() {
                let stays =
                    |n: usize| self.block.inputs.get(columns[n].index()) == places.get(2 * i + n);
                if self.block.kind == BlockKind::InternalRound && i == 0 {
                    first = columns.iter().map(|value| self.word(*value)).collect();
                } else if !(stays(0) && stays(1)) {
                    rows.push((i, self.vector([columns[0], columns[1]])));
                }
            }
        }
        Pieces {
            kind: self.block.kind,
            all: self.pieces,
            first,
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{Claims, lower};
    use crate::names::Strategy;
    use crate::params::{GOLDILOCKS, instance};

    fn pieces(kind: BlockKind) -> (Block, Pieces) {
        let instance = instance("plonky3", &GOLDILOCKS, 12).expect("a named set");
        let source = crate::ir::Program::build(&instance);
        let program = lower(&source, Strategy::Beside, &Claims::new(&[])).expect("it is for x^7");
        let block = program.blocks[program.block(kind).expect("a block")].clone();
        let across = program.across.expect("columns are in vectors");
        (block, across.block(kind).expect("it is in pieces").clone())
    }

    /// A linear layer has one statement for both columns.
    #[test]
    fn linear_layers_are_on_vectors_alone() {
        let (block, pieces) = pieces(BlockKind::ExternalLinear);
        let is_operation = |piece: &&Piece| matches!(piece.made, Made::Operation(..));
        let operations = pieces.all.iter().filter(is_operation);
        assert!(operations.clone().all(|piece| piece.is_vector()));
        assert_eq!(2 * operations.count(), block.operations.len());
    }

    /// From one element 0 to the next nothing leaves the general registers.
    #[test]
    fn the_way_that_rounds_wait_for_is_on_general_registers() {
        let (block, pieces) = pieces(BlockKind::InternalRound);
        let [first, _] = pieces.first[..] else {
            panic!("element 0 is in two words");
        };
        let mut way = vec![first];
        let mut firsts = 0;
        while let Some(PieceId(n)) = way.pop() {
            match &pieces.all[n].made {
                Made::Operation(_, operands) => {
                    assert!(!pieces.all[n].is_vector(), "{:?}", pieces.all[n]);
                    way.extend(operands);
                }
                Made::Second => way.push(PieceId(n - 1)),
                Made::First(_) => firsts += 1,
                // What comes from vectors is of other elements.
                Made::Taken(_) | Made::Constant(_) => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(firsts > 0, "{}", block.operations.len());
    }

    /// Every value of a vector is in the lane of its column.
    #[test]
    fn rows_are_whole_elements() {
        let (block, pieces) = pieces(BlockKind::InternalNormalise);
        assert!(!pieces.rows.is_empty());
        for (i, PieceId(n)) in pieces.rows {
            let lanes = [2 * i, 2 * i + 1].map(|output| Some(block.outputs[output]));
            assert_eq!(pieces.all[n].lanes, lanes);
        }
    }
}

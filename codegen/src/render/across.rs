//! Kernels with one state across the lanes of vectors: blocks as statements on vectors and words.

use super::macros::{Side, invocation, macro_name, tuple};
use super::{Comment, comments, noted};
use crate::arith::{Across, LANES, Made, Move, Piece, PieceId, Pieces};
use crate::ir::{BlockKind, Value};
use crate::ops::MacroOp;
use crate::prove::Proved;
use std::collections::BTreeMap;

/// The statements of one block, and those of S-boxes of the whole state.
pub(super) fn statements(proved: &Proved, index: usize, across: &Across) -> String {
    let comments = comments(proved, index);
    let program = proved.program();
    let block = &program.blocks[index];
    let Some(pieces) = across.block(block.kind) else {
        return sboxes(proved, index, &comments);
    };
    let text = |state, element| Text {
        pieces,
        state,
        element,
        bits: program.words.word_bits(),
        inputs: block.inputs.len(),
        comments: &comments,
    };
    let texts = match block.kind {
        BlockKind::ExternalSbox => (0..program.instance.width)
            .map(|i| text("state[0]", Some(i)))
            .collect(),
        BlockKind::InternalRound => vec![text("state[0]", None)],
        BlockKind::Enter => vec![text("words[0]", None)],
        _ => vec![text("group", None)],
    };
    let pieces = 0..pieces.all.len();
    let statements = pieces.map(|n| {
        texts
            .iter()
            .map(|text| text.statement(n))
            .collect::<String>()
    });
    let ends = texts.iter().map(Text::end);
    statements.chain(ends).collect()
}

/// The moves of words between lanes as templates see them.
pub(super) fn moves(across: &Across) -> Vec<BTreeMap<&'static str, String>> {
    let described = |way: Move| {
        let sources: [usize; LANES] = std::array::from_fn(|lane| way.source(lane));
        // What a shuffle within halves of a vector has for an immediate: two bits for each of four lanes.
        let immediate = (0..4).map(|lane| (sources[lane] % 4) << (2 * lane));
        BTreeMap::from([
            ("name", way.name().to_owned()),
            ("sources", sources.map(|lane| lane.to_string()).join(", ")),
            ("immediate", format!("{:#04X}", immediate.sum::<usize>())),
        ])
    };
    across.moves().into_iter().map(described).collect()
}

/// A word that is the same in all states.
fn constant(word: u64) -> String {
    format!("{word}_u32")
}

fn vector(words: impl Iterator<Item = String>) -> String {
    format!("vector!({})", words.collect::<Vec<_>>().join(", "))
}

/// A block that becomes text.
struct Text<'a> {
    pieces: &'a Pieces,
    /// Where its vectors are, or its words.
    state: &'static str,
    /// The element that an S-box is of; its names end in that.
    element: Option<usize>,
    /// Bits of a word.
    bits: u32,
    inputs: usize,
    comments: &'a BTreeMap<usize, Comment>,
}

impl Text<'_> {
    fn name(&self, PieceId(n): &PieceId) -> String {
        match self.pieces.all[*n].made {
            Made::First(part) => self.first(part),
            Made::Constant(_) if self.pieces.first.len() == 1 => "constant".to_owned(),
            Made::Constant(part) => format!("constants.internal[round][{part}]"),
            Made::Word(word) => self.constant(word),
            _ => match self.element {
                Some(element) => format!("v{n}_{element}"),
                None => format!("v{n}"),
            },
        }
    }

    /// A word of element 0, where it is in no vector.
    fn first(&self, part: usize) -> String {
        match self.pieces.first.len() {
            1 => "first".to_owned(),
            _ => format!("first[{part}]"),
        }
    }

    /// A vector of the state; an S-box has one, that of its element.
    fn row(&self, row: usize) -> String {
        format!("{}[{}]", self.state, self.element.unwrap_or(row))
    }

    fn constant(&self, word: u64) -> String {
        format!("{word}_u{}", self.bits)
    }

    /// The statement that makes a piece, and what else it gives.
    fn statement(&self, n: usize) -> String {
        let name = |piece: &PieceId| self.name(piece);
        let piece = &self.pieces.all[n];
        let made = match &piece.made {
            Made::First(_) | Made::Constant(_) | Made::Word(_) | Made::Second => {
                return String::new();
            }
            Made::Row(row) => self.row(*row),
            Made::State(i) => format!("{}[{i}][0]", self.state),
            Made::Constants => {
                let element = self.element.expect("other constants are words");
                let part = |part| format!("constants.external[step - 1][{element}][{part}]");
                vector([0, 1].map(part).into_iter())
            }
            Made::Words(words)
                if words.len() == LANES && words.iter().all(|word| *word == words[0]) =>
            {
                format!("broadcast!({})", self.constant(words[0]))
            }
            Made::Words(words) => vector(words.iter().map(|word| self.constant(*word))),
            Made::Taken(x) => format!("words!({})", name(x)),
            Made::Joined(words) => vector(words.iter().map(name)),
            Made::Moved(way, x) => format!("{way}!({})", name(x)),
            Made::Broadcast(x) => format!("broadcast!({})", name(x)),
            Made::FirstOf(x) => format!("first!({})", name(x)),
            Made::WithFirst([x, first]) => format!("with_first!({}, {})", name(x), name(first)),
            Made::Operation(op, operands) => {
                let operands: Vec<String> = operands.iter().map(name).collect();
                let suffix = match piece.is_vector() {
                    true => Side::Main.suffix(),
                    false => Side::General.suffix(),
                };
                let op = format!("{}{suffix}", macro_name(*op));
                let statement = invocation(&self.results(n), &op, &operands);
                let is_first = self.element.is_none_or(|element| element == 0);
                let comment = comment(piece, self.inputs, self.comments).filter(|_| is_first);
                return noted(comment, &statement);
            }
        };
        format!("let {} = {made};\n", tuple(&self.results(n)))
    }

    /// What a statement makes, by name.
    fn results(&self, n: usize) -> Vec<String> {
        let all = &self.pieces.all;
        let others = all[n + 1..]
            .iter()
            .take_while(|piece| piece.made == Made::Second);
        let pieces = n..=n + others.count();
        pieces.map(|n| self.name(&PieceId(n))).collect()
    }

    /// What becomes of the state.
    fn end(&self) -> String {
        let rows = self.pieces.rows.iter();
        let rows = rows.map(|(row, piece)| (row, self.name(piece)));
        if self.pieces.kind == BlockKind::Enter {
            let rows: Vec<String> = rows.map(|(_, name)| name).collect();
            return format!("let mut state = [[{}]];\n", rows.join(", "));
        }
        let place = |row: &usize| match self.pieces.kind {
            BlockKind::Leave => format!("words[{row}][0]"),
            _ => self.row(*row),
        };
        let rows = rows.map(|(row, name)| format!("{} = {name};\n", place(row)));
        let first = self.pieces.first.iter().enumerate();
        let first =
            first.map(|(part, piece)| format!("{} = {};\n", self.first(part), self.name(piece)));
        rows.chain(first).collect()
    }
}

/// What is said of the operation in the first lane that has one.
fn comment<'c>(
    piece: &Piece,
    inputs: usize,
    comments: &'c BTreeMap<usize, Comment>,
) -> Option<&'c Comment> {
    let value = piece.lanes.iter().flatten().next()?;
    comments.get(&value.index().checked_sub(inputs)?)
}

/// The S-box of every element, with round constants of their own, vector by vector.
fn sboxes(proved: &Proved, index: usize, comments: &BTreeMap<usize, Comment>) -> String {
    let program = proved.program();
    let block = &program.blocks[index];
    let vectors = program.instance.width / LANES;
    let name = |value: Value, n: usize| match block.definition(value).map(|o| o.op) {
        Some(MacroOp::Constant(word)) => format!("broadcast!({})", constant(word)),
        _ => format!("{value}_{n}"),
    };
    let mut text = String::new();
    for n in 0..vectors {
        let constants = (n * LANES..(n + 1) * LANES)
            .map(|element| format!("constants.external[step - 1][{element}]"));
        let inputs = [format!("state[0][{n}]"), vector(constants)];
        for (value, input) in (0..).map(Value).zip(inputs) {
            text += &format!("let {} = {input};\n", name(value, n));
        }
    }
    for (at, operation) in block.operations.iter().enumerate() {
        if !operation.has_body() {
            continue;
        }
        let lines = (0..vectors).map(|n| {
            let operands = operation.operands.iter().map(|v| name(*v, n));
            let operands: Vec<String> = operands.collect();
            let results = [name(operation.result, n)];
            invocation(&results, &macro_name(operation.op), &operands)
        });
        text += &noted(comments.get(&at), &lines.collect::<String>());
    }
    for n in 0..vectors {
        text += &format!("state[0][{n}] = {};\n", name(block.outputs[0], n));
    }
    text
}

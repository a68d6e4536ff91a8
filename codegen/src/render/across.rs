//! Kernels with one state across the lanes of vectors: blocks as statements on vectors and words.

use super::macros::{Side, invocation, macro_name};
use super::{Comment, comments, noted};
use crate::arith::{Across, LANES, Made, Move, Piece, PieceId, Pieces};
use crate::ir::{BlockKind, Value};
use crate::ops::MacroOp;
use crate::prove::Proved;
use std::collections::BTreeMap;

/// The statements of one block, and those of S-boxes of the whole state.
pub(super) fn statements(proved: &Proved, index: usize, across: &Across) -> String {
    let comments = comments(proved, index);
    let block = &proved.program().blocks[index];
    let inputs = block.inputs.len();
    match block.kind {
        BlockKind::ExternalSbox => sboxes(proved, index, &comments),
        BlockKind::ExternalLinear => of(&across.linear, "group", inputs, &comments),
        BlockKind::InternalRound => of(&across.internal, "state[0]", inputs, &comments),
        _ => unreachable!("states have no other blocks across lanes"),
    }
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

fn of(pieces: &Pieces, state: &str, inputs: usize, comments: &BTreeMap<usize, Comment>) -> String {
    let name = |PieceId(n): &PieceId| match pieces.all[*n].made {
        Made::First => "first".to_owned(),
        Made::Constant => "constant".to_owned(),
        Made::Word(word) => constant(word),
        _ => format!("v{n}"),
    };
    let mut text = String::new();
    for (n, piece) in pieces.all.iter().enumerate() {
        let made = match &piece.made {
            Made::Row(row) => format!("{state}[{row}]"),
            Made::First | Made::Constant | Made::Word(_) => continue,
            Made::Words(words) if words[1..].iter().all(|word| *word == words[0]) => {
                format!("broadcast!({})", constant(words[0]))
            }
            Made::Words(words) => vector(words.iter().map(|word| constant(*word))),
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
                let statement = invocation(&[name(&PieceId(n))], &op, &operands);
                text += &noted(comment(piece, inputs, comments), &statement);
                continue;
            }
        };
        text += &format!("let {} = {made};\n", name(&PieceId(n)));
    }
    for (n, row) in pieces.rows.iter().enumerate() {
        text += &format!("{state}[{n}] = {};\n", name(row));
    }
    if let Some(first) = &pieces.first {
        text += &format!("first = {};\n", name(first));
    }
    text
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

//! Statements that we schedule: every instruction a macro around one line of assembler, which
//! the compiler gives registers and leaves where it is.
//!
//! Left to itself the compiler puts the instructions of the long chain through an S-box next to each
//! other, and the vectors' beside them after them; a core then waits for the one with nothing of
//! the other in sight.

use super::general;
use super::inline::{Face, Macros};
use super::macros::{Side, constant_macro, invocation, tuple};
use super::rust::{Layout, Place};
use super::{comments, noted};
use crate::asm::{Bank, Bodies, Mixed, Piece, Recipe, Work, mixed};
use crate::diag::Diagnostic;
use crate::ir::{BlockKind, Input};
use crate::isa::{self, Kind, Row, Target, table};
use crate::machine::{Body, Instruction, Reg, Source};
use crate::names::Core;
use crate::prove::Proved;
use crate::schedule::{is_order, list_schedule};
use std::collections::BTreeSet;

/// Blocks that have an order of their own. The others are executed once, or are sums without a long
/// chain, which the compiler lays out as well.
pub(super) fn applies(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::ExternalSbox | BlockKind::InternalRound)
}

/// The statements of one block in an order for a core.
pub(super) fn ordered(
    proved: &Proved,
    index: usize,
    layout: Layout,
    core: &Core,
    (vectors, words): (&Bodies, &Bodies),
    macros: &mut Macros,
) -> Result<String, Diagnostic> {
    let block = &proved.program().blocks[index];
    let streams = layout.streams(block.kind);
    let placed: Vec<BTreeSet<_>> = streams
        .iter()
        .map(|stream| general::words(layout, block, stream.lead))
        .collect();
    let constants: Vec<usize> = streams.iter().map(|stream| stream.lead).collect();
    let code = mixed(Recipe {
        block,
        vectors,
        words,
        placed: &placed,
        constants: &constants,
        held: block.kind == BlockKind::InternalRound,
    });
    let order = list_schedule(&code, core);
    if !is_order(&code, &order) {
        let name = block.kind.name();
        return Err(Diagnostic::new(format!(
            "the schedule of {name} is not its dependence graph"
        )));
    }
    let place = |stream: usize| layout.place(block, streams[stream]);
    let port = |stream: usize, word: Input, held: &[Reg]| {
        let at = match held {
            [_] => place(stream).state(word),
            _ => place(stream).first(word),
        };
        (at, tuple(&names(&code, held)))
    };
    let mut text = String::new();
    for entry in &code.entries {
        let (at, held) = port(entry.stream, entry.word, &entry.registers);
        text += &format!("let {held} = {at};\n");
    }
    let mut comments = comments(proved, index);
    for n in order {
        let piece = &code.pieces[n];
        let comment = match piece.work {
            Work::Rows { operation, .. } => comments.remove(&operation),
            _ => None,
        };
        text += &noted(&comment, &statement(&code, piece, place, macros));
    }
    for exit in &code.exits {
        let (at, held) = port(exit.stream, exit.word, &exit.registers);
        text += &format!("{at} = {held};\n");
    }
    Ok(text)
}

/// Names of registers.
fn names(code: &Mixed, registers: &[Reg]) -> Vec<String> {
    let name = |reg: &Reg| match code.bank(*reg) {
        Bank::Vector => format!("v{}", reg.0),
        Bank::General => format!("x{}", reg.0),
    };
    registers.iter().map(name).collect()
}

fn statement<'a>(
    code: &Mixed,
    piece: &Piece,
    place: impl Fn(usize) -> Place<'a>,
    macros: &mut Macros,
) -> String {
    let (name, body) = match &piece.work {
        Work::Rows { body, .. } => (group_name(body), body),
        Work::Take(lane) => (format!("take_{lane}"), &chain(&isa::take()[*lane..=*lane])),
        Work::Join => ("join".to_owned(), &chain(isa::join())),
        Work::Load(stream, input) => {
            let (place, result) = (place(*stream), piece.results[0]);
            let from = match (input, code.bank(result)) {
                (Input::ConstantPart(part), Bank::General) => place.constant(Some(*part)),
                (Input::ConstantPart(part), Bank::Vector) => {
                    format!("broadcast!({})", place.constant(Some(*part)))
                }
                (word, _) => place.state(*word),
            };
            return format!("let {} = {from};\n", names(code, &[result])[0]);
        }
        Work::Store(stream, output) => {
            let reads: Vec<Reg> = piece.reads().collect();
            let to = place(*stream).state(*output);
            return format!("{to} = {};\n", names(code, &reads)[0]);
        }
    };
    let bank = code.bank(piece.results[0]);
    let side = match bank {
        Bank::Vector => Side::Main,
        Bank::General => Side::General,
    };
    let sources = piece.sources.iter().zip(&body.registers);
    let arguments: Vec<String> = sources
        .map(|(source, kind)| match source {
            Source::Reg(reg) => names(code, &[*reg]).remove(0),
            Source::Constant(named) => constant_macro(named.name, Kind::Word, *kind, side) + "!()",
        })
        .collect();
    let banks = piece.sources.iter().map(|source| match source {
        Source::Reg(reg) => code.bank(*reg),
        Source::Constant(_) => bank,
    });
    let banks = banks.chain(std::iter::repeat(bank));
    let face = Face {
        operands: (0..body.operands.len()).map(operand_name).collect(),
        results: (0..body.results.len()).map(|n| format!("r{n}")).collect(),
        types: banks.zip(&body.registers).map(of_type).collect(),
        state: Kind::Word,
        side: Side::Main,
        pure: false,
    };
    let name = macros.define(&name, body, face);
    invocation(&names(code, &piece.results), &name, &arguments)
}

/// The Rust type of a register; flags are in none.
fn of_type((bank, kind): (Bank, &Kind)) -> &'static str {
    let target = match bank {
        Bank::Vector => Target::Neon,
        Bank::General => Target::Aarch64,
    };
    table(target).rust_type(*kind).unwrap_or_default()
}

/// What a group's macro is called: its rows and immediates.
fn group_name(body: &Body) -> String {
    let mut name: Vec<String> = Vec::new();
    for instruction in &body.instructions {
        name.push(instruction.row.name.replace(' ', "_"));
        name.extend(instruction.immediates.iter().map(u32::to_string));
    }
    name.join("_")
}

/// Moves whose first operand is the one before, and whose last ones are operands.
fn chain(rows: &'static [Row]) -> Body {
    let operands = rows.len() as u32;
    let instructions = (0..operands).zip(rows).map(|(n, row)| {
        let last = Source::Reg(Reg(n));
        let before = n.checked_sub(1).map(|n| Source::Reg(Reg(operands + n)));
        Instruction {
            row,
            results: vec![Reg(operands + n)],
            sources: before.into_iter().chain([last]).collect(),
            immediates: Vec::new(),
        }
    });
    Body {
        registers: vec![Kind::Word; 2 * rows.len()],
        operands: (0..operands).map(Reg).collect(),
        results: vec![Reg(2 * operands - 1)],
        instructions: instructions.collect(),
    }
}

fn operand_name(n: usize) -> String {
    ["a", "b", "c", "d"]
        .get(n)
        .map_or_else(|| format!("s{n}"), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests;

//! Statements that we schedule: every instruction a macro around one line of assembler, which
//! the compiler gives registers and leaves where it is.
//!
//! Left to itself the compiler puts the instructions of the long chain through an S-box next to each
//! other, and the vectors' beside them after them; a core then waits for the one with nothing of
//! the other in sight.

use super::general;
use super::inline::{Face, Macros};
use super::layout::{Layout, Place, Stream};
use super::macros::{Side, constant_macro, invocation, tuple};
use super::{Comment, comments, noted};
use crate::arith::{Block, Program};
use crate::asm::{Bank, Bodies, Mixed, Piece, Recipe, Work, mixed};
use crate::diag::Diagnostic;
use crate::ir::{BlockKind, Input, Value};
use crate::isa::{self, Kind, Row, Target, table};
use crate::machine::{Body, Instruction, Reg, Source};
use crate::names::Core;
use crate::prove::Proved;
use crate::schedule::{is_order, list_schedule};
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of an external round of one group. S-boxes multiply and sums do not, so a core that has them side by
/// side keeps more of its pipes busy.
pub(super) fn external_round(program: &Program, layout: Layout) -> [(usize, Layout); 2] {
    let layout = Layout {
        stage: program.instance.width,
        pass: Some(0),
        ..layout
    };
    [BlockKind::ExternalSbox, BlockKind::ExternalLinear].map(|kind| {
        let block = program.block(kind);
        (block.expect("every program has it"), layout)
    })
}

/// The blocks of two internal rounds, by the first: after both, no element is in another's place.
pub(super) fn internal_pair((index, layout): (usize, Layout)) -> [(usize, Layout); 2] {
    let second = Layout {
        second: true,
        ..layout
    };
    [(index, layout), (index, second)]
}

/// The statements of blocks in an order for a core, each block after the one before it.
pub(super) fn ordered(
    proved: &Proved,
    blocks: &[(usize, Layout)],
    core: &Core,
    bodies: (&Bodies, &Bodies),
    macros: &mut Macros,
) -> Result<String, Diagnostic> {
    let all = &proved.program().blocks;
    let parts: Vec<Part<'_>> = blocks
        .iter()
        .map(|&(index, layout)| Part::new(&all[index], layout))
        .collect();
    let recipes: Vec<Recipe<'_>> = parts.iter().map(|part| part.recipe(bodies)).collect();
    let code = mixed(&recipes);
    let places: Vec<Place<'_>> = parts.iter().flat_map(Part::places).collect();
    let mut before = 0;
    let mut said = BTreeMap::new();
    for &(index, _) in blocks {
        let comments = comments(proved, index).into_iter();
        said.extend(comments.map(|(n, comment)| (before + n, comment)));
        before += all[index].operations.len();
    }
    text(&code, core, &places, said, macros)
}

/// A block of the code.
struct Part<'a> {
    block: &'a Block,
    layout: Layout,
    streams: Vec<Stream>,
    /// For each stream, what is on general registers, and which constant it reads.
    placed: Vec<BTreeSet<Value>>,
    constants: Vec<usize>,
}

impl<'a> Part<'a> {
    fn new(block: &'a Block, layout: Layout) -> Self {
        let streams = layout.streams(block.kind);
        let words = |stream: &Stream| general::words(layout, block, stream.lead);
        Self {
            block,
            layout,
            placed: streams.iter().map(words).collect(),
            constants: streams.iter().map(|stream| stream.lead).collect(),
            streams,
        }
    }

    fn recipe(&self, (vectors, words): (&'a Bodies, &'a Bodies)) -> Recipe<'_> {
        Recipe {
            block: self.block,
            vectors,
            words,
            placed: &self.placed,
            constants: &self.constants,
            held: self.block.kind == BlockKind::InternalRound,
        }
    }

    fn places(&self) -> impl Iterator<Item = Place<'a>> + '_ {
        let streams = self.streams.iter();
        streams.map(|stream| self.layout.place(self.block, *stream))
    }
}

/// The statements of some code in an order for a core.
fn text(
    code: &Mixed,
    core: &Core,
    places: &[Place<'_>],
    mut comments: BTreeMap<usize, Comment>,
    macros: &mut Macros,
) -> Result<String, Diagnostic> {
    let order = list_schedule(code, core);
    if !is_order(code, &order) {
        return Err(Diagnostic::new("a schedule is not its dependence graph"));
    }
    let port = |stream: usize, word: Input, held: &[Reg]| {
        let at = match held {
            [_] => places[stream].state(word),
            _ => places[stream].first(word),
        };
        (at, tuple(&names(code, held)))
    };
    let mut text = String::new();
    for entry in &code.entries {
        let (at, held) = port(entry.stream, entry.word, &entry.registers);
        text += &format!("let {held} = {at};\n");
    }
    for n in order {
        let piece = &code.pieces[n];
        let comment = match piece.work {
            Work::Rows { operation, .. } => comments.remove(&operation),
            _ => None,
        };
        text += &noted(&comment, &statement(code, piece, places, macros));
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

fn statement(code: &Mixed, piece: &Piece, places: &[Place<'_>], macros: &mut Macros) -> String {
    let (name, body) = match &piece.work {
        Work::Rows { body, .. } => (group_name(body), body),
        Work::Take(lane) => (format!("take_{lane}"), &chain(&isa::take()[*lane..=*lane])),
        Work::Join => ("join".to_owned(), &chain(isa::join())),
        Work::Load(stream, input) => {
            let (place, result) = (&places[*stream], piece.results[0]);
            let constant = match input {
                Input::ConstantPart(part) => Some(place.constant(Some(*part))),
                Input::InnerConstant => Some(place.constant(None)),
                _ => None,
            };
            let from = match (constant, code.bank(result)) {
                (Some(constant), Bank::General) => constant,
                (Some(constant), Bank::Vector) => format!("broadcast!({constant})"),
                (None, _) => place.state(*input),
            };
            return format!("let {} = {from};\n", names(code, &[result])[0]);
        }
        Work::Store(stream, output) => {
            let reads: Vec<Reg> = piece.reads().collect();
            let to = places[*stream].state(*output);
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

//! Macro-ops as `macro_rules!`, and the named constants that they read.
//!
//! Macros rather than functions: they cannot fail to be inlined, need no `unsafe` to reach
//! intrinsics, and keep a block one line per macro-op.

use super::inline;
use super::matrix::Matrix;

use crate::arith::Program;
use crate::asm::Bodies;
use crate::ir::BlockKind;
use crate::isa::{Kind, Row};
use crate::machine::{Body, Instruction, Named, Reg, Source};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// Name of the Rust macro of a macro-op.
#[must_use]
pub fn macro_name(op: MacroOp) -> String {
    let template = op.template().replace('-', "_");
    match op.parameter() {
        Some(parameter) => format!("{template}_{}", parameter.replace('.', "_")),
        None => template,
    }
}

/// The registers that a macro-op's code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those of the kernel's target.
    Main,
    /// General registers, beside vectors.
    General,
}

impl Side {
    /// What names of macros end in.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::General => "_general",
        }
    }
}

/// One name, or the tuple of several.
pub(super) fn tuple(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

/// The statement that binds what a macro gives.
pub(super) fn invocation(results: &[String], name: &str, operands: &[String]) -> String {
    format!(
        "let {} = {name}!({});\n",
        tuple(results),
        operands.join(", ")
    )
}

/// A macro that evaluates its operands once, and after some statements gives its results.
pub(super) fn block_macro(
    name: &str,
    operands: &[String],
    statements: &str,
    results: &[String],
) -> String {
    let patterns: Vec<String> = operands.iter().map(|o| format!("${o}:expr")).collect();
    let bindings = operands
        .iter()
        .map(|o| format!("        let {o} = ${o};\n"));
    format!(
        "macro_rules! {name} {{\n    ({}) => {{{{\n{}{statements}        {}\n    }}}};\n}}",
        patterns.join(", "),
        bindings.collect::<String>(),
        tuple(results),
    )
}

/// The definition of a macro-op's macro.
#[must_use]
pub fn macro_definition(op: MacroOp, body: &Body, side: Side) -> String {
    let letters = op.operands().iter().map(|&o| o.to_owned());
    let letters: Vec<String> = letters.collect();
    let mut names: BTreeMap<Reg, String> = BTreeMap::new();
    for n in 0..body.registers.len() {
        let reg = Reg(n as u32);
        let at = |all: &[Reg]| all.iter().position(|r| *r == reg);
        let name = match (at(&body.operands), at(&body.results)) {
            (Some(n), _) => letters[n].clone(),
            (_, Some(n)) => op.result_names()[n].to_owned(),
            (None, None) => format!("t{n}"),
        };
        names.insert(reg, name);
    }
    let all = &body.instructions;
    let is_line = |i: &Instruction| i.row.is_assembler();
    let end = all.iter().rposition(is_line).map_or(0, |last| last + 1);
    let start = all.iter().position(is_line).unwrap_or(end);
    let (lines, after) = (&all[start..end], &all[end..]);
    let mut statements = rust(body, &all[..start], &names, side);
    if !lines.is_empty() {
        statements += &inline::block(body, [lines, after], &names, side);
    }
    statements += &rust(body, after, &names, side);
    let results: Vec<String> = body.results.iter().map(|reg| names[reg].clone()).collect();
    let name = format!("{}{}", macro_name(op), side.suffix());
    block_macro(&name, &letters, &statements, &results)
}

/// Statements of instructions that are Rust.
fn rust(
    body: &Body,
    instructions: &[Instruction],
    names: &BTreeMap<Reg, String>,
    side: Side,
) -> String {
    let mut statements = String::new();
    for instruction in instructions {
        let sources = instruction.sources.iter().zip(instruction.row.sources);
        let sources: Vec<String> = sources
            .map(|(source, kind)| match source {
                Source::Reg(reg) => names[reg].clone(),
                Source::Constant(named) => {
                    let state = body.kind(body.operands[0]);
                    constant_macro(named.name, state, *kind, side) + "!()"
                }
            })
            .collect();
        let bound = instruction.results.iter().map(|reg| {
            let unread = if reads(body, *reg) { "" } else { "_" };
            format!("{unread}{}", names[reg])
        });
        let bound: Vec<String> = bound.collect();
        let row = instruction.row;
        let value = row.render(&bound, &sources, &instruction.immediates);
        statements += &format!("        let {} = {value};\n", tuple(&bound));
    }
    statements
}

/// A macro-op's macro with those of the constants that it names, whose words are plain: what is to be
/// proved of it does not depend on how they come into registers.
#[must_use]
pub fn alone(op: MacroOp, body: &Body) -> String {
    let bodies = [(op, body.clone())].into();
    let named = constants(&bodies, Side::Main).into_iter();
    let named = named.map(|(name, (Named { word, .. }, kind))| {
        format!("macro_rules! {name}(() => ({word}u{}););\n", kind.bits())
    });
    named.collect::<String>() + &macro_definition(op, body, Side::Main)
}

/// Whether anything in the body, or its caller, reads the register.
fn reads(body: &Body, reg: Reg) -> bool {
    let mut sources = body.instructions.iter().flat_map(|i| &i.sources);
    body.results.contains(&reg) || sources.any(|source| *source == Source::Reg(reg))
}

/// Name of the macro for a named constant in a register of some kind. The kind that holds state
/// words goes without saying.
pub(super) fn constant_macro(name: &str, state: Kind, kind: Kind, side: Side) -> String {
    let mut name = name.to_owned();
    if kind != state {
        name = format!("{name}_{kind:?}");
    }
    (name + side.suffix()).to_uppercase()
}

/// The macro that keeps from LLVM how a vector was made, where bodies ask for it.
#[must_use]
pub fn opaque(bodies: &Bodies) -> Option<String> {
    let mut instructions = bodies.values().flat_map(|body| &body.instructions);
    instructions.find_map(|instruction| opaque_definition(instruction.row))
}

/// The definition of that macro, for a row that invokes it.
#[must_use]
pub fn opaque_definition(row: &Row) -> Option<String> {
    let class = match row.name {
        "opaque 256" => "ymm_reg",
        "opaque 512" => "zmm_reg",
        _ => return None,
    };
    let lines = [
        "/// The same words, of which LLVM knows nothing. Of a product whose high half nobody reads, it would make one",
        "/// of 64 bits, which takes three times as long.",
        "macro_rules! opaque {",
        "    ($vector:expr) => {{",
        "        let mut vector = $vector;",
        "        // SAFETY: there is no instruction.",
        "        unsafe {",
        "            core::arch::asm!(",
        "                \"/* {0} */\",",
        &format!("                inlateout({class}) vector,"),
        "                options(pure, nomem, nostack, preserves_flags)",
        "            );",
        "        }",
        "        vector",
        "    }};",
        "}",
    ];
    Some(lines.join("\n"))
}

/// Every named constant that the bodies read, with the kind of register that holds it, by the name
/// of its macro.
#[must_use]
pub fn constants(bodies: &Bodies, side: Side) -> BTreeMap<String, (Named, Kind)> {
    let read = bodies
        .values()
        .flat_map(|body| body.constants().map(move |read| (body, read)));
    let named = read.map(|(body, (named, kind))| {
        let state = body.kind(body.operands[0]);
        (constant_macro(named.name, state, kind, side), (named, kind))
    });
    named.collect()
}

/// Words that operations of blocks are, but those in a table.
pub(super) fn fixed(program: &Program, matrix: &Matrix) -> Vec<BTreeMap<&'static str, String>> {
    // Across lanes they are literals, gathered into vectors.
    let blocks = program.blocks.iter().enumerate();
    let blocks =
        blocks.filter(|(_, block)| block.kind != BlockKind::Constant && program.across.is_none());
    let operations = blocks.flat_map(|(index, block)| {
        let operations = block.operations.iter();
        operations.filter(move |number| matrix.leaves(index, block, number))
    });
    let words: BTreeMap<String, u64> = operations
        .filter_map(|operation| Some((macro_name(operation.op), operation.word()?)))
        .collect();
    // Half of a lane, where a lane holds two elements.
    let kind = match program.words.word_bits() {
        32 => Kind::Half,
        _ => Kind::Word,
    };
    let named = words.into_iter().map(|(name, word)| {
        // Its name says it all.
        let named = Named {
            name: "",
            word,
            about: "",
        };
        described(name, named, kind, Side::Main)
    });
    named.collect()
}

/// A named constant as templates see it.
pub(super) fn described(
    name: String,
    named: Named,
    kind: Kind,
    side: Side,
) -> BTreeMap<&'static str, String> {
    let signed = match kind {
        Kind::Half => i64::from((named.word as u32).cast_signed()),
        _ => named.word.cast_signed(),
    };
    // One that sums of products multiply elements by.
    let power =
        kind == Kind::Half && named.about.is_empty() && signed.unsigned_abs().is_power_of_two();
    let kind = match (side, kind) {
        (Side::General, _) => "general",
        (Side::Main, Kind::Half) => "half",
        (Side::Main, _) => "word",
    };
    BTreeMap::from([
        ("power", if power { "yes" } else { "" }.to_owned()),
        ("name", name),
        ("word", format!("{:#x}", named.word)),
        ("signed", signed.to_string()),
        ("kind", kind.to_owned()),
        ("about", named.about.to_owned()),
    ])
}

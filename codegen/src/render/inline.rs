//! Macro-ops whose body is inline assembler in a kernel of Rust.
//!
//! An instruction with two operands overwrites its first one. Where that is still wanted, a move
//! comes before, which costs a core with register renaming next to nothing; where it is not, its
//! register is the result's. So each operand of the `asm!` is a register that holds one value after
//! another, and the compiler chooses which registers those are.

use super::macros::{Side, constant_macro, macro_name};
use crate::arith::MacroOp;
use crate::isa::{Hole, Kind, Operand};
use crate::machine::{Body, Instruction, Reg, Source};
use std::fmt::Write as _;

/// Whether the body's instructions are lines of assembler; reading has seen to it that all are, or
/// none.
pub(crate) fn is_inline(body: &Body) -> bool {
    body.instructions.iter().any(|i| i.row.line().is_some())
}

/// An operand of the `asm!`.
struct Place {
    /// Its name in the template.
    name: String,
    /// The Rust expression that it holds at first.
    given: Option<String>,
    holds: Option<Source>,
    written: bool,
}

struct Writer<'a> {
    body: &'a Body,
    side: Side,
    places: Vec<Place>,
    lines: Vec<String>,
}

/// The definition of a macro-op's macro.
pub(super) fn macro_definition(op: MacroOp, body: &Body, side: Side) -> String {
    let mut writer = Writer {
        body,
        side,
        places: Vec::new(),
        lines: Vec::new(),
    };
    for (reg, name) in body.operands.iter().zip(op.operands()) {
        writer.given(Source::Reg(*reg), name, name);
    }
    for (n, instruction) in body.instructions.iter().enumerate() {
        writer.instruction(n, instruction);
    }
    writer.finish(op)
}

impl Writer<'_> {
    fn given(&mut self, source: Source, name: &str, expression: &str) -> usize {
        self.places.push(Place {
            name: name.to_owned(),
            given: Some(expression.to_owned()),
            holds: Some(source),
            written: false,
        });
        self.places.len() - 1
    }

    /// The place of a value, which for a named constant is made where it is first wanted.
    fn find(&mut self, source: &Source, kind: Kind) -> usize {
        let held = |place: &Place| place.holds.as_ref() == Some(source);
        match (self.places.iter().position(held), source) {
            (Some(at), _) => at,
            (None, Source::Constant(name)) => {
                let expression = format!("{}!()", constant_macro(name, self.body, kind, self.side));
                self.given(source.clone(), &name.to_lowercase(), &expression)
            }
            (None, Source::Reg(_)) => unreachable!("values that are read later keep their place"),
        }
    }

    /// Whether a value is read by instruction `n` or later, or is a result.
    fn wanted(&self, source: &Source, n: usize) -> bool {
        let read = |i: &Instruction| i.sources.contains(source);
        let result = |reg: &Reg| *source == Source::Reg(*reg);
        self.body.instructions[n..].iter().any(read) || self.body.results.iter().any(result)
    }

    /// A place whose value nobody reads from instruction `n` on. Not one of an operand: what is
    /// kept, the caller need not copy.
    fn free(&mut self, n: usize) -> usize {
        let idle = |place: &Place| {
            let mut held = place.holds.iter();
            place.given.is_none() && held.all(|source| !self.wanted(source, n))
        };
        if let Some(at) = self.places.iter().position(idle) {
            return at;
        }
        let number = self.places.iter().filter(|p| p.given.is_none()).count();
        self.places.push(Place {
            name: format!("t{number}"),
            given: None,
            holds: None,
            written: false,
        });
        self.places.len() - 1
    }

    fn instruction(&mut self, n: usize, instruction: &Instruction) {
        let row = instruction.row;
        let words = instruction.sources.iter().zip(row.sources);
        let at: Vec<Option<usize>> = words
            .map(|(source, kind)| (*kind != Kind::Bit).then(|| self.find(source, *kind)))
            .collect();
        let target = match (at.first().copied().flatten(), &instruction.sources[0]) {
            // The first source is overwritten, and read in the same instruction at most by that.
            (Some(first), source) => {
                let again = instruction.sources[1..].contains(source);
                let constant = matches!(source, Source::Constant(_));
                if constant || again || self.wanted(source, n + 1) {
                    let target = self.free(n);
                    let (to, from) = (&self.places[target].name, &self.places[first].name);
                    self.lines.push(format!("mov {{{to}}}, {{{from}}}"));
                    target
                } else {
                    first
                }
            }
            (None, _) => self.free(n),
        };
        let name = |at: usize, half: bool| {
            let view = if half { ":e" } else { "" };
            format!("{{{}{view}}}", self.places[at].name)
        };
        let line = row.line_with(|Hole { operand, half }| match operand {
            Operand::Result(_) => name(target, half),
            Operand::Source(n) => name(at[n].expect("a line names words alone"), half),
            Operand::Immediate(n) => instruction.immediates[n].to_string(),
        });
        self.lines.extend(line);
        let place = &mut self.places[target];
        place.holds = Some(Source::Reg(instruction.results[0]));
        place.written = true;
    }

    fn finish(self, op: MacroOp) -> String {
        let operands = op.operands();
        let name = format!("{}{}", macro_name(op), self.side.suffix());
        let dollars: Vec<String> = operands.iter().map(|o| format!("${o}:expr")).collect();
        let dollars = dollars.join(", ");
        let mut text = format!("macro_rules! {name} {{\n    ({dollars}) => {{{{\n");
        for operand in operands {
            let _ = writeln!(text, "        let {operand} = ${operand};");
        }
        let names = op.result_names();
        for name in names {
            let _ = writeln!(text, "        let {name}: u64;");
        }
        text += "        // SAFETY: the lines touch no memory, and nothing but their operands and flags.\n";
        text += "        unsafe {\n            core::arch::asm!(\n";
        for line in &self.lines {
            let _ = writeln!(text, "                \"{line}\",");
        }
        for place in &self.places {
            let result = self
                .body
                .results
                .iter()
                .position(|reg| place.written && place.holds == Some(Source::Reg(*reg)));
            let last = result.map_or("_", |n| names[n]);
            let constraint = match (&place.given, place.written) {
                (Some(given), false) => format!("in(reg) {given}"),
                (Some(given), true) => format!("inout(reg) {given} => {last}"),
                (None, _) => format!("out(reg) {last}"),
            };
            let _ = writeln!(text, "                {} = {constraint},", place.name);
        }
        text += "                options(pure, nomem, nostack),\n            );\n        }\n";
        let result = match names {
            [one] => (*one).to_owned(),
            several => format!("({})", several.join(", ")),
        };
        text + "        " + &result + "\n    }};\n}"
    }
}

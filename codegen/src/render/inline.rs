//! Macro-ops whose body is inline assembler in a kernel of Rust.
//!
//! An instruction with two operands overwrites its first one. Where that is still wanted, a move
//! comes before, which costs a core with register renaming next to nothing; where it is not, its
//! register is the result's. So each operand of the `asm!` is a register that holds one value after
//! another, and the compiler chooses which registers those are.
//!
//! [`is_faithful`] executes the lines on terms as the machine does on words, and compares what they
//! leave with what the body defines.

use super::macros::{Side, constant_macro, macro_name};
use crate::arith::MacroOp;
use crate::isa::{Hole, Kind, Operand};
use crate::machine::{Body, Instruction, Reg, Source};
use crate::term::Term;
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

/// A line; numbers are places.
enum Line<'a> {
    Move {
        to: usize,
        from: usize,
    },
    Row {
        instruction: &'a Instruction,
        target: usize,
        /// Where each source is that is a word.
        words: Vec<Option<usize>>,
    },
}

/// The lines of a body.
struct Inline<'a> {
    body: &'a Body,
    side: Side,
    /// Those of the body's operands first, in their order.
    places: Vec<Place>,
    lines: Vec<Line<'a>>,
}

/// The definition of a macro-op's macro.
pub(super) fn macro_definition(op: MacroOp, body: &Body, side: Side) -> String {
    Inline::new(op, body, side).text(op)
}

/// Whether the lines leave the body's results. `constant` gives a named constant's word.
pub(crate) fn is_faithful(op: MacroOp, body: &Body, constant: impl Fn(&str, Kind) -> u128) -> bool {
    Inline::new(op, body, Side::Main).is_faithful(constant)
}

impl<'a> Inline<'a> {
    fn new(op: MacroOp, body: &'a Body, side: Side) -> Self {
        let mut inline = Self {
            body,
            side,
            places: Vec::new(),
            lines: Vec::new(),
        };
        for (reg, name) in body.operands.iter().zip(op.operands()) {
            inline.given(Source::Reg(*reg), name, name);
        }
        for (n, instruction) in body.instructions.iter().enumerate() {
            inline.instruction(n, instruction);
        }
        inline
    }

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

    fn instruction(&mut self, n: usize, instruction: &'a Instruction) {
        let kinds = instruction.sources.iter().zip(instruction.row.sources);
        let words: Vec<Option<usize>> = kinds
            .map(|(source, kind)| (*kind != Kind::Bit).then(|| self.find(source, *kind)))
            .collect();
        let target = match words.first().copied().flatten() {
            Some(first) => {
                let source = &instruction.sources[0];
                let again = instruction.sources[1..].contains(source);
                let constant = matches!(source, Source::Constant(_));
                if constant || again || self.wanted(source, n + 1) {
                    let to = self.free(n);
                    self.lines.push(Line::Move { to, from: first });
                    to
                } else {
                    first
                }
            }
            None => self.free(n),
        };
        self.lines.push(Line::Row {
            instruction,
            target,
            words,
        });
        let place = &mut self.places[target];
        place.holds = Some(Source::Reg(instruction.results[0]));
        place.written = true;
    }

    /// Where result `n` is at the end.
    fn result(&self, n: usize) -> Option<usize> {
        let wanted = Some(Source::Reg(self.body.results[n]));
        self.places.iter().position(|place| place.holds == wanted)
    }

    fn is_faithful(&self, constant: impl Fn(&str, Kind) -> u128) -> bool {
        let operands = self.body.operands.iter().enumerate();
        let operands: Vec<Term> = operands
            .map(|(n, reg)| Term::var(n, self.body.registers[reg.0 as usize].bits()))
            .collect();
        self.run(&operands, &constant) == Some(self.body.terms(&operands, &constant))
    }

    /// What the lines leave of these operands; `None` if they read what is not there.
    fn run(&self, operands: &[Term], constant: impl Fn(&str, Kind) -> u128) -> Option<Vec<Term>> {
        let given = self.places.iter().enumerate().map(|(n, place)| {
            // Constants keep their places to the end.
            let named = match place.holds {
                Some(Source::Constant(name)) => Some(name),
                _ => None,
            };
            let word = |name| Term::constant(constant(name, Kind::Word), Kind::Word.bits());
            operands.get(n).cloned().or_else(|| named.map(word))
        });
        let mut held: Vec<Option<Term>> = given.collect();
        let mut carry = None;
        for line in &self.lines {
            match line {
                Line::Move { to, from } => held[*to] = held[*from].clone(),
                Line::Row {
                    instruction,
                    target,
                    words,
                } => {
                    let line = instruction.row.line()?;
                    let sources = words.iter().enumerate().map(|(n, word)| match word {
                        None => carry.clone(),
                        Some(at) if line.contains(&format!("{{{n}")) => held[*at].clone(),
                        Some(_) => held[*target].clone(),
                    });
                    let sources = sources.collect::<Option<Vec<Term>>>()?;
                    let results = instruction.row.apply(&sources, &instruction.immediates);
                    held[*target] = results.first().cloned();
                    carry = results.get(1).cloned();
                }
            }
        }
        let results = 0..self.body.results.len();
        results.map(|n| held[self.result(n)?].clone()).collect()
    }

    fn line(&self, line: &Line<'_>) -> String {
        let name = |at: usize, half: bool| {
            let view = if half { ":e" } else { "" };
            format!("{{{}{view}}}", self.places[at].name)
        };
        match line {
            Line::Move { to, from } => format!("mov {}, {}", name(*to, false), name(*from, false)),
            Line::Row {
                instruction,
                target,
                words,
            } => {
                let fill = |Hole { operand, half }| match operand {
                    Operand::Result(_) => name(*target, half),
                    Operand::Source(n) => name(words[n].expect("a line names words alone"), half),
                    Operand::Immediate(n) => instruction.immediates[n].to_string(),
                };
                let line = instruction.row.line_with(fill);
                line.expect("all instructions are lines")
            }
        }
    }

    fn text(&self, op: MacroOp) -> String {
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
            let _ = writeln!(text, "                \"{}\",", self.line(line));
        }
        for (at, place) in self.places.iter().enumerate() {
            let result = (0..names.len()).find(|n| self.result(*n) == Some(at));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Target;
    use crate::machine::constants;
    use crate::params::GOLDILOCKS;
    use crate::template::TemplateSet;
    use std::path::Path;

    fn body(op: MacroOp) -> Body {
        let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates");
        let templates = TemplateSet::load(&templates).unwrap();
        templates
            .render_body(Target::X86_64, &GOLDILOCKS, op)
            .unwrap()
            .body
    }

    const OPS: [MacroOp; 3] = [MacroOp::Share, MacroOp::Sub, MacroOp::Pack];

    #[test]
    fn lines_leave_what_bodies_define() {
        for op in OPS {
            let body = body(op);
            assert!(is_inline(&body));
            let constant = constants(&GOLDILOCKS, Target::X86_64);
            assert!(is_faithful(op, &body, constant), "{op}");
        }
    }

    /// What a defect here would do: a move left out, or another register overwritten.
    #[test]
    fn other_lines_are_found_out() {
        let constant = constants(&GOLDILOCKS, Target::X86_64);
        for op in OPS {
            let body = body(op);
            let lines = Inline::new(op, &body, Side::Main).lines.len();
            for n in 0..lines {
                let mut less = Inline::new(op, &body, Side::Main);
                less.lines.remove(n);
                assert!(!less.is_faithful(constant), "{op} without line {n}");
                let mut other = Inline::new(op, &body, Side::Main);
                match &mut other.lines[n] {
                    Line::Move { to, .. } => *to = 0,
                    Line::Row { target, .. } => *target = usize::from(*target == 0),
                }
                assert!(!other.is_faithful(constant), "{op} with line {n} elsewhere");
            }
        }
    }
}

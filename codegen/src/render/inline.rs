//! Instructions as `macro_rules!` around inline assembler: their lines are ours, their registers the
//! compiler's. So are macro-ops whose instructions Rust has no words for, and single instructions whose
//! order is ours.
//!
//! A line may overwrite its first operand. Where that is still wanted, a move comes before, which
//! costs a core with register renaming next to nothing; where it is not, its register is the
//! result's. So each operand of the `asm!` is a register that holds one value after another.

use super::macros::{Side, block_macro, constant_macro};
use crate::isa::{Kind, Operand};
use crate::machine::{Body, Instruction, Reg, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a macro looks like from outside.
pub(super) struct Face {
    /// The names of its operands.
    pub(super) operands: Vec<String>,
    /// The names of its results.
    pub(super) results: Vec<String>,
    /// The Rust type of each register of the body.
    pub(super) types: Vec<&'static str>,
    /// What state words are held in.
    pub(super) state: Kind,
    /// Whose named constants it reads.
    pub(super) side: Side,
    /// Whether the compiler may put it elsewhere, and leave it out where nobody wants the results.
    pub(super) pure: bool,
}

/// Macros by name.
#[derive(Default)]
pub(super) struct Macros(pub(super) BTreeMap<String, String>);

impl Macros {
    /// Has a macro for a body; gives its name. Those that have the same instructions, but not the
    /// same text, have numbers.
    pub(super) fn define(&mut self, name: &str, body: &Body, face: Face) -> String {
        if let [instruction] = &body.instructions[..]
            && let Some(block) = instruction.row.block(&face.operands)
        {
            let statement = format!("        let {} = {block};\n", face.results[0]);
            let text = block_macro(name, &face.operands, &statement, &face.results);
            self.0.insert(name.to_owned(), text);
            return name.to_owned();
        }
        let inline = Inline::new(body, face);
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        for name in std::iter::once(name.to_owned()).chain(numbered) {
            let text = inline.text(&name);
            if *self.0.entry(name.clone()).or_insert_with(|| text.clone()) == text {
                return name;
            }
        }
        unreachable!("numbers do not end")
    }
}

/// The block of assembler of a body's lines, which has `after` behind them: variables are declared that hold
/// what others read of it. Registers have names.
pub(super) fn block(
    body: &Body,
    [lines, after]: [&[Instruction]; 2],
    names: &BTreeMap<Reg, String>,
    side: Side,
) -> String {
    let written: Vec<Reg> = lines.iter().flat_map(|i| i.results.clone()).collect();
    let read: Vec<Reg> = lines.iter().flat_map(Instruction::reads).collect();
    let mut operands = body.operands.clone();
    operands.retain(|reg| read.contains(reg));
    for reg in read {
        if !written.contains(&reg) && !operands.contains(&reg) {
            operands.push(reg);
        }
    }
    let mut results = body.results.clone();
    results.extend(after.iter().flat_map(Instruction::reads));
    results.retain(|reg| written.contains(reg));
    let mut seen = BTreeSet::new();
    results.retain(|reg| seen.insert(*reg));
    let named = |regs: &[Reg]| regs.iter().map(|reg| names[reg].clone()).collect();
    let of_type = |kind: &Kind| match kind {
        Kind::Half => "u32",
        _ => "u64",
    };
    let face = Face {
        operands: named(&operands),
        results: named(&results),
        types: body.registers.iter().map(of_type).collect(),
        state: body.kind(body.operands[0]),
        side,
        pure: true,
    };
    let body = Body {
        registers: body.registers.clone(),
        operands,
        results,
        instructions: lines.to_vec(),
    };
    Inline::new(&body, face).block()
}

/// An operand of the `asm!`.
struct Place {
    /// Its name in the template.
    name: String,
    /// The Rust expression that it holds at first.
    given: Option<String>,
    /// The type of all that it holds.
    of_type: &'static str,
    holds: Option<Source>,
    /// The first line that writes it.
    written: Option<usize>,
}

impl Place {
    fn class(&self) -> &'static str {
        match self.of_type {
            "u64" | "u32" => "reg",
            _ => "vreg",
        }
    }
}

/// A line; numbers are places.
enum Line<'a> {
    Move {
        to: usize,
        from: usize,
    },
    Row {
        instruction: &'a Instruction,
        /// Where each result is; flags are nowhere.
        targets: Vec<Option<usize>>,
        /// Where each source is; flags are nowhere.
        sources: Vec<Option<usize>>,
    },
}

/// The lines of a body.
struct Inline<'a> {
    body: &'a Body,
    face: Face,
    /// Those of the body's operands first, in their order.
    places: Vec<Place>,
    lines: Vec<Line<'a>>,
}

fn is_flags(kind: Kind) -> bool {
    matches!(kind, Kind::Bit | Kind::Flags)
}

impl<'a> Inline<'a> {
    fn new(body: &'a Body, face: Face) -> Self {
        let mut inline = Self {
            body,
            face,
            places: Vec::new(),
            lines: Vec::new(),
        };
        for (reg, name) in body.operands.iter().zip(inline.face.operands.clone()) {
            let of_type = inline.face.types[reg.0 as usize];
            inline.given(Source::Reg(*reg), name.clone(), name, of_type);
        }
        for (n, instruction) in body.instructions.iter().enumerate() {
            inline.instruction(n, instruction);
        }
        inline
    }

    fn given(
        &mut self,
        source: Source,
        name: String,
        expression: String,
        of_type: &'static str,
    ) -> usize {
        self.places.push(Place {
            name,
            given: Some(expression),
            of_type,
            holds: Some(source),
            written: None,
        });
        self.places.len() - 1
    }

    /// The place of a value, which for a named constant is made where it is first wanted.
    fn find(&mut self, source: Source, kind: Kind) -> usize {
        let held = |place: &Place| place.holds == Some(source);
        match (self.places.iter().position(held), source) {
            (Some(at), _) => at,
            (None, Source::Constant(named)) => {
                let Face { state, side, .. } = self.face;
                let expression = constant_macro(named.name, state, kind, side) + "!()";
                self.given(source, named.name.to_lowercase(), expression, "u64")
            }
            (None, Source::Reg(_)) => unreachable!("values that are read later keep their place"),
        }
    }

    /// Whether a value is read by instruction `n` or later, or is a result.
    fn wanted(&self, source: Source, n: usize) -> bool {
        let read = |i: &Instruction| i.sources.contains(&source);
        let result = |reg: &Reg| source == Source::Reg(*reg);
        self.body.instructions[n..].iter().any(read) || self.body.results.iter().any(result)
    }

    /// A place whose value nobody reads from instruction `n` on. Not one of an operand: what is
    /// kept, the caller need not copy.
    fn free(&mut self, n: usize, of_type: &'static str, taken: &[Option<usize>]) -> usize {
        let idle = |(at, place): (usize, &Place)| {
            let mut held = place.holds.iter();
            !taken.contains(&Some(at))
                && place.given.is_none()
                && place.of_type == of_type
                && held.all(|source| !self.wanted(*source, n))
        };
        if let Some(at) = self.places.iter().enumerate().position(idle) {
            return at;
        }
        let number = self.places.iter().filter(|p| p.given.is_none()).count();
        let mut names = (number..).map(|number| format!("t{number}"));
        let known = |name: &String| self.places.iter().any(|place| place.name == *name);
        let name = names.find(|name| !known(name));
        self.places.push(Place {
            name: name.expect("numbers do not end"),
            given: None,
            of_type,
            holds: None,
            written: None,
        });
        self.places.len() - 1
    }

    fn instruction(&mut self, n: usize, instruction: &'a Instruction) {
        let row = instruction.row;
        let sources: Vec<Option<usize>> = instruction
            .sources
            .iter()
            .zip(row.sources)
            .map(|(source, kind)| (!is_flags(*kind)).then(|| self.find(*source, *kind)))
            .collect();
        let mut targets = Vec::new();
        for (of, &result) in instruction.results.iter().enumerate() {
            if is_flags(self.body.kind(result)) {
                targets.push(None);
                continue;
            }
            let of_type = self.face.types[result.0 as usize];
            let overwritten = sources.get(of).copied().flatten();
            let target = match overwritten.filter(|_| !row.line_names(Operand::Source(of))) {
                Some(at) => {
                    let source = instruction.sources[of];
                    let again = instruction.sources[of + 1..].contains(&source);
                    let constant = matches!(source, Source::Constant(_));
                    if constant || again || self.wanted(source, n + 1) {
                        let to = self.free(n, of_type, &targets);
                        self.write(to);
                        self.lines.push(Line::Move { to, from: at });
                        to
                    } else {
                        at
                    }
                }
                None => self.free(n, of_type, &targets),
            };
            self.places[target].holds = Some(Source::Reg(result));
            targets.push(Some(target));
        }
        for &target in targets.iter().flatten() {
            self.write(target);
        }
        self.lines.push(Line::Row {
            instruction,
            targets,
            sources,
        });
    }

    /// Notes that the next line writes a place.
    fn write(&mut self, place: usize) {
        self.places[place].written.get_or_insert(self.lines.len());
    }

    /// Where result `n` is at the end.
    fn result(&self, n: usize) -> Option<usize> {
        let wanted = Some(Source::Reg(self.body.results[n]));
        self.places.iter().position(|place| place.holds == wanted)
    }

    fn line(&self, line: &Line<'_>) -> String {
        let (instruction, targets, sources) = match line {
            Line::Move { to, from } => {
                let (to, from) = (&self.places[*to], &self.places[*from]);
                return match to.class() {
                    "reg" => format!("mov {{{}}}, {{{}}}", to.name, from.name),
                    _ => format!("mov {{{}:v}}.16b, {{{}:v}}.16b", to.name, from.name),
                };
            }
            Line::Row {
                instruction,
                targets,
                sources,
            } => (instruction, targets, sources),
        };
        let line = instruction.row.line_with(|hole| {
            let place = |at: usize| format!("{{{}}}", hole.viewed(&self.places[at].name));
            match hole.operand {
                Operand::Result(n) => place(targets[n].expect("a line does not name flags")),
                Operand::Source(n) => place(sources[n].expect("a line does not name flags")),
                Operand::Immediate(n) => instruction.immediates[n].to_string(),
            }
        });
        line.expect("all instructions have lines")
    }

    /// How a place is declared. What only the last line writes may share its register with what
    /// that line reads.
    fn constraint(&self, at: usize) -> String {
        let (place, names) = (&self.places[at], &self.face.results);
        let result = (0..names.len()).find(|n| self.result(*n) == Some(at));
        let last = result.map_or("_", |n| names[n].as_str());
        let late = match place.written {
            Some(line) if line + 1 == self.lines.len() => "late",
            _ => "",
        };
        let class = place.class();
        match (&place.given, place.written) {
            (Some(given), None) => format!("in({class}) {given}"),
            (Some(given), Some(_)) => format!("in{late}out({class}) {given} => {last}"),
            (None, _) => format!("{late}out({class}) {last}"),
        }
    }

    fn text(&self, name: &str) -> String {
        let Face {
            operands, results, ..
        } = &self.face;
        block_macro(name, operands, &self.block(), results)
    }

    fn block(&self) -> String {
        let mut text = String::new();
        for (name, reg) in self.face.results.iter().zip(&self.body.results) {
            let of_type = self.face.types[reg.0 as usize];
            let _ = writeln!(text, "        let {name}: {of_type};");
        }
        text += "        // SAFETY: the lines touch no memory, and nothing but their operands and flags.\n";
        text += "        unsafe {\n            core::arch::asm!(\n";
        for line in &self.lines {
            let _ = writeln!(text, "                \"{}\",", self.line(line));
        }
        for (at, place) in self.places.iter().enumerate() {
            let constraint = self.constraint(at);
            let _ = writeln!(text, "                {} = {constraint},", place.name);
        }
        let pure = if self.face.pure { "pure, " } else { "" };
        let _ = writeln!(
            text,
            "                options({pure}nomem, nostack),\n            );\n        }}"
        );
        text
    }
}

#[cfg(test)]
mod tests;

//! From the lines of a rendered template to a machine body.

use std::collections::{BTreeMap, BTreeSet};

use super::error::line_span;
use crate::diag::{Diagnostic, Diagnostics, Source, nearest};
use crate::isa::constants::{self, Constant};
use crate::isa::{Kind, Mismatch, Reading, Row, Syntax, Table, Target, TokenKind, table, tokens};
use crate::machine::{Body, Instruction, Named, Reg, Source as Operand};
use crate::ops::MacroOp;
use crate::params::Field;

/// A line of a rendered template and where it came from.
pub(super) struct Line<'a> {
    pub(super) text: String,
    pub(super) source: &'a Source,
    /// From 0.
    pub(super) line: usize,
}

impl Line<'_> {
    /// The line without its comment.
    pub(super) fn code(&self) -> &str {
        self.text.split("//").next().unwrap_or("").trim()
    }

    fn error(&self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        let span = line_span(self.source.text(), self.line);
        Diagnostic::new(message).at(self.source, span, label)
    }
}

/// The names that a statement binds and its instruction: splits `let t = f(a);` or
/// `let (t, _) = f(a);`. Assembler lines name their results themselves.
fn statement(code: &str, syntax: Syntax) -> Option<(Vec<&str>, &str)> {
    if syntax == Syntax::Assembler {
        return Some((Vec::new(), code.trim_end_matches(';')));
    }
    let code = code.strip_suffix(';')?;
    let (pattern, text) = code.strip_prefix("let ")?.split_once('=')?;
    let pattern = pattern.trim();
    let names = match pattern.strip_prefix('(') {
        Some(tuple) => tuple.strip_suffix(')')?.split(',').map(str::trim).collect(),
        None => vec![pattern],
    };
    let is_name =
        |name: &&str| matches!(tokens(name).as_slice(), [token] if token.kind == TokenKind::Name);
    names.iter().all(is_name).then(|| (names, text.trim()))
}

struct Reader<'a> {
    table: &'static Table,
    field: &'static Field,
    body: Body,
    /// Registers by name, with the line that wrote them (`None` for operands).
    names: BTreeMap<&'a str, (Reg, Option<usize>)>,
    /// The register that last received the flags.
    flags: Option<Reg>,
    used: BTreeSet<Reg>,
    lines: &'a [Line<'a>],
    errors: Diagnostics,
    /// A line could not be read, so what it would have used and written is unknown.
    unread: bool,
}

impl<'a> Reader<'a> {
    fn register(&mut self, kind: Kind) -> Reg {
        self.body.registers.push(kind);
        Reg(self.body.registers.len() as u32 - 1)
    }

    fn line(&mut self, number: usize) {
        let line = &self.lines[number];
        let Some((mut names, text)) = statement(line.code(), self.table.syntax) else {
            let error = line.error("not an instruction", "expected `let name = instruction;`");
            let help = "one instruction a line, its results bound by `let`";
            self.errors.push(error.help(help));
            self.unread = true;
            return;
        };
        let kind = |name: &str| self.names.get(name).map(|(reg, _)| self.body.kind(*reg));
        match self.table.read(text, kind) {
            Ok(reading) => self.instruction(number, names, text, reading),
            Err(mismatch) => {
                let error = self.mismatch(line, text, mismatch);
                self.errors.push(error);
                self.unread = true;
                // Later lines may use what this one was to write; one error is enough.
                if self.table.syntax == Syntax::Assembler {
                    names.extend(tokens(text).into_iter().nth(1).map(|t| &text[t.span]));
                }
                for name in names {
                    let register = self.register(Kind::Word);
                    self.names.entry(name).or_insert((register, Some(number)));
                }
            }
        }
    }

    fn mismatch(&self, line: &Line<'_>, text: &str, mismatch: Mismatch) -> Diagnostic {
        let target = self.table.target.folder();
        match mismatch {
            Mismatch::Unknown(near) => line
                .error(
                    format!("`{text}` is not in the instruction table of {target}"),
                    "unknown instruction",
                )
                .help(match near.as_slice() {
                    [] => "use an instruction of `verify/checker/instructions.smt2`, or add a row there".to_owned(),
                    near => format!("did you mean `{}`?", near.join("` or `")),
                }),
            Mismatch::Form(forms) => line
                .error(
                    format!("`{text}` has operands that its instruction does not take"),
                    "wrong operands",
                )
                .help(format!("it is written `{}`", forms.join("` or `"))),
            Mismatch::Kind(operand, kind) => line.error(
                format!("an operand of `{text}` has the wrong kind"),
                format!("operand {} must be {}", operand + 1, kind.describe()),
            ),
            Mismatch::Immediate(span, (least, greatest)) => line.error(
                format!("immediate {} of `{text}` is out of range", &text[span]),
                format!("it must be from {least} to {greatest}"),
            ),
        }
    }

    /// What stands under a name; the flags have none.
    fn operand(&mut self, line: &Line<'_>, name: Option<&str>, kind: Kind) -> Option<Operand> {
        let Some(name) = name else {
            if self.flags.is_none() {
                let error = line.error("the flags are read before they are set", "reads the flags");
                self.errors.push(error);
            }
            return self.flags.map(Operand::Reg);
        };
        if let Some(&(register, _)) = self.names.get(name) {
            self.used.insert(register);
            return Some(Operand::Reg(register));
        }
        if let Some(constant) = Constant::by_name(self.field, name) {
            return Some(Operand::Constant(Named {
                name: constant.name,
                word: constant.word(self.field, self.table.target, kind),
                about: &constant.about,
            }));
        }
        let constants = constants::of(self.field).iter().map(|c| c.name);
        let known: Vec<&str> = self.names.keys().copied().chain(constants).collect();
        let error = line.error(format!("`{name}` is not defined"), "used here");
        self.errors.push(match nearest(name, &known).first() {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("operands, earlier results and the field's constants may be used"),
        });
        None
    }

    fn instruction(&mut self, number: usize, names: Vec<&'a str>, text: &'a str, read: Reading) {
        let line = &self.lines[number];
        let row = read.row;
        let named = |span: Option<std::ops::Range<usize>>| span.map(|span| &text[span]);
        let sources = read.sources.into_iter().zip(row.sources);
        let sources: Vec<_> = sources
            .map(|(span, kind)| self.operand(line, named(span), *kind))
            .collect();
        let names: Vec<Option<&str>> = match self.table.syntax {
            Syntax::Assembler => read.results.into_iter().map(named).collect(),
            Syntax::Rust => names.into_iter().map(Some).collect(),
        };
        if names.len() != row.results.len() {
            let message = format!("`{}` gives {} results", row.name, row.results.len());
            let label = format!("{} are bound here", names.len());
            self.errors.push(line.error(message, label));
            return;
        }
        let mut results = Vec::new();
        for (name, &kind) in names.into_iter().zip(row.results) {
            let register = self.register(kind);
            results.push(register);
            match name {
                None => self.flags = Some(register),
                Some("_") => {}
                Some(name) => self.bind(name, register, number),
            }
        }
        self.inline(line, text, row, &sources);
        if let Some(sources) = sources.into_iter().collect() {
            let immediates = read.immediates.iter();
            self.body.instructions.push(Instruction {
                row,
                results,
                sources,
                immediates: immediates.map(|(value, _)| *value as u32).collect(),
            });
        }
    }

    /// What lines of assembler among Rust ask for: that they stand together, and that nothing comes
    /// between a carry and its reader, both of them lines.
    fn inline(
        &mut self,
        line: &Line<'_>,
        text: &str,
        row: &'static Row,
        sources: &[Option<Operand>],
    ) {
        let before = &self.body.instructions;
        let is_line = |earlier: &Instruction| earlier.row.is_assembler();
        let last = before.last().filter(|last| is_line(last));
        if row.is_assembler() && last.is_none() && before.iter().any(is_line) {
            let message = format!("`{text}` begins a second block of assembler");
            let error = line.error(message, "after Rust that follows assembler");
            let help = "write all lines of assembler one after the other";
            self.errors.push(error.help(help));
        }
        let fresh = |operand: &Option<Operand>| match operand {
            Some(Operand::Reg(reg)) if self.body.kind(*reg) == Kind::Bit => {
                let carried = |by: &Instruction| by.results.contains(reg);
                match row.is_assembler() {
                    true => last.is_some_and(carried),
                    false => !before.iter().any(|by| is_line(by) && carried(by)),
                }
            }
            _ => true,
        };
        if !sources.iter().all(fresh) {
            let message = format!("`{text}` reads a carry that is gone");
            let error = line.error(message, "must follow the instruction that carries");
            let help = "every instruction between them sets the flags anew";
            self.errors.push(error.help(help));
        }
    }

    fn bind(&mut self, name: &'a str, register: Reg, number: usize) {
        let line = &self.lines[number];
        if Constant::by_name(self.field, name).is_some() {
            let message = format!("`{name}` is a constant of the field");
            self.errors.push(line.error(message, "written here"));
        }
        if self.names.insert(name, (register, Some(number))).is_some() {
            let error = line.error(
                format!("`{name}` is written a second time"),
                "written again",
            );
            let help = "give every result a name of its own; registers are allocated later";
            self.errors.push(error.help(help));
        }
    }

    fn finish(mut self, source: &Source, result: Kind, op: MacroOp) -> Result<Body, Diagnostics> {
        for &name in op.result_names() {
            self.result(source, name, result);
        }
        let unused = self
            .names
            .iter()
            .filter(|(_, (reg, _))| !self.used.contains(reg));
        let mut unused: Vec<_> = unused.map(|(name, (_, line))| (*line, *name)).collect();
        unused.sort_unstable();
        for (line, name) in unused.into_iter().filter(|_| !self.unread) {
            let message = format!("`{name}` is never used");
            self.errors.push(match line {
                Some(line) => self.lines[line]
                    .error(message, "written here")
                    .help("remove the instruction"),
                None => Diagnostic::new(message).at(source, 0..0, "an operand of this template"),
            });
        }
        self.errors.into_result().map(|()| self.body)
    }

    fn result(&mut self, source: &Source, name: &str, result: Kind) {
        match self.names.get(name) {
            Some(&(register, Some(line))) => {
                let kind = self.body.kind(register);
                if kind != result && self.errors.is_empty() {
                    let label = format!("must be {}, is {}", result.describe(), kind.describe());
                    let message = format!("the result `{name}` has the wrong kind");
                    let error = self.lines[line].error(message, label);
                    self.errors.push(error);
                }
                self.used.insert(register);
                self.body.results.push(register);
            }
            _ if self.unread => {}
            _ => {
                let message = format!("the template never writes its result `{name}`");
                let error = Diagnostic::new(message).at(source, 0..0, "in this template");
                self.errors.push(error);
            }
        }
    }
}

/// Reads the lines of `source`'s template as the body of a macro-op.
pub(super) fn read(
    lines: &[Line<'_>],
    source: &Source,
    target: Target,
    field: &'static Field,
    op: MacroOp,
) -> Result<Body, Diagnostics> {
    let mut reader = Reader {
        table: table(target),
        field,
        body: Body::default(),
        names: BTreeMap::new(),
        flags: None,
        used: BTreeSet::new(),
        lines,
        errors: Diagnostics::new(),
        unread: false,
    };
    let kind = constants::state_kind(field, target);
    for name in op.operands() {
        let register = reader.register(kind);
        reader.body.operands.push(register);
        reader.names.insert(name, (register, None));
    }
    for number in 0..lines.len() {
        reader.line(number);
    }
    reader.finish(source, kind, op)
}

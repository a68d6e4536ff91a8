//! From the lines of a rendered template to a machine body.

use std::collections::HashMap;
use std::ops::Range;

use super::error::line_span;
use crate::arith::MacroOp;
use crate::diag::{Diagnostic, Diagnostics, Source, nearest};
use crate::isa::constants::{self, Constant};
use crate::isa::{Kind, Mismatch, Reading, Row, Syntax, Table, Target, TokenKind, table, tokens};
use crate::machine::{Body, Instruction, Named, Reg, Source as Operand};
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

/// The parts of one statement: names bound, and the instruction's text.
struct Statement {
    names: Vec<String>,
    text: String,
}

/// Splits `let t = f(a);` or `let (t, _) = f(a);`. Assembler lines name their results themselves.
fn statement(code: &str, syntax: Syntax) -> Option<Statement> {
    if syntax == Syntax::Assembler {
        let text = code.trim_end_matches(';').to_owned();
        return Some(Statement {
            names: Vec::new(),
            text,
        });
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
    names.iter().all(is_name).then(|| Statement {
        names: names.into_iter().map(str::to_owned).collect(),
        text: text.trim().to_owned(),
    })
}

struct Reader<'a> {
    table: &'static Table,
    field: &'static Field,
    body: Body,
    /// Registers by name, with the line that wrote them (`None` for operands).
    names: HashMap<String, (Reg, Option<usize>)>,
    /// The register that last received the flags.
    flags: Option<Reg>,
    used: Vec<bool>,
    lines: &'a [Line<'a>],
    errors: Diagnostics,
    /// A line could not be read, so what it would have used and written is unknown.
    unread: bool,
}

impl Reader<'_> {
    fn register(&mut self, kind: Kind) -> Reg {
        self.body.registers.push(kind);
        self.used.push(false);
        Reg(self.body.registers.len() as u32 - 1)
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        self.names
            .get(name)
            .map(|(reg, _)| self.body.registers[reg.0 as usize])
    }

    fn line(&mut self, number: usize) {
        let line = &self.lines[number];
        let code = line.code();
        let Some(statement) = statement(code, self.table.syntax) else {
            self.errors.push(
                line.error("not an instruction", "expected `let name = instruction;`")
                    .help("one instruction a line, its results bound by `let`"),
            );
            self.unread = true;
            return;
        };
        let reading = self.table.read(&statement.text, |name| self.kind(name));
        match reading {
            Ok(reading) => self.instruction(number, &statement, reading),
            Err(mismatch) => {
                let error = self.mismatch(line, &statement.text, mismatch);
                self.errors.push(error);
                self.unread = true;
                // Later lines may use what this one was to write; one error is enough.
                let mut names = statement.names;
                if self.table.syntax == Syntax::Assembler {
                    let written = tokens(&statement.text).into_iter().nth(1);
                    names.extend(written.map(|t| statement.text[t.span].to_owned()));
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
                    [] => "use an instruction of the table, or add a row to it".to_owned(),
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

    fn operand(
        &mut self,
        line: &Line<'_>,
        text: &str,
        span: Option<Range<usize>>,
        kind: Kind,
    ) -> Option<Operand> {
        let Some(span) = span else {
            let Some(flags) = self.flags else {
                self.errors
                    .push(line.error("the flags are read before they are set", "reads the flags"));
                return None;
            };
            self.used[flags.0 as usize] = true;
            return Some(Operand::Reg(flags));
        };
        let name = &text[span];
        if let Some(&(register, _)) = self.names.get(name) {
            self.used[register.0 as usize] = true;
            return Some(Operand::Reg(register));
        }
        if let Some(constant) = Constant::by_name(self.field, name) {
            return Some(Operand::Constant(Named {
                name: constant.name,
                word: constant.word(self.field, self.table.target, kind),
                about: &constant.about,
            }));
        }
        let known: Vec<&str> = self
            .names
            .keys()
            .map(String::as_str)
            .chain(constants::of(self.field).iter().map(|c| c.name))
            .collect();
        let near = nearest(name, &known).first().map(|n| (*n).to_owned());
        let error = line.error(format!("`{name}` is not defined"), "used here");
        self.errors.push(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("operands, earlier results and the field's constants may be used"),
        });
        None
    }

    fn instruction(&mut self, number: usize, statement: &Statement, reading: Reading) {
        let line = &self.lines[number];
        let text = &statement.text;
        let Reading {
            row,
            results,
            sources,
            immediates,
        } = reading;
        let sources: Vec<_> = sources
            .into_iter()
            .zip(row.sources)
            .map(|(span, kind)| self.operand(line, text, span, *kind))
            .collect();
        let names: Vec<Option<String>> = match self.table.syntax {
            Syntax::Assembler => results
                .into_iter()
                .map(|span| span.map(|s| text[s].to_owned()))
                .collect(),
            Syntax::Rust => statement.names.iter().cloned().map(Some).collect(),
        };
        if names.len() != row.results.len() {
            let message = format!("`{}` gives {} results", row.name, row.results.len());
            self.errors
                .push(line.error(message, format!("{} are bound here", names.len())));
            return;
        }
        let mut registers = Vec::new();
        for (name, &kind) in names.into_iter().zip(row.results) {
            let register = self.register(kind);
            registers.push(register);
            match name.as_deref() {
                None => {
                    self.flags = Some(register);
                    self.used[register.0 as usize] = true;
                }
                Some("_") => self.used[register.0 as usize] = true,
                Some(name) => self.bind(name, register, number),
            }
        }
        self.inline(line, text, row, &sources);
        if let Some(sources) = sources.into_iter().collect::<Option<Vec<_>>>() {
            self.body.instructions.push(Instruction {
                row,
                results: registers,
                sources,
                immediates,
            });
        }
    }

    /// What lines of assembler among Rust ask for: that all of a body are such lines, and that
    /// nothing comes between a carry and its reader.
    fn inline(
        &mut self,
        line: &Line<'_>,
        text: &str,
        row: &'static Row,
        sources: &[Option<Operand>],
    ) {
        let last = self.body.instructions.last();
        if last.is_some_and(|last| last.row.is_assembler() != row.is_assembler()) {
            let message = format!("`{text}` mixes assembler with Rust");
            let error = line.error(message, "of another sort than the line before");
            self.errors
                .push(error.help("write the whole body in one of them"));
        }
        let fresh = |operand: &Option<Operand>| match operand {
            Some(Operand::Reg(reg)) if self.body.registers[reg.0 as usize] == Kind::Bit => {
                last.is_some_and(|last| last.results.contains(reg))
            }
            _ => true,
        };
        if row.is_assembler() && !sources.iter().all(fresh) {
            let message = format!("`{text}` reads a carry that is gone");
            let error = line.error(message, "must follow the instruction that carries");
            let help = "every instruction between them sets the flags anew";
            self.errors.push(error.help(help));
        }
    }

    fn bind(&mut self, name: &str, register: Reg, number: usize) {
        let line = &self.lines[number];
        if Constant::by_name(self.field, name).is_some() {
            self.errors.push(line.error(
                format!("`{name}` is a constant of the field"),
                "written here",
            ));
        }
        if self
            .names
            .insert(name.to_owned(), (register, Some(number)))
            .is_some()
        {
            self.errors.push(
                line.error(
                    format!("`{name}` is written a second time"),
                    "written again",
                )
                .help("give every result a name of its own; registers are allocated later"),
            );
        }
    }

    fn finish(mut self, source: &Source, result: Kind, op: MacroOp) -> Result<Body, Diagnostics> {
        for &name in op.result_names() {
            self.result(source, name, result);
        }
        self.check_used(source)?;
        Ok(self.body)
    }

    fn result(&mut self, source: &Source, name: &str, result: Kind) {
        match self.names.get(name) {
            Some(&(register, Some(line))) => {
                let kind = self.body.registers[register.0 as usize];
                if kind != result && self.errors.is_empty() {
                    let label = format!("must be {}, is {}", result.describe(), kind.describe());
                    let message = format!("the result `{name}` has the wrong kind");
                    let error = self.lines[line].error(message, label);
                    self.errors.push(error);
                }
                self.used[register.0 as usize] = true;
                self.body.results.push(register);
            }
            _ if self.unread => {}
            _ => self.errors.push(
                Diagnostic::new(format!("the template never writes its result `{name}`")).at(
                    source,
                    0..0,
                    "in this template",
                ),
            ),
        }
    }

    /// Refuses what is written and not used.
    fn check_used(&mut self, source: &Source) -> Result<(), Diagnostics> {
        let mut unused: Vec<_> = self
            .names
            .iter()
            .filter(|(_, (register, _))| !self.used[register.0 as usize])
            .map(|(name, (_, line))| (*line, name.clone()))
            .collect();
        unused.sort();
        if self.unread {
            unused.clear();
        }
        for (line, name) in unused {
            let message = format!("`{name}` is never used");
            self.errors.push(match line {
                Some(line) => self.lines[line]
                    .error(message, "written here")
                    .help("remove the instruction"),
                None => Diagnostic::new(message).at(source, 0..0, "an operand of this template"),
            });
        }
        std::mem::take(&mut self.errors).into_result()
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
        names: HashMap::new(),
        flags: None,
        used: Vec::new(),
        lines,
        errors: Diagnostics::new(),
        unread: false,
    };
    let kind = constants::state_kind(field, target);
    for name in op.operands() {
        let register = reader.register(kind);
        reader.body.operands.push(register);
        reader.names.insert((*name).to_owned(), (register, None));
    }
    for number in 0..lines.len() {
        reader.line(number);
    }
    reader.finish(source, kind, op)
}

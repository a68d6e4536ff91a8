//! What a rendered kernel says: its instructions, loops, functions and sites, read back from text.

use std::collections::BTreeMap;

use super::asm::AsmBlock;
use super::reader;

/// Everything in a rendered kernel that the audit and `codegen diff` care about; in the order of the
/// text, with lines counted from 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(super) functions: Vec<Function>,
    /// Instructions, calls and macro invocations.
    pub(crate) instructions: Vec<Instruction>,
    /// Lines of `unsafe { … }` blocks.
    pub(super) unsafe_blocks: Vec<usize>,
    pub(super) loops: Vec<Loop>,
    /// Arithmetic by operators on what may be state words.
    pub(super) operators: Vec<Instruction>,
    /// Everything that may be executed or not.
    pub(super) branches: Vec<Branch>,
    pub(super) asm: Vec<AsmBlock>,
    /// Sites named by `// site: NAME`, and the first line that does.
    pub(super) sites: BTreeMap<String, usize>,
    /// Macros defined here: line and name.
    pub(super) macros: Vec<(usize, String)>,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    /// What `#[target_feature]` enables.
    pub(super) features: Vec<String>,
}

/// An `if`, or anything else that makes what follows conditional.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) line: usize,
    /// The condition, or the whole of what is no `if`.
    pub(super) text: String,
    /// Whether it is an `if` without `else` that compares a loop's counter with a number.
    pub(super) on_counter: bool,
}

/// How an instruction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `path(…)`: an intrinsic, a function of the standard library or of the file.
    Call,
    /// `value.method(…)`.
    Method,
    /// `name!(…)`.
    Macro,
    /// A line of an `asm!` template.
    Asm,
    /// `a + b`, `a as u32`.
    Operator,
}

/// One instruction, call, macro invocation or operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Mnemonic, path without `core::arch::…`, method, macro name or operator.
    pub(crate) name: String,
    /// As it stands there, white space collapsed.
    pub(crate) text: String,
    pub(crate) line: usize,
    pub(super) form: Form,
    /// The function or macro it stands in, which ends in `!`; an `asm!` block of it has a number.
    pub(crate) place: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) line: usize,
    /// How often it runs, if it is a `for` over a range of literals.
    pub(super) trips: Option<u64>,
    /// What it iterates over.
    pub(super) text: String,
    /// Loops around it.
    pub(super) depth: usize,
    /// Whether it is a `for` loop.
    pub(super) bounded: bool,
}

impl Reading {
    /// Reads a rendered file; the error says that it is not Rust.
    pub(crate) fn of(source: &str) -> Result<Self, syn::Error> {
        let file = syn::parse_file(source)?;
        let mut reading = reader::read(&file)?;
        // Comments do not reach syn; the text has them.
        for (line, text) in (1..).zip(source.lines()) {
            if let Some((_, rest)) = text.split_once("// site: ")
                && let Some(name) = rest.split_whitespace().next()
            {
                reading.sites.entry(name.to_owned()).or_insert(line);
            }
        }
        Ok(reading)
    }
}

/// White space as in one line of code.
pub(super) fn collapse(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")")
}

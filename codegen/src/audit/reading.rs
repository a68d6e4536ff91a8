//! What a rendered kernel says: its instructions, loops, functions and sites, read back from text.

use std::collections::BTreeMap;

use super::asm::AsmBlock;
use super::reader;

/// Everything in a rendered kernel that the audit and `codegen diff` care about.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Functions, in order.
    pub functions: Vec<Function>,
    /// Instructions, calls and macro invocations, in order of the text.
    pub instructions: Vec<Instruction>,
    /// `unsafe { … }` blocks, by line.
    pub unsafe_blocks: Vec<usize>,
    /// Loops, in order.
    pub loops: Vec<Loop>,
    /// Arithmetic by operators on what may be state words.
    pub operators: Vec<Operator>,
    /// Everything that may be executed or not.
    pub branches: Vec<Branch>,
    /// `asm!` blocks, in order.
    pub asm: Vec<AsmBlock>,
    /// Sites named by `// site: NAME`, and the first line that does.
    pub sites: BTreeMap<String, usize>,
    /// Macros defined here: line and name.
    pub macros: Vec<(usize, String)>,
}

/// A function of a rendered kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of its name.
    pub line: usize,
    /// What `#[target_feature]` enables.
    pub features: Vec<String>,
}

/// An operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Its line.
    pub line: usize,
    /// As it is written.
    pub text: String,
    /// The function or macro it is in; names of macros end in `!`.
    pub place: String,
}

/// An `if`, or anything else that makes what follows conditional.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its line.
    pub line: usize,
    /// The condition, or the whole of what is no `if`.
    pub text: String,
    /// Whether it is an `if` without `else` that compares a loop's counter with a number.
    pub on_counter: bool,
}

/// How an instruction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `path(…)`: an intrinsic, a function of the standard library or of the file.
    Call,
    /// `value.method(…)`.
    Method,
    /// `name!(…)`.
    Macro,
    /// A line of an `asm!` template.
    Asm,
}

/// One instruction, call or macro invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic, path without `core::arch::…`, method, or macro name.
    pub name: String,
    /// As it stands there, white space collapsed.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// How it is written.
    pub form: Form,
    /// The function or macro it stands in; an `asm!` block of it has a number.
    pub place: String,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its line.
    pub line: usize,
    /// How often it runs, if it is a `for` over a range of literals.
    pub trips: Option<u64>,
    /// What it iterates over.
    pub text: String,
    /// Loops around it.
    pub depth: usize,
    /// Whether it is a `for` loop.
    pub bounded: bool,
}

impl Reading {
    /// Reads a rendered file.
    ///
    /// # Errors
    /// The text is not Rust.
    pub fn of(source: &str) -> Result<Self, syn::Error> {
        let file = syn::parse_file(source)?;
        let mut reading = reader::read(&file)?;
        reading.sites = sites(source);
        Ok(reading)
    }
}

/// Comments do not reach syn; the text has them.
fn sites(source: &str) -> BTreeMap<String, usize> {
    let mut sites = BTreeMap::new();
    for (line, text) in (1..).zip(source.lines()) {
        if let Some((_, rest)) = text.split_once("// site: ")
            && let Some(name) = rest.split_whitespace().next()
        {
            sites.entry(name.to_owned()).or_insert(line);
        }
    }
    sites
}

/// White space as in one line of code.
pub(super) fn collapse(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")")
}

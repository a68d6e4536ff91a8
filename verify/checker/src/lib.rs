//! The certificate checker: re-derives what a certificate states, with rules of its own.
//!
//! It shares no code with the prover. What it trusts: that each macro-op's body does what its
//! contract says (the lemmas; kernels name the bodies by hash), and the reference permutation.

mod block;
mod body;
mod files;
mod flow;
mod form;
mod header;
mod instruction;
mod kernel;
mod lemma;
mod ops;
mod reader;
mod row;
mod rules;
mod site;
#[cfg(test)]
mod tests;

pub use files::below;

use std::collections::BTreeSet;
use std::fmt;

pub use kernel::{Crate, Outcomes, check_crate};

use block::{Block, Counts};
use header::Header;

/// What can be wrong with a certificate, or with what a kernel says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A line that is not of the format, is there too often or not at all.
    Syntax,
    /// A number or a name that must be another one.
    Stated,
    /// A range that does not contain the derived one.
    Range,
    /// A macro-op that the field does not have, or of which a kernel names no body.
    MacroOp,
    /// An operation with a precondition but without a site.
    NoSite,
    /// A precondition that does not hold.
    Unmet,
    /// A verdict on an operand that is not so.
    Operand,
    /// An output that leaves the range that words have between blocks.
    Boundary,
    /// A block that computes something else.
    Function,
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The line, from 1.
    pub line: usize,
    /// The kind of fault.
    pub fault: Fault,
    /// What is wrong, in words.
    pub what: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Refused {}

/// A certificate that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The program.
    pub program: String,
    /// Sites in total.
    pub sites: usize,
    /// Sites without a canonicalisation.
    pub elided: usize,
    /// Canonicalisations that one permutation of one state executes.
    pub executed: usize,
    /// The macro-ops of its kernels, with their parameters. What prepares constants is not theirs.
    pub macro_ops: BTreeSet<String>,
    /// What a kernel must compute.
    pub(crate) shape: reader::Shape,
}

/// A step of the check; the line is known to the caller.
type Step<T> = Result<T, (Fault, String)>;

fn refuse<T>(fault: Fault, what: impl Into<String>) -> Step<T> {
    Err((fault, what.into()))
}

fn read<T>(read: Option<T>) -> Step<T> {
    read.map_or_else(|| refuse(Fault::Syntax, "the line cannot be read"), Ok)
}

fn agree<T: PartialEq + fmt::Display>(what: &str, is: T, must: T) -> Step<()> {
    if is == must {
        return Ok(());
    }
    let what = format!("{what}: `{is}` is stated, `{must}` is right");
    refuse(Fault::Stated, what)
}

/// Checks the text of a certificate.
pub fn check(text: &str) -> Result<Checked, Refused> {
    let mut last = 1;
    check_lines(text, &mut last).map_err(|(fault, what)| Refused {
        line: last,
        fault,
        what,
    })
}

fn check_lines(text: &str, last: &mut usize) -> Step<Checked> {
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut next = || -> Option<(&str, &str)> {
        let (n, line) = lines.next()?;
        *last = n + 1;
        Some(line.trim_start().split_once(' ').unwrap_or((line, "")))
    };
    if next() != Some(("poseidon2-certificate", "1")) {
        return refuse(Fault::Syntax, "not a certificate of version 1");
    }
    let mut entries = Vec::new();
    let mut line = next();
    while let Some(entry) = line.filter(|(first, _)| *first != "block") {
        entries.push(entry);
        line = next();
    }
    let header = Header::new(entries)?;
    let mut counts = Counts::default();
    let mut blocks = Vec::new();
    for (name, executions) in header.blocks() {
        let stated = format!("{name} executions {executions}");
        agree("block", read(line)?.1, &stated)?;
        let mut block = Block::new(&header, name);
        line = next();
        while let Some((first, rest)) =
            line.filter(|(first, _)| !["block", "sites"].contains(first))
        {
            block.line(first, rest)?;
            line = next();
        }
        block.finish()?;
        counts.sites += block.counts.sites;
        counts.elided += block.counts.elided;
        counts.executed += block.counts.executed * executions;
        blocks.push(block);
    }
    if header.parts > 1 {
        flow::check(&header, &blocks)?;
    }
    let Counts {
        sites,
        elided,
        executed,
    } = counts;
    let stated = format!("{sites} elided {elided} kept {} assumed 0", sites - elided);
    agree("sites", read(line)?.1, &stated)?;
    let stated = format!("executed-canonicalisations {executed}");
    let (first, rest) = read(next())?;
    agree("the last line", format!("{first} {rest}"), stated)?;
    if next().is_some() {
        return refuse(Fault::Syntax, "lines after the last one");
    }
    let own = blocks.iter().filter(|block| block.name != "constant");
    let ops = own.flat_map(|block| block.values.iter().filter_map(|value| value.op));
    let ops = ops.filter(|op| op.name != "second");
    let shape = reader::Shape {
        word: if header.montgomery { "u32" } else { "u64" },
        width: header.p2.width(),
        parts: header.parts,
        external_rounds: header.p2.external.len(),
        runs: header.runs.clone(),
        blocks: blocks
            .iter()
            .map(|block| (block.name, block.steps()))
            .collect(),
    };
    Ok(Checked {
        shape,
        program: header.entry("program")?.to_owned(),
        sites,
        elided,
        executed,
        macro_ops: ops.map(|op| op.to_string()).collect(),
    })
}

//! The certificate checker: re-derives what a certificate states, with rules of its own.
//!
//! It shares no code with the prover. What it trusts: that each macro-op of a kernel does what its
//! contract says (the lemmas, which certificates name by hash), and the reference permutation.

mod block;
mod flow;
mod form;
mod header;
mod rules;
mod site;
#[cfg(all(test, feature = "runner"))]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use block::{Block, Counts};
use header::Header;

/// What can be wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A line that is not of the format, is there too often or not at all.
    Syntax,
    /// A number or a name that must be another one.
    Stated,
    /// A range that does not contain the derived one.
    Range,
    /// A macro-op that the field does not have, or for which no lemma is named.
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
    /// The kernel.
    pub kernel: String,
    /// Sites in total.
    pub sites: usize,
    /// Sites without a canonicalisation.
    pub elided: usize,
    /// Canonicalisations that one permutation of one state executes.
    pub executed: usize,
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
///
/// # Errors
/// The first thing that is wrong.
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
    let kernel = header.entry("kernel")?.to_owned();
    Ok(Checked {
        kernel,
        sites,
        elided,
        executed,
    })
}

/// Checks every certificate under a folder; pairs each file with its outcome, in order.
///
/// # Errors
/// Where a folder or a file cannot be read.
pub fn check_all(folder: &Path) -> std::io::Result<Vec<(PathBuf, Result<Checked, Refused>)>> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "cert")
            {
                let outcome = check(&std::fs::read_to_string(&path)?);
                let outcome = outcome.and_then(|checked| {
                    if path.with_extension("").ends_with(&checked.kernel) {
                        return Ok(checked);
                    }
                    let what = format!("this is the certificate of {}", checked.kernel);
                    Err(Refused {
                        line: 1,
                        fault: Fault::Stated,
                        what,
                    })
                });
                all.push((path, outcome));
            }
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

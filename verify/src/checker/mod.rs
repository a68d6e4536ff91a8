//! The certificate checker: re-derives what a certificate states, with rules of its own.
//!
//! It shares no code with the prover. What it trusts: that each macro-op of a kernel does what its
//! contract says (the lemmas, which certificates name by hash), and the reference permutation.

mod certificate;
mod function;
mod rules;
#[cfg(all(test, feature = "runner"))]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use certificate::{Block, Certificate, Kind, Site};
use rules::Field;

/// What can be wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A line that is not of the format, or is there too often or not at all.
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

type Outcome<T> = Result<T, Refused>;

fn refuse<T>(line: usize, fault: Fault, what: impl Into<String>) -> Outcome<T> {
    let what = what.into();
    Err(Refused { line, fault, what })
}

fn agree<T: PartialEq + fmt::Display>(line: usize, what: &str, is: T, must: T) -> Outcome<()> {
    if is == must {
        return Ok(());
    }
    let what = format!("{what}: `{is}` is stated, `{must}` is right");
    refuse(line, Fault::Stated, what)
}

/// Checks the text of a certificate.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(text: &str) -> Outcome<Checked> {
    let certificate = Certificate::parse(text)?;
    let field = Field::of(&certificate)?;
    let p2 = function::subject(&certificate, &field)?;
    let (mut sites, mut elided, mut executed) = (0, 0, 0);
    let expected = [
        ("external-linear", p2.external.len() + 1),
        ("external-sbox", p2.external.len() * p2.width()),
        ("internal-round", p2.internal.len()),
    ];
    agree(1, "blocks", certificate.blocks.len(), expected.len())?;
    for (block, (name, executions)) in certificate.blocks.iter().zip(expected) {
        agree(block.line, "block", block.name, name)?;
        agree(block.line, "executions", block.executions, executions)?;
        ranges(&certificate, &field, block)?;
        sites_of(&field, block)?;
        function::check(&p2, block)?;
        sites += block.sites.len();
        elided += block.sites.iter().filter(|site| !site.keeps()).count();
        executed += block.canonicalisations() * executions;
    }
    let counted = [sites, elided, sites - elided, 0, executed];
    let names = ["sites", "elided", "kept", "assumed", "executed"];
    for (n, name) in names.into_iter().enumerate() {
        agree(
            certificate.counts_line,
            name,
            certificate.counts[n],
            counted[n],
        )?;
    }
    let kernel = certificate.header("kernel")?.1.to_owned();
    Ok(Checked {
        kernel,
        sites,
        elided,
        executed,
    })
}

/// Inputs are what callers may give, and every result lies where it is said to.
fn ranges(certificate: &Certificate<'_>, field: &Field, block: &Block<'_>) -> Outcome<()> {
    for (n, value) in block.values.iter().enumerate() {
        let (least, greatest) = match &value.kind {
            Kind::Input("constant") => (0, field.p - 1),
            Kind::Input(_) => (0, field.boundary()),
            Kind::Operation(op, operands) => {
                let rule = rules::apply(field, op, &block.ranges(operands));
                let Some(rule) = rule.filter(|_| certificate.lemmas.contains(&op.as_str())) else {
                    let what = format!("no macro-op `{op}`, or no lemma for it");
                    return refuse(value.line, Fault::MacroOp, what);
                };
                if !rule.needs.is_empty() && !block.sites.iter().any(|s| s.is_of(value)) {
                    let what = format!("`{}` has a precondition and no site", value.name);
                    return refuse(value.line, Fault::NoSite, what);
                }
                rule.range
            }
        };
        let inside = value.range.0 <= least && greatest <= value.range.1;
        let exact = matches!(value.kind, Kind::Operation(..)) || value.range == (least, greatest);
        if !(inside && exact && value.range.0 >= 0 && value.range.1 <= field.word_max()) {
            let what = format!("v{n} takes the values from {least} to {greatest}");
            return refuse(value.line, Fault::Range, what);
        }
    }
    for (line, output) in &block.outputs {
        if block.values[*output].range.1 > field.boundary() {
            let what = format!("v{output} leaves the range between blocks");
            return refuse(*line, Fault::Boundary, what);
        }
    }
    Ok(())
}

/// Every site's preconditions and what it says of its operands.
fn sites_of(field: &Field, block: &Block<'_>) -> Outcome<()> {
    let mut returns = block.outputs.iter();
    for (n, site) in block.sites.iter().enumerate() {
        let ranges = block.ranges(&site.operands);
        let needs = if site.op == "return" {
            let output = returns.next().map_or(usize::MAX, |output| output.1);
            agree(site.line, "returned value", site.operands[0], output)?;
            vec![("x < p", ranges[0].1, field.p)]
        } else if block.values.iter().any(|value| site.is_of(value)) {
            let rule = rules::apply(field, &site.op, &ranges);
            rule.map_or_else(Vec::new, |rule| rule.needs)
        } else {
            Vec::new()
        };
        let again = block.sites[..n].iter().any(|other| other.name == site.name);
        if needs.is_empty() || again {
            return refuse(site.line, Fault::Syntax, "a site too many");
        }
        agree(site.line, "preconditions", site.needs.len(), needs.len())?;
        for ((line, text, reached, bound), need) in site.needs.iter().zip(needs) {
            agree(*line, "precondition", *text, need.0)?;
            agree(*line, "reached", *reached, need.1)?;
            agree(*line, "bound", *bound, need.2)?;
            if need.1 >= need.2 {
                let what = format!("{} reaches {}, its bound is {}", need.0, need.1, need.2);
                return refuse(*line, Fault::Unmet, what);
            }
        }
        for &(line, letter, verdict) in &site.verdicts {
            if !holds(field, block, site, letter, verdict) {
                let what = format!("operand {letter} of `{}` is not {verdict}", site.name);
                return refuse(line, Fault::Operand, what);
            }
        }
    }
    let asked = if field.montgomery {
        block.outputs.len()
    } else {
        0
    };
    agree(
        block.line,
        "returns",
        block.outputs.len() - returns.len(),
        asked,
    )
}

/// A kept operand is canonicalised for this very site; an elided one has a reason that is true.
fn holds(field: &Field, block: &Block<'_>, site: &Site<'_>, letter: &str, verdict: &str) -> bool {
    let Some(value) = site.operand(letter) else {
        return false;
    };
    if verdict == "kept: canonicalised here" {
        let value = &block.values[value];
        return value.is("canonicalise") && value.name == site.name;
    }
    let reason = verdict.strip_prefix("elided: ");
    reason.is_some_and(|reason| rules::reason_holds(field, block, site, reason))
}

/// Checks every certificate under a folder; pairs each file with its outcome, in order.
///
/// # Errors
/// Where a folder or a file cannot be read.
pub fn check_all(folder: &Path) -> std::io::Result<Vec<(PathBuf, Outcome<Checked>)>> {
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
                    refuse(1, Fault::Stated, what)
                });
                all.push((path, outcome));
            }
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

//! What is to be generated, as its author wrote it: read, validated, every error at once.

mod answers;
mod bound;
mod catalogue;
mod constants;
mod edit;
mod kernels;
mod layers;
mod pattern;
mod permutation;
mod proofs;
mod reader;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

pub use answers::KnownAnswer;
pub(crate) use answers::by_reference;
pub use catalogue::{load_all, select};
pub use edit::{ClaimText, assign, write_proof};
pub use kernels::SBOXES;
pub use pattern::{PatternError, SitePattern};

pub(crate) use catalogue::read_all;

use crate::diag::{Diagnostic, Diagnostics, Source, UnknownName};
use crate::names::{Core, Isa, Layout, Operand, Strategy};
use crate::params::Instance;
use kernels::Requests;
use proofs::ProofSet;
use reader::{Report, Table};

const KEYS: &[&str] = &["permutation", "known-answer", "kernel", "proof"];

/// One permutation and the kernels asked for it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The file it was read from.
    pub path: PathBuf,
    /// The file's text, into which all spans point.
    pub source: Source,
    /// The permutation.
    pub instance: Instance,
    /// Images that others' code gave; the permutation has them.
    pub answers: Vec<KnownAnswer>,
    /// The kernels.
    pub kernels: Vec<KernelSpec>,
    /// Claims on add-sites, by the name of their set.
    pub proofs: BTreeMap<String, Vec<Claim>>,
}

/// One `[[kernel]]`: a kernel for each of its batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSpec {
    /// Instruction set.
    pub isa: Isa,
    /// Where states live.
    pub layout: Layout,
    /// Interleaved groups of states, a kernel each.
    pub batches: Vec<usize>,
    /// Those that ship even if no tuning table uses them.
    pub ship: Vec<usize>,
    /// Those that `codegen package` alone makes, even where a tuning table uses them.
    pub packaged: Vec<usize>,
    /// How values are represented and reduced.
    pub strategy: Strategy,
    /// S-boxes that an external round interleaves, over all groups.
    pub sboxes: usize,
    /// Batches whose internal rounds overlap: the S-box of one stands beside the linear layer of the one before.
    pub overlap: Vec<usize>,
    /// How many of those run on general registers, lane by lane, beside the others on vectors.
    pub general: usize,
    /// The core for which S-boxes and internal rounds are put in order; the compiler does where none
    /// is named.
    pub order: Option<&'static Core>,
    /// The proof set it relies on; without one every canonicalisation is kept.
    pub proof: Option<String>,
    /// The table in the spec's text.
    pub span: Range<usize>,
}

/// One statement about add-sites, which the prover must derive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The sites it speaks of.
    pub pattern: SitePattern,
    /// The operand it speaks of.
    pub operand: Operand,
    /// What it says.
    pub kind: ClaimKind,
    /// Where it says that in the spec's text.
    pub said: Range<usize>,
    /// The table in the spec's text.
    pub span: Range<usize>,
}

/// Why an operand needs no canonicalisation, or that it keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// It is the output of this macro-op, which is canonical.
    OutputOf(String),
    /// It is read from a table of canonical constants.
    ConstantTable,
    /// It was canonicalised when the permutation was constructed.
    CanonicalisedAtConstruction,
    /// It is zero.
    Zero,
    /// The operands' greatest values, whose sum the addition can take.
    Range {
        /// Greatest value of the left operand.
        a: u128,
        /// Greatest value of the right operand.
        b: u128,
    },
    /// None: the canonicalisation is kept, and done on this operand.
    Canonicalise,
}

impl ClaimKind {
    /// As specs spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OutputOf(_) => "output-of",
            Self::ConstantTable => "constant-table",
            Self::CanonicalisedAtConstruction => "canonicalised-at-construction",
            Self::Zero => "zero",
            Self::Range { .. } => "range",
            Self::Canonicalise => "canonicalise",
        }
    }
}

impl KernelSpec {
    /// S-boxes of one group that an external round interleaves: a divisor of the width.
    #[must_use]
    pub fn stage(&self, width: usize, batch: usize) -> usize {
        let beside = match self.layout {
            Layout::Staggered => 1,
            _ => batch,
        };
        let wanted = (self.sboxes / beside).max(1);
        let divides = |n: &usize| width.is_multiple_of(*n);
        (1..=wanted).rev().find(divides).unwrap_or(1)
    }

    /// How many of the S-boxes of [`KernelSpec::stage`] run on general registers.
    #[must_use]
    pub fn general(&self, width: usize, batch: usize) -> usize {
        (self.general * self.stage(width, batch)).div_ceil(self.sboxes)
    }
}

impl Spec {
    /// Reads and validates the file at `path`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Diagnostics> {
        Self::read(path.as_ref(), false)
    }

    /// Reads and validates a file; `to_infer`: its claims are about to be inferred, so proof sets that
    /// kernels name may be missing.
    pub(crate) fn read(path: &Path, to_infer: bool) -> Result<Self, Diagnostics> {
        let name = path.display().to_string();
        let cannot = |error| Diagnostic::new(format!("cannot read spec {name}: {error}"));
        let source = Source::of_bytes(&name, fs::read(path).map_err(cannot)?)?;
        Self::validate(path, source, to_infer)
    }

    /// Validates `text`; `path` is for messages.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Self, Diagnostics> {
        let path = path.as_ref();
        let source = Source::new(path.display().to_string(), text);
        Self::validate(path, source, false)
    }

    fn validate(path: &Path, source: Source, to_infer: bool) -> Result<Self, Diagnostics> {
        let document = parse_toml(&source)?;
        let report = Report::new(&source);
        let root = Table::new(&report, "a spec", &document, 0..0, KEYS);
        let instance = root.required("permutation", permutation::read);
        let answers = root.or("known-answer", Vec::new(), |item| {
            answers::read(item, instance.as_ref())
        });
        let field = instance.as_ref().map(|instance| instance.field);
        let requests = root.or("kernel", Requests::default(), |item| {
            kernels::read(item, field)
        });
        let requests = requests.unwrap_or_else(Requests::unreadable);
        let proofs = root.or("proof", BTreeMap::new(), |item| proofs::read(item, field));
        let mut proofs = proofs.unwrap_or_default();
        if proofs.is_empty() && to_infer {
            proofs = requests.empty_sets();
        }
        check_references(&report, &requests, &proofs);
        let kernels = requests.kernels;
        report.into_errors().into_result()?;
        let instance = instance.ok_or_else(|| Diagnostic::new("the spec names no permutation"))?;
        let claims = |(name, set): (_, ProofSet)| (name, set.claims);
        Ok(Self {
            path: path.to_owned(),
            source: source.clone(),
            instance,
            answers: answers.unwrap_or_default(),
            kernels,
            proofs: proofs.into_iter().map(claims).collect(),
        })
    }

    /// The error that a claim's pattern covers none of `sites`, the add-sites of a kernel that
    /// relies on it.
    #[must_use]
    pub fn unmatched<S: AsRef<str>>(&self, claim: &Claim, sites: &[S]) -> Diagnostic {
        Diagnostic::new(format!("no add-site matches `{}`", claim.pattern))
            .at(&self.source, claim.span.clone(), "a claim about nothing")
            .help(claim.pattern.unmatched_help(sites))
    }

    /// The diagnostic for a claim about the output of a site, if none of `names` is its name.
    pub(crate) fn unknown_producer(&self, claim: &Claim, names: &[&str]) -> Option<Diagnostic> {
        let ClaimKind::OutputOf(site) = &claim.kind else {
            return None;
        };
        // Macro-ops and blocks, which have no dots in their names, were known to the reader.
        if !site.contains('.') || names.contains(&site.as_str()) {
            return None;
        }
        let help = match site.parse::<SitePattern>() {
            Ok(pattern) => pattern.unmatched_help(names),
            Err(error) => error.to_string(),
        };
        let error = Diagnostic::new(format!("no site is called `{site}`"));
        let error = error.at(&self.source, claim.said.clone(), "nothing has this name");
        Some(error.help(help))
    }
}

fn parse_toml(source: &Source) -> Result<DeTable<'_>, Diagnostics> {
    let (document, errors) = DeTable::parse_recoverable(source.text());
    let errors = errors.into_iter();
    let errors = errors.map(|error| (error.span().unwrap_or(0..0), error.message().to_owned()));
    let mut errors: Vec<_> = errors.collect();
    errors.sort_by_key(|(span, _)| span.start);
    // Of an array that is not closed, every line that follows is an element.
    let in_array =
        |(_, reason): &&(Range<usize>, String)| reason.contains("between array elements");
    let open = errors.iter().find(in_array);
    let open = open.map(|(span, _)| source.position(span.start).0);
    let mut reported = None;
    let mut diagnostics = Diagnostics::new();
    for (span, reason) in errors {
        let (line, _) = source.position(span.start);
        if open.is_some_and(|open| line > open) {
            break;
        }
        // The parser goes on behind an error, and stumbles over what is left of the line.
        if reported.replace(line) != Some(line) {
            let error = Diagnostic::new("the spec is not TOML").at(source, span, reason);
            diagnostics.push(match open == Some(line) {
                true => error.help("if an array is not closed, write `]`"),
                false => error,
            });
        }
    }
    diagnostics.into_result()?;
    Ok(document.into_inner())
}

fn check_references(
    report: &Report<'_>,
    requests: &Requests<'_>,
    proofs: &BTreeMap<String, ProofSet>,
) {
    for (name, item) in &requests.proofs {
        if !proofs.contains_key(*name) {
            let error = item.unknown(&UnknownName::new("proof set", *name, proofs.keys()));
            report.push(if proofs.is_empty() {
                error.help("the spec has none yet; `--infer` writes it")
            } else {
                error
            });
        }
    }
    for (name, set) in proofs {
        if !requests.unsure && !requests.proofs.iter().any(|(used, _)| used == name) {
            let message = format!("proof set `{name}` is used by no kernel");
            let error = report.error(set.span.clone(), message, "claims that nobody relies on");
            report.push(error.help(format!(
                "add proof = \"{name}\" to a kernel, or drop the set"
            )));
        }
    }
}

#[cfg(test)]
mod tests;

//! The `[[proof.NAME]]` tables: claims on add-sites.

use std::collections::BTreeMap;
use std::ops::Range;

use super::reader::{Report, Table, Value};
use super::{Claim, ClaimKind, SitePattern, bound};
use crate::diag::UnknownName;
use crate::names::Operand;
use crate::params::Field;

pub(super) const KEYS: &[&str] = &["site", "operand", "claim", "canonicalise"];

/// Keys of claims that are tables, and of ranges.
pub(super) const STATEMENTS: &[&str] = &["output-of", "range"];
pub(super) const BOUNDS: &[&str] = &["a", "b"];

/// Claims that are one word.
pub(super) const WORDS: [ClaimKind; 3] = [
    ClaimKind::ConstantTable,
    ClaimKind::CanonicalisedAtConstruction,
    ClaimKind::Zero,
];

/// A set of claims, and where its name first stands.
pub(super) struct ProofSet {
    pub(super) claims: Vec<Claim>,
    pub(super) span: Range<usize>,
}

/// Every proof set, with the claims that could be read.
pub(super) fn read(
    report: &Report<'_>,
    value: &Value<'_>,
    field: Option<&Field>,
) -> BTreeMap<String, ProofSet> {
    let mut sets = BTreeMap::new();
    for (name, span, value) in report.entries(value) {
        let tables = report
            .tables(&format!("proof.{name}"), value)
            .map_or(&[][..], |array| array);
        let claims: Vec<_> = tables
            .iter()
            .filter_map(|table| read_claim(report, name, table, field))
            .collect();
        refuse_contradictions(report, name, &claims);
        sets.insert(name.to_owned(), ProofSet { claims, span });
    }
    sets
}

fn read_claim(
    report: &Report<'_>,
    set: &str,
    value: &Value<'_>,
    field: Option<&Field>,
) -> Option<Claim> {
    let table = report.table(format!("[[proof.{set}]]"), value, KEYS)?;
    let pattern = table
        .required("site")
        .and_then(|value| read_pattern(report, value));
    let operand = table
        .optional("operand")
        .map(|value| report.name::<Operand>(value));
    let keep = table.optional("canonicalise");
    let kept = keep.map(|value| report.name::<Operand>(value));
    if let Some(keep) = keep {
        for key in ["claim", "operand"] {
            let Some(other) = table.optional(key) else {
                continue;
            };
            let message = format!("`{key}` and `canonicalise` contradict each other");
            let error = report.error(keep.span(), message, "keeps the canonicalisation");
            let label = if key == "claim" {
                "would leave it out"
            } else {
                "named twice"
            };
            report.push(error.at(report.source, other.span(), label).help(format!(
                "drop one of them: `canonicalise` takes the operand itself{}",
                if key == "claim" {
                    ", `claim` elides"
                } else {
                    ""
                }
            )));
        }
    }
    let (operand, kind) = match kept {
        Some(kept) => (kept?.value, Some(ClaimKind::Canonicalise)),
        None => {
            let kind = table
                .required("claim")
                .and_then(|claim| read_kind(report, claim, field));
            (
                operand.map_or(Some(Operand::B), |operand| {
                    operand.map(|placed| placed.value)
                })?,
                kind,
            )
        }
    };
    Some(Claim {
        pattern: pattern?,
        operand,
        kind: kind?,
        span: value.span(),
    })
}

fn read_pattern(report: &Report<'_>, value: &Value<'_>) -> Option<SitePattern> {
    let text = report.string(value)?;
    text.value
        .parse()
        .map_err(|error: super::PatternError| {
            let message = format!("`{}` is not a pattern over add-sites", text.value);
            // The text stands between quotes; with escapes in it only the whole can be shown.
            let inner = text.span.start + 1;
            let span = if text.span.len() == text.value.len() + 2 {
                inner + error.offset..(inner + error.offset + 1).min(text.span.end)
            } else {
                text.span.clone()
            };
            report.push(report.error(span, message, error.to_string()).help(
                "like \"external[*].mds.block[1].t01\": segments joined by dots, an index in \
                 brackets, `*` for anything within a segment",
            ));
        })
        .ok()
}

fn read_kind(report: &Report<'_>, value: &Value<'_>, field: Option<&Field>) -> Option<ClaimKind> {
    if let Some(word) = value.get_ref().as_str() {
        let found = WORDS.into_iter().find(|kind| kind.name() == word);
        if found.is_none() {
            let others = ["{ output-of = … }", "{ range = … }"];
            let valid = WORDS.iter().map(ClaimKind::name).chain(others);
            report.unknown(value.span(), &UnknownName::new("claim", word, valid));
        }
        return found;
    }
    let table = report.table("a claim", value, STATEMENTS)?;
    match (table.optional("output-of"), table.optional("range")) {
        (Some(op), None) => Some(ClaimKind::OutputOf(report.string(op)?.value.to_owned())),
        (None, Some(range)) => {
            let range = report.table("a range claim", range, BOUNDS)?;
            let (a, b) = (
                read_bound(report, &range, "a", field),
                read_bound(report, &range, "b", field),
            );
            Some(ClaimKind::Range { a: a?, b: b? })
        }
        _ => {
            let error = report.error(
                value.span(),
                "a claim makes one statement",
                "not one statement",
            );
            report.push(error.help("either `output-of` or `range`"));
            None
        }
    }
}

/// The greatest value that the operand takes.
fn read_bound(
    report: &Report<'_>,
    table: &Table<'_, '_>,
    key: &str,
    field: Option<&Field>,
) -> Option<u128> {
    let value = table.required(key)?;
    if value.get_ref().is_integer() {
        return report.unsigned(value).map(|number| number.value.into());
    }
    let text = report.string(value)?;
    bound::parse(text.value, field?)
        .map_err(|reason| {
            let message = format!("bound `{}` cannot be read", text.value);
            let error = report.error(text.span, message, reason);
            report.push(error.help("write it like \"2^64-1\", \"p-1\" or \"2*p+2^32\""));
        })
        .ok()
}

/// Two entries on the same sites contradict if they speak of the same operand, or if one keeps
/// what the other leaves out.
fn refuse_contradictions(report: &Report<'_>, set: &str, claims: &[Claim]) {
    for (index, claim) in claims.iter().enumerate() {
        let keeps = |claim: &Claim| claim.kind == ClaimKind::Canonicalise;
        let clash = claims[..index].iter().find(|before| {
            before.pattern == claim.pattern
                && (before.operand == claim.operand || keeps(before) || keeps(claim))
        });
        if let Some(before) = clash {
            let message = format!(
                "proof set `{set}` speaks twice of operand {} at `{}`",
                claim.operand, claim.pattern
            );
            let error = report.error(claim.span.clone(), message, "again here");
            let error = error.at(report.source, before.span.clone(), "first here");
            report.push(error.help("one entry for each pattern and operand; drop one"));
        }
    }
}

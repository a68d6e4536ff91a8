//! The `[[proof.NAME]]` tables: claims on add-sites.

use std::collections::BTreeMap;
use std::ops::Range;

use super::reader::Item;
use super::{Claim, ClaimKind, PatternError, SitePattern, bound};
use crate::diag::{Diagnostic, Diagnostics, UnknownName, nearest};
use crate::ir::BlockKind;
use crate::names::Operand;
use crate::ops::MacroOp;
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
    item: Item<'_>,
    field: Option<&Field>,
) -> Result<BTreeMap<String, ProofSet>, Diagnostic> {
    let mut sets = BTreeMap::new();
    for (key, item) in item.named()? {
        let (name, span) = (key.get_ref().as_ref(), key.span());
        let tables = item.report.keep(item.tables(&format!("proof.{name}")));
        let claims = tables.into_iter().flatten();
        let claims: Vec<_> = claims
            .filter_map(|table| read_claim(table, name, field))
            .collect();
        refuse_contradictions(item, name, &claims);
        sets.insert(name.to_owned(), ProofSet { claims, span });
    }
    Ok(sets)
}

fn read_claim(item: Item<'_>, set: &str, field: Option<&Field>) -> Option<Claim> {
    let table = item.table(&format!("[[proof.{set}]]"), KEYS);
    let table = item.report.keep(table)?;
    let pattern = table.required("site", read_pattern);
    let operand = table.or("operand", Operand::B, Item::name::<Operand>);
    let (operand, kind) = if let Some(keep) = table.get("canonicalise") {
        for (key, label, help) in [
            ("claim", "would leave it out", ", `claim` elides"),
            ("operand", "named twice", ""),
        ] {
            if let Some(other) = table.get(key) {
                let message = format!("`{key}` and `canonicalise` contradict each other");
                let error = keep.error(message, "keeps the canonicalisation");
                item.report.push(other.also(error, label).help(format!(
                    "drop one of them: `canonicalise` takes the operand itself{help}"
                )));
            }
        }
        let operand = item.report.keep(keep.name::<Operand>());
        (operand, Some((ClaimKind::Canonicalise, keep.span())))
    } else {
        (
            operand,
            table.required("claim", |item| {
                read_kind(item, field).map(|kind| (kind, item.span()))
            }),
        )
    };
    let (kind, said) = kind?;
    Some(Claim {
        pattern: pattern?,
        operand: operand?,
        kind,
        said,
        span: item.span(),
    })
}

fn read_pattern(item: Item<'_>) -> Result<SitePattern, Diagnostic> {
    let text = item.text()?;
    text.parse().map_err(|error: PatternError| {
        let message = format!("`{text}` is not a pattern over add-sites");
        // The text stands between quotes; with escapes in it only the whole can be shown.
        let span = item.span();
        let at = span.start + 1 + error.offset;
        let span = if span.len() == text.len() + 2 {
            at..(at + 1).min(span.end)
        } else {
            span
        };
        item.report.error(span, message, error.to_string()).help(
            "like \"external[*].mds.block[1].t01\": segments joined by dots, an index in \
             brackets, `*` for anything within a segment",
        )
    })
}

fn read_kind(item: Item<'_>, field: Option<&Field>) -> Result<ClaimKind, Diagnostics> {
    if let Some(word) = item.as_text() {
        let found = WORDS.into_iter().find(|kind| kind.name() == word);
        return found.ok_or_else(|| {
            let others = ["{ output-of = … }", "{ range = … }"];
            let valid = WORDS.iter().map(ClaimKind::name).chain(others);
            item.unknown(&UnknownName::new("claim", word, valid)).into()
        });
    }
    let table = item.table("a claim", STATEMENTS)?;
    match (table.get("output-of"), table.get("range")) {
        (Some(producer), None) => Ok(ClaimKind::OutputOf(read_producer(producer)?)),
        (None, Some(range)) => {
            let range = range.table("a range claim", BOUNDS)?;
            let [a, b] = ["a", "b"].map(|key| range.required(key, |item| read_bound(item, field)));
            // What is wrong with one of them has been said.
            let bounds = a.zip(b).ok_or_else(Diagnostics::new);
            bounds.map(|(a, b)| ClaimKind::Range { a, b })
        }
        _ => {
            let error = item.error("a claim makes one statement", "not one statement");
            Err(error.help("either `output-of` or `range`").into())
        }
    }
}

/// What the operand is the output of. Sites, which alone have dots in their names, are the program's.
fn read_producer(item: Item<'_>) -> Result<String, Diagnostic> {
    let name = item.text()?;
    let ops = MacroOp::all();
    let ops = ops.iter().map(MacroOp::template);
    let valid: Vec<&str> = ops.chain(BlockKind::ALL.map(BlockKind::name)).collect();
    if name.contains('.') || valid.contains(&name) {
        return Ok(name.to_owned());
    }
    let help = match nearest(name, &valid).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "like `canonicalise`, `internal-round` or `internal.rc`".to_owned(),
    };
    let message = format!("unknown macro-op, site or block `{name}`");
    Err(item.error(message, "nothing has this name").help(help))
}

/// The greatest value that the operand takes.
fn read_bound(item: Item<'_>, field: Option<&Field>) -> Result<u128, Diagnostics> {
    if item.is_integer() {
        return Ok(item.unsigned()?.into());
    }
    let text = item.text()?;
    // Without a field, which is an error of its own, a bound says nothing.
    let bound = bound::parse(text, field.ok_or_else(Diagnostics::new)?);
    bound.map_err(|reason| {
        let error = item.error(format!("bound `{text}` cannot be read"), reason);
        error
            .help("write it like \"2^64-1\", \"p-1\" or \"2*p+2^32\"")
            .into()
    })
}

/// Two entries on the same sites contradict if they speak of the same operand, or if one keeps
/// what the other leaves out.
fn refuse_contradictions(item: Item<'_>, set: &str, claims: &[Claim]) {
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
            let error = item
                .report
                .twice(message, claim.span.clone(), before.span.clone());
            item.report
                .push(error.help("one entry for each pattern and operand; drop one"));
        }
    }
}

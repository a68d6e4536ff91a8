//! A program's sites, reported in the terms of the command line.

use crate::arith::{Block, Treatment};
use crate::kernel::{SiteReport, Verdict};
use crate::names::Operand;
use crate::prove::{Derived, SiteProof, Warning};
use std::collections::BTreeSet;

/// Every site in program order; of a program that is proved, with its warnings.
#[must_use]
pub fn sites(derived: &Derived, warnings: &[Warning]) -> Vec<SiteReport> {
    let needless = warnings.iter().filter_map(|warning| match warning {
        Warning::Needless { site } => Some(site.as_str()),
        Warning::UselessClaim { .. } => None,
    });
    let needless: BTreeSet<&str> = needless.collect();
    let sites = derived.sites().iter();
    sites
        .map(|site| {
            let block = &derived.program().blocks[site.block];
            let needless = needless.contains(site.name.as_str());
            one(site, block, needless, derived.derivation(site))
        })
        .collect()
}

fn one(site: &SiteProof, block: &Block, needless: bool, derivation: Vec<String>) -> SiteReport {
    let claims: Vec<&str> = site.claims.iter().map(|(_, text)| text.as_str()).collect();
    let needs: Vec<&str> = site.needs.iter().map(|need| need.text).collect();
    SiteReport {
        name: site.name.clone(),
        block: block.kind.name().to_owned(),
        op: site.op.clone(),
        a: site.operands[0],
        b: site.operands[site.operands.len() - 1],
        bound: needs.join(" and "),
        claim: claims.join("; "),
        verdict: match site.kept().last() {
            Some(0) => Verdict::Kept {
                operand: Operand::A,
            },
            Some(_) => Verdict::Kept {
                operand: Operand::B,
            },
            None => Verdict::Elided,
        },
        reason: reason(&site.treatments, &claims, needless),
        derivation,
    }
}

fn reason(treatments: &[Treatment], claims: &[&str], needless: bool) -> String {
    if !claims.is_empty() {
        claims.join("; ")
    } else if needless {
        "no claim removes it, though the bound holds without it".to_owned()
    } else if treatments.contains(&Treatment::Canonicalised) {
        "the bound does not hold without it".to_owned()
    } else {
        "the operands' ranges imply the bound".to_owned()
    }
}

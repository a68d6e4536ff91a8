//! A program's sites, reported in the terms of the command line.

use crate::arith::{Program, Treatment};
use crate::kernel::{SiteReport, Verdict};
use crate::names::Operand;
use crate::prove::{Derived, SiteProof, Warning};

/// Every site in program order; of a program that is proved, with its warnings.
#[must_use]
pub fn sites(derived: &Derived, warnings: &[Warning]) -> Vec<SiteReport> {
    let needless = |site: &SiteProof| {
        let mut warnings = warnings.iter();
        warnings.any(|it| matches!(it, Warning::Needless { site: name } if *name == site.name))
    };
    let sites = derived.sites().iter();
    sites
        .map(|site| {
            let derivation = derived.derivation(site);
            one(site, derived.program(), needless(site), derivation)
        })
        .collect()
}

fn one(site: &SiteProof, program: &Program, needless: bool, derivation: Vec<String>) -> SiteReport {
    let claims: Vec<&str> = site.claims.iter().map(|(_, text)| text.as_str()).collect();
    let needs: Vec<&str> = site.needs.iter().map(|need| need.text).collect();
    SiteReport {
        name: site.name.clone(),
        block: program.blocks[site.block].kind.name().to_owned(),
        op: site.op.clone(),
        a: site.operands[0],
        b: site.operands[site.operands.len() - 1],
        bound: needs.join(" and "),
        claim: claims.join("; "),
        verdict: match site.kept().last() {
            Some(operand) => Verdict::Kept {
                operand: Operand::all()[operand],
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

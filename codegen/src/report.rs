//! A proved program's sites, reported in the terms of the command line.

use crate::arith::Treatment;
use crate::kernel::{SiteReport, Verdict};
use crate::prove::Proved;
use crate::spec::Operand;

/// Every site in program order.
#[must_use]
pub fn sites(proved: &Proved) -> Vec<SiteReport> {
    proved
        .sites()
        .iter()
        .map(|site| {
            let claims: Vec<&str> = site.claims.iter().map(|(_, text)| text.as_str()).collect();
            let kept = site.kept().last();
            let needs: Vec<&str> = site.needs.iter().map(|met| met.text).collect();
            SiteReport {
                name: site.name.clone(),
                block: proved.program().blocks[site.block].kind.name().to_owned(),
                op: site.op.clone(),
                a: site.operands[0],
                b: site.operands[site.operands.len() - 1],
                bound: needs.join(" and "),
                claim: claims.join("; "),
                verdict: match kept {
                    Some(0) => Verdict::Kept {
                        operand: Operand::A,
                    },
                    Some(_) => Verdict::Kept {
                        operand: Operand::B,
                    },
                    None => Verdict::Elided,
                },
                reason: reason(&site.treatments, &claims),
                derivation: proved.derivation(site),
            }
        })
        .collect()
}

fn reason(treatments: &[Treatment], claims: &[&str]) -> String {
    if !claims.is_empty() {
        claims.join("; ")
    } else if treatments.contains(&Treatment::Canonicalised) {
        "the bound does not hold without it".to_owned()
    } else {
        "the operands' ranges imply the bound".to_owned()
    }
}

//! Text of a kernel, from a proved program and the bodies of its macro-ops.
//!
//! Statements and macro definitions are text, which rustfmt lays out; the control flow around them is
//! a template. Comments carry the reasons of the certificate, so a reader of the text sees at each
//! site why it stands as it does.

mod general;
mod inline;
pub mod macros;
mod ordered;
pub(crate) mod plan;
mod preparation;
pub mod rust;

pub(crate) use general::shared;
pub use plan::target_arch;
pub(crate) use preparation::preparation;

use crate::arith::Treatment;
use crate::prove::{Proved, SiteProof};
use std::collections::BTreeMap;

/// Comments on the operations of one block, by index of the operation.
pub(crate) fn comments(proved: &Proved, block: usize) -> BTreeMap<usize, String> {
    let sites: BTreeMap<&str, &SiteProof> = proved
        .sites()
        .iter()
        .filter(|site| site.block == block)
        .map(|site| (site.name.as_str(), site))
        .collect();
    let operations = proved.program().blocks[block].operations.iter().enumerate();
    operations
        .filter_map(|(n, operation)| {
            let site = sites.get(operation.name.as_str())?;
            let letter = |operand: usize| site.letters()[operand];
            match operation.serves {
                Some(operand) => Some((
                    n,
                    format!(
                        "kept at {}: {} < p from here on",
                        site.name,
                        letter(operand)
                    ),
                )),
                None => operation.site.is_some().then(|| (n, comment(site))),
            }
        })
        .collect()
}

/// `site: NAME`, and why operands are left as they are.
fn comment(site: &SiteProof) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for treatment in &site.treatments {
        if let Treatment::Elided(claim) = treatment
            && let Some((_, reason)) = site.claims.iter().find(|(c, _)| c == claim)
            && !reasons.contains(&reason.as_str())
        {
            reasons.push(reason);
        }
    }
    let mut text = format!("site: {}", site.name);
    if !reasons.is_empty() {
        text = format!("{text} ({})", reasons.join("; "));
    }
    text
}

/// Comment on the return of an output to the boundary range.
pub(crate) fn return_comment(proved: &Proved, block: usize, output: usize) -> Option<String> {
    let block_returns = &proved.program().blocks[block].returns;
    let site = block_returns.get(output)?;
    let proof = proved
        .sites()
        .iter()
        .find(|s| s.block == block && s.name == site.name)?;
    Some(comment(proof))
}

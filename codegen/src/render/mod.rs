//! Text of a kernel, from a proved program and the bodies of its macro-ops.
//!
//! Statements and macro definitions are text, which rustfmt lays out; the control flow around them is
//! a template. Comments carry the reasons of the certificate, so a reader of the text sees at each
//! site why it stands as it does. Names of sites stand at the end of the statement; reasons have a line
//! of their own, before it.

mod across;
mod general;
mod inline;
pub mod layout;
pub mod macros;
mod matrix;
mod ordered;
mod overlap;
pub(crate) mod plan;
mod preparation;
mod rows;
pub mod rust;
mod staggered;

pub(crate) use general::shared;
pub(crate) use preparation::preparation;

use crate::arith::{Operation, Treatment};
use crate::prove::{Proved, SiteProof};
use std::collections::BTreeMap;

/// What is said of the operation at a site.
#[derive(Clone)]
pub(crate) struct Comment {
    text: String,
    /// Whether it is no more than what is there.
    is_short: bool,
}

impl Comment {
    /// Where a canonicalisation is kept.
    fn kept(site: &SiteProof, operand: usize) -> Self {
        let letter = site.letters()[operand];
        Self {
            text: format!("kept at {}: {letter} < p", site.name),
            is_short: true,
        }
    }

    /// The same with one piece of text for another.
    fn replaced(&self, from: &str, to: &str) -> Self {
        Self {
            text: self.text.replace(from, to),
            ..*self
        }
    }

    /// The site's name, and why operands are left as they are.
    fn at(site: &SiteProof) -> Self {
        let mut reasons: Vec<&str> = Vec::new();
        for treatment in &site.treatments {
            if let Treatment::Elided(claim) = treatment
                && let Some((_, reason)) = site.claims.iter().find(|(c, _)| c == claim)
                && !reasons.contains(&reason.as_str())
            {
                reasons.push(reason);
            }
        }
        let is_short = reasons.is_empty();
        let text = match is_short {
            true => site.name.clone(),
            false => format!("{}: {}", site.name, reasons.join("; ")),
        };
        Self { text, is_short }
    }
}

/// Statements, a line each, with comments on the first one.
pub(crate) fn noted<'a>(
    comments: impl IntoIterator<Item = &'a Comment>,
    statements: &str,
) -> String {
    let (short, long): (Vec<&Comment>, Vec<_>) = comments.into_iter().partition(|c| c.is_short);
    let mut text: String = long.iter().map(|c| format!("// {}\n", c.text)).collect();
    let names: Vec<&str> = short.iter().map(|c| c.text.as_str()).collect();
    text += &match statements.split_once('\n') {
        Some((first, rest)) if !names.is_empty() => {
            format!("{first} // {}\n{rest}", names.join(", "))
        }
        _ => statements.to_owned(),
    };
    text
}

/// Comments on the operations of one block, by index of the operation.
pub(crate) fn comments(proved: &Proved, block: usize) -> BTreeMap<usize, Comment> {
    comments_on(proved, block, &proved.program().blocks[block].operations)
}

/// The same, for operations of the block in another order.
pub(crate) fn comments_on(
    proved: &Proved,
    block: usize,
    operations: &[Operation],
) -> BTreeMap<usize, Comment> {
    let sites: BTreeMap<&str, &SiteProof> = proved
        .sites()
        .iter()
        .filter(|site| site.block == block)
        .map(|site| (site.name.as_str(), site))
        .collect();
    let operations = operations.iter().enumerate();
    operations
        .filter_map(|(n, operation)| {
            let site = sites.get(operation.name.as_str())?;
            match operation.serves {
                Some(operand) => Some((n, Comment::kept(site, operand))),
                None => operation.site.is_some().then(|| (n, Comment::at(site))),
            }
        })
        .collect()
}

/// Comment on the return of an output to the boundary range.
pub(crate) fn return_comment(proved: &Proved, block: usize, output: usize) -> Option<Comment> {
    let block_returns = &proved.program().blocks[block].returns;
    let site = block_returns.get(output)?;
    let mut sites = proved.sites().iter();
    sites
        .find(|s| s.block == block && s.name == site.name)
        .map(Comment::at)
}

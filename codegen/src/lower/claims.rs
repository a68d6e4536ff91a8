//! A proof set, resolved: which claim speaks of which operand of which site.

use crate::names::Operand;
use crate::spec::{Claim, ClaimKind};
use std::cell::RefCell;

/// What a proof set says of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: canonicalise the default operands.
    Default,
    /// Canonicalise exactly this operand.
    Canonicalise(usize),
    /// Leave out canonicalisations on the strength of these claims: `(claim, operand)`.
    Elide(Vec<(usize, Option<usize>)>),
}

/// Two claims that say different things of the same operand of the same site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The site.
    pub site: String,
    /// Numbers of the claims.
    pub claims: (usize, usize),
}

/// The claims of one proof set, with a record of which were used.
#[derive(Debug)]
pub struct Claims<'a> {
    list: &'a [Claim],
    matched: RefCell<Vec<bool>>,
}

fn operand_index(operand: Operand) -> usize {
    match operand {
        Operand::A => 0,
        Operand::B => 1,
    }
}

impl<'a> Claims<'a> {
    /// Wraps the claims of a proof set.
    #[must_use]
    pub fn new(list: &'a [Claim]) -> Self {
        Self {
            list,
            matched: RefCell::new(vec![false; list.len()]),
        }
    }

    /// The claim of that number.
    #[must_use]
    pub fn get(&self, index: usize) -> &'a Claim {
        &self.list[index]
    }

    /// What the set says of `site`.
    ///
    /// # Errors
    /// Two claims on one operand, or a claim beside a `canonicalise`.
    pub fn decide(&self, site: &str) -> Result<Decision, Conflict> {
        let mut elided: Vec<(usize, Option<usize>)> = Vec::new();
        let mut kept: Option<(usize, usize)> = None;
        for (index, claim) in self.list.iter().enumerate() {
            if !claim.pattern.matches(site) {
                continue;
            }
            self.matched.borrow_mut()[index] = true;
            let conflict = |other| Conflict {
                site: site.to_owned(),
                claims: (other, index),
            };
            let operand = match claim.kind {
                ClaimKind::Range { .. } => None,
                _ => Some(operand_index(claim.operand)),
            };
            if let Some((other, _)) = kept {
                return Err(conflict(other));
            }
            if claim.kind == ClaimKind::Canonicalise {
                if let Some(&(other, _)) = elided.first() {
                    return Err(conflict(other));
                }
                kept = Some((index, operand_index(claim.operand)));
            } else {
                if let Some(&(other, _)) = elided.iter().find(|(_, o)| *o == operand) {
                    return Err(conflict(other));
                }
                elided.push((index, operand));
            }
        }
        Ok(match kept {
            Some((_, operand)) => Decision::Canonicalise(operand),
            None if elided.is_empty() => Decision::Default,
            None => Decision::Elide(elided),
        })
    }

    /// Number of claims.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Entries that keep a canonicalisation rather than claim something.
    #[must_use]
    pub fn directives(&self) -> Vec<usize> {
        (0..self.len())
            .filter(|&n| self.list[n].kind == ClaimKind::Canonicalise)
            .collect()
    }

    /// Claims whose pattern matched no site so far.
    #[must_use]
    pub fn unmatched(&self) -> Vec<usize> {
        self.matched
            .borrow()
            .iter()
            .enumerate()
            .filter_map(|(index, &matched)| (!matched).then_some(index))
            .collect()
    }
}

//! A proof set, resolved: which claim speaks of which operand of which site.

use crate::arith::Treatment;
use crate::names::Operand;
use crate::spec::{Claim, ClaimKind};
use std::cell::RefCell;

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

    /// What happens to each of a site's operands: those of `defaults` are canonicalised where the
    /// set says nothing of them.
    ///
    /// # Errors
    /// Two claims on one operand, or a claim beside a `canonicalise`.
    pub(super) fn treatments(
        &self,
        site: &str,
        defaults: &[usize],
        arity: usize,
    ) -> Result<Vec<Treatment>, Conflict> {
        let mut treatments = vec![Treatment::AsIs; arity];
        for &n in defaults {
            treatments[n] = Treatment::Canonicalised;
        }
        let mut decided: Vec<usize> = Vec::new();
        let about = |index: usize| match (&self.list[index].kind, self.list[index].operand) {
            (ClaimKind::Range { .. }, _) => None,
            (_, Operand::A) => Some(0),
            (_, Operand::B) => Some(1),
        };
        let keeps = |index: usize| self.list[index].kind == ClaimKind::Canonicalise;
        let matching = self
            .numbers()
            .filter(|&index| self.list[index].pattern.matches(site));
        for index in matching {
            self.matched.borrow_mut()[index] = true;
            let contradicts =
                |&other: &usize| keeps(other) || keeps(index) || about(other) == about(index);
            if let Some(other) = decided.iter().copied().find(contradicts) {
                let site = site.to_owned();
                let claims = (other, index);
                return Err(Conflict { site, claims });
            }
            decided.push(index);
            let operand = about(index);
            if keeps(index) {
                treatments.fill(Treatment::AsIs);
                let operand = operand.map_or(0, |operand| operand.min(arity - 1));
                treatments[operand] = Treatment::Canonicalised;
                continue;
            }
            // What is known of another operand may do for the default ones.
            let about_default = operand.is_some_and(|n| defaults.contains(&n));
            for &n in defaults {
                if !about_default || operand == Some(n) {
                    treatments[n] = Treatment::Elided(index);
                }
            }
        }
        Ok(treatments)
    }

    /// Numbers of all claims.
    pub(crate) fn numbers(&self) -> std::ops::Range<usize> {
        0..self.list.len()
    }

    /// Entries that keep a canonicalisation rather than claim something.
    #[must_use]
    pub fn directives(&self) -> Vec<usize> {
        self.numbers()
            .filter(|&n| self.list[n].kind == ClaimKind::Canonicalise)
            .collect()
    }

    /// Claims whose pattern matched no site so far.
    #[must_use]
    pub fn unmatched(&self) -> Vec<usize> {
        let matched = self.matched.borrow();
        self.numbers().filter(|&n| !matched[n]).collect()
    }
}

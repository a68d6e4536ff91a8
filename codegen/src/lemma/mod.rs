//! Lemmas: the body of a macro-op on a machine keeps the macro-op's contract, for *all* inputs.
//!
//! A body is first run on words chosen to break it. Then its text is read by the checker, which
//! shares no code with this crate, and proved by an SMT solver to do what the checker's row of the
//! macro-op says. Proofs are recorded in a ledger under a hash of the statement, so that whoever does
//! not touch a template needs no solver. The ledger is a cache: directed words run in any case, and
//! continuous integration proves everything anew.

mod directed;
mod ledger;
mod message;

pub use ledger::{Entry, Ledger, key};

use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::isa::constants::{elements_per_word, state_kind};
use crate::ops::{Contract, MacroOp};
use crate::params::{Family, Field};
use crate::render::macros;
use crate::template::{Rendered, TemplateSet};
use crate::term::Term;
use crate::term::tape::Tape;
use checker::Solver;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Random operands tried beside edge values.
const RANDOM: usize = 2_000;

/// Operands that are tried at once.
const AT_ONCE: usize = 32;

/// The claim that a rendered body keeps its macro-op's contract.
#[derive(Debug)]
pub struct Lemma<'a> {
    rendered: &'a Rendered,
    contract: Contract,
}

/// Operands for which a body breaks its contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The operands.
    pub operands: Vec<u64>,
    /// What the body gives.
    pub got: u64,
    /// What the contract promises; where it leaves a choice, one of the right words.
    pub expected: u64,
}

/// The statement about one element of the word, over the words as variables.
struct Statement {
    needs: Vec<Term>,
    gives: Term,
    results: Vec<Term>,
}

impl<'a> Lemma<'a> {
    /// The lemma of a rendered body; `None` if the field has no such macro-op.
    #[must_use]
    pub fn new(rendered: &'a Rendered) -> Option<Self> {
        let contract = Contract::of(rendered.field, rendered.op)?;
        Some(Self { rendered, contract })
    }

    fn elements(&self) -> u32 {
        elements_per_word(self.rendered.field, self.rendered.target)
    }

    fn statement(&self, element: u32) -> Statement {
        let Contract { field, op, .. } = &self.contract;
        let bits = state_kind(field, self.rendered.target).bits();
        let words = (0..op.operands().len()).map(|n| Term::var(n, bits));
        let words: Vec<Term> = words.collect();
        let cut = |word: &Term| word.bits(element * field.word_bits(), field.word_bits());
        let operands: Vec<Term> = words.iter().map(cut).collect();
        let values = self.rendered.body.values(&words);
        let result = |r: &crate::machine::Reg| {
            cut(values[r.0 as usize].as_ref().expect("results are written"))
        };
        let results: Vec<Term> = self.rendered.body.results.iter().map(result).collect();
        Statement {
            needs: self.contract.needs_terms(&operands),
            gives: self.contract.gives_term(&operands, &results),
            results,
        }
    }

    /// The body as the checker reads it.
    fn read(&self) -> Result<checker::Lemma, Diagnostic> {
        let Rendered {
            target,
            field,
            op,
            body,
            ..
        } = self.rendered;
        let text = macros::alone(*op, body);
        let wide = field.is_montgomery() && field.word_bits() == 64;
        let wide = wide.then(|| field.reduction_bits());
        checker::Lemma::of_macro((field.name, wide), &op.to_string(), target.checked(), &text)
            .map_err(|why| self.unread(&why))
    }

    /// Runs the body on edge values and on `random` more operands.
    ///
    /// # Errors
    /// Operands that meet the needs and break the promise.
    pub fn test(&self, random: usize) -> Result<(), Counterexample> {
        let bits = self.rendered.field.word_bits();
        let tapes: Vec<Tape> = (0..self.elements()).map(|n| self.tape(n)).collect();
        let mut operands = directed::operands(self, random);
        loop {
            let cases: Vec<_> = operands.by_ref().take(AT_ONCE).collect();
            if cases.is_empty() {
                return Ok(());
            }
            let word = |element: u32, [case, other]: &[Vec<u64>; 2], n: usize| {
                let (x, y) = (u128::from(case[n]), u128::from(other[n]));
                match self.elements() {
                    1 => x,
                    _ => x << (element * bits) | y << ((1 - element) * bits),
                }
            };
            let values = (0..).zip(&tapes).map(|(element, tape)| {
                let words = (0..self.contract.op.operands().len()).map(|n| {
                    std::array::from_fn(|case| {
                        cases.get(case).map_or(0, |case| word(element, case, n))
                    })
                });
                tape.eval_each::<AT_ONCE>(&words.collect::<Vec<_>>())
            });
            let values: Vec<_> = values.collect();
            for (n, [case, _]) in cases.iter().enumerate() {
                for values in &values {
                    self.check(case, values.iter().map(|values| values[n]))?;
                }
            }
        }
    }

    /// Results: the needs, the promise, the results.
    fn tape(&self, element: u32) -> Tape {
        let Statement {
            mut needs,
            gives,
            results,
            ..
        } = self.statement(element);
        needs.push(gives);
        needs.extend(results);
        Tape::new(&needs, self.contract.op.operands().len())
    }

    fn check(
        &self,
        operands: &[u64],
        mut values: impl ExactSizeIterator<Item = u128>,
    ) -> Result<(), Counterexample> {
        let needs = values.len() - 1 - self.contract.op.results();
        if values.by_ref().take(needs).any(|need| need == 0) || values.next() == Some(1) {
            return Ok(());
        }
        let expected = self.contract.apply_all(operands);
        let got = values.map(|word| word as u64);
        let mut pairs = got.zip(expected);
        let first = pairs.next().expect("at least one result");
        let (got, expected) = match pairs.next() {
            Some(second) if first.0 == first.1 => second,
            _ => first,
        };
        Err(Counterexample {
            operands: operands.to_vec(),
            got,
            expected,
        })
    }
}

/// Makes sure that a body keeps its contract: by the ledger that this program was built with, or
/// else by a proof on the spot.
///
/// # Errors
/// A body that breaks its contract, or that is changed and cannot be proved here.
pub fn discharge(rendered: &Rendered) -> Result<(), Diagnostics> {
    type Of = (Target, Family, &'static str, MacroOp, String);
    /// Bodies that keep their contracts; kernels have them in common.
    static KEPT: Mutex<BTreeSet<Of>> = Mutex::new(BTreeSet::new());
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = rendered.hash.clone();
    let field = rendered.field;
    let body = (rendered.target, field.family, field.name, rendered.op, hash);
    if !kept().contains(&body) {
        let lemma = tested(rendered)?;
        let read = lemma.read()?;
        settle(&read).map_err(|why| lemma.unproved(why))?;
        kept().insert(body);
    }
    Ok(())
}

/// The lemma of a body, and what the checker reads it as; run on directed words.
///
/// # Errors
/// A body that breaks its contract on these, or is not read.
pub fn read(rendered: &Rendered) -> Result<checker::Lemma, Diagnostics> {
    Ok(tested(rendered)?.read()?)
}

fn tested(rendered: &Rendered) -> Result<Lemma<'_>, Diagnostic> {
    let Some(lemma) = Lemma::new(rendered) else {
        let message = format!("{} has no macro-op {}", rendered.field.name, rendered.op);
        return Err(Diagnostic::new(message));
    };
    lemma.test(RANDOM).map_err(|found| lemma.broken(&found))?;
    Ok(lemma)
}

/// Why a lemma is not known to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettled {
    /// It is not in the ledger, and there is no solver here.
    NoSolver,
    /// The solver's words.
    NotProved(String),
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSolver => f.write_str("is not recorded as proved, and z3 is not installed"),
            Self::NotProved(why) => write!(f, "is not proved: {why}"),
        }
    }
}

/// Makes sure that what the checker has read holds: by the ledger that this program was built with,
/// or else by a proof on the spot.
///
/// # Errors
/// Why that is not known.
pub fn settle(lemma: &checker::Lemma) -> Result<(), Unsettled> {
    static SOLVER: LazyLock<Option<Solver>> = LazyLock::new(|| Solver::find(checker::SOLVERS[0]));
    /// The keys of those that were proved here.
    static PROVED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let proved = || PROVED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = key(lemma);
    if Ledger::built_in().get(&key).is_some() || proved().contains(&key) {
        return Ok(());
    }
    let solver = SOLVER.as_ref().ok_or(Unsettled::NoSolver)?;
    match lemma.prove(solver) {
        checker::Verdict::Proved => proved().insert(key),
        verdict => return Err(Unsettled::NotProved(format!("by {solver}, {verdict}"))),
    };
    Ok(())
}

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
    let mut all = Vec::new();
    for &target in Target::all() {
        for field in Field::in_all_words() {
            let written = |op: &MacroOp| {
                let name = TemplateSet::name(target, field, *op);
                Contract::of(field, *op).is_some() && templates.names().any(|n| n == name)
            };
            let ops = MacroOp::all().into_iter().filter(written);
            all.extend(ops.map(|op| (target, field, op)));
        }
    }
    all
}

#[cfg(test)]
mod tests;

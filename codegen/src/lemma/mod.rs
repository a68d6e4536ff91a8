//! Lemmas: the body of a macro-op on a machine keeps the macro-op's contract, for *all* inputs.
//!
//! A body is first run on words chosen to break it, then proved by an SMT solver. Proofs are
//! recorded in a ledger under a hash of everything they depend on, so that whoever does not touch
//! a template needs no solver.

mod directed;
mod graph;
mod ledger;
mod message;
mod smt;
mod solver;

pub use ledger::{Entry, Ledger, LedgerError};
pub use solver::Solver;

use crate::arith::{Contract, MacroOp};
use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::constants::{elements_per_word, state_kind};
use crate::isa::tape::Tape;
use crate::isa::term::Term;
use crate::isa::Target;
use crate::machine::constants;
use crate::params::Field;
use crate::template::{Rendered, TemplateSet};
use graph::Graph;
use solver::Answer;

/// Random operands tried before the solver is asked, and after it found a counterexample that
/// is none.
const QUICK: usize = 2_000;
const THOROUGH: usize = 200_000;

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
    result: Term,
}

impl<'a> Lemma<'a> {
    /// The lemma of a rendered body; `None` if the field has no such macro-op.
    #[must_use]
    pub fn new(rendered: &'a Rendered) -> Option<Self> {
        let contract = Contract::of(rendered.field, rendered.op)?;
        Some(Self { rendered, contract })
    }

    /// Its name: `neon/registers goldilocks add`.
    #[must_use]
    pub fn name(&self) -> String {
        let Rendered { target, field, op, .. } = self.rendered;
        format!("{} {} {op}", target.folder(), field.name)
    }

    fn elements(&self) -> u32 {
        elements_per_word(self.rendered.field, self.rendered.target)
    }

    fn statement(&self, element: u32) -> Statement {
        let Rendered { target, field, op, body, .. } = self.rendered;
        let kind = state_kind(field, *target);
        let words: Vec<Term> =
            (0..op.operands().len()).map(|n| Term::var(n, kind.bits())).collect();
        let cut = |word: &Term| word.bits(element * field.word_bits, field.word_bits);
        let operands: Vec<Term> = words.iter().map(cut).collect();
        let results = body.terms(&words, constants(field, *target));
        let result = cut(&results[0]);
        Statement {
            needs: self.contract.needs_terms(&operands),
            gives: self.contract.gives_term(&operands, &result),
            result,
        }
    }

    /// The questions whose answers must all be "impossible": per element of a word, the needs
    /// hold and the promise is broken. Of the other elements nothing is assumed, so the proof also
    /// shows that elements do not disturb each other.
    fn queries(&self) -> Vec<String> {
        (0..self.elements())
            .map(|element| {
                let Statement { needs, gives, .. } = self.statement(element);
                let mut graph = Graph::default();
                let mut assertions: Vec<_> = needs.iter().map(|n| graph.enter(n)).collect();
                assertions.push(graph.enter(&gives.not()));
                smt::query(&graph, &assertions)
            })
            .collect()
    }

    /// The hash under which its proof is recorded: of the body's text and of the queries, which
    /// hold the contract and the meanings of the instructions.
    #[must_use]
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in std::iter::once(self.rendered.text.clone()).chain(self.queries()) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Runs the body on edge values and on `random` more operands.
    ///
    /// # Errors
    /// Operands that meet the needs and break the promise.
    pub fn test(&self, random: usize) -> Result<(), Counterexample> {
        let cases = directed::operands(self, random);
        let bits = self.rendered.field.word_bits;
        for element in 0..self.elements() {
            let tape = self.tape(element);
            for (n, case) in cases.iter().enumerate() {
                // Another case rides in the other element, if there is one.
                let other = &cases[(n * 7 + 3) % cases.len()];
                let word = |(&x, &y): (&u64, &u64)| match self.elements() {
                    1 => u128::from(x),
                    _ => u128::from(x) << (element * bits) | u128::from(y) << ((1 - element) * bits),
                };
                let words: Vec<u128> = case.iter().zip(other).map(word).collect();
                self.check(&tape, &words, element)?;
            }
        }
        Ok(())
    }

    /// Results: the needs, the promise, the result.
    fn tape(&self, element: u32) -> Tape {
        let Statement { mut needs, gives, result } = self.statement(element);
        needs.extend([gives, result]);
        Tape::new(&needs, self.contract.op.operands().len())
    }

    fn check(&self, tape: &Tape, words: &[u128], element: u32) -> Result<(), Counterexample> {
        let values = tape.eval(words);
        let (needs, rest) = values.split_at(self.contract.needs.len());
        if needs.contains(&0) || rest[0] == 1 {
            return Ok(());
        }
        let bits = self.rendered.field.word_bits;
        let cut = |&word: &u128| (word >> (element * bits)) as u64 & (u64::MAX >> (64 - bits));
        let operands: Vec<u64> = words.iter().map(cut).collect();
        let expected = self.contract.apply(&operands);
        Err(Counterexample { operands, got: rest[1] as u64, expected })
    }

    /// Proves it.
    ///
    /// # Errors
    /// A counterexample, or what kept the solver from an answer.
    pub fn prove(&self, solver: &Solver) -> Result<(), Diagnostic> {
        self.test(QUICK).map_err(|found| self.broken(&found))?;
        for (element, query) in (0..).zip(self.queries()) {
            match solver.answer(&query, self.contract.op.operands().len()) {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable(words) => {
                    self.check(&self.tape(element), &words, element)
                        .and_then(|()| self.test(THOROUGH))
                        .map_err(|found| self.broken(&found))?;
                    return Err(self.spurious(&words));
                }
                Answer::Unknown(reason) => return Err(self.undecided(solver, &reason)),
            }
        }
        Ok(())
    }
}

/// Makes sure that a body keeps its contract: by the ledger, or else by a proof, which is recorded.
///
/// # Errors
/// A body that breaks its contract, or that is changed and cannot be proved here.
pub fn discharge(
    rendered: &Rendered,
    ledger: &mut Ledger,
    solver: Option<&Solver>,
) -> Result<Entry, Diagnostics> {
    let Some(lemma) = Lemma::new(rendered) else {
        let message = format!("{} has no macro-op {}", rendered.field.name, rendered.op);
        return Err(Diagnostic::new(message).into());
    };
    let key = lemma.key();
    if let Some(entry) = ledger.get(&key) {
        return Ok(entry.clone());
    }
    lemma.test(QUICK).map_err(|found| lemma.broken(&found))?;
    let Some(solver) = solver else {
        return Err(lemma.unproved().into());
    };
    lemma.prove(solver)?;
    let entry = Entry { name: lemma.name(), solver: solver.name() };
    ledger.record(key, entry.clone());
    Ok(entry)
}

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
    let simple = [
        MacroOp::Add,
        MacroOp::Sub,
        MacroOp::Canonicalise,
        MacroOp::Halve,
        MacroOp::Mul,
        MacroOp::Square,
    ];
    let ops: Vec<MacroOp> = simple.into_iter().chain((1..=32).map(MacroOp::Div2Exp)).collect();
    let mut all = Vec::new();
    for &target in Target::all() {
        for &field in Field::all() {
            let written = |op: &&MacroOp| {
                let name = TemplateSet::name(target, field, **op);
                Contract::of(field, **op).is_some() && templates.names().any(|n| n == name)
            };
            all.extend(ops.iter().filter(written).map(|&op| (target, field, op)));
        }
    }
    all
}

/// Proves every lemma: those that the ledger lacks, or all if `force`. Afterwards the ledger holds
/// these lemmas and no others. `progress` is told each lemma's name before its turn.
///
/// # Errors
/// Every lemma that could not be proved.
pub fn prove_all(
    templates: &TemplateSet,
    ledger: &mut Ledger,
    solver: Option<&Solver>,
    force: bool,
    mut progress: impl FnMut(&str),
) -> Result<(), Diagnostics> {
    let mut errors = Diagnostics::new();
    let mut proved = ledger.emptied();
    for (target, field, op) in all(templates) {
        let discharged = templates.render_body(target, field, op).and_then(|rendered| {
            let lemma = Lemma::new(&rendered);
            progress(&lemma.as_ref().map(Lemma::name).unwrap_or_default());
            if !force {
                if let Some((key, entry)) =
                    lemma.and_then(|l| { let key = l.key(); ledger.get(&key).cloned().map(|e| (key, e)) })
                {
                    proved.record(key, entry);
                    return Ok(());
                }
            }
            discharge(&rendered, &mut proved, solver).map(|_| ())
        });
        if let Err(more) = discharged {
            errors.extend(more);
        }
    }
    errors.into_result()?;
    ledger.replace(proved);
    Ok(())
}

#[cfg(test)]
mod tests;

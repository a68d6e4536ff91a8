//! Lemmas: the body of a macro-op on a machine keeps the macro-op's contract, for *all* inputs.
//!
//! A body is first run on words chosen to break it, then proved by an SMT solver. Proofs are
//! recorded in a ledger under a hash of everything they depend on, so that whoever does not touch
//! a template needs no solver. The ledger is a cache: directed words run in any case, and
//! continuous integration proves everything anew.

mod directed;
mod every;
mod graph;
mod ledger;
mod message;
mod reference;
mod smt;
mod solver;

pub(crate) use directed::{edges, random};
pub use every::all;
pub use ledger::{Entry, Ledger, LedgerError};
pub use solver::Solver;

use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::isa::constants::{elements_per_word, state_kind};
use crate::ops::{Contract, MacroOp, Proof, Reading};
use crate::params::Balance;
use crate::template::Rendered;
use crate::term::Term;
use crate::term::tape::Tape;
use graph::{Graph, Products};
use solver::Answer;
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Random operands tried before the solver is asked, and after it found a counterexample that
/// is none.
const QUICK: usize = 2_000;
const THOROUGH: usize = 200_000;

/// The end of a question that the count of steps does not end.
pub const TIMEOUT: Duration = Duration::from_secs(1800);

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

/// What is asked of the solver about one element; every answer should be "impossible".
struct Question {
    element: u32,
    /// Whether registers that seem to hold halves of the product differ from them.
    halves: Vec<String>,
    /// Whether the body differs from the reference reduction; whether that breaks the contract.
    by_reference: Option<[String; 2]>,
    /// Whether the body breaks the contract.
    direct: String,
}

/// The statement about one element of the word, over the words as variables.
struct Statement {
    needs: Vec<Term>,
    gives: Term,
    results: Vec<Term>,
    /// Registers that hold a half of a 128-bit product: the register, the product, from which bit.
    cuts: Vec<(Term, Term, u32)>,
    operands: Vec<Term>,
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
        let Rendered {
            target, field, op, ..
        } = self.rendered;
        format!("{} {} {op}", target.folder(), field.name)
    }

    fn elements(&self) -> u32 {
        elements_per_word(self.rendered.field, self.rendered.target)
    }

    fn statement(&self, element: u32) -> Statement {
        let Rendered {
            target,
            field,
            op,
            body,
            ..
        } = self.rendered;
        let kind = state_kind(field, *target);
        let words: Vec<Term> = (0..op.operands().len())
            .map(|n| Term::var(n, kind.bits()))
            .collect();
        let cut = |word: &Term| word.bits(element * field.word_bits(), field.word_bits());
        let operands: Vec<Term> = words.iter().map(cut).collect();
        let values = body.values(&words);
        let result = |r: &crate::machine::Reg| {
            cut(values[r.0 as usize].as_ref().expect("results are written"))
        };
        let results: Vec<Term> = body.results.iter().map(result).collect();
        Statement {
            needs: self.contract.needs_terms(&operands),
            gives: self.contract.gives_term(&operands, &results),
            cuts: match self.contract.row.proof {
                Proof::Folded => directed::halves_of_product(&words, values.into_iter().flatten()),
                _ => Vec::new(),
            },
            results,
            operands,
        }
    }

    /// The main questions: per element of a word, can the needs hold and the promise be broken?
    /// Of the other elements nothing is assumed, so the proof also shows that elements do not
    /// disturb each other.
    fn questions(&self) -> Vec<Question> {
        (0..self.elements())
            .map(|element| self.question(element))
            .collect()
    }

    fn question(&self, element: u32) -> Question {
        let Statement {
            needs,
            gives,
            cuts,
            results,
            operands,
        } = self.statement(element);
        // Registers in which a body collects the product of 64-bit words from products of half
        // words: once they are proved to, they stand for the product, which is then free.
        let halves = cuts
            .iter()
            .map(|(term, product, from)| {
                let mut graph = Graph::new(Products::OfHalves);
                let assertion = graph.enter(&term.equals(&product.bits(*from, 64)).not());
                smt::query(&graph, &[assertion])
            })
            .collect();
        // Columns are made of partial products, not of halves of the whole one.
        let products = match self.contract.row.proof {
            Proof::OfHalves => Products::OfHalves,
            _ => Products::Free,
        };
        // Limbs stand 10 bits up, which is asserted of the operands.
        let even = match self.contract.row.reads {
            Reading::Shifted => Balance::SHIFT,
            _ => 0,
        };
        let ask = |assertions: &[Term]| {
            let mut graph = Graph::new(products).even_products(even);
            for (term, product, from) in &cuts {
                let part = graph.enter(&product.bits(*from, 64));
                graph.assume(term, part);
            }
            let assertions: Vec<_> = assertions.iter().map(|a| graph.enter(a)).collect();
            smt::query(&graph, &assertions)
        };
        let product = operands[0].widening_mul(&operands[operands.len() - 1]);
        let by_reference = reference::reduced(&self.contract, &product).map(|reduced| {
            let broken = self
                .contract
                .gives_term(&operands, std::slice::from_ref(&reduced))
                .not();
            [
                ask(&[results[0].equals(&reduced).not()]),
                ask(&[needs.as_slice(), &[broken]].concat()),
            ]
        });
        let direct = ask(&[needs.as_slice(), &[gives.not()]].concat());
        Question {
            element,
            halves,
            by_reference,
            direct,
        }
    }

    /// The hash under which its proof is recorded: of the body's text and of the queries, which
    /// hold the contract and the meanings of the instructions.
    #[must_use]
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut part = |part: &str| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        part(&self.rendered.text);
        for question in self.questions() {
            question.halves.iter().for_each(|query| part(query));
            part(&question.direct);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Runs the body on edge values and on `random` more operands.
    ///
    /// # Errors
    /// Operands that meet the needs and break the promise.
    pub fn test(&self, random: usize) -> Result<(), Counterexample> {
        let cases = directed::operands(self, random);
        let bits = self.rendered.field.word_bits();
        for element in 0..self.elements() {
            let tape = self.tape(element);
            for (n, case) in cases.iter().enumerate() {
                // Another case rides in the other element, if there is one.
                let other = &cases[(n * 7 + 3) % cases.len()];
                let word = |(&x, &y): (&u64, &u64)| match self.elements() {
                    1 => u128::from(x),
                    _ => {
                        u128::from(x) << (element * bits) | u128::from(y) << ((1 - element) * bits)
                    }
                };
                let words: Vec<u128> = case.iter().zip(other).map(word).collect();
                self.check(&tape, &words, element)?;
            }
        }
        Ok(())
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

    fn check(&self, tape: &Tape, words: &[u128], element: u32) -> Result<(), Counterexample> {
        let values = tape.eval(words);
        let promise = values.len() - 1 - self.contract.op.results();
        let (needs, rest) = values.split_at(promise);
        if needs.contains(&0) || rest[0] == 1 {
            return Ok(());
        }
        let bits = self.rendered.field.word_bits();
        let cut = |&word: &u128| (word >> (element * bits)) as u64 & (u64::MAX >> (64 - bits));
        let operands: Vec<u64> = words.iter().map(cut).collect();
        let expected = self.contract.apply_all(&operands);
        let got = rest[1..].iter().map(|&word| word as u64);
        let mut pairs = got.zip(expected);
        let first = pairs.next().expect("at least one result");
        let (got, expected) = match pairs.next() {
            Some(second) if first.0 == first.1 => second,
            _ => first,
        };
        Err(Counterexample {
            operands,
            got,
            expected,
        })
    }

    /// Has the solver prove it.
    fn prove(&self, solver: &Solver) -> Result<(), Diagnostic> {
        let mut questions = self.questions().into_iter();
        questions.try_for_each(|question| self.answer(&question, solver))
    }

    fn answer(&self, question: &Question, solver: &Solver) -> Result<(), Diagnostic> {
        let variables = self.contract.op.operands().len();
        let impossible = |query: &str| solver.answer(query, variables) == Answer::Unsatisfiable;
        for query in &question.halves {
            match solver.answer(query, variables) {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable(words) => return Err(self.refuted(question.element, &words)),
                Answer::Unknown(reason) => return Err(self.undecided(solver, &reason)),
            }
        }
        if let Some([same, reference]) = &question.by_reference
            && impossible(same)
            && impossible(reference)
        {
            return Ok(());
        }
        match solver.answer(&question.direct, variables) {
            Answer::Unsatisfiable => Ok(()),
            Answer::Satisfiable(words) => Err(self.refuted(question.element, &words)),
            Answer::Unknown(reason) => Err(self.undecided(solver, &reason)),
        }
    }

    /// The solver's counterexample, if it is one, or one found by searching longer.
    fn refuted(&self, element: u32, words: &[u128]) -> Diagnostic {
        let found = self
            .check(&self.tape(element), words, element)
            .and_then(|()| self.test(THOROUGH));
        match found {
            Err(found) => self.broken(&found),
            Ok(()) => self.spurious(words),
        }
    }
}

/// Makes sure that a body keeps its contract: by the ledger that this program was built with, or
/// else by a proof on the spot.
///
/// # Errors
/// A body that breaks its contract, or that is changed and cannot be proved here.
pub fn discharge(rendered: &Rendered) -> Result<(), Diagnostics> {
    static SOLVER: LazyLock<Option<Solver>> = LazyLock::new(|| Solver::find(TIMEOUT));
    /// Bodies that keep their contracts; kernels have them in common.
    static KEPT: Mutex<BTreeSet<(Target, &str, MacroOp, String)>> = Mutex::new(BTreeSet::new());
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let Rendered {
        target, field, op, ..
    } = *rendered;
    let body = (target, field.name, op, rendered.hash.clone());
    if !kept().contains(&body) {
        settle(rendered, Ledger::built_in(), || SOLVER.as_ref())?;
        kept().insert(body);
    }
    Ok(())
}

/// The key of a body's lemma and who proved it: an entry of `known`, or `solver`, now. What is
/// known spares the solver, not the directed words.
///
/// # Errors
/// A body that breaks its contract, or cannot be proved.
pub fn settle<'s>(
    rendered: &Rendered,
    known: &Ledger,
    solver: impl FnOnce() -> Option<&'s Solver>,
) -> Result<(String, Entry), Diagnostics> {
    let Some(lemma) = Lemma::new(rendered) else {
        let message = format!("{} has no macro-op {}", rendered.field.name, rendered.op);
        return Err(Diagnostic::new(message).into());
    };
    lemma.test(QUICK).map_err(|found| lemma.broken(&found))?;
    let (key, name) = (lemma.key(), lemma.name());
    if let Some(Entry { solver, .. }) = known.get(&key) {
        let solver = solver.clone();
        return Ok((key, Entry { name, solver }));
    }
    let Some(solver) = solver() else {
        return Err(lemma.unproved().into());
    };
    lemma.prove(solver)?;
    let solver = solver.name();
    Ok((key, Entry { name, solver }))
}

#[cfg(test)]
mod tests;

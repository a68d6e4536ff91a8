//! Lemmas: the body of a macro-op on a machine keeps the macro-op's contract, for *all* inputs.
//!
//! A body is first run on words chosen to break it, then proved by an SMT solver. Proofs are
//! recorded in a ledger under a hash of everything they depend on, so that whoever does not touch
//! a template needs no solver. The ledger is a cache: directed words run in any case, and
//! continuous integration proves everything anew.

mod directed;
mod graph;
mod ledger;
mod message;
mod reference;
mod smt;
mod solver;

pub(crate) use directed::{edges, random};
pub use ledger::{Entry, Ledger};
pub use solver::{Name as SolverName, Solver};

use crate::diag::{Diagnostic, Diagnostics};
use crate::isa::Target;
use crate::isa::constants::{elements_per_word, state_kind};
use crate::ops::{Contract, MacroOp, Proof, Reading};
use crate::params::{Balance, Field};
use crate::template::{Rendered, TemplateSet};
use crate::term::Term;
use crate::term::tape::Tape;
use graph::Graph;
use solver::Answer;
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};

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
        let (target, Contract { field, op, .. }) = (self.rendered.target, &self.contract);
        format!("{} {} {op}", target.folder(), field.name)
    }

    fn elements(&self) -> u32 {
        elements_per_word(self.rendered.field, self.rendered.target)
    }

    fn statement(&self, element: u32) -> Statement {
        let Contract { field, op, row } = &self.contract;
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
            cuts: match row.proof {
                Proof::Folded => directed::halves_of_product(&words, values.into_iter().flatten()),
                _ => Vec::new(),
            },
            results,
            operands,
        }
    }

    /// Can the needs hold and the promise be broken? Of the other elements of the word nothing is
    /// assumed, so the proof also shows that elements do not disturb each other.
    fn question(&self, element: u32) -> Question {
        let statement = self.statement(element);
        // Registers in which a body collects the product of 64-bit words from products of half
        // words: once they are proved to, they stand for the product, which is then free.
        let differs = |(term, product, from): &(Term, Term, u32)| {
            let mut graph = Graph::new(true, 0);
            let assertion = graph.enter(&term.equals(&product.bits(*from, 64)).not());
            smt::query(&graph, &[assertion])
        };
        let halves = statement.cuts.iter().map(differs).collect();
        // Columns are made of partial products, not of halves of the whole one.
        let of_halves = self.contract.row.proof == Proof::OfHalves;
        // Limbs stand 10 bits up, which is asserted of the operands.
        let even = match self.contract.row.reads {
            Reading::Shifted => Balance::SHIFT,
            _ => 0,
        };
        let ask = |assertions: &[Term]| {
            let mut graph = Graph::new(of_halves, even);
            for (term, product, from) in &statement.cuts {
                let part = graph.enter(&product.bits(*from, 64));
                graph.assume(term, part);
            }
            let assertions: Vec<_> = assertions.iter().map(|a| graph.enter(a)).collect();
            smt::query(&graph, &assertions)
        };
        let x = &statement.operands;
        let product = x[0].widening_mul(&x[x.len() - 1]);
        let by_reference = reference::reduced(&self.contract, &product).map(|reduced| {
            let same = statement.results[0].equals(&reduced);
            let kept = self.contract.gives_term(x, &[reduced]);
            [
                ask(&[same.not()]),
                ask(&[&statement.needs[..], &[kept.not()]].concat()),
            ]
        });
        let direct = ask(&[&statement.needs[..], &[statement.gives.not()]].concat());
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
        for question in (0..self.elements()).map(|element| self.question(element)) {
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
        (0..self.elements()).try_for_each(|n| self.answer(&self.question(n), solver))
    }

    fn answer(&self, question: &Question, solver: &Solver) -> Result<(), Diagnostic> {
        let variables = self.contract.op.operands().len();
        let impossible = |query: &String| match solver.answer(query, variables) {
            Answer::Unsatisfiable => Ok(()),
            Answer::Satisfiable(words) => Err(self.refuted(question.element, &words)),
            Answer::Unknown(reason) => Err(self.undecided(solver, &reason)),
        };
        question.halves.iter().try_for_each(impossible)?;
        if let Some(questions) = &question.by_reference {
            let mut answers = questions
                .iter()
                .map(|query| solver.answer(query, variables));
            if answers.all(|answer| answer == Answer::Unsatisfiable) {
                return Ok(());
            }
        }
        impossible(&question.direct)
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
    static SOLVER: LazyLock<Option<Solver>> = LazyLock::new(Solver::find);
    /// Bodies that keep their contracts; kernels have them in common.
    static KEPT: Mutex<BTreeSet<(Target, &str, MacroOp, String)>> = Mutex::new(BTreeSet::new());
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = rendered.hash.clone();
    let body = (rendered.target, rendered.field.name, rendered.op, hash);
    if !kept().contains(&body) {
        settle(rendered, Ledger::built_in(), || SOLVER.as_ref())?;
        kept().insert(body);
    }
    Ok(())
}

/// A body's lemma and who proved it: as `known` has it, or `solver`, now. What is known spares the
/// solver, not the directed words.
///
/// # Errors
/// A body that breaks its contract, or cannot be proved.
pub fn settle<'s>(
    rendered: &Rendered,
    known: &Ledger,
    solver: impl FnOnce() -> Option<&'s Solver>,
) -> Result<Entry, Diagnostics> {
    let Some(lemma) = Lemma::new(rendered) else {
        let message = format!("{} has no macro-op {}", rendered.field.name, rendered.op);
        return Err(Diagnostic::new(message).into());
    };
    lemma.test(QUICK).map_err(|found| lemma.broken(&found))?;
    let (key, name) = (lemma.key(), lemma.name());
    let solver = match known.get(&key) {
        Some(entry) => entry.solver.clone(),
        None => {
            let solver = solver().ok_or_else(|| lemma.unproved())?;
            lemma.prove(solver)?;
            solver.name()
        }
    };
    Ok(Entry { key, name, solver })
}

/// Every macro-op that has a template: the lemmas that a complete ledger holds.
#[must_use]
pub fn all(templates: &TemplateSet) -> Vec<(Target, &'static Field, MacroOp)> {
    let mut all = Vec::new();
    for &target in Target::all() {
        for &field in Field::all() {
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

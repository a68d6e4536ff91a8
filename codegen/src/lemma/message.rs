//! Messages about lemmas that do not hold, or are not known to.

use super::{Counterexample, Lemma, Solver};
use crate::diag::Diagnostic;
use crate::ops::{Proof, Row};

impl Lemma<'_> {
    /// The promise in words, with its condition.
    fn promise(&self) -> String {
        let Row { needs, text, .. } = &self.contract.row;
        let needs: Vec<&str> = needs.iter().map(|need| need.text).collect();
        match needs[..] {
            [] => format!("for any operands, {text}"),
            _ => format!("if {}, {text}", needs.join(" and ")),
        }
    }

    fn macro_op(&self) -> String {
        let folder = self.rendered.target.folder();
        format!("macro-op {} on {folder}", self.contract.op)
    }

    fn assignment(&self, operands: &[u64]) -> String {
        let names = self.contract.op.operands().iter().zip(operands);
        let values = names.map(|(name, x)| format!("{name} = {x:#x}"));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The body breaks its promise.
    pub(super) fn broken(&self, found: &Counterexample) -> Diagnostic {
        let p = self.contract.field.modulus;
        let Counterexample {
            operands,
            got,
            expected,
        } = found;
        let (is, should) = (got % p, expected % p);
        let choice = match self.contract.row.proof {
            Proof::Folded if is != should => format!("a word ≡ {expected:#x}"),
            _ => format!("r = {expected:#x}"),
        };
        let residues = if is == should {
            format!("the residue {is:#x} is right, the word is not")
        } else {
            format!("residue {is:#x} in place of {should:#x}")
        };
        Diagnostic::new(format!(
            "the template {} breaks the promise of {}\n\
             promised: {}\n\
             operands: {}\n\
             got:      r = {got:#x}, expected {choice}: {residues}",
            self.rendered.file,
            self.macro_op(),
            self.promise(),
            self.assignment(operands),
        ))
        .help(
            "mend the template: these operands meet the macro-op's precondition, so kernels rely \
             on this result",
        )
    }

    /// The solver found operands that break the promise only if products were free words.
    pub(super) fn spurious(&self, words: &[u128]) -> Diagnostic {
        let words: Vec<u64> = words.iter().map(|&w| w as u64).collect();
        Diagnostic::new(format!(
            "the template {} could not be proved to keep the promise of {}\n\
             promised: {}\n\
             The solver treats products of two unknowns as free words; its counterexample ({}) is \
             none for true products, and a search found no other.",
            self.rendered.file,
            self.macro_op(),
            self.promise(),
            self.assignment(&words),
        ))
        .help(
            "form the same partial products of 32-bit halves as the other templates, so that the \
             proof can compare them with the product promised",
        )
    }

    /// The solver gave no answer.
    pub(super) fn undecided(&self, solver: &Solver, reason: &str) -> Diagnostic {
        Diagnostic::new(format!(
            "{} gave no answer on the template {} ({}): {reason}",
            solver.name(),
            self.rendered.file,
            self.macro_op(),
        ))
        .help("write the body closer to one that is proved, or give the solver more time")
    }

    /// The body is not in the ledger, and there is no solver here.
    pub(super) fn unproved(&self) -> Diagnostic {
        Diagnostic::new(format!(
            "the template {} is not proved: {} has changed since `codegen prove`, \
             and z3 is not installed",
            self.rendered.file,
            self.macro_op(),
        ))
        .help("install z3 (`apt-get install z3`), or put the template back as it was")
    }
}

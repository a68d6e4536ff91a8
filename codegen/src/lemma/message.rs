//! Messages about lemmas that do not hold, or are not known to.

use super::{Counterexample, Lemma, Unsettled};
use crate::diag::Diagnostic;
use crate::ops::Row;

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
        let choice = match self.contract.row.either[..] {
            [_, _, ..] if is != should => format!("a word ≡ {expected:#x}"),
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
            "fix the template: these operands meet the macro-op's precondition, so kernels rely \
             on this result",
        )
    }

    /// The checker reads its text as no body.
    pub(super) fn unread(&self, why: &str) -> Diagnostic {
        Diagnostic::new(format!(
            "the checker does not read the template {} ({}): {why}",
            self.rendered.file,
            self.macro_op(),
        ))
        .help("its instructions and constants must be spelled as verify/checker knows them")
    }

    /// It is not known to hold.
    pub(super) fn unproved(&self, why: Unsettled) -> Diagnostic {
        let (file, macro_op) = (&self.rendered.file, self.macro_op());
        match why {
            Unsettled::NoSolver => Diagnostic::new(format!(
                "the template {file} is not proved: {macro_op} has changed since `codegen prove`, \
                 and z3 is not installed",
            ))
            .help("install z3 (`apt-get install z3`), or put the template back as it was"),
            Unsettled::NotProved(why) => Diagnostic::new(format!(
                "the template {file} could not be proved to keep the promise of {macro_op}\n\
                 promised: {}\n\
                 {why}",
                self.promise(),
            ))
            .help(
                "fix the template, or write it closer to one that is proved: products are any \
                 functions to the solver, so form the same partial products as the others",
            ),
        }
    }
}

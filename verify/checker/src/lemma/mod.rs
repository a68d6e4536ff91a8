//! Lemmas: a macro's body does what its macro-op's row says, for all operands.
//!
//! Questions are text: the body as read from the kernel, the meanings of its instructions, and the
//! row. Products are any functions to a solver, within their bounds and commutative: what is proved
//! of all of them holds of multiplication. (Multiples of constants are shifts, additions and
//! subtractions.) Nothing is assumed of other elements in the same word.

mod claim;
mod example;
mod products;
mod question;
mod ranges;
mod reduction;
mod run;
mod solver;
#[cfg(test)]
mod tests;
mod text;

pub use run::{Proofs, prove};
pub use solver::Solver;

use std::collections::BTreeMap;
use std::fmt;

use crate::body::Body;
use crate::certificate::Program;
use crate::instruction::Target;
use crate::reader::Bodies;
use crate::row::Row;
use question::Question;
use reference::Field;

/// The claim that a body does what its macro-op's row says.
#[derive(Clone, Debug)]
pub struct Lemma {
    target: Target,
    field: Field,
    op: String,
    row: Row,
    body: Body,
}

/// Lemmas, each once: many kernels have bodies in common.
pub(crate) type Lemmas = BTreeMap<String, Lemma>;

/// What became of a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Proved,
    /// It does not hold; in words.
    Refuted(Counterexample),
    /// Nothing is known; in words.
    Unknown(String),
}

/// Operands for which a body does something else than the row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The operands.
    pub operands: Vec<u64>,
    /// What the body gives.
    pub gives: Vec<u64>,
    /// Of each result, the words that the row allows.
    pub wants: Vec<Vec<u64>>,
}

/// Adds the lemmas that a kernel rests on, or what prepares its constants.
pub(crate) fn gather(
    program: &Program,
    constant: bool,
    bodies: &Bodies,
    lemmas: &mut Lemmas,
) -> Result<(), String> {
    for operation in program.operations(constant) {
        let name = operation.name.to_string();
        let own = [format!("{name}_general"), name];
        let mut own = own.iter().filter_map(|name| bodies.get(name)).peekable();
        if own.peek().is_none() {
            return Err(format!("there is no body of `{}`", operation.op));
        }
        for (target, body) in own {
            let lemma = Lemma {
                target: *target,
                field: program.field,
                op: operation.op.clone(),
                row: operation.row.clone(),
                body: body.clone(),
            };
            lemmas.entry(lemma.key()).or_insert(lemma);
        }
    }
    Ok(())
}

impl Lemma {
    /// What tells it from others.
    fn key(&self) -> String {
        let body = text::steps(&self.body, &self.body.results, &[].into());
        format!("{self} {:?} {body}", self.body.results)
    }

    /// Has a solver prove it, for each element of a word.
    #[must_use]
    pub fn prove(&self, solver: &Solver) -> Verdict {
        let (row, body) = (&self.row, &self.body);
        let bits = if self.field.modulus >> 32 == 0 {
            32
        } else {
            64
        };
        let width = text::width(body);
        if row.operands != body.operands || row.results.len() != body.results.len() || width < bits
        {
            return Verdict::Unknown("the body has other operands or results".to_owned());
        }
        for from in (0..width).step_by(bits as usize) {
            let verdict = Question::new(self, solver, width, bits, from).verdict();
            if verdict != Verdict::Proved {
                return verdict;
            }
        }
        Verdict::Proved
    }
}

impl fmt::Display for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = format!("{:?}", self.target).to_lowercase();
        write!(f, "{target} {} {}", self.field.name, self.op)
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |words: &[u64], between: &str| {
            let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
            words.join(between)
        };
        let wants: Vec<String> = self.wants.iter().map(|all| words(all, " or ")).collect();
        let (operands, gives) = (words(&self.operands, ", "), words(&self.gives, ", "));
        write!(
            f,
            "of {operands} it makes {gives}, not {}",
            wants.join(", ")
        )
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved => f.write_str("proved"),
            Self::Refuted(example) => write!(f, "{example}"),
            Self::Unknown(reason) => f.write_str(reason),
        }
    }
}

//! Lemmas: a macro's body does what its macro-op's row says, for all operands.
//!
//! Questions are text: the body as read from the kernel, the meanings of its instructions, and the
//! row. Products are any functions to a solver, within their bounds and commutative: what is proved
//! of all of them holds of multiplication. (Multiples of constants are shifts, additions and
//! subtractions.) Nothing is assumed of other elements in the same word.

mod associative;
mod claim;
mod example;
mod generator;
mod halves;
mod products;
mod question;
mod ranges;
mod reduction;
mod run;
mod solver;
#[cfg(test)]
mod tests;
mod text;

pub use example::Counterexample;
pub use run::{Proofs, prove};
pub use solver::{SOLVERS, Solver};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::body::Body;
use crate::certificate::{Operation, Program};
use crate::machine::Target;
use crate::reader::Bodies;
use crate::row::{Range, Row};
use claim::Claim;
use question::Question;
use reference::Field;

/// A claim about a macro-op.
#[derive(Clone, Debug)]
pub struct Lemma {
    field: Field,
    op: String,
    row: Row,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    /// A body does what the row says.
    Body(Target, Body),
    /// Results are in the ranges that are derived for them, where operands are in one of these.
    Ranges(BTreeSet<Vec<Range>>),
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

/// Adds the lemmas that a kernel rests on, or what prepares its constants.
pub(crate) fn gather(
    program: &Program,
    constant: bool,
    bodies: &Bodies,
    lemmas: &mut Lemmas,
) -> Result<(), String> {
    // Named constants are compared as they are.
    let with_bodies = program.operations(constant).filter(|o| o.row.operands > 0);
    let mut seen = BTreeSet::new();
    let each = with_bodies.filter(|o| seen.insert(format!("{} {:?}", o.op, o.row)));
    for operation in each {
        let name = operation.name.to_string();
        let own = [format!("{name}_general"), name];
        let mut own = own.iter().filter_map(|name| bodies.get(name)).peekable();
        if own.peek().is_none() {
            return Err(format!("there is no body of `{}`", operation.op));
        }
        for (target, body) in own {
            let lemma = Lemma {
                field: program.field,
                op: operation.op.clone(),
                row: operation.row.clone(),
                of: Of::Body(*target, body.clone()),
            };
            lemmas.entry(lemma.key()).or_insert(lemma);
        }
    }
    Ok(())
}

/// Adds that the ranges that a program is proved with hold what the rows give.
pub(crate) fn gather_ranges(program: &Program, lemmas: &mut Lemmas) {
    for ((op, bits), cases) in program.ranges() {
        let field = program.field;
        let mut operations = program.operations(false).chain(program.operations(true));
        let same = |o: &&Operation| (&o.op, o.row.bits) == (&op, bits);
        let Some(operation) = operations.find(same) else {
            continue;
        };
        let row = operation.row.clone();
        let of = Of::Ranges(BTreeSet::new());
        let lemma = Lemma { field, op, row, of };
        let lemma = lemmas.entry(lemma.key()).or_insert(lemma);
        if let Of::Ranges(all) = &mut lemma.of {
            all.extend(cases);
        }
    }
}

impl Lemma {
    /// What tells it from others. The row is part of that: words of 32 and of 64 bits have operations of the same name.
    fn key(&self) -> String {
        match &self.of {
            Of::Body(_, body) => {
                let steps = text::steps(body, &body.results, &[].into());
                format!("{self} {:?} {:?} {steps}", self.row, body.results)
            }
            Of::Ranges(_) => format!("{self} {:?}", self.row),
        }
    }

    /// What the instructions are for, if it is about some.
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        match &self.of {
            Of::Body(target, _) => Some(*target),
            Of::Ranges(_) => None,
        }
    }

    /// How long a proof may take, roughly.
    fn length(&self) -> usize {
        match &self.of {
            Of::Body(_, body) => body.steps.len(),
            Of::Ranges(cases) => cases.len(),
        }
    }

    /// Has a solver prove it, of a body for each element of a word.
    #[must_use]
    pub fn prove(&self, solver: &Solver) -> Verdict {
        let row = &self.row;
        let body = match &self.of {
            Of::Body(_, body) => &associative::reassociated(body),
            Of::Ranges(cases) => return ranges::verdict(row, cases, solver),
        };
        if row.operands != body.operands
            || row.results.len() != body.results.len()
            || text::width(body) < row.bits
        {
            return Verdict::Unknown("the body has other operands or results".to_owned());
        }
        let mut verdicts = self.questions(body).map(|of| of.verdict(solver));
        let other = verdicts.find(|verdict| *verdict != Verdict::Proved);
        other.unwrap_or(Verdict::Proved)
    }

    /// What is asked of each element of a word.
    fn questions<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = Question<'a>> {
        let (row, bits, p) = (&self.row, self.row.bits, self.field.modulus);
        let width = text::width(body);
        let elements = (0..width).step_by(bits as usize);
        elements.map(move |from| Question::new(Claim { row, bits, from }, p, body, width))
    }
}

impl fmt::Display for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match &self.of {
            Of::Body(target, _) => format!("{target:?}").to_lowercase(),
            Of::Ranges(_) => "ranges".to_owned(),
        };
        write!(f, "{of} {} {}", self.field.name, self.op)
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

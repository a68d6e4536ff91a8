//! The checker: whether the text of kernels computes Poseidon2, for all states and constants.
//!
//! A certificate is a program of macro-ops. It is executed on ranges and linear forms, which shows
//! that nothing overflows and that it is the permutation. A kernel's text is executed on names of
//! values, which shows that it is the program. Nothing here is shared with the generator.

mod body;
mod certificate;
mod changed;
mod files;
mod flow;
mod instruction;
mod kernel;
mod lemma;
mod machine;
mod ops;
mod proof;
mod reader;
mod row;
mod spelling;
#[cfg(test)]
mod tests;

pub use certificate::Program;
pub use files::below;
pub use kernel::{Crate, Outcomes};
pub use lemma::{Counterexample, Lemma, Proofs, SOLVERS, Solver, Verdict, prove};
pub use machine::Target;

use std::fmt;

/// Why a certificate or a kernel is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The line, from 1, if it is one.
    pub line: Option<usize>,
    /// What is wrong, in words.
    pub what: String,
}

impl Refused {
    pub(crate) fn new(line: usize, what: impl Into<String>) -> Self {
        let (line, what) = (Some(line), what.into());
        Self { line, what }
    }

    pub(crate) fn whole(what: impl Into<String>) -> Self {
        let (line, what) = (None, what.into());
        Self { line, what }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for Refused {}

type Step<T> = Result<T, Refused>;

fn refuse<T>(line: usize, what: impl Into<String>) -> Step<T> {
    Err(Refused::new(line, what))
}

/// Checks the text of a certificate.
///
/// # Errors
/// The first line that does not hold.
pub fn check(text: &str) -> Result<Program, Refused> {
    let program = Program::read(text)?;
    program.prove()?;
    Ok(program)
}

//! The report of a failing kernel.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What one run of a kernel did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A state that is not the image of its input.
    Output {
        /// Which state of the batch.
        state: usize,
        /// The words that came out.
        got: Vec<u64>,
    },
    /// A write outside an operand, at this distance in words.
    Canary(&'static str, isize),
    /// The table of constants was written to.
    Constants,
    /// A register that must be preserved was not.
    Register(&'static str),
}

/// A failed check, with all that is needed to repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The check, such as `edge pairs`.
    pub check: String,
    /// Where the case comes from.
    pub origin: String,
    /// The seed of the run.
    pub seed: u64,
    /// The name of the table of constants, or its words where it was drawn at random.
    pub constants: String,
    /// What went wrong.
    pub problem: String,
    /// The input of the state that came out wrong, in hexadecimal.
    pub input: Vec<String>,
    /// The residues expected of it.
    pub expected: Vec<String>,
    /// The words that came out.
    pub got: Vec<String>,
}

impl Failure {
    /// Tells a wrong run; `case` gives the words and residues of a state of the batch.
    pub fn new<'a>(
        wrong: &Wrong,
        (check, origin): (&str, &str),
        seed: u64,
        constants: String,
        case: impl Fn(usize) -> (&'a [u64], &'a [u64]),
    ) -> Self {
        let problem = match wrong {
            Wrong::Output { state, .. } => format!("state {state} of the batch came out wrong"),
            Wrong::Canary(operand, at) if *at < 0 => {
                format!("wrote {} words before the {operand}", -at)
            }
            Wrong::Canary(operand, at) => format!("wrote {} words after the {operand}", at + 1),
            Wrong::Constants => "wrote to the table of constants".to_owned(),
            Wrong::Register(register) => format!("register {register} was not preserved"),
        };
        let (state, got) = match wrong {
            Wrong::Output { state, got } => (*state, got.as_slice()),
            _ => (0, [].as_slice()),
        };
        let (input, expected) = case(state);
        let hexadecimal = |words: &[u64]| words.iter().map(|x| format!("{x:#x}")).collect();
        Self {
            check: check.to_owned(),
            origin: origin.to_owned(),
            seed,
            constants,
            problem,
            input: hexadecimal(input),
            expected: hexadecimal(expected),
            got: hexadecimal(got),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.check, self.problem)?;
        writeln!(f, "  case      {}", self.origin)?;
        writeln!(f, "  seed      {}", self.seed)?;
        writeln!(f, "  constants {}", self.constants)?;
        writeln!(f, "  input     [{}]", self.input.join(", "))?;
        writeln!(f, "  expected  [{}] (residues)", self.expected.join(", "))?;
        write!(f, "  got       [{}] (words)", self.got.join(", "))
    }
}

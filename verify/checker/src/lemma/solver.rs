//! Solvers as programs, and their answers, remembered.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The solvers that are known, the one that is asked first of all first.
pub const SOLVERS: [&str; 2] = ["z3", "cvc5"];

/// What one question may cost, in z3's own count of steps, which is the same on every machine and
/// under every load.
const STEPS: u32 = 400_000_000;

/// The end of a question that the count of steps does not end, in seconds.
const LIMIT: u32 = 1800;

/// An SMT solver that was found on this machine.
#[derive(Debug)]
pub struct Solver {
    name: String,
    version: String,
    /// Questions that were asked: many bodies have some in common.
    asked: Mutex<HashMap<String, Arc<OnceLock<Answer>>>>,
}

/// What a solver says of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It cannot be.
    Impossible,
    /// With these values it is so.
    Possible(Vec<u128>),
    /// It gave up, or failed; in its words.
    Unknown(String),
}

impl Solver {
    /// One of [`SOLVERS`], if it can be run.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let output = Command::new(name).arg("--version").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let numbered = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        Some(Self {
            name: name.to_owned(),
            version: text.split_whitespace().find(numbered)?.to_owned(),
            asked: Mutex::default(),
        })
    }

    /// Answers a question, once: who asks meanwhile waits. Of `values`, their number, the question
    /// names what is to be shown if it is possible.
    pub(super) fn answer(&self, question: &str, values: usize) -> Answer {
        let slot = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(asked.entry(question.to_owned()).or_default())
        };
        let answer = slot.get_or_init(|| match self.run(question) {
            Ok(output) => read(&output, values),
            Err(error) => Answer::Unknown(format!("cannot run it: {error}")),
        });
        answer.clone()
    }

    fn run(&self, question: &str) -> io::Result<String> {
        let arguments = match &*self.name {
            "z3" => vec![
                "-smt2".to_owned(),
                "-in".to_owned(),
                format!("rlimit={STEPS}"),
                format!("-T:{LIMIT}"),
            ],
            _ => vec!["--lang=smt2".to_owned(), format!("--tlimit={LIMIT}000")],
        };
        let mut child = Command::new(&self.name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // What ends before it has read all says why.
            let _ = input.write_all(question.as_bytes());
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

fn read(output: &str, values: usize) -> Answer {
    let (verdict, rest) = output.split_once('\n').unwrap_or((output, ""));
    match verdict.trim() {
        "unsat" => Answer::Impossible,
        "sat" => {
            let numbers = rest.split('#').skip(1).map(|number| {
                let digits = number.split(')').next()?.trim();
                let radix = if digits.starts_with('x') { 16 } else { 2 };
                u128::from_str_radix(digits.get(1..)?, radix).ok()
            });
            match numbers.collect::<Option<Vec<u128>>>() {
                Some(numbers) if numbers.len() == values => Answer::Possible(numbers),
                _ => Answer::Unknown(format!("values that cannot be read: {rest}")),
            }
        }
        "timeout" => Answer::Unknown(format!("no answer in {LIMIT} seconds")),
        "unknown" => Answer::Unknown(format!("it gave up, after up to {STEPS} steps")),
        // So cvc5 ends at its limit, and so does what is killed.
        "" => Answer::Unknown(format!(
            "ended without an answer; the limit is {LIMIT} seconds"
        )),
        _ => Answer::Unknown(format!("it said `{}`", output.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(read("unsat\n(error \"no model\")\n", 1), Answer::Impossible);
        let model = "sat\n((x0 #x000000ff)\n (x1 #b101))\n";
        assert_eq!(read(model, 2), Answer::Possible(vec![255, 5]));
        for unknown in [
            "",
            "timeout\n",
            "unknown\n",
            "(error \"x\")\nunsat\n",
            model,
        ] {
            assert!(matches!(read(unknown, 3), Answer::Unknown(_)), "{unknown}");
        }
    }
}

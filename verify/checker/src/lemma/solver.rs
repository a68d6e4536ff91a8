//! Solvers as programs, and their answers, remembered.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The solvers that are known, the one that is asked first of all first.
pub const SOLVERS: [&str; 3] = ["z3", "bitwuzla", "cvc5"];

/// What one question may cost, in z3's own count of steps, which is the same on every machine and
/// under every load.
const STEPS: u32 = 400_000_000;

/// The end of a question that the count of steps does not end, in seconds.
const LIMIT: u32 = 1800;

/// What a solver prints behind an answer.
const END: &str = "end-of-answer";

/// An SMT solver that was found on this machine.
#[derive(Debug)]
pub struct Solver {
    name: String,
    version: String,
    /// Questions that were asked: many bodies have some in common.
    asked: Mutex<HashMap<String, Arc<OnceLock<Answer>>>>,
    /// Processes that wait for a question: to start one takes longer than most answers.
    idle: Mutex<Vec<Session>>,
}

/// A running solver, which forgets each question before the next.
#[derive(Debug)]
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
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
            idle: Mutex::default(),
        })
    }

    /// Answers a question, once: who asks meanwhile waits. Of `values`, their number, the question
    /// names what is to be shown if it is possible.
    pub(super) fn answer(&self, question: &str, values: usize) -> Answer {
        let slot = Arc::clone(lock(&self.asked).entry(question.to_owned()).or_default());
        let answer = slot.get_or_init(|| match self.run(question) {
            Ok(output) => read(&output, values),
            Err(error) => Answer::Unknown(format!("cannot run it: {error}")),
        });
        answer.clone()
    }

    fn run(&self, question: &str) -> io::Result<String> {
        let waiting = lock(&self.idle).pop();
        let mut session = waiting.map_or_else(|| Session::start(&self.name), Ok)?;
        let (output, lives) = session.ask(question)?;
        if lives {
            lock(&self.idle).push(session);
        }
        Ok(output)
    }
}

impl Session {
    fn start(name: &str) -> io::Result<Self> {
        let arguments = match name {
            "z3" => vec![
                "-smt2".to_owned(),
                "-in".to_owned(),
                format!("rlimit={STEPS}"),
                format!("-t:{LIMIT}000"),
                // Sums that stay as they are written are found again.
                "rewriter.flat=false".to_owned(),
            ],
            "bitwuzla" => vec![format!("--time-limit-per={LIMIT}000")],
            _ => vec!["--lang=smt2".to_owned(), format!("--tlimit-per={LIMIT}000")],
        };
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let missing = || io::Error::other("it has no input or no output");
        Ok(Self {
            input: input.ok_or_else(missing)?,
            output: BufReader::new(output.ok_or_else(missing)?),
            child,
        })
    }

    /// What it prints, and whether it can be asked again. What ends before it has read all says why.
    fn ask(&mut self, question: &str) -> io::Result<(String, bool)> {
        let question = format!("{question}\n(echo \"{END}\")\n(reset)\n");
        let written = self.input.write_all(question.as_bytes());
        let _ = written.and_then(|()| self.input.flush());
        let mut printed = String::new();
        loop {
            let from = printed.len();
            if self.output.read_line(&mut printed)? == 0 {
                return Ok((printed, false));
            }
            if printed[from..].trim().trim_matches('"') == END {
                printed.truncate(from);
                return Ok((printed, true));
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        "unknown" => Answer::Unknown(format!(
            "it gave up, after up to {STEPS} steps or {LIMIT} seconds"
        )),
        // So does what is killed.
        "" => Answer::Unknown("ended without an answer".to_owned()),
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
        for unknown in ["", "unknown\n", "(error \"x\")\nunsat\n", model] {
            assert!(matches!(read(unknown, 3), Answer::Unknown(_)), "{unknown}");
        }
    }
}

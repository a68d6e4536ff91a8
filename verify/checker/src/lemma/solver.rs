//! Solvers as programs, and their answers, remembered.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fmt, fs};

/// What one question may take, in seconds.
const LIMIT: u32 = 60;

/// An SMT solver that was found on this machine.
#[derive(Debug)]
pub struct Solver {
    name: &'static str,
    version: String,
    /// Where answers are kept.
    cache: Option<PathBuf>,
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
    /// The solvers that are found: z3 and cvc5. Answers are kept in a folder. Nobody has to trust it:
    /// the question stands beside the answer.
    #[must_use]
    pub fn all(cache: Option<PathBuf>) -> Vec<Self> {
        let found = ["z3", "cvc5"].into_iter().filter_map(|name| {
            let output = Command::new(name).arg("--version").output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            let numbered = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
            let version = text.split_whitespace().find(numbered)?.to_owned();
            Some(Self {
                name,
                version,
                cache: cache.clone(),
                asked: Mutex::default(),
            })
        });
        found.collect()
    }

    /// Answers a question, once: who asks meanwhile waits. Of `values`, their number, the question
    /// names what is to be shown if it is possible.
    pub(super) fn answer(&self, question: &str, values: usize) -> Answer {
        let slot = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(asked.entry(question.to_owned()).or_default())
        };
        let answer = slot.get_or_init(|| {
            let known = self
                .file(question)
                .and_then(|file| fs::read_to_string(file).ok());
            let known = known.as_ref().and_then(|text| text.strip_prefix(question));
            if let Some(known) = known {
                return read(known, values);
            }
            match self.run(question) {
                Ok(output) => {
                    let answer = read(&output, values);
                    if !matches!(answer, Answer::Unknown(_)) {
                        self.keep(question, &output);
                    }
                    answer
                }
                Err(error) => Answer::Unknown(format!("cannot run it: {error}")),
            }
        });
        answer.clone()
    }

    /// The file of an answer. Where two questions have one file, the later answer is kept.
    fn file(&self, question: &str) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        question.hash(&mut hasher);
        let name = format!("{}-{}-{:016x}", self.name, self.version, hasher.finish());
        Some(self.cache.as_ref()?.join(name))
    }

    /// Keeps an answer. Where that fails, the solver is asked again the next time.
    fn keep(&self, question: &str, output: &str) {
        let Some(file) = self.file(question) else {
            return;
        };
        // Whole or not at all, also if another run writes the same one.
        let part = file.with_extension(format!("{}.part", std::process::id()));
        let _ = file.parent().map(fs::create_dir_all);
        let _ =
            fs::write(&part, question.to_owned() + output).and_then(|()| fs::rename(part, file));
    }

    fn run(&self, question: &str) -> io::Result<String> {
        let arguments = match self.name {
            "z3" => vec!["-smt2".to_owned(), "-in".to_owned(), format!("-T:{LIMIT}")],
            _ => vec!["--lang=smt2".to_owned(), format!("--tlimit={LIMIT}000")],
        };
        let mut child = Command::new(self.name)
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

//! SMT solvers as subprocesses.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What one question may cost, in z3's own count of steps, which is the same on every machine and
/// under every load. The hardest takes 77 million, a quarter of a minute on an idle core.
const STEPS: u32 = 400_000_000;

/// The end of a question that the count of steps does not end, in seconds.
const TIMEOUT: u32 = 1800;

/// The solvers that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Microsoft's.
    Z3,
    /// Of Stanford and Iowa.
    Cvc5,
}

/// SMT solvers that were found on this machine: all of them must give the same answer.
#[derive(Debug)]
pub struct Solver {
    /// Each with its version.
    solvers: Vec<(Name, String)>,
    /// Queries that were asked; bodies of several machines have questions in common.
    asked: Mutex<HashMap<String, Arc<OnceLock<Answer>>>>,
}

/// What a solver says of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// No assignment satisfies it.
    Unsatisfiable,
    /// This assignment of `x0, x1, …` does.
    Satisfiable(Vec<u128>),
    /// It gave up, or failed; in its words.
    Unknown(String),
}

impl std::str::FromStr for Name {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let mut known = [Self::Z3, Self::Cvc5].into_iter();
        let unknown = || "the solvers are z3 and cvc5".to_owned();
        known
            .find(|name| name.program() == given)
            .ok_or_else(unknown)
    }
}

impl Name {
    /// Its program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Z3 => "z3",
            Self::Cvc5 => "cvc5",
        }
    }

    fn arguments(self) -> Vec<String> {
        match self {
            Self::Z3 => vec![
                "-smt2".to_owned(),
                "-in".to_owned(),
                format!("rlimit={STEPS}"),
                format!("-T:{TIMEOUT}"),
            ],
            Self::Cvc5 => vec![
                "--lang=smt2".to_owned(),
                "--produce-models".to_owned(),
                format!("--tlimit={TIMEOUT}000"),
            ],
        }
    }

    /// The version, if it can be run.
    fn version(self) -> Option<String> {
        let output = Command::new(self.program())
            .arg("--version")
            .output()
            .ok()?;
        let told = String::from_utf8(output.stdout).ok()?;
        // `Z3 version 4.8.12 - 64 bit`, `This is cvc5 version 1.0.3`
        let (_, version) = told.split_once("version ")?;
        Some(version.split_whitespace().next()?.to_owned())
    }

    fn ask(self, query: &str, variables: usize) -> Answer {
        let declared = |name: &String| query.contains(&format!("(declare-const {name} "));
        let names = (0..variables).map(|n| format!("x{n}")).filter(declared);
        let names: Vec<String> = names.collect();
        let values = match names[..] {
            [] => String::new(),
            _ => format!("(get-value ({}))\n", names.join(" ")),
        };
        match self.run(&(query.to_owned() + &values)) {
            Ok(output) => read(&output, variables),
            Err(error) => Answer::Unknown(format!("cannot run {}: {error}", self.program())),
        }
    }

    fn run(self, text: &str) -> std::io::Result<String> {
        let mut child = Command::new(self.program())
            .args(self.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(text.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Solver {
    /// z3, if it can be run.
    #[must_use]
    pub fn find() -> Option<Self> {
        Self::of(&[Name::Z3]).ok()
    }

    /// These solvers.
    ///
    /// # Errors
    /// One that cannot be run.
    pub fn of(names: &[Name]) -> Result<Self, Name> {
        let version = |&name: &Name| name.version().map(|version| (name, version)).ok_or(name);
        let solvers = names.iter().map(version).collect::<Result<_, _>>()?;
        let asked = Mutex::default();
        Ok(Self { solvers, asked })
    }

    /// Names and versions.
    #[must_use]
    pub fn name(&self) -> String {
        let name = |(name, version): &(Name, String)| format!("{} {version}", name.program());
        self.solvers.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Answers a query over `variables` variables, once: whoever asks meanwhile waits for the
    /// answer.
    pub(super) fn answer(&self, query: &str, variables: usize) -> Answer {
        let slot = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(asked.entry(query.to_owned()).or_default())
        };
        slot.get_or_init(|| self.ask(query, variables)).clone()
    }

    /// The answer of all solvers.
    fn ask(&self, query: &str, variables: usize) -> Answer {
        let answers = self
            .solvers
            .iter()
            .map(|(name, _)| name.ask(query, variables));
        let mut answers: Vec<Answer> = answers.collect();
        let impossible = |answer: &Answer| *answer == Answer::Unsatisfiable;
        let possible = |answer: &Answer| matches!(answer, Answer::Satisfiable(_));
        if answers.iter().any(impossible) && answers.iter().any(possible) {
            return Answer::Unknown(format!("{} disagree", self.name()));
        }
        let first = answers.iter().position(|answer| !impossible(answer));
        answers.swap_remove(first.unwrap_or(0))
    }
}

fn read(output: &str, variables: usize) -> Answer {
    let (verdict, rest) = output.split_once('\n').unwrap_or((output, ""));
    match verdict.trim() {
        "unsat" => Answer::Unsatisfiable,
        "sat" => {
            // A variable that the query does not mention may be anything.
            let value = |n: usize| {
                let Some((_, after)) = rest.split_once(&format!("(x{n} #")) else {
                    return Some(0);
                };
                let (digits, _) = after.split_once(')')?;
                let (radix, digits) = digits.split_at_checked(1)?;
                u128::from_str_radix(digits, if radix == "x" { 16 } else { 2 }).ok()
            };
            match (0..variables).map(value).collect() {
                Some(values) => Answer::Satisfiable(values),
                None => Answer::Unknown("a model that cannot be read".to_owned()),
            }
        }
        "timeout" => Answer::Unknown("it ran out of time".to_owned()),
        "unknown" => Answer::Unknown(format!("it gave up, after up to {STEPS} steps")),
        other => Answer::Unknown(format!("it said `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(
            read("unsat\n(error \"no model\")\n", 1),
            Answer::Unsatisfiable
        );
        let model = "sat\n((x0 #x000000ff)\n (x1 #b101))\n";
        assert_eq!(read(model, 2), Answer::Satisfiable(vec![255, 5]));
        assert_eq!(
            read("timeout\n", 0),
            Answer::Unknown("it ran out of time".to_owned())
        );
        assert!(matches!(read("", 0), Answer::Unknown(_)));
        let unknown = "unknown\n(error \"line 42 column 15: model is not available\")\n";
        assert!(matches!(read(unknown, 1), Answer::Unknown(_)));
    }
}

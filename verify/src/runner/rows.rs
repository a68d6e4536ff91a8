//! Every row of the file of instructions by itself: compiled, executed and compared, on every host
//! that there is.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;

use codegen::isa::Target;
use serde::Serialize;

use super::machine::{Machine, behind};
use super::workspace::Workspace;
use super::{Stop, limits};
use crate::parallel::in_parallel;

use crate::rows::Trial;

/// What came of a target's rows on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Passed { rows: usize, executions: u64 },
    Failed(String),
    NotRun(String),
    OtherArchitecture,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed { rows, executions } => write!(f, "{rows} rows, {executions} executions"),
            Self::Failed(_) => write!(f, "FAILED"),
            Self::NotRun(reason) => write!(f, "not run: {reason}"),
            Self::OtherArchitecture => write!(f, "-"),
        }
    }
}

/// A target's architecture; `None` if it runs on all.
fn architecture(target: Target) -> Option<&'static str> {
    target.place().0.target_arch()
}

/// All targets on all hosts.
#[derive(Debug, Default, Serialize)]
pub(super) struct Rows {
    hosts: Vec<String>,
    /// For each host, what came of each target.
    outcomes: Vec<Vec<Outcome>>,
}

impl Rows {
    /// Adds what a machine makes of the rows.
    pub(super) fn add(
        &mut self,
        workspace: &Workspace,
        machine: Machine<'_>,
        seed: u64,
    ) -> Result<(), Stop> {
        let arch = machine.arch();
        let scratch = workspace.scratch()?.join("rows").join(arch);
        std::fs::create_dir_all(&scratch)?;
        let outcome = |&target: &Target| {
            if architecture(target).is_some_and(|own| own != arch) {
                return Ok(Outcome::OtherArchitecture);
            }
            match execute(target, seed, machine, (workspace, &scratch)) {
                Err(Stop::Failed(message)) => Ok(Outcome::Failed(message)),
                outcome => outcome,
            }
        };
        let outcomes = in_parallel(Target::all(), outcome);
        self.outcomes
            .push(outcomes.into_iter().collect::<Result<_, _>>()?);
        self.hosts.push(machine.name());
        Ok(())
    }

    /// Every failure in a line.
    pub(super) fn problems(&self) -> impl Iterator<Item = String> {
        let hosts = self.hosts.iter().zip(&self.outcomes);
        hosts.flat_map(|(host, outcomes)| {
            outcomes.iter().filter_map(move |outcome| match outcome {
                Outcome::Failed(problem) => Some(format!("instructions on {host}: {problem}")),
                _ => None,
            })
        })
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hosts.is_empty() {
            return Ok(());
        }
        let cells = |first: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!("{cell:<38}")).collect();
            format!("{first:<24}{cells}").trim_end().to_owned()
        };
        writeln!(f, "{}", cells("instructions", &self.hosts))?;
        for (n, target) in Target::all().iter().enumerate() {
            let outcomes = self.outcomes.iter().map(|host| &host[n]);
            let mut row: Vec<String> = outcomes.clone().map(ToString::to_string).collect();
            let nowhere = outcomes.clone().all(|o| *o == Outcome::OtherArchitecture);
            if let (true, Some(arch), Some(last)) = (nowhere, architecture(*target), row.last_mut())
            {
                *last = format!("not run: no {arch} host took part");
            }
            writeln!(f, "{}", cells(&target.folder(), &row))?;
        }
        Ok(())
    }
}

/// The compiler of this machine.
pub(super) fn rustc() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

fn execute(
    target: Target,
    seed: u64,
    machine: Machine<'_>,
    (workspace, scratch): (&Workspace, &Path),
) -> Result<Outcome, Stop> {
    let trial = Trial::new(target, seed);
    let name = target.folder().replace('/', "-");
    let file = |ending: &str| scratch.join(format!("{name}.{ending}"));
    let [source, program, operands, results] = ["rs", "program", "operands", "results"].map(file);
    std::fs::write(&source, trial.program(machine.has_std()))?;
    std::fs::write(&operands, trial.operands())?;
    // What an earlier run has left would be read if this one does not run.
    std::fs::write(&results, "")?;
    let mut compiler = machine.rustc();
    compiler.current_dir(workspace.root());
    compiler.args(["--edition", "2024", "-C", "opt-level=1", "-o"]);
    compiler.arg(&program).arg(&source);
    compiler.env("OPERANDS", &operands);
    let what = format!("the rows of {}", target.folder());
    let output = |command: Command, limit| workspace.printed(command, &what, limit);
    output(compiler, limits::BUILD)?;
    let mut command = behind(&machine.runner(), &program);
    let left = match machine.has_std() {
        true => {
            command.args([&operands, &results]);
            let lacks = output(command, limits::KERNEL)?;
            if !lacks.is_empty() {
                let lacks = String::from_utf8_lossy(&lacks).trim().to_owned();
                return Ok(Outcome::NotRun(lacks));
            }
            std::fs::read(&results)?
        }
        false => output(command, limits::KERNEL)?,
    };
    let executions = trial.check(&left).map_err(Stop::Failed)?;
    let rows = trial.rows();
    Ok(Outcome::Passed { rows, executions })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On this host, so that whoever changes a meaning need not wait for the emulated one.
    #[test]
    fn rows_do_what_they_mean() {
        let mut rows = Rows::default();
        rows.add(&Workspace::find(1), Machine::Here, 1).unwrap();
        assert_eq!(rows.problems().collect::<Vec<_>>(), [""; 0]);
        let scalar = &rows.outcomes[0][Target::Scalar as usize];
        assert!(
            matches!(scalar, Outcome::Passed { rows: 1.., .. }),
            "{rows}"
        );
    }

    #[test]
    fn a_wrong_result_is_named() {
        let trial = Trial::new(Target::Scalar, 1);
        let wrong = trial.check(&[0xff; 8]);
        let message =
            "`u64::wrapping_add` [] in Rust of [0, 0] gives 0xffffffffffffffff and means 0x0";
        assert_eq!(wrong, Err(message.to_owned()));
        let few = "there are fewer results than rows leave";
        assert_eq!(trial.check(&[]), Err(few.to_owned()));
    }

    #[test]
    fn a_target_that_no_host_has_is_not_run() {
        let passed = Outcome::Passed {
            rows: 2,
            executions: 10,
        };
        let mut outcomes = vec![Outcome::OtherArchitecture; Target::all().len()];
        outcomes[Target::Scalar as usize] = passed;
        outcomes[Target::Avx512 as usize] = Outcome::NotRun("this CPU lacks avx512f".to_owned());
        let hosts = vec!["x86_64 (native)".to_owned()];
        let text = Rows {
            hosts,
            outcomes: vec![outcomes],
        }
        .to_string();
        for line in [
            "scalar/registers        2 rows, 10 executions",
            "neon/lanes              not run: no aarch64 host took part",
            "avx512/lanes            not run: this CPU lacks avx512f",
        ] {
            assert!(text.lines().any(|l| l == line), "{text}");
        }
    }
}

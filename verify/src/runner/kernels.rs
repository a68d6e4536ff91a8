//! The kernel suite on one host: processes that may die, and what they said before.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Stop;
use super::arm::Arm;
use super::workspace::{self, Workspace};
use crate::budget::{self, Code};
use crate::corpus::Section;
use crate::disassembly::Disassembly;
use crate::request::{Located, Request};
use crate::suite::Plan;
use crate::suite::report::{Event, Outcome, Report};
use crate::{aimed, corpus, directed};

/// What is asked of every host.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    /// The seed of the random cases.
    pub(super) seed: u64,
    /// Random cases for each kernel.
    pub(super) cases: u32,
    only: Vec<String>,
}

impl Orders {
    /// Draws the seed from the clock, if none is given.
    pub(super) fn new(seed: Option<u64>, cases: u32, only: Vec<String>) -> Self {
        let clock = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| {
                u64::from(since.subsec_nanos()) ^ since.as_secs() << 20
            })
        };
        Self {
            seed: seed.unwrap_or_else(clock),
            cases,
            only,
        }
    }

    /// Whether this kernel was not asked for.
    pub(super) fn leaves_out(&self, kernel: &str) -> bool {
        !self.only.is_empty() && !self.only.iter().any(|part| kernel.contains(part))
    }
}

/// Computes the directed cases, here, for all hosts.
pub(super) fn corpus(workspace: &Workspace) -> Result<PathBuf, Stop> {
    let path = workspace.scratch()?.join("corpus");
    let sections = [corpus::all(), aimed::sections(), directed::of_parts()].concat();
    let witnessed = corpus::witness(&sections).map_err(Stop::Failed)?;
    let all: usize = sections.iter().map(Section::len).sum();
    eprintln!("  {all} cases; the peer agrees on all {witnessed} that it can compute");
    corpus::write(&path, &sections)?;
    Ok(path)
}

/// A machine, real or emulated.
#[derive(Debug)]
pub(super) struct Host {
    /// Its name in the ledger.
    pub(super) name: String,
    /// Its architecture, in the spelling of `target_arch`.
    pub(super) arch: String,
    runner: Vec<String>,
    objdump: String,
    program: PathBuf,
}

impl Host {
    /// A host that only lends its name.
    #[cfg(test)]
    pub(super) fn named(name: &str, arch: &str) -> Self {
        Self {
            name: name.to_owned(),
            arch: arch.to_owned(),
            runner: Vec::new(),
            objdump: "objdump".to_owned(),
            program: PathBuf::new(),
        }
    }

    /// This machine.
    pub(super) fn native(workspace: &Workspace) -> Result<Self, Stop> {
        let build = ["build", "--release", "-p", "verify", "--bin", "kernels"];
        workspace::run(workspace.cargo(&build), "building the kernel suite")?;
        Ok(Self {
            name: format!("{} (native)", std::env::consts::ARCH),
            arch: std::env::consts::ARCH.to_owned(),
            runner: Vec::new(),
            objdump: "objdump".to_owned(),
            program: workspace.target().join("release/kernels"),
        })
    }

    /// Emulated Arm.
    pub(super) fn emulated(workspace: &Workspace, arm: &Arm) -> Result<Self, Stop> {
        Ok(Self {
            name: "aarch64 (qemu-user)".to_owned(),
            arch: "aarch64".to_owned(),
            runner: arm.runner(),
            objdump: arm.tools().objdump,
            program: arm.build(workspace)?,
        })
    }

    /// Runs the suite on all cores.
    pub(super) fn run(
        &self,
        orders: &Orders,
        corpus: &Path,
        workspace: &Workspace,
    ) -> Result<Vec<Report>, Stop> {
        let shards = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let scratch = workspace.scratch()?;
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..shards)
                .map(|shard| {
                    let events = scratch.join(format!("events-{shard}"));
                    scope.spawn(move || self.shard(orders, corpus, (shard, shards), &events))
                })
                .collect();
            let mut reports = Vec::new();
            for handle in handles {
                let joined = handle.join();
                reports.extend(joined.map_err(|_| Stop::Failed("a thread panicked".into()))??);
            }
            Ok(reports)
        })
    }

    /// Runs one shard, again without the kernel that killed the process, until none does.
    fn shard(
        &self,
        orders: &Orders,
        corpus: &Path,
        shard: (usize, usize),
        events: &Path,
    ) -> Result<Vec<Report>, Stop> {
        let mut reports: Vec<Report> = Vec::new();
        loop {
            let plan = Plan {
                cases: orders.cases,
                seed: orders.seed,
                shard,
                skip: reports.iter().map(|report| report.kernel.clone()).collect(),
                only: orders.only.clone(),
            };
            let request = Request::Run {
                plan,
                corpus: corpus.to_owned(),
                events: events.to_owned(),
            };
            let status = self.command(&request)?.status()?;
            let (done, running) = read(events)?;
            reports.extend(done);
            match running {
                None if status.success() => return Ok(reports),
                None => {
                    let what = format!("the kernel suite on {}: {status}", self.name);
                    return Err(Stop::Blocked(what));
                }
                Some(kernel) => reports.push(Report {
                    kernel,
                    outcome: Outcome::Died(death(status)),
                    executions: 0,
                    checks: BTreeMap::new(),
                    seconds: 0.0,
                }),
            }
        }
    }

    /// Measures the machine code of every kernel.
    pub(super) fn codes(&self) -> Result<BTreeMap<String, Code>, Stop> {
        let disassembly = Disassembly::of(&self.objdump, &self.program)?;
        let output = self
            .command(&Request::Locate)?
            .stderr(Stdio::inherit())
            .output()?;
        let located = serde_json::from_slice(&output.stdout).map_err(std::io::Error::from)?;
        let Located { anchor, kernels } = located;
        let code = |(name, start): (String, u64)| {
            let code = budget::measure(&disassembly, disassembly.in_file(start, anchor));
            let lost = || Stop::Blocked(format!("{name} is not in its program's disassembly"));
            Ok((name.clone(), code.ok_or_else(lost)?))
        };
        kernels.into_iter().map(code).collect()
    }

    fn command(&self, request: &Request) -> Result<Command, Stop> {
        let request = serde_json::to_string(request).map_err(std::io::Error::from)?;
        let mut words = self
            .runner
            .iter()
            .map(AsRef::as_ref)
            .chain([self.program.as_os_str()]);
        let program = words.next().unwrap_or(self.program.as_os_str());
        let mut command = Command::new(program);
        command.args(words).arg(request);
        Ok(command)
    }
}

/// The finished kernels of an event file, and the one that was running when it ends.
fn read(events: &Path) -> Result<(Vec<Report>, Option<String>), Stop> {
    let mut done = Vec::new();
    let mut running = None;
    for line in std::fs::read_to_string(events)?.lines() {
        match serde_json::from_str(line).map_err(std::io::Error::from)? {
            Event::Begin(kernel) => running = Some(kernel),
            Event::End(report) => {
                running = None;
                done.push(report);
            }
        }
    }
    Ok((done, running))
}

fn death(status: ExitStatus) -> String {
    match status.signal() {
        Some(libc::SIGILL) => "killed by SIGILL: an instruction this CPU does not have".to_owned(),
        Some(libc::SIGSEGV) => "killed by SIGSEGV: touched memory outside its operands".to_owned(),
        Some(libc::SIGBUS) => "killed by SIGBUS: wants more alignment than it is given".to_owned(),
        _ => format!("the process ended: {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_that_killed_the_process_is_named() {
        let path = std::env::temp_dir().join(format!("verify-events-{}", std::process::id()));
        let report = Report {
            kernel: "first".to_owned(),
            outcome: Outcome::Passed,
            executions: 3,
            checks: BTreeMap::new(),
            seconds: 0.5,
        };
        let events = [
            Event::Begin("first".to_owned()),
            Event::End(report.clone()),
            Event::Begin("second".to_owned()),
        ];
        let lines = events.map(|event| serde_json::to_string(&event).expect("plain data"));
        std::fs::write(&path, lines.join("\n")).expect("a writable temporary folder");
        let (done, running) = read(&path).expect("well-formed events");
        std::fs::remove_file(&path).expect("written above");
        assert_eq!(done, [report]);
        assert_eq!(running.as_deref(), Some("second"));
    }
}

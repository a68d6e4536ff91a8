//! The kernel suite on one host: processes that may die, and what they said before.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use codegen::kernel::KernelInfo;

use super::Stop;
use super::candidates::Candidates;
use super::cli::Runs;
use super::limits;
use super::machine::{Machine, behind};
use super::small::{self, Small};
use super::workspace::Workspace;
use crate::budget::{self, Code};
use crate::corpus::Section;
use crate::disassembly::Disassembly;
use crate::request::{Located, Request};
use crate::suite::Plan;
use crate::suite::report::{Event, Outcome, Report};
use crate::{corpus, directed, oracle, process, suite};

/// What is asked of every host.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    /// The seed of the random cases.
    pub(super) seed: u64,
    /// Random cases for each kernel.
    pub(super) cases: u32,
    /// The same where kernels are emulated, and the reference with them.
    pub(super) emulated: u32,
    only: Vec<String>,
}

impl Orders {
    /// What a command line asks for.
    pub(super) fn new(runs: &Runs, only: Vec<String>) -> Self {
        let cases = runs.cases.unwrap_or_else(suite::cases);
        let fewer = runs.cases.is_none() && !runs.thorough;
        Self {
            seed: runs.seed.value(),
            cases,
            emulated: if fewer { cases.div_ceil(10) } else { cases },
            only,
        }
    }

    /// Whether this kernel was not asked for.
    pub(super) fn leaves_out(&self, kernel: &str) -> bool {
        !suite::is_asked_for(kernel, &self.only)
    }
}

/// Computes the directed cases of these kernels, here, for all hosts.
pub(super) fn corpus(workspace: &Workspace, manifest: &[KernelInfo]) -> Result<PathBuf, Stop> {
    let path = workspace.scratch()?.join("corpus");
    let mut instances = oracle::instances();
    instances.retain(|instance| {
        manifest.iter().any(|listed| {
            listed.parameter_set == instance.parameter_set
                && listed.field == instance.field.name
                && listed.width == instance.permutation.width()
        })
    });
    let sections = [corpus::all(&instances), directed::all(&instances)].concat();
    let witnessed = corpus::witness(&sections).map_err(Stop::Failed)?;
    let all: usize = sections.iter().map(Section::len).sum();
    eprintln!("  {all} cases; the peer agrees on all {witnessed} that it can compute");
    corpus::write(&path, &sections)?;
    Ok(path)
}

/// A machine with the suite on it.
#[derive(Debug)]
pub(super) struct Host {
    /// Its name in the ledger.
    pub(super) name: String,
    /// Its architecture, in the spelling of `target_arch`.
    pub(super) arch: String,
    runner: Vec<OsString>,
    objdump: Option<&'static str>,
    program: PathBuf,
    /// What runs the kernels for the program; empty: itself.
    guest: Vec<String>,
    /// One of so many cases is run, but all known answers.
    stride: u32,
}

impl Host {
    /// A host that only lends its name.
    #[cfg(test)]
    pub(super) fn named(name: &str, arch: &str) -> Self {
        Self {
            name: name.to_owned(),
            arch: arch.to_owned(),
            runner: Vec::new(),
            objdump: Some("objdump"),
            program: PathBuf::new(),
            guest: Vec::new(),
            stride: 1,
        }
    }

    /// A machine, with the suite built for it; some cases are run where it is small.
    pub(super) fn on(
        machine: Machine<'_>,
        workspace: &Workspace,
        candidates: &Candidates,
    ) -> Result<Self, Stop> {
        if let Machine::Small(small) = machine {
            return Self::on_small(small, workspace, candidates, small::SOME);
        }
        Ok(Self {
            name: machine.name(),
            arch: machine.arch().to_owned(),
            runner: machine.runner(),
            objdump: machine.objdump(),
            program: machine.build(workspace, candidates)?,
            guest: Vec::new(),
            stride: 1,
        })
    }

    /// A small machine, with the suite on this one: a call takes a hundred times as long.
    pub(super) fn on_small(
        small: Small,
        workspace: &Workspace,
        candidates: &Candidates,
        stride: u32,
    ) -> Result<Self, Stop> {
        Ok(Self {
            name: small.name(stride),
            arch: small.arch.to_owned(),
            objdump: None,
            guest: small.build(workspace, candidates)?,
            stride,
            ..Self::on(Machine::Here, workspace, candidates)?
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
                    let limit = workspace.limit(limits::KERNEL);
                    let shard = (shard, shards);
                    scope.spawn(move || self.shard(orders, corpus, shard, &events, limit))
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
        limit: Duration,
    ) -> Result<Vec<Report>, Stop> {
        let mut reports: Vec<Report> = Vec::new();
        let emulated = !self.runner.is_empty();
        let cases = if emulated {
            orders.emulated
        } else {
            orders.cases
        };
        loop {
            let plan = Plan {
                cases: cases.div_ceil(self.stride),
                seed: orders.seed,
                shard,
                skip: reports.iter().map(|report| report.kernel.clone()).collect(),
                only: orders.only.clone(),
                stride: self.stride as usize,
            };
            let request = Request::Run {
                plan,
                corpus: corpus.to_owned(),
                events: events.to_owned(),
                guest: self.guest.clone(),
            };
            // What an earlier run has left would be read if this one does not come to its first line.
            std::fs::write(events, "")?;
            let written = || std::fs::metadata(events).map_or(0, |file| file.len());
            let ended = process::status_while(&mut self.command(&request)?, limit, written);
            let (done, running) = read(events)?;
            reports.extend(done);
            let what = || format!("the kernel suite on {}", self.name);
            match (running, ended) {
                (None, Ok(status)) if status.success() => return Ok(reports),
                (None, Ok(status)) => {
                    return Err(Stop::Blocked(format!("{}: {status}", what())));
                }
                (None, Err(error)) => return Err(Stop::of_program(&what(), &error)),
                (Some(kernel), ended) => reports.push(Report {
                    kernel,
                    outcome: Outcome::Died(ended.map_or_else(|error| error.to_string(), death)),
                    executions: 0,
                    checks: BTreeMap::new(),
                    seconds: 0.0,
                }),
            }
        }
    }

    /// Measures the machine code of the kernels that were asked for.
    pub(super) fn codes(&self, orders: &Orders) -> Result<BTreeMap<String, Code>, Stop> {
        let Some(objdump) = self.objdump else {
            return Ok(BTreeMap::new());
        };
        let disassembly = Disassembly::of(objdump, &self.program)?;
        let output = process::output(&mut self.command(&Request::Locate)?, limits::CALL);
        let what = format!("locating kernels on {}", self.name);
        let output = output.map_err(|error| Stop::of_program(&what, &error))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(Stop::Blocked(format!(
                "{what}: {}\n{errors}",
                output.status
            )));
        }
        let located = serde_json::from_slice(&output.stdout).map_err(std::io::Error::from)?;
        let Located { anchor, kernels } = located;
        let code = |(name, start): (String, u64)| {
            let code = budget::measure(&disassembly, disassembly.in_file(start, anchor));
            let lost = || Stop::Blocked(format!("{name} is not in its program's disassembly"));
            Ok((name.clone(), code.ok_or_else(lost)?))
        };
        let asked = |(name, _): &(String, u64)| !orders.leaves_out(name);
        kernels.into_iter().filter(asked).map(code).collect()
    }

    fn command(&self, request: &Request) -> Result<Command, Stop> {
        let request = serde_json::to_string(request).map_err(std::io::Error::from)?;
        let mut command = behind(&self.runner, &self.program);
        command.arg(request);
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
    use clap::Parser as _;

    use super::super::cli::Cli;
    use super::*;

    #[test]
    fn emulated_kernels_have_fewer_cases_unless_asked_for() {
        let cases = |more: &[&str]| {
            let cli = Cli::parse_from(["verify"].iter().chain(more));
            let orders = Orders::new(&cli.runs, Vec::new());
            [orders.cases, orders.emulated]
        };
        let default = suite::cases();
        assert_eq!(cases(&[]), [default, default.div_ceil(10)]);
        assert_eq!(cases(&["--thorough"]), [default; 2]);
        assert_eq!(cases(&["--cases", "7"]), [7; 2]);
    }

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

    #[test]
    fn a_kernel_that_hangs_is_ended_and_named_and_the_others_run() {
        let folder = std::env::temp_dir().join(format!("verify-hangs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable temporary folder");
        let events = folder.join("events");
        // A suite that hangs in the kernel `slow`, unless that is left out.
        let script = format!(
            "case \"$1\" in *'\"skip\":[\"slow\"]'*) exit 0;; esac
             echo '{{\"begin\":\"slow\"}}' > {}; sleep 600",
            events.display()
        );
        let suite = folder.join("suite");
        std::fs::write(&suite, script).expect("as above");
        let host = Host {
            runner: vec!["sh".into()],
            program: suite,
            ..Host::named("a host", "any")
        };
        let cli = Cli::parse_from(["verify", "--seed", "1", "--cases", "1"]);
        let orders = Orders::new(&cli.runs, Vec::new());
        let limit = Duration::from_millis(500);
        let reports = host.shard(&orders, Path::new("corpus"), (0, 1), &events, limit);
        std::fs::remove_dir_all(&folder).expect("made above");
        let reports = reports.expect("the others run");
        let outcomes: Vec<_> = reports
            .iter()
            .map(|r| (r.kernel.as_str(), &r.outcome))
            .collect();
        let died = Outcome::Died("ended: not done after 500 ms".to_owned());
        assert_eq!(outcomes, [("slow", &died)]);
    }
}

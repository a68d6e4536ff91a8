//! `cargo verify`: everything, on every host that this machine is or can emulate.

mod arm;
mod browser;
mod c;
mod candidates;
mod cli;
mod drop_in;
mod executed;
mod fuzz;
mod instances;
mod kernels;
mod ledger;
mod limits;
mod machine;
mod proofs;
mod rows;
mod setup;
mod trusted;
mod versions;
mod wasm;
mod workspace;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Parser;
use codegen::kernel::KernelInfo;

use arm::Arm;
use candidates::Candidates;
use cli::{Cli, Verb};
use kernels::{Host, Orders};
use ledger::{Column, Ledger};
use machine::Machine;
use rows::Rows;
use wasm::Wasm;
use workspace::{EVERYTHING, PROFILE, Workspace};

/// Seconds of fuzzing beside the other stages.
const FUZZING: u64 = 60;

/// Tests that this program does as stages, which tell more.
const STAGES_OF_THEIR_OWN: [&str; 3] = [
    "every_mutant_is_killed",
    "every_site_has_its_vectors",
    "every_line_of_every_template_is_needed",
];

/// Why `cargo verify` stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something was tested and is wrong.
    Failed(String),
    /// Nothing can be tested before somebody does something about this.
    Blocked(String),
}

impl Stop {
    /// Why a program gave no answer. One that was ended does not keep the other stages from running.
    fn of_program(what: &str, error: &std::io::Error) -> Self {
        let message = format!("{what}: {error}");
        if error.kind() == std::io::ErrorKind::TimedOut {
            Self::Failed(message + "; `--patience 3` waits three times as long")
        } else {
            Self::Blocked(message)
        }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Blocked(error.to_string())
    }
}

/// Reads the command line and does what it says. 0: all passed; 1: something failed; 2: it could
/// not be found out.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let workspace = Workspace::find(cli.patience);
    let outcome = match &cli.verb {
        None => everything(&workspace, &cli),
        Some(Verb::Setup { model }) => {
            let model = if *model { setup::for_model() } else { Ok(()) };
            model.and_then(|()| set_up(&cli).map(drop))
        }
        Some(Verb::Proofs) => {
            let texts = Candidates::generate(&workspace, &[]).and_then(|candidates| {
                let checked = proofs::certificates(&workspace, &candidates)?;
                proofs::texts(&candidates, &checked)
            });
            texts.and_then(|()| proofs::mutants(&workspace))
        }
        Some(Verb::Fuzz {
            seconds,
            input,
            worker,
        }) => {
            let seed = Orders::new(cli.seed, None, Vec::new()).seed;
            let worker = worker.as_deref().map(|progress| (progress, *seconds));
            match input {
                Some(number) => fuzz::in_thread(&workspace, seed, *number, worker),
                None => fuzz::all(&workspace, seed, *seconds).map(|told| println!("{told}")),
            }
        }
        Some(Verb::Lemmas { solver }) => {
            Candidates::generate(&workspace, &[]).and_then(|candidates| {
                let checked = proofs::certificates(&workspace, &candidates)?;
                proofs::lemmas_watched(&checked, solver)
            })
        }
        Some(Verb::Trusted) => trusted::print(&workspace),
        Some(Verb::Instructions) => set_up(&cli).and_then(|arm| {
            let orders = Orders::new(cli.seed, cli.cases, Vec::new());
            let wasm = setup::for_wasm(&workspace);
            let rows = instructions(&workspace, &orders, arm.as_ref(), wasm.as_ref())?;
            println!("{rows}");
            wrong(rows.problems().collect())
        }),
        Some(Verb::DropIn { crates, plonky3 }) if plonky3.is_empty() => {
            set_up(&cli).and_then(|arm| {
                let mut crates = crates.iter();
                crates.try_for_each(|package| drop_in::all(&workspace, arm.as_ref(), package))
            })
        }
        Some(Verb::DropIn { plonky3, .. }) => versions::all(&workspace, plonky3),
        Some(Verb::C) => set_up(&cli).and_then(|arm| c::all(&workspace, arm.as_ref())),
        Some(Verb::Browser { into: Some(into) }) => browser::build(&workspace, into),
        Some(Verb::Browser { into: None }) => browser::all(&workspace),
        Some(Verb::Instances { only, mutants }) => set_up(&cli).and_then(|arm| {
            let wasm = setup::for_wasm(&workspace);
            instances::all(&workspace, arm.as_ref(), wasm.as_ref(), only, *mutants)
        }),
        Some(Verb::Kernels { only }) => kernels_only(&workspace, &cli, only),
        Some(Verb::Executed {
            kernels,
            streams,
            json,
        }) => executed::some(&workspace, kernels, streams.as_deref(), *json),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Failed(message)) => {
            eprintln!("verify: {message}");
            ExitCode::FAILURE
        }
        Err(Stop::Blocked(message)) => {
            eprintln!("verify: {message}");
            ExitCode::from(2)
        }
    }
}

/// Tells the stages of a run, and keeps what failed in them.
struct Stages {
    start: Instant,
    failed: Vec<String>,
}

impl Stages {
    fn begin(&self, name: &str) {
        let seconds = self.start.elapsed().as_secs();
        eprintln!("\n==> [{}:{:02}] {name}", seconds / 60, seconds % 60);
    }

    /// A stage that fails does not keep the others from running; a blocked one does.
    fn end<T>(&mut self, outcome: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Failed(message)) => {
                eprintln!("FAILED: {message}");
                self.failed.push(message);
                Ok(None)
            }
            Err(blocked) => Err(blocked),
        }
    }
}

/// Provides what is needed; gives the emulated host, if there is to be one.
fn set_up(cli: &Cli) -> Result<Option<Arm>, Stop> {
    setup::for_this_host()?;
    let emulate = !arm::host_is_arm() && !cli.no_arm;
    emulate.then(setup::for_arm).transpose()
}

fn everything(workspace: &Workspace, cli: &Cli) -> Result<(), Stop> {
    let mut stages = Stages {
        start: Instant::now(),
        failed: Vec::new(),
    };
    stages.begin("set-up");
    let arm = set_up(cli)?;
    let wasm = setup::for_wasm(workspace);
    stages.begin("all kernels, generated");
    let candidates = Candidates::generate(workspace, &[])?;

    stages.begin("certificates");
    let checked = stages.end(proofs::certificates(workspace, &candidates))?;

    let orders = Orders::new(cli.seed, cli.cases, Vec::new());
    let (rows, columns) = std::thread::scope(|scope| {
        // One body takes a solver a minute, and what follows leaves a core idle now and then.
        let proving = checked.as_ref().map(|checked| {
            scope.spawn(|| proofs::lemmas(checked, &checker::SOLVERS[..1], &|_, _| ()))
        });
        let fuzzing = scope.spawn(|| fuzz::all(workspace, orders.seed, FUZZING));
        stages.begin("test suite on this host");
        let tests = workspace.run(
            tests(workspace),
            "the test suite on this host",
            limits::TESTS,
        );
        stages.end(tests)?;
        stages.begin("mutants");
        if let Some(checked) = &checked {
            stages.end(proofs::texts(&candidates, checked))?;
        }
        stages.end(proofs::mutants(workspace))?;
        let foreign = (arm.as_ref(), wasm.as_ref());
        let executed = on_hosts(workspace, &orders, &mut stages, &candidates, foreign);
        stages.begin("lemmas");
        if let Some(proving) = proving {
            let died = |_| Stop::Failed("the thread that proves lemmas panicked".into());
            stages.end(proving.join().map_err(died)?)?;
        }
        stages.begin("fuzzing");
        let died = |_| Stop::Failed("the thread that fuzzes panicked".into());
        let fuzzed = stages.end(fuzzing.join().map_err(died)?)?;
        println!("{}", fuzzed.unwrap_or_default());
        executed
    })?;

    stages.begin("ledger");
    let ledger = Ledger::new(&candidates.manifest, columns, rows, &orders);
    finish(workspace, &ledger, stages.failed)
}

/// All tests but those that are stages.
fn tests(workspace: &Workspace) -> Command {
    let mut tests = workspace.cargo(&["test", "--profile", PROFILE, "--no-fail-fast"]);
    tests.args(EVERYTHING);
    // Generated code has no tests of its own, and compiling it for them takes long.
    tests.args(["--exclude", "poseidon2-generated"]);
    let skipped = STAGES_OF_THEIR_OWN.into_iter();
    tests
        .arg("--")
        .args(skipped.flat_map(|name| ["--skip", name]));
    tests
}

/// Executes instructions, kernels and, on other hosts, tests.
fn on_hosts(
    workspace: &Workspace,
    orders: &Orders,
    stages: &mut Stages,
    candidates: &Candidates,
    (arm, wasm): (Option<&Arm>, Option<&Wasm>),
) -> Result<(Rows, Vec<Column>), Stop> {
    stages.begin("instructions by themselves");
    let rows = stages.end(instructions(workspace, orders, arm, wasm))?;
    stages.begin("directed cases");
    let corpus = kernels::corpus(workspace, &candidates.manifest)?;
    let mut columns = Vec::new();
    stages.begin("kernels on this host");
    let run = |machine: Machine<'_>| {
        let host = Host::on(machine, workspace, candidates)?;
        column(&host, orders, &corpus, workspace)
    };
    columns.extend(stages.end(run(Machine::Here))?);
    if let Some(wasm) = wasm {
        stages.begin("kernels on wasm32, by node");
        columns.extend(stages.end(run(Machine::Wasm(wasm)))?);
    }
    if let Some(arm) = arm {
        stages.begin("test suite on aarch64, emulated");
        let tests = arm.tests(workspace);
        stages.end(workspace.run(tests, "the test suite on aarch64", limits::TESTS))?;
        stages.begin("kernels on aarch64, emulated");
        columns.extend(stages.end(run(Machine::Arm(arm)))?);
        stages.begin("instructions executed on aarch64");
        stages.end(executed::all(workspace, arm, candidates))?;
    }
    stages.begin("programs in C");
    stages.end(c::all(workspace, arm))?;
    stages.begin("kernels inside p3-goldilocks");
    stages.end(drop_in::all(workspace, arm, drop_in::DEFAULT))?;
    Ok((rows.unwrap_or_default(), columns))
}

fn column(
    host: &Host,
    orders: &Orders,
    corpus: &Path,
    workspace: &Workspace,
) -> Result<Column, Stop> {
    let reports = host.run(orders, corpus, workspace)?;
    Ok(Column::of(host, reports, host.codes(orders)?))
}

/// Every row of the tables on every machine that there is.
fn instructions(
    workspace: &Workspace,
    orders: &Orders,
    arm: Option<&Arm>,
    wasm: Option<&Wasm>,
) -> Result<Rows, Stop> {
    let mut rows = Rows::default();
    let foreign = arm.map(Machine::Arm).into_iter();
    let foreign = foreign.chain(wasm.map(Machine::Wasm));
    for machine in [Machine::Here].into_iter().chain(foreign) {
        rows.add(workspace, machine, orders.seed)?;
    }
    Ok(rows)
}

fn kernels_only(workspace: &Workspace, cli: &Cli, only: &[String]) -> Result<(), Stop> {
    let mut candidates = Candidates::generate(workspace, only)?;
    let orders = Orders::new(cli.seed, cli.cases, only.to_vec());
    let asked = |listed: &KernelInfo| !orders.leaves_out(&listed.name);
    candidates.manifest.retain(asked);
    let manifest = &candidates.manifest;
    let runs_on = |arch: &str| {
        let is_for = |own: &String| own == arch;
        let mut arches = manifest.iter().map(|listed| &listed.target_arch);
        arches.any(|arch| arch.as_ref().is_none_or(is_for))
    };
    let mut hosts = Vec::new();
    let mut add = |machine: Machine<'_>| -> Result<(), Stop> {
        hosts.push(Host::on(machine, workspace, &candidates)?);
        Ok(())
    };
    if runs_on(std::env::consts::ARCH) {
        add(Machine::Here)?;
    }
    if !arm::host_is_arm() && !cli.no_arm && runs_on("aarch64") {
        add(Machine::Arm(&setup::for_arm()?))?;
    }
    let wasm = runs_on("wasm32").then(|| setup::for_wasm(workspace));
    if let Some(wasm) = wasm.flatten() {
        add(Machine::Wasm(&wasm))?;
    }
    let idle = || Stop::Blocked("none of these kernels can run here".to_owned());
    if hosts.is_empty() {
        return Err(idle());
    }
    let corpus = kernels::corpus(workspace, &candidates.manifest)?;
    let columns = hosts
        .iter()
        .map(|host| column(host, &orders, &corpus, workspace));
    let ledger = Ledger::new(
        manifest,
        columns.collect::<Result<_, _>>()?,
        Rows::default(),
        &orders,
    );
    finish(workspace, &ledger, Vec::new())?;
    if ledger.is_idle() {
        Err(idle())
    } else {
        Ok(())
    }
}

fn finish(workspace: &Workspace, ledger: &Ledger, mut failed: Vec<String>) -> Result<(), Stop> {
    let path = workspace.scratch()?.join("ledger.json");
    std::fs::write(&path, ledger.json()?)?;
    for failure in ledger.failures() {
        eprintln!("{failure}\n");
    }
    println!("{ledger}");
    println!("ledger: {}", workspace.relative(&path).display());
    failed.extend(ledger.problems());
    wrong(failed)
}

/// Stops if something is.
fn wrong(failed: Vec<String>) -> Result<(), Stop> {
    if failed.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!("FAILED\n  {}", failed.join("\n  "))))
}

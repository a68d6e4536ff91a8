//! `cargo verify`: everything, on every host that this machine can be or imitate.

mod arm;
mod cli;
mod drop_in;
mod executed;
mod kernels;
mod ledger;
mod proofs;
mod setup;
mod workspace;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::suite::cases;
use arm::Arm;
use cli::{Cli, Verb};
use kernels::{Host, Orders};
use ledger::{Column, Ledger};
use workspace::Workspace;

/// Why `cargo verify` stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Something was tested and is wrong.
    Failed(String),
    /// Nothing can be tested before somebody does something about this.
    Blocked(String),
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
    let workspace = Workspace::find();
    let outcome = match &cli.verb {
        None => everything(&workspace, &cli),
        Some(Verb::Setup { model }) => {
            let model = if *model { setup::for_model() } else { Ok(()) };
            model.and_then(|()| set_up(&cli).map(drop))
        }
        Some(Verb::Proofs) => {
            proofs::certificates(&workspace).and_then(|()| proofs::mutants(&workspace))
        }
        Some(Verb::DropIn) => drop_in_only(&workspace, &cli),
        Some(Verb::Kernels(asked)) => kernels_only(&workspace, &cli, asked),
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
    let manifest = workspace.manifest()?;
    let arm = set_up(cli)?;

    stages.begin("test suite on this host");
    let tests = workspace.cargo(&[
        "test",
        "--workspace",
        "--all-features",
        "--release",
        "--no-fail-fast",
    ]);
    stages.end(workspace::run(tests, "the test suite on this host"))?;

    stages.begin("certificates");
    stages.end(proofs::certificates(workspace))?;
    stages.begin("mutants");
    stages.end(proofs::mutants(workspace))?;

    let orders = Orders::new(cli.seed, cli.cases.unwrap_or_else(cases), Vec::new());
    stages.begin("directed cases");
    let corpus = kernels::corpus(workspace)?;
    let mut columns = Vec::new();
    stages.begin("kernels on this host");
    let native =
        Host::native(workspace).and_then(|host| column(&host, &orders, &corpus, workspace));
    columns.extend(stages.end(native)?);
    if let Some(arm) = &arm {
        stages.begin("test suite on aarch64, emulated");
        for tests in arm.tests(workspace) {
            stages.end(workspace::run(tests, "the test suite on aarch64"))?;
        }
        stages.begin("kernels on aarch64, emulated");
        let host = Host::emulated(workspace, arm);
        let emulated = host.and_then(|host| column(&host, &orders, &corpus, workspace));
        columns.extend(stages.end(emulated)?);
        stages.begin("instructions executed on aarch64");
        stages.end(executed::all(workspace, arm, &manifest))?;
    }

    stages.begin("kernels inside p3-goldilocks");
    stages.end(drop_in::all(workspace, arm.as_ref()))?;

    stages.begin("ledger");
    let ledger = Ledger::new(&manifest, columns, &orders);
    finish(workspace, &ledger, stages.failed)
}

fn drop_in_only(workspace: &Workspace, cli: &Cli) -> Result<(), Stop> {
    drop_in::all(workspace, set_up(cli)?.as_ref())
}

fn column(
    host: &Host,
    orders: &Orders,
    corpus: &Path,
    workspace: &Workspace,
) -> Result<Column, Stop> {
    let reports = host.run(orders, corpus, workspace)?;
    Ok(Column::of(host, reports, host.codes()?))
}

fn kernels_only(workspace: &Workspace, cli: &Cli, asked: &cli::Kernels) -> Result<(), Stop> {
    let manifest = workspace.manifest()?;
    let orders = Orders::new(
        cli.seed,
        cli.cases.unwrap_or_else(cases),
        asked.only.clone(),
    );
    let native = Host::native(workspace)?;
    let corpus = kernels::corpus(workspace)?;
    let mut columns = vec![column(&native, &orders, &corpus, workspace)?];
    if !arm::host_is_arm() && !cli.no_arm {
        let host = Host::emulated(workspace, &setup::for_arm()?)?;
        columns.push(column(&host, &orders, &corpus, workspace)?);
    }
    let ledger = Ledger::new(&manifest, columns, &orders);
    finish(workspace, &ledger, Vec::new())
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
    if failed.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!("FAILED\n  {}", failed.join("\n  "))))
}

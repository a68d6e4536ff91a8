//! `cargo verify`: everything, on every host that this machine is or can emulate.

mod arm;
mod browser;
mod c;
mod candidates;
mod cli;
mod counted;
mod drop_in;
mod executed;
mod fuzz;
mod instances;
mod kernels;
mod ledger;
mod limits;
mod machine;
mod merkle_root;
mod pico2;
mod proofs;
mod rows;
mod setup;
mod small;
mod stages;
mod trusted;
mod versions;
mod wasm;
mod workspace;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use codegen::kernel::KernelInfo;

use arm::Arm;
use candidates::Candidates;
use cli::{Cli, Emulated, Runs, Verb};
use kernels::{Host, Orders};
use ledger::{Column, Ledger};
use machine::Machine;
use rows::Rows;
use workspace::Workspace;

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
        None => stages::everything(&workspace, &cli),
        Some(Verb::Setup { model, emulated }) => {
            let model = if *model { setup::for_model() } else { Ok(()) };
            model.and_then(|()| set_up(emulated).map(drop))
        }
        Some(Verb::Proofs) => {
            let texts = Candidates::generate(&workspace, &[]).and_then(|candidates| {
                let checked = proofs::certificates(&workspace, &candidates)?;
                proofs::texts(&candidates, &checked)
            });
            texts.and_then(|()| proofs::mutants(&workspace))
        }
        Some(Verb::Fuzz {
            seed,
            seconds,
            input,
            worker,
        }) => {
            let seed = seed.value();
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
        Some(Verb::Instructions { seed, emulated }) => set_up(emulated).and_then(|arm| {
            let wasm = setup::for_wasm(&workspace);
            let small = setup::for_small(small::ARMV8M);
            let machines: Vec<_> = Machine::all(arm.as_ref(), wasm.as_ref(), small).collect();
            let rows = instructions(&workspace, seed.value(), &machines)?;
            println!("{rows}");
            wrong(rows.problems().collect())
        }),
        Some(Verb::DropIn {
            crates,
            plonky3,
            emulated,
        }) if plonky3.is_empty() => set_up(emulated).and_then(|arm| {
            crates
                .iter()
                .try_for_each(|package| drop_in::all(&workspace, arm.as_ref(), package))
        }),
        Some(Verb::DropIn { plonky3, .. }) => versions::all(&workspace, plonky3),
        Some(Verb::C { emulated }) => {
            set_up(emulated).and_then(|arm| c::all(&workspace, arm.as_ref()))
        }
        Some(Verb::Browser { into: Some(into) }) => browser::build(&workspace, into),
        Some(Verb::Browser { into: None }) => browser::all(&workspace),
        Some(Verb::Pico2) => pico2::all(&workspace),
        Some(Verb::Instances {
            only,
            mutants,
            emulated,
        }) => set_up(emulated).and_then(|arm| {
            let wasm = setup::for_wasm(&workspace);
            let only = &only.parts;
            instances::all(&workspace, arm.as_ref(), wasm.as_ref(), only, *mutants)
        }),
        Some(Verb::Rv32 { json, runs }) => {
            small::all(&workspace, runs, small::RV32, json.as_deref())
        }
        Some(Verb::Armv8m { json, runs }) => {
            small::all(&workspace, runs, small::ARMV8M, json.as_deref())
        }
        Some(Verb::Kernels {
            only,
            runs,
            emulated,
        }) => kernels_only(&workspace, runs, emulated, &only.parts),
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

/// Provides what is needed; gives the emulated host, if there is to be one.
fn set_up(emulated: &Emulated) -> Result<Option<Arm>, Stop> {
    setup::for_this_host()?;
    let emulate = !arm::host_is_arm() && !emulated.no_arm;
    emulate.then(setup::for_arm).transpose()
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
fn instructions(workspace: &Workspace, seed: u64, machines: &[Machine<'_>]) -> Result<Rows, Stop> {
    let mut rows = Rows::default();
    for machine in machines {
        rows.add(workspace, *machine, seed)?;
    }
    Ok(rows)
}

fn kernels_only(
    workspace: &Workspace,
    runs: &Runs,
    emulated: &Emulated,
    only: &[String],
) -> Result<(), Stop> {
    let mut candidates = Candidates::generate(workspace, only)?;
    let orders = Orders::new(runs, only.to_vec());
    let asked = |listed: &KernelInfo| !orders.leaves_out(&listed.name);
    candidates.manifest.retain(asked);
    let manifest = &candidates.manifest;
    let runs_on = |arch: &str| manifest.iter().any(|listed| listed.is_for(arch));
    let mut hosts = Vec::new();
    let mut add = |machine: Machine<'_>| -> Result<(), Stop> {
        hosts.push(Host::on(machine, workspace, &candidates)?);
        Ok(())
    };
    if runs_on(std::env::consts::ARCH) {
        add(Machine::Here)?;
    }
    if !arm::host_is_arm() && !emulated.no_arm && runs_on("aarch64") {
        add(Machine::Arm(&setup::for_arm()?))?;
    }
    let wasm = runs_on("wasm32").then(|| setup::for_wasm(workspace));
    if let Some(wasm) = wasm.flatten() {
        add(Machine::Wasm(&wasm))?;
    }
    let small = small::ALL.into_iter();
    let own = |arch: &str| {
        let mut all = manifest.iter();
        all.any(|listed| listed.target_arch.as_deref() == Some(arch))
    };
    let small = small.filter(|small| own(small.arch) || runs.thorough && runs_on(small.arch));
    for small in small.filter_map(setup::for_small) {
        add(Machine::Small(small))?;
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

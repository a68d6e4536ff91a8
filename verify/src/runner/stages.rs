//! All stages: one after the other, but for what leaves a core idle or does not need two.

use std::process::Command;
use std::time::Instant;

use super::arm::Arm;
use super::candidates::Candidates;
use super::cli::Cli;
use super::drop_in;
use super::kernels::{self, Host, Orders};
use super::ledger::{Column, Ledger};
use super::machine::Machine;
use super::rows::Rows;
use super::small::{self, Small};
use super::wasm::Wasm;
use super::workspace::{EVERYTHING, PROFILE, Workspace};
use super::{Stop, c, column, executed, finish, fuzz, instructions, limits, proofs, set_up, setup};

/// Seconds of fuzzing beside the other stages.
const FUZZING: u64 = 60;

/// Tests that this program does as stages, which tell more.
const STAGES_OF_THEIR_OWN: [&str; 3] = [
    "every_mutant_is_killed",
    "every_site_has_its_vectors",
    "every_line_of_every_template_is_needed",
];

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

/// Runs them all.
pub(super) fn everything(workspace: &Workspace, cli: &Cli) -> Result<(), Stop> {
    let mut stages = Stages {
        start: Instant::now(),
        failed: Vec::new(),
    };
    stages.begin("set-up");
    let arm = set_up(cli)?;
    let wasm = setup::for_wasm(workspace);
    let taking_part = |small: &Small| cli.thorough || small.has_own();
    let small = small::ALL.into_iter().filter(taking_part);
    let small: Vec<Small> = small.filter_map(setup::for_small).collect();
    stages.begin("all kernels, generated");
    let candidates = Candidates::generate(workspace, &[])?;

    stages.begin("certificates");
    let checked = stages.end(proofs::certificates(workspace, &candidates))?;

    let orders = Orders::new(cli, Vec::new());
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
        // What is built here, one thing at a time, leaves a core idle now and then; mutants and kernels need no
        // compiler for long.
        let users = scope.spawn(|| {
            let arm = arm.as_ref();
            let more = cli.thorough.then_some(());
            let built = more.and(arm).map(|arm| arm.build_tests(workspace));
            let c = c::all(workspace, arm);
            let crates = more.map(|()| drop_in::all(workspace, arm, drop_in::DEFAULT));
            [built, Some(c), crates]
        });
        let foreign = (arm.as_ref(), wasm.as_ref(), &small[..]);
        let executed = on_hosts(workspace, &orders, &mut stages, &candidates, foreign);
        stages.begin("what users build");
        let died = |_| Stop::Failed("the thread that builds users' programs panicked".into());
        for outcome in users.join().map_err(died)?.into_iter().flatten() {
            stages.end(outcome)?;
        }
        if let Some(arm) = arm.as_ref().filter(|_| cli.thorough) {
            stages.begin("test suite on aarch64, emulated");
            let tests = arm.tests(workspace);
            stages.end(workspace.run(tests, "the test suite on aarch64", limits::TESTS))?;
        }
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
    (arm, wasm, small): (Option<&Arm>, Option<&Wasm>, &[Small]),
) -> Result<(Rows, Vec<Column>), Stop> {
    stages.begin("instructions by themselves");
    let rows = stages.end(instructions(workspace, orders, arm, wasm, small))?;
    stages.begin("directed cases, while kernels compile for this host");
    let (corpus, here) = std::thread::scope(|scope| {
        let corpus = scope.spawn(|| kernels::corpus(workspace, &candidates.manifest));
        let here = Host::on(Machine::Here, workspace, candidates);
        let died = |_| Stop::Failed("the thread that computes directed cases panicked".into());
        (corpus.join().map_err(died).flatten(), here)
    });
    let corpus = corpus?;
    let mut columns = Vec::new();
    stages.begin("kernels on this host");
    let here = here.and_then(|here| column(&here, orders, &corpus, workspace));
    columns.extend(stages.end(here)?);
    let run = |machine: Machine<'_>| {
        let host = Host::on(machine, workspace, candidates)?;
        column(&host, orders, &corpus, workspace)
    };
    if let Some(wasm) = wasm {
        stages.begin("kernels on wasm32, by node");
        columns.extend(stages.end(run(Machine::Wasm(wasm)))?);
    }
    for small in small {
        stages.begin(&format!("kernels on {}, emulated", small.arch));
        let host = Host::on_small(*small, workspace, candidates, small::SOME);
        let ran = host.and_then(|host| column(&host, orders, &corpus, workspace));
        columns.extend(stages.end(ran)?);
    }
    if let Some(arm) = arm {
        stages.begin("kernels on aarch64, emulated");
        columns.extend(stages.end(run(Machine::Arm(arm)))?);
        stages.begin("instructions executed on aarch64");
        stages.end(executed::all(workspace, arm, candidates))?;
    }
    Ok((rows.unwrap_or_default(), columns))
}

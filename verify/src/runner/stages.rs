//! All stages: one after the other, but for what leaves a core idle or does not need two.

use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use super::candidates::Candidates;
use super::cli::Cli;
use super::drop_in;
use super::kernels::{self, Host, Orders};
use super::ledger::{Column, Ledger};
use super::machine::Machine;
use super::small::{self, Small};
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
    let arm = set_up(&cli.emulated)?;
    let wasm = setup::for_wasm(workspace);
    let taking_part = |small: &Small| cli.runs.thorough || small.has_own();
    let small = small::ALL.into_iter().filter(taking_part);
    let small = small.filter_map(setup::for_small);
    let machines: Vec<Machine> = Machine::all(arm.as_ref(), wasm.as_ref(), small).collect();
    stages.begin("all kernels, generated");
    let candidates = Candidates::generate(workspace, &[])?;

    stages.begin("certificates");
    let checked = stages.end(proofs::certificates(workspace, &candidates))?;

    let orders = Orders::new(&cli.runs, Vec::new());
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
        // A compiler has one core for long, so it is at work beside what follows: programs of kernels come first,
        // each of which runs while the next one is built.
        let (ready, hosts) = mpsc::channel();
        let (arm, candidates, machines) = (arm.as_ref(), &candidates, &machines);
        let users = scope.spawn(move || {
            for machine in machines {
                // Nobody waits for it where a stage was blocked.
                let _ = ready.send(Host::on(*machine, workspace, candidates));
            }
            drop(ready);
            let more = cli.runs.thorough.then_some(());
            let built = more.and(arm).map(|arm| arm.build_tests(workspace));
            let c = c::all(workspace, arm);
            let crates = more.map(|()| drop_in::all(workspace, arm, drop_in::DEFAULT));
            [built, Some(c), crates]
        });
        stages.begin("mutants");
        if let Some(checked) = &checked {
            stages.end(proofs::texts(candidates, checked))?;
        }
        stages.end(proofs::mutants(workspace))?;
        stages.begin("instructions by themselves");
        let rows = stages.end(instructions(workspace, orders.seed, machines))?;
        let columns = kernels_on(hosts, workspace, &orders, &mut stages, candidates)?;
        if let Some(arm) = arm {
            stages.begin("instructions executed on aarch64");
            stages.end(executed::all(workspace, arm, candidates))?;
        }
        stages.begin("what users build");
        let died = |_| Stop::Failed("the thread that builds users' programs panicked".into());
        for outcome in users.join().map_err(died)?.into_iter().flatten() {
            stages.end(outcome)?;
        }
        if let Some(arm) = arm.filter(|_| cli.runs.thorough) {
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
        Ok::<_, Stop>((rows.unwrap_or_default(), columns))
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

/// Executes kernels on every host, as soon as its program is there.
fn kernels_on(
    hosts: Receiver<Result<Host, Stop>>,
    workspace: &Workspace,
    orders: &Orders,
    stages: &mut Stages,
    candidates: &Candidates,
) -> Result<Vec<Column>, Stop> {
    stages.begin("directed cases");
    let corpus = kernels::corpus(workspace, &candidates.manifest)?;
    let mut columns = Vec::new();
    for host in hosts {
        let run = |host: Host| {
            stages.begin(&format!("kernels on {}", host.name));
            column(&host, orders, &corpus, workspace)
        };
        let ran = host.and_then(run);
        columns.extend(stages.end(ran)?);
    }
    Ok(columns)
}

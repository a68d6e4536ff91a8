//! `model`: what kernels and the peer would take on Arm cores, from what they execute.

mod mca;
mod table;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::cli;
use crate::host;
use crate::json;
use crate::manifest::{self, Listed};
use crate::stop::Stop;
use mca::{Mca, assembly};
use table::Table;

/// A kernel and the peer on a core that is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The kernel's full name.
    pub kernel: String,
    /// The field.
    pub field: String,
    /// Elements in a state.
    pub width: usize,
    /// The instruction set.
    pub isa: String,
    /// Where states live.
    pub layout: String,
    /// How values are represented.
    pub strategy: String,
    /// Interleaved groups of states.
    pub batch: usize,
    /// The core, by LLVM's name.
    pub core: String,
    /// The peer's permutation: of one state, or with `_lanes` of a packed one.
    pub peer: String,
    /// Cycles per permutation, ours.
    pub ours_cycles: f64,
    /// Cycles per permutation, the peer.
    pub peer_cycles: f64,
    /// Instructions per permutation, ours.
    pub ours_instructions: f64,
    /// Instructions per permutation, the peer.
    pub peer_instructions: f64,
    /// The peer's cycles in terms of ours.
    pub ratio: f64,
    /// Whether both came to the right result under qemu.
    pub verified: bool,
    /// Always: nothing of this was measured.
    pub modelled: bool,
    /// Whose tables the cycles come from.
    pub model: String,
}

/// What `cargo verify executed --json` tells of a call; it tells more than is read here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Counts {
    kernel: String,
    states: usize,
    agrees: bool,
    instructions: u64,
}

/// One call with its cycles on each core.
#[derive(Clone, Debug)]
struct Call {
    counts: Counts,
    cycles: BTreeMap<String, u64>,
}

/// Does what the command line says.
///
/// # Errors
/// Where something that is needed is missing or fails, or a result is wrong.
pub fn run(options: &cli::Model) -> Result<(), Stop> {
    let mca = mca()?;
    for core in &options.core {
        mca.cycles(core, "nop").map_err(Stop::Blocked)?;
    }
    let filter = options.selection.filter(&[]);
    let kernels = manifest::candidates().map_err(Stop::Blocked)?;
    manifest::check(&filter, &kernels).map_err(Stop::Blocked)?;
    let kernels: Vec<Listed> = kernels
        .into_iter()
        .filter(|kernel| kernel.admitted_by(&filter))
        .collect();
    let (ours, others): (Vec<_>, Vec<_>) = kernels.into_iter().partition(|kernel| {
        kernel
            .target_arch
            .as_deref()
            .is_none_or(|arch| arch == "aarch64")
    });
    if ours.is_empty() {
        let why = "only kernels for AArch64 are modelled, and none of these is for it";
        return Err(Stop::Blocked(why.to_owned()));
    }
    let mut names: Vec<String> = ours.iter().map(|kernel| kernel.name.clone()).collect();
    let mut peers: Vec<String> = ours.iter().map(peer_of).collect();
    peers.sort();
    peers.dedup();
    names.extend(peers);
    let folder = host::target().join("benches/streams");
    let counts = watch(&names, &folder)?;
    let calls = cost(&mca, &options.core, counts, &folder)?;

    let records: Vec<Record> = ours
        .iter()
        .flat_map(|kernel| options.core.iter().map(move |core| (kernel, core)))
        .filter_map(|(kernel, core)| record(kernel, core, &calls, &mca.version))
        .collect();
    // The file first, since whoever reads the table may stop early; and the table even if that fails.
    let json = options.json.as_ref().map_or(Ok(()), |path| {
        json::write(path, &records, |record| &record.kernel, &ours, None)
    });
    let facts = host::facts().into_iter();
    let mut text: String = facts
        .map(|(name, value)| format!("{name:<9} {value}\n"))
        .collect();
    let (model, table) = (&mca.version, Table(&records));
    text += &format!("model     {model}, instructions by qemu\n\n{table}");
    if !others.is_empty() {
        text += &format!("\nnot run: {} that are not for AArch64\n", others.len());
    }
    host::print(&text)?;
    json?;
    match records.iter().find(|record| !record.verified) {
        None => Ok(()),
        Some(wrong) => Err(Stop::Failed(format!("{}: wrong result", wrong.kernel))),
    }
}

/// The permutation of the peer that a kernel stands beside.
fn peer_of(kernel: &Listed) -> String {
    let field = kernel.field.replace('-', "_");
    let lanes = if kernel.lanes > 1 { "_lanes" } else { "" };
    format!("peer/{field}/w{}{lanes}", kernel.width)
}

/// Finds llvm-mca, and has it installed where there is none.
fn mca() -> Result<Mca, Stop> {
    if let Some(mca) = Mca::find() {
        return Ok(mca);
    }
    let mut verify = verify();
    verify.args(["setup", "--model"]);
    let status = verify.status().map_err(Stop::blocked)?;
    let missing = || Stop::Blocked("llvm-mca of LLVM 18 or later is needed".to_owned());
    if status.success() {
        Mca::find().ok_or_else(missing)
    } else {
        Err(missing())
    }
}

fn verify() -> std::process::Command {
    let mut command = host::cargo();
    command.args([
        "run",
        "--quiet",
        "--profile",
        "suite",
        "--package",
        "verify",
        "--bin",
        "verify",
        "--",
    ]);
    command
}

/// Has each of them called once under qemu; their instructions are then in the folder.
fn watch(names: &[String], folder: &Path) -> Result<Vec<Counts>, Stop> {
    let spinner = ProgressBar::new_spinner();
    let what = format!("watching {} permutations under qemu", names.len());
    host::phase(&spinner, what);
    spinner.enable_steady_tick(std::time::Duration::from_millis(200));
    let mut verify = verify();
    verify
        .args(["executed", "--json", "--streams"])
        .arg(folder)
        .args(names);
    verify.stderr(std::process::Stdio::inherit());
    let output = verify.output().map_err(Stop::blocked)?;
    spinner.finish_and_clear();
    if !output.status.success() {
        return Err(Stop::Failed(format!(
            "cargo verify executed: {}",
            output.status
        )));
    }
    serde_json::from_slice(&output.stdout).map_err(Stop::blocked)
}

/// What each stream takes on each core: a stream at a time on each processor.
fn cost(
    mca: &Mca,
    cores: &[String],
    counts: Vec<Counts>,
    folder: &Path,
) -> Result<BTreeMap<String, Call>, Stop> {
    let (bar, next) = (host::bar(counts.len()), AtomicUsize::new(0));
    host::phase(
        &bar,
        format!(
            "asking llvm-mca for the cycles of {} permutations",
            counts.len()
        ),
    );
    let cycles = |name: &str| {
        let stream = std::fs::read_to_string(folder.join(name.replace('/', ".")));
        let stream = stream.map_err(|error| error.to_string())?;
        let stream: String = stream.lines().map(|line| assembly(line) + "\n").collect();
        let on = |core: &String| Ok((core.clone(), mca.cycles(core, &stream)?));
        cores.iter().map(on).collect::<Result<_, String>>()
    };
    let work = || {
        let mut done = Vec::new();
        while let Some(counts) = counts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = &counts.kernel;
            let failed = |error: String| Stop::Failed(format!("{name}: {error}"));
            let call = Call {
                counts: counts.clone(),
                cycles: cycles(name).map_err(failed)?,
            };
            done.push((name.clone(), call));
            host::step(&bar, name.clone());
        }
        Ok(done)
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Result<Vec<_>, Stop> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().map(|thread| {
            let panicked = |_| Err(Stop::Failed("llvm-mca could not be asked".to_owned()));
            thread.join().unwrap_or_else(panicked)
        });
        done.collect()
    });
    bar.finish_and_clear();
    Ok(done?.into_iter().flatten().collect())
}

fn record(
    kernel: &Listed,
    core: &str,
    calls: &BTreeMap<String, Call>,
    model: &str,
) -> Option<Record> {
    let peer = peer_of(kernel);
    let (ours, theirs) = (calls.get(&kernel.name)?, calls.get(&peer)?);
    let cycles = |call: &Call| Some(*call.cycles.get(core)? as f64 / call.counts.states as f64);
    let instructions = |call: &Call| call.counts.instructions as f64 / call.counts.states as f64;
    let (ours_cycles, peer_cycles) = (cycles(ours)?, cycles(theirs)?);
    Some(Record {
        kernel: kernel.name.clone(),
        field: kernel.field.clone(),
        width: kernel.width,
        isa: kernel.isa.clone(),
        layout: kernel.layout.clone(),
        strategy: kernel.strategy.clone(),
        batch: kernel.batch,
        core: core.to_owned(),
        peer,
        ours_cycles,
        peer_cycles,
        ours_instructions: instructions(ours),
        peer_instructions: instructions(theirs),
        ratio: peer_cycles / ours_cycles,
        verified: ours.counts.agrees && theirs.counts.agrees,
        modelled: true,
        model: model.to_owned(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn call(kernel: &str, states: usize, instructions: u64, cycles: u64) -> (String, Call) {
        let counts = Counts {
            kernel: kernel.to_owned(),
            states,
            agrees: true,
            instructions,
        };
        let cycles = BTreeMap::from([("neoverse-n1".to_owned(), cycles)]);
        (kernel.to_owned(), Call { counts, cycles })
    }

    /// A packed kernel of two groups, beside the peer's packed permutation.
    pub(crate) fn example() -> Record {
        let kernel = Listed {
            name: "plonky3/goldilocks/w8_neon_lanes_b2".to_owned(),
            field: "goldilocks".to_owned(),
            width: 8,
            isa: "neon".to_owned(),
            layout: "lanes".to_owned(),
            strategy: "eager".to_owned(),
            batch: 2,
            code: String::new(),
            lanes: 2,
            features: vec!["neon".to_owned()],
            target_arch: Some("aarch64".to_owned()),
        };
        let calls = BTreeMap::from([
            call(&kernel.name, 4, 20_000, 8_000),
            call("peer/goldilocks/w8_lanes", 2, 20_000, 9_000),
        ]);
        record(&kernel, "neoverse-n1", &calls, "LLVM 22.1.8").expect("both are there")
    }

    #[test]
    fn figures_are_for_each_permutation() {
        let record = example();
        assert_eq!((record.ours_cycles, record.peer_cycles), (2_000.0, 4_500.0));
        assert_eq!(
            (record.ours_instructions, record.peer_instructions),
            (5_000.0, 10_000.0)
        );
        assert!((record.ratio - 2.25).abs() < 1e-9);
    }

    #[test]
    fn records_say_that_they_are_modelled() {
        let json = serde_json::to_value([example()]).expect("it is plain data");
        assert_eq!(json[0]["modelled"], true);
        assert_eq!(json[0]["core"], "neoverse-n1");
        assert!(json[0]["ratio"].is_number());
    }
}

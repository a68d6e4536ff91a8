//! Instructions executed on Arm: counted for one kernel, or for all of them against their budgets.

use std::io;
use std::path::Path;

use super::Stop;
use super::arm::{self, Arm};
use super::candidates::Candidates;
use super::limits;
use super::setup;
use super::workspace::Workspace;
use crate::disassembly::{Disassembly, Instruction};
use crate::executed::{Counts, Watcher};
use crate::parallel::in_parallel;
use crate::trace::PEER;

/// Canonicalisation pairs that one permutation may execute. The peer executes 1504 at width 8; the
/// least number that keeps its shape is 385.
const PAIRS: [(&str, u64); 1] = [("plonky3/goldilocks/w8_neon_b1", 400)];

/// Counts for some kernels, and prints them. Their instructions go into files, if asked for.
pub(super) fn some(
    workspace: &Workspace,
    kernels: &[String],
    streams: Option<&Path>,
    json: bool,
) -> Result<(), Stop> {
    let arm = if arm::host_is_arm() {
        Arm::native()?
    } else {
        setup::for_arm()?
    };
    let arm = arm.released();
    let candidates = Candidates::generate(workspace, &[])?;
    let kernels = kernels.iter().map(String::as_str);
    let all = counts(workspace, &arm, &candidates, kernels, |counts, stream| {
        let Some(folder) = streams else {
            return Ok(());
        };
        std::fs::create_dir_all(folder)?;
        let lines: String = stream.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.join(counts.kernel.replace('/', ".")), lines)
    })?;
    if json {
        println!("{}", pretty(&all)?);
    } else {
        for counts in all {
            println!("{counts}");
        }
    }
    Ok(())
}

/// Counts for the peer and for all kernels of Arm; tells those over their budget.
pub(super) fn all(workspace: &Workspace, arm: &Arm, candidates: &Candidates) -> Result<(), Stop> {
    let ours = candidates.manifest.iter();
    let ours = ours.filter(|listed| listed.target_arch.as_deref() == Some("aarch64"));
    let names = [PEER].into_iter();
    let names: Vec<&str> = names
        .chain(ours.map(|listed| listed.name.as_str()))
        .collect();
    let widest = names.iter().map(|name| name.len()).max().unwrap_or(0);
    println!(
        "{:widest$}  instructions  subs/csel pairs, both for each state",
        "executed on aarch64"
    );
    let all = counts(
        workspace,
        arm,
        candidates,
        names.into_iter(),
        |counts, _| {
            let each = |n: u64| n / counts.states.max(1) as u64;
            let (instructions, pairs) = (each(counts.instructions), each(counts.canonicalisations));
            let name = &counts.kernel;
            println!("{name:widest$}  {instructions:>12}  {pairs:>15}");
            Ok(())
        },
    )?;
    std::fs::write(workspace.scratch()?.join("executed.json"), pretty(&all)?)?;
    let budgets = PAIRS.iter();
    let over: Vec<_> = budgets.filter_map(|budget| excess(&all, *budget)).collect();
    if over.is_empty() {
        Ok(())
    } else {
        Err(Stop::Failed(over.join("\n  ")))
    }
}

/// Counts for some kernels, each of which `tell` is told of.
fn counts<'a>(
    workspace: &Workspace,
    arm: &Arm,
    candidates: &Candidates,
    kernels: impl Iterator<Item = &'a str>,
    tell: impl Fn(&Counts, &[&Instruction]) -> io::Result<()> + Sync,
) -> Result<Vec<Counts>, Stop> {
    let program = arm.build(workspace, candidates)?;
    let watcher = Watcher {
        disassembly: Disassembly::of(arm.objdump(), &program)?,
        program,
        scratch: workspace.scratch()?,
        limit: workspace.limit(limits::CALL),
    };
    let count = |kernel: &str| {
        let watched = watcher.watch(kernel);
        let failed = |error: io::Error| Stop::Failed(format!("{kernel}: {error}"));
        let (counts, stream) = watched.map_err(failed)?;
        if !counts.agrees {
            return Err(failed(io::Error::other("its states are not the peer's")));
        }
        tell(&counts, &stream)?;
        Ok(counts)
    };
    let kernels: Vec<&str> = kernels.collect();
    let counted = in_parallel(&kernels, |kernel| count(kernel));
    counted.into_iter().collect()
}

fn pretty(all: &[Counts]) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(all)?)
}

fn excess(all: &[Counts], (kernel, pairs): (&str, u64)) -> Option<String> {
    let Some(counts) = all.iter().find(|counts| counts.kernel == kernel) else {
        return Some(format!("{kernel} has a budget, but is not in the manifest"));
    };
    let executed = counts.canonicalisations;
    let over = executed > pairs;
    over.then(|| format!("{kernel} executes {executed} canonicalisation pairs, more than {pairs}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_kept_by_a_kernel_that_exists() {
        let counts = |canonicalisations| Counts {
            kernel: "k".to_owned(),
            states: 1,
            agrees: true,
            instructions: 0,
            mnemonics: std::collections::BTreeMap::new(),
            canonicalisations,
            calls: 0,
        };
        assert_eq!(excess(&[counts(400)], ("k", 400)), None);
        assert!(excess(&[counts(401)], ("k", 400)).is_some_and(|excess| excess.contains("401")));
        assert!(excess(&[], ("k", 400)).is_some());
    }
}

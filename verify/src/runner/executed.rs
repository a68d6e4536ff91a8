//! Instructions executed on Arm: counted for one kernel, or for all of them against their budgets.

use std::io;
use std::path::Path;

use super::Stop;
use super::arm::{self, Arm};
use super::limits;
use super::setup;
use super::workspace::{Listed, Workspace};
use crate::disassembly::Disassembly;
use crate::executed::{Counts, watch};
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
    let program = arm.build(workspace)?;
    let (tools, scratch) = (
        arm.tools(workspace.limit(limits::CALL)),
        workspace.scratch()?,
    );
    let disassembly = Disassembly::of(&tools.objdump, &program)?;
    let mut all = Vec::new();
    for kernel in kernels {
        let watched = watch(&tools, &program, &disassembly, kernel, &scratch);
        let watched = watched.map_err(|error| Stop::Failed(format!("{kernel}: {error}")))?;
        if let Some(folder) = streams {
            std::fs::create_dir_all(folder)?;
            let lines: String = watched
                .stream
                .iter()
                .map(|line| format!("{line}\n"))
                .collect();
            std::fs::write(folder.join(kernel.replace('/', ".")), lines)?;
        }
        all.push(Counts::of(kernel, &watched));
    }
    if json {
        let json = serde_json::to_string_pretty(&all).map_err(io::Error::from)?;
        println!("{json}");
    } else {
        for counts in all {
            println!("{counts}");
        }
    }
    Ok(())
}

/// Counts for the peer and for all kernels of Arm; tells those over their budget.
pub(super) fn all(workspace: &Workspace, arm: &Arm, manifest: &[Listed]) -> Result<(), Stop> {
    let program = arm.build(workspace)?;
    let (tools, scratch) = (
        arm.tools(workspace.limit(limits::CALL)),
        workspace.scratch()?,
    );
    let disassembly = Disassembly::of(&tools.objdump, &program)?;
    let ours = manifest
        .iter()
        .filter(|listed| listed.target_arch.as_deref() == Some("aarch64"));
    let names: Vec<&str> = [PEER]
        .into_iter()
        .chain(ours.map(|listed| listed.name.as_str()))
        .collect();
    let widest = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut all = Vec::new();
    println!(
        "{:widest$}  instructions  subs/csel pairs, both for each state",
        "executed on aarch64"
    );
    for name in names {
        let watched = watch(&tools, &program, &disassembly, name, &scratch);
        let watched = watched.map_err(|error| Stop::Failed(format!("{name}: {error}")))?;
        let counts = Counts::of(name, &watched);
        let each = |n: u64| n / counts.states.max(1) as u64;
        let (instructions, pairs) = (each(counts.instructions), each(counts.canonicalisations));
        println!("{name:widest$}  {instructions:>12}  {pairs:>15}");
        all.push(counts);
    }
    let path = scratch.join("executed.json");
    std::fs::write(
        path,
        serde_json::to_string_pretty(&all).map_err(io::Error::from)?,
    )?;
    let over: Vec<_> = PAIRS
        .iter()
        .filter_map(|budget| excess(&all, *budget))
        .collect();
    if over.is_empty() {
        Ok(())
    } else {
        Err(Stop::Failed(over.join("\n  ")))
    }
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

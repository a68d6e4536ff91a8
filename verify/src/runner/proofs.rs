//! What is checked of the proofs themselves: every certificate by the independent checker, and
//! the prover and the tests by mutants.

use super::Stop;
use super::candidates::Candidates;
use super::workspace::Workspace;
use crate::checker::{self, Crate};
use crate::mutation;
use crate::mutation::template::Verdict;

/// Checks every certificate of all kernels, whether they ship or not, and that each rests on one.
pub(super) fn certificates(workspace: &Workspace, candidates: &Candidates) -> Result<(), Stop> {
    let Crate { proofs, kernels } = checker::check_crate(candidates.folder())?;
    let counts = (proofs.len(), kernels.len());
    let proofs = proofs
        .into_iter()
        .map(|(path, outcome)| (path, outcome.err()));
    let kernels = kernels
        .into_iter()
        .map(|(path, outcome)| (path, outcome.err()));
    let refused: Vec<String> = proofs
        .chain(kernels)
        .filter_map(|(path, refusal)| {
            Some(format!(
                "{}: {}",
                workspace.relative(&path).display(),
                refusal?
            ))
        })
        .collect();
    println!(
        "certificates: {} checked, for {} kernels; {} refused",
        counts.0,
        counts.1,
        refused.len()
    );
    if counts.0 == 0 {
        return Err(Stop::Failed("there is no certificate to check".to_owned()));
    }
    // A kernel that is not recognised as one is not checked.
    let listed = candidates.manifest.len();
    if counts.1 != listed {
        return Err(Stop::Failed(format!(
            "{} of {listed} kernels were found and checked",
            counts.1
        )));
    }
    if refused.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!(
        "certificates refused\n  {}",
        refused.join("\n  ")
    )))
}

/// Makes everything wrong once and prints what noticed.
pub(super) fn mutants(workspace: &Workspace) -> Result<(), Stop> {
    let table = mutation::score();
    println!("{table}");
    let rows = mutation::template::score(&workspace.root().join("templates"))?;
    let survivors: Vec<String> = rows
        .iter()
        .filter(|row| matches!(row.verdict, Verdict::Survives | Verdict::SameCode))
        .map(ToString::to_string)
        .collect();
    println!(
        "templates: {} mutants, {} not refused",
        rows.len(),
        survivors.len()
    );
    let faults: Vec<String> = table.faults().into_iter().chain(survivors).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!("mutants\n  {}", faults.join("\n  "))))
}

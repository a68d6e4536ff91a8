//! What is checked of the proofs themselves: every certificate by the independent checker, and
//! the prover and the tests by mutants.

use super::Stop;
use super::candidates::Candidates;
use super::workspace::Workspace;
use crate::mutation;

/// Checks every certificate of all kernels, whether they ship or not, and that each rests on one.
pub(super) fn certificates(workspace: &Workspace, candidates: &Candidates) -> Result<(), Stop> {
    let checked = checker::check_crate(candidates.folder())?;
    let (proofs, kernels) = (checked.proofs.len(), checked.kernels.len());
    let refused: Vec<String> = checked.refused(workspace.root());
    println!(
        "certificates: {proofs} checked, for {kernels} kernels; {} refused",
        refused.len()
    );
    let listed = candidates.manifest.len();
    let fault = if proofs == 0 {
        "there is no certificate to check".to_owned()
    } else if kernels != listed {
        // A kernel that is not recognised as one is not checked.
        format!("{kernels} of {listed} kernels were found and checked")
    } else if !refused.is_empty() {
        format!("certificates refused\n  {}", refused.join("\n  "))
    } else {
        return Ok(());
    };
    Err(Stop::Failed(fault))
}

/// Makes everything wrong once and prints what noticed.
pub(super) fn mutants(workspace: &Workspace) -> Result<(), Stop> {
    let table = mutation::score();
    println!("{table}");
    let rows = mutation::template::score(&workspace.root().join("templates"))?;
    let survivors = rows.iter().filter(|row| row.is_idle());
    let survivors: Vec<String> = survivors.map(ToString::to_string).collect();
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

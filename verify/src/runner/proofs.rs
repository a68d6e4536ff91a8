//! What is checked of the proofs themselves: every certificate by the independent checker, and
//! the prover and the tests by mutants.

use super::Stop;
use super::workspace::Workspace;
use crate::mutation::template::Verdict;
use crate::{checker, mutation};

/// Checks every certificate of the generated crate.
pub(super) fn certificates(workspace: &Workspace) -> Result<(), Stop> {
    let outcomes = checker::check_all(&workspace.root().join("generated/src"))?;
    let refused: Vec<String> = outcomes
        .iter()
        .filter_map(|(path, outcome)| {
            let refusal = outcome.as_ref().err()?;
            Some(format!("{}: {refusal}", workspace.relative(path).display()))
        })
        .collect();
    println!(
        "certificates: {} checked, {} refused",
        outcomes.len(),
        refused.len()
    );
    if outcomes.is_empty() {
        return Err(Stop::Failed("there is no certificate to check".to_owned()));
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

//! What is checked of the proofs themselves: every certificate by the independent checker, and
//! the prover and the tests by mutants.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use checker::{Crate, Solver};

use super::Stop;
use super::candidates::Candidates;
use super::workspace::Workspace;
use crate::mutation::{self, text};
use crate::programs;

/// Checks every certificate and every kernel's text, whether they ship or not.
pub(super) fn certificates(workspace: &Workspace, candidates: &Candidates) -> Result<Crate, Stop> {
    let start = Instant::now();
    let checked = Crate::read(candidates.folder())?;
    let ([proofs, kernels], seconds) = (checked.counts(), start.elapsed().as_secs_f64());
    let refused: Vec<String> = checked.refused(workspace.root());
    println!(
        "certificates: {proofs} hold; texts: {kernels} kernels compute what these prove; \
         {} files read in {seconds:.1} s, {} refused",
        checked.outcomes.len(),
        refused.len()
    );
    let listed = candidates.manifest.len();
    if !refused.is_empty() {
        let what = format!("files refused\n  {}", refused.join("\n  "));
        return Err(Stop::Failed(what));
    }
    // A kernel that is not recognised as one is not checked.
    if proofs == 0 || kernels != listed {
        let what = format!("{kernels} of {listed} kernels were found and checked");
        return Err(Stop::Failed(what));
    }
    Ok(checked)
}

/// Has each of some solvers prove each body, and says every two seconds how far it is.
pub(super) fn lemmas_watched(checked: &Crate, solvers: &[String]) -> Result<(), Stop> {
    let last = Mutex::new(Instant::now());
    let tell = |done: usize, all: usize| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed().as_secs() >= 2 {
            *last = Instant::now();
            eprintln!("lemmas: {done} of {all}");
        }
    };
    lemmas(checked, solvers, &tell)
}

/// Has each of some solvers prove each body of each macro.
pub(super) fn lemmas(
    checked: &Crate,
    solvers: &[impl AsRef<str>],
    tell: &(dyn Fn(usize, usize) + Sync),
) -> Result<(), Stop> {
    let find = |name: &str| {
        let missing = || Stop::Blocked(format!("{name} cannot be run: `cargo verify setup`"));
        Solver::find(name).ok_or_else(missing)
    };
    let found = solvers.iter().map(|name| find(name.as_ref()));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let lemmas = checked.lemmas().map_err(Stop::Failed)?;
    let proofs = checker::prove(&lemmas, &found, tell);
    for (solver, proved, seconds) in &proofs.solvers {
        let all = lemmas.len();
        println!(
            "lemmas: {proved} of {all} proved by {solver}; its threads took {seconds:.0} s together"
        );
    }
    match proofs.faults.is_empty() {
        true => Ok(()),
        false => Err(Stop::Failed(format!(
            "lemmas\n  {}",
            proofs.faults.join("\n  ")
        ))),
    }
}

/// Makes lines of the generated crate wrong, and has the checker read it.
pub(super) fn texts(candidates: &Candidates, checked: &Crate) -> Result<(), Stop> {
    let table = text::score(candidates.folder(), checked)?;
    println!("{table}");
    match &table.faults()[..] {
        [] => Ok(()),
        faults => Err(Stop::Failed(format!(
            "accepted, or missing\n  {}",
            faults.join("\n  ")
        ))),
    }
}

/// Makes everything wrong once and prints what noticed.
pub(super) fn mutants(workspace: &Workspace) -> Result<(), Stop> {
    let table = mutation::score(&programs::all());
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

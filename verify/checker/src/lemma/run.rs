//! All lemmas, by all solvers, on all cores.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::{Lemma, Solver, Verdict};

/// What became of some lemmas.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// Each solver, how many lemmas it proved, and the seconds that all threads took, waiting for a core included.
    pub solvers: Vec<(String, usize, f64)>,
    /// Lemmas that are not proved, or not by all, and on which solvers disagree.
    pub faults: Vec<String>,
}

/// Has each solver prove each lemma. `tell` hears of each one that is done: how many are, of how
/// many.
pub fn prove(lemmas: &[Lemma], solvers: &[Solver], tell: &(dyn Fn(usize, usize) + Sync)) -> Proofs {
    let mut jobs: Vec<(usize, usize)> = (0..solvers.len())
        .flat_map(|solver| (0..lemmas.len()).map(move |lemma| (lemma, solver)))
        .collect();
    // Long bodies take longest: whoever begins with them ends early.
    jobs.sort_by_key(|(lemma, _)| std::cmp::Reverse(lemmas[*lemma].length()));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        while let Some(&(lemma, solver)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            let verdict = lemmas[lemma].prove(&solvers[solver]);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.insert((lemma, solver), (verdict, start.elapsed().as_secs_f64()));
            tell(done.len(), jobs.len());
        }
    };
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut proofs = Proofs::default();
    for (n, solver) in solvers.iter().enumerate() {
        let own = done.iter().filter(|((_, solver), _)| *solver == n);
        let proved = own
            .clone()
            .filter(|(_, (verdict, _))| *verdict == Verdict::Proved);
        let seconds = own.map(|(_, (_, seconds))| seconds).sum();
        proofs
            .solvers
            .push((solver.to_string(), proved.count(), seconds));
    }
    for (n, lemma) in lemmas.iter().enumerate() {
        let verdicts =
            (0..solvers.len()).filter_map(|solver| Some((solver, &done.get(&(n, solver))?.0)));
        let verdicts: Vec<(usize, &Verdict)> = verdicts.collect();
        let proved = verdicts
            .iter()
            .any(|(_, verdict)| **verdict == Verdict::Proved);
        for (solver, verdict) in &verdicts {
            let solver = &solvers[*solver];
            proofs.faults.extend(match verdict {
                Verdict::Proved => None,
                Verdict::Refuted(_) if proved => {
                    Some(format!("{lemma}: solvers disagree; by {solver}, {verdict}"))
                }
                verdict => Some(format!("{lemma}: by {solver}, {verdict}")),
            });
        }
    }
    proofs
}

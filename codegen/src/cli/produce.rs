//! Running the pipeline for many kernels at once.

use std::collections::HashSet;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};

use super::select::Job;
use crate::diag::Diagnostics;
use crate::kernel::Generated;
use crate::pipeline;
use crate::template::TemplateSet;

/// The kernels, in the order of `jobs`.
///
/// # Errors
/// Everything that was refused, each complaint once.
pub fn produce(jobs: &[Job<'_>], templates: &TemplateSet) -> Result<Vec<Generated>, Diagnostics> {
    let results = each(jobs, |job| {
        pipeline::generate(job.spec, job.kernel, job.batch, templates)
    });
    let (mut done, mut errors) = (Vec::new(), Diagnostics::new());
    for result in results {
        match result {
            Ok(generated) => done.push(generated),
            Err(refused) => errors.extend(refused),
        }
    }
    // One template serves many kernels; what is wrong with it is said once.
    once(errors).into_result().map(|()| done)
}

/// What is true but useless in the proof sets that `jobs` rely on, each once.
///
/// # Errors
/// What `produce` would refuse.
pub(super) fn warnings(jobs: &[Job<'_>]) -> Result<Diagnostics, Diagnostics> {
    let mut seen = HashSet::new();
    let mut found = Diagnostics::new();
    for job in jobs {
        let kernel = job.kernel;
        // Batch, layout and ISA change nothing about ranges.
        if seen.insert((&job.spec.path, kernel.strategy, &kernel.proof)) {
            found.extend(pipeline::warnings(job.spec, kernel)?);
        }
    }
    Ok(found)
}

/// `work` on every job, on all cores, with a progress bar if somebody watches.
pub fn each<T: Send>(jobs: &[Job<'_>], work: impl Fn(&Job<'_>) -> T + Sync) -> Vec<T> {
    let bar = progress(jobs.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    bar.set_message(job.name());
                    let result = work(job);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.push((index, result));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Each complaint once.
pub fn once(diagnostics: Diagnostics) -> Diagnostics {
    let mut seen = HashSet::new();
    diagnostics
        .into_iter()
        .filter(|diagnostic| {
            let place = diagnostic
                .location()
                .map(|(file, line, column)| (file.to_owned(), line, column));
            seen.insert((diagnostic.message().to_owned(), place))
        })
        .collect()
}

fn progress(jobs: usize) -> ProgressBar {
    if jobs < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(jobs as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len}  {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

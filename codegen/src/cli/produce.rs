//! Running the pipeline for many kernels at once.

use std::collections::{BTreeMap, HashSet};
use std::io::IsTerminal as _;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::complain;
use super::select::Job;
use crate::diag::Diagnostics;
use crate::kernel::Generated;
use crate::pipeline::{self, Code, ProvedProgram, program_name, targets};
use crate::template::TemplateSet;

/// How long a log is without a word of what is being done.
const SILENCE: Duration = Duration::from_secs(10);

/// The kernels, in the order of `jobs`.
///
/// # Errors
/// Everything that was refused, each complaint once.
pub fn produce(jobs: &[Job<'_>], templates: &TemplateSet) -> Result<Vec<Generated>, Diagnostics> {
    let program = |job: &Job<'_>| (job.spec.path.clone(), program_name(job.spec, job.kernel));
    let table = |job: &Job<'_>| (job.spec.path.clone(), job.kernel.span.start);
    shared(jobs, table, |job| {
        Ok(pipeline::refuse_unsuited(job.spec, job.kernel, templates)?)
    })?;
    let programs = shared(jobs, program, |job| {
        ProvedProgram::new(job.spec, job.kernel, templates)
    })?;
    let code = |job: &Job<'_>| (program(job), targets(job.kernel));
    let codes = shared(jobs, code, |job| {
        Code::new(job.kernel, &programs[&program(job)].proved, templates)
    })?;
    all(each(jobs, cores(), Job::name, |job| {
        let (program, code) = (&programs[&program(job)], &codes[&code(job)]);
        pipeline::finish(job.spec, job.kernel, job.batch, templates, program, code)
    }))
}

/// What jobs with the same key have in common, made once.
fn shared<K: Ord, T: Send>(
    jobs: &[Job<'_>],
    key: impl Fn(&Job<'_>) -> K,
    make: impl Fn(&Job<'_>) -> Result<T, Diagnostics> + Sync,
) -> Result<BTreeMap<K, T>, Diagnostics> {
    let mut firsts: BTreeMap<K, Job<'_>> = BTreeMap::new();
    for job in jobs {
        firsts.entry(key(job)).or_insert(*job);
    }
    let (keys, firsts): (Vec<K>, Vec<Job<'_>>) = firsts.into_iter().unzip();
    Ok(keys
        .into_iter()
        .zip(all(each(&firsts, cores(), Job::name, make))?)
        .collect())
}

/// All results, or every complaint once: one template serves many kernels.
fn all<T>(results: Vec<Result<T, Diagnostics>>) -> Result<Vec<T>, Diagnostics> {
    let mut errors = Diagnostics::new();
    let done = results.into_iter().map(|result| errors.keep(result));
    let done = done.flatten().collect();
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

/// How much can be done at once.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `work` on every job, in as many threads as there are `workers`, with a progress bar if somebody
/// watches, and with a line now and then if not. The results are in the order of the jobs.
pub fn each<J: Sync, T: Send>(
    jobs: &[J],
    workers: usize,
    name: impl Fn(&J) -> String + Sync,
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let bar = progress(jobs.len());
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Instant::now());
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else {
                return done;
            };
            bar.set_message(name(job));
            done.push((index, work(job)));
            bar.inc(1);
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if bar.is_hidden() && told.elapsed() >= SILENCE {
                *told = Instant::now();
                complain(&format!(
                    "{} of {}: {}\n",
                    bar.position(),
                    jobs.len(),
                    name(job)
                ));
            }
        }
    };
    let mut done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers.min(jobs.len()))
            .map(|_| scope.spawn(worker))
            .collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.flat_map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    bar.finish_and_clear();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Each complaint once.
pub fn once(diagnostics: Diagnostics) -> Diagnostics {
    let mut seen = HashSet::new();
    diagnostics
        .into_iter()
        .filter(|diagnostic| {
            let place = format!("{:?}", diagnostic.location());
            seen.insert((diagnostic.message().to_owned(), place))
        })
        .collect()
}

fn progress(jobs: usize) -> ProgressBar {
    if jobs < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {msg}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(jobs as u64).with_style(style)
}

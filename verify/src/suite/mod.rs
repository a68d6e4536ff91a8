//! The kernel suite: every check, for every kernel that this program was compiled with.
//!
//! It knows nothing of the generator. A kernel is a function on memory and a claim about which
//! permutation it computes.

mod call;
mod directed;
mod failure;
mod features;
pub mod guest;
mod memory;
mod random;
mod registry;
pub mod report;
mod subject;
mod word;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use poseidon2_generated::Kernel;

pub use call::call;
pub use failure::Failure;
pub use features::missing;
pub use memory::{Guarded, Placement};
pub use random::{DEFAULT_CASES, cases};
pub use registry::{Visitor, visit};
pub use subject::{Subject, prepared};
pub use word::Word;

use crate::corpus::Section;
use crate::oracle;
use report::{Event, Outcome, Report};

/// What to run, and how much of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Random cases for each kernel.
    pub cases: u32,
    /// The seed of the random cases.
    pub seed: u64,
    /// Run every `shard.1`-th kernel, from the `shard.0`-th on.
    pub shard: (usize, usize),
    /// Kernels to leave out.
    pub skip: Vec<String>,
    /// If not empty: run only kernels whose names contain one of these.
    pub only: Vec<String>,
    /// Run one of so many batches of directed cases, but all of those that visit every lane.
    pub stride: usize,
}

impl Plan {
    fn selects(&self, index: usize, name: &str) -> bool {
        index % self.shard.1.max(1) == self.shard.0
            && !self.skip.iter().any(|skipped| skipped == name)
            && is_asked_for(name, &self.only)
    }
}

/// Whether a name contains one of these parts, or there are none.
pub fn is_asked_for(name: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|part| name.contains(part))
}

/// Runs the kernels that the plan selects.
pub fn run(plan: &Plan, corpus: &[Section], tell: impl FnMut(&Event)) {
    let mut run = Run {
        plan,
        corpus,
        tell,
        index: 0,
        others: false,
    };
    visit(&mut run);
    run.others = true;
    visit(&mut run);
}

struct Run<'a, F> {
    plan: &'a Plan,
    corpus: &'a [Section],
    tell: F,
    index: usize,
    /// Whether kernels are run that a guest alone has.
    others: bool,
}

impl<F: FnMut(&Event)> Run<'_, F> {
    fn kernel<T: Word>(&mut self, kernel: &Kernel<T>) {
        if self.plan.selects(self.index, kernel.name) {
            (self.tell)(&Event::Begin(kernel.name.to_owned()));
            (self.tell)(&Event::End(test(kernel, self.plan, self.corpus)));
        }
        self.index += 1;
    }
}

impl<F: FnMut(&Event)> Visitor for Run<'_, F> {
    fn visit<T: Word>(&mut self, kernel: &'static Kernel<T>) {
        if !self.others {
            if let Some(kernel) = guest::stand_in(kernel) {
                self.kernel(&kernel);
            }
            return;
        }
        while let Some(kernel) = guest::another(kernel) {
            self.kernel(&kernel);
        }
    }
}

/// Puts one kernel through every check.
fn test<T: Word>(kernel: &Kernel<T>, plan: &Plan, corpus: &[Section]) -> Report {
    let start = Instant::now();
    let mut report = Report {
        kernel: kernel.name.to_owned(),
        outcome: Outcome::Passed,
        executions: 0,
        checks: BTreeMap::new(),
        seconds: 0.0,
    };
    if let Some(feature) = features::unknown(kernel.features) {
        report.outcome = Outcome::Died(format!("no CPU is known to have {feature}"));
        return report;
    }
    let missing = missing(kernel.features);
    if !missing.is_empty() {
        report.outcome = Outcome::NotRun(format!("CPU lacks {}", missing.join(", ")));
        return report;
    }
    report.outcome = match oracle::find(kernel.parameter_set, kernel.field, kernel.width) {
        None => Outcome::Died("no oracle knows this instance".to_owned()),
        Some(instance) if !same_shape(kernel, &instance) => {
            Outcome::Died("its rounds are not those of the instance it names".to_owned())
        }
        Some(instance) => match Subject::new(kernel, &instance) {
            Err(error) => Outcome::Died(format!("no guarded memory: {error}")),
            Ok(mut subject) => {
                let outcome = checks(&mut subject, plan, corpus, &mut report.checks);
                report.executions = subject.executions;
                outcome
            }
        },
    };
    report.seconds = start.elapsed().as_secs_f64();
    report
}

fn same_shape<T>(kernel: &Kernel<T>, instance: &oracle::Instance) -> bool {
    kernel.external_rounds == instance.permutation.external.len()
        && kernel.internal_rounds == instance.permutation.internal.len()
        && kernel.states() > 0
}

fn checks<T: Word>(
    subject: &mut Subject<'_, T>,
    plan: &Plan,
    corpus: &[Section],
    counts: &mut BTreeMap<String, u64>,
) -> Outcome {
    match directed::run(subject, corpus, plan) {
        Ok(directed) => *counts = directed,
        Err(failure) => return Outcome::Failed(failure),
    }
    if counts.get("known answers").is_none_or(|all| *all == 0) {
        return Outcome::Died("the corpus has no known answers for this instance".to_owned());
    }
    match random::run(subject, plan.cases, plan.seed) {
        Ok(states) => {
            counts.insert(random::CHECK.to_owned(), states);
            Outcome::Passed
        }
        Err(failure) => Outcome::Failed(failure),
    }
}

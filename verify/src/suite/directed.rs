//! The directed cases of a corpus, batch by batch.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Plan;
use super::failure::Failure;
use super::subject::{Case, Subject};
use super::word::Word;
use crate::corpus::{Group, Section};

/// Checks whose cases visit every lane of the batch; the others are dealt out over the lanes.
const IN_EVERY_LANE: [&str; 2] = ["known answers", "regressions"];

/// Runs all cases of the sections that are for this kernel's instance, and counts them by check.
///
/// # Errors
/// The first failure.
pub(super) fn run<T: Word>(
    subject: &mut Subject<'_, T>,
    corpus: &[Section],
    plan: &Plan,
) -> Result<BTreeMap<String, u64>, Box<Failure>> {
    let mut counts = BTreeMap::new();
    for section in corpus
        .iter()
        .filter(|section| section.is_for(subject.instance))
    {
        subject.set_table(&section.table.words(subject.instance));
        for (group, range) in section.ranges() {
            let cases = run_group(subject, section, group, range, plan)?;
            *counts.entry(group.check.clone()).or_default() += cases as u64;
        }
    }
    Ok(counts)
}

/// Gives how many of the cases ran.
fn run_group<T: Word>(
    subject: &mut Subject<'_, T>,
    section: &Section,
    group: &Group,
    range: Range<usize>,
    plan: &Plan,
) -> Result<usize, Box<Failure>> {
    let size = subject.kernel.states();
    let everywhere = IN_EVERY_LANE.contains(&group.check.as_str());
    let step = if everywhere { 1 } else { size * plan.stride };
    let mut cases = 0;
    // Batches wrap round: a group of n cases fills the last lanes with its first ones again.
    for first in range.clone().step_by(step) {
        cases += range
            .end
            .saturating_sub(first)
            .min(if everywhere { 1 } else { size });
        let index = |lane| range.start + (first - range.start + lane) % range.len();
        let starts = if everywhere { size } else { 1 };
        for turn in 0..starts {
            let at = |state: usize| section.case(index((state + turn) % size));
            let batch: Vec<Case<'_>> = (0..size).map(at).collect();
            subject.run(&batch).map_err(|wrong| {
                let case = (group.check.as_str(), group.origin.as_str());
                let table = section.table.name.clone();
                Box::new(Failure::new(&wrong, case, plan.seed, table, at))
            })?;
        }
    }
    Ok(cases)
}

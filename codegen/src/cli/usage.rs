//! Which kernels are used, and why: those ship in `generated/`. The others are candidates, which
//! are generated to be verified and timed.

use std::collections::{BTreeMap, BTreeSet};

use super::select::{self, Job};
use crate::names::{Isa, Strategy};
use crate::params::Instance;
use crate::spec::Spec;
use crate::tuning::{Key, Resolved, TuningTable, resolve};

/// The uses of each kernel that is used, by its full name: the CPUs whose tables use it, and other
/// reasons.
pub(super) struct Usage(BTreeMap<String, Vec<String>>);

impl Usage {
    /// The uses of the kernels that some specs ask for, by these tables.
    pub(super) fn of(specs: &[Spec], tables: &[TuningTable]) -> Self {
        let mut jobs = select::all(specs);
        jobs.retain(|job| !job.is_packaged());
        let names: BTreeSet<String> = jobs.iter().map(Job::name).collect();
        let tables = tables.iter().filter(|table| !table.packaged);
        let tables: Vec<TuningTable> = tables.cloned().collect();
        let resolved = resolve(&tables, &names);
        let mut usage = BTreeMap::<_, Vec<_>>::new();
        let mut add = |kernel: &str, why: &str| {
            let uses = usage.entry(kernel.to_owned()).or_default();
            uses.push(why.to_owned());
        };
        let by_tables = resolved.iter().flat_map(|table| {
            let steps = table.choices.iter().flat_map(|choice| &choice.steps);
            steps.map(|step| (&step.kernel, &table.cpu))
        });
        for (kernel, cpu) in by_tables.collect::<BTreeSet<_>>() {
            add(kernel, cpu);
        }
        for job in &jobs {
            let (kernel, instance, name) = (job.kernel, &job.spec.instance, job.name());
            let form = (kernel.isa, kernel.strategy, job.batch);
            // What runs where no table has a row for its permutation.
            if form == (Isa::Scalar, Strategy::DEFAULT, 1) && !everywhere(instance, &resolved) {
                add(&name, "fallback");
            }
            // Of a permutation without a cell nothing is known to be better.
            let mut cells = tables.iter().flat_map(|table| &table.cells);
            if !cells.any(|cell| is_of(&cell.key, instance)) {
                add(&name, "not timed");
            }
            if kernel.ship.contains(&job.batch) {
                add(&name, "its spec");
            }
        }
        Self(usage)
    }

    /// The kernels that are used, of those that the specs ask for.
    pub(super) fn jobs<'s>(&self, specs: &'s [Spec]) -> Vec<Job<'s>> {
        let mut jobs = select::all(specs);
        jobs.retain(|job| self.0.contains_key(&job.name()));
        jobs
    }

    /// Why a kernel is used, in words; `None` of a candidate.
    pub(super) fn why(&self, kernel: &str) -> Option<String> {
        Some(self.0.get(kernel)?.join(", "))
    }
}

/// Whether every table that stands for an architecture has a row in plain Rust for a permutation.
fn everywhere(instance: &Instance, resolved: &[Resolved]) -> bool {
    let mut defaults = resolved.iter().filter(|table| table.default);
    defaults.all(|table| {
        let mut keys = table.choices.iter().map(|choice| &choice.key);
        keys.any(|key| key.isa == Isa::Scalar && is_of(key, instance))
    })
}

fn is_of(key: &Key, instance: &Instance) -> bool {
    (key.parameters.as_str(), key.field.as_str(), key.width) == instance.key()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_packaged_alone_is_not_used_though_a_table_would() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut specs = crate::spec::load_all(root.join("specs")).unwrap();
        let tables = crate::tuning::load_all(&root.join("tuning")).unwrap();
        let name = "plonky3/koala_bear/w16_neon_lanes_long_b1";
        assert_eq!(Usage::of(&specs, &tables).why(name), None);
        let kernels = specs.iter_mut().flat_map(|spec| &mut spec.kernels);
        kernels.for_each(|kernel| kernel.packaged.clear());
        let why = Usage::of(&specs, &tables).why(name);
        assert!(why.is_some_and(|why| why.contains("neoverse-n1")));
    }
}

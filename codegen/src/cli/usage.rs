//! Which kernels are used, and why: those ship in `generated/`. The others are candidates, which
//! are generated to be verified and timed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::select::{self, Job};
use crate::kernel::kernel_name;
use crate::names::{Isa, Strategy};
use crate::params::Instance;
use crate::spec::Spec;
use crate::tuning::{Key, Resolved, Table, resolve};

/// Why a kernel ships.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// The tuning table of this CPU uses it.
    Table(String),
    /// It is what runs where no table has a row for its permutation.
    Fallback,
    /// No table has a cell for its permutation: nothing is known to be better.
    Untimed,
    /// Its spec says so.
    Spec,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(cpu) => f.write_str(cpu),
            Self::Fallback => f.write_str("fallback"),
            Self::Untimed => f.write_str("not timed"),
            Self::Spec => f.write_str("its spec"),
        }
    }
}

/// The uses of each kernel that is used, by its full name.
pub(super) struct Usage(BTreeMap<String, BTreeSet<Use>>);

impl Usage {
    /// The uses of the kernels that some specs ask for, by these tables.
    pub(super) fn of(specs: &[Spec], tables: &[Table]) -> Self {
        let jobs = select::all(specs);
        let names: BTreeSet<String> = jobs.iter().map(Job::name).collect();
        let resolved = resolve(tables, &names);
        let mut usage = Self(BTreeMap::new());
        for table in &resolved {
            for step in table.choices.iter().flat_map(|choice| &choice.steps) {
                usage.add(&step.kernel, Use::Table(table.cpu.clone()));
            }
        }
        for Job {
            spec,
            kernel,
            batch,
        } in &jobs
        {
            let instance = &spec.instance;
            let name = kernel_name(instance, kernel, *batch);
            let is_plain =
                (kernel.isa, kernel.strategy, *batch) == (Isa::Scalar, Strategy::DEFAULT, 1);
            if is_plain && !everywhere(instance, &resolved) {
                usage.add(&name, Use::Fallback);
            }
            let mut cells = tables.iter().flat_map(|table| &table.cells);
            if !cells.any(|cell| is_of(&cell.key, instance)) {
                usage.add(&name, Use::Untimed);
            }
            if kernel.ship.contains(batch) {
                usage.add(&name, Use::Spec);
            }
        }
        usage
    }

    fn add(&mut self, kernel: &str, why: Use) {
        self.0.entry(kernel.to_owned()).or_default().insert(why);
    }

    /// The kernels that are used, of those that the specs ask for.
    pub(super) fn jobs<'s>(&self, specs: &'s [Spec]) -> Vec<Job<'s>> {
        let mut jobs = select::all(specs);
        jobs.retain(|job| self.0.contains_key(&job.name()));
        jobs
    }

    /// Why a kernel is used, in words; `None` of a candidate.
    pub(super) fn why(&self, kernel: &str) -> Option<String> {
        let uses = self.0.get(kernel)?.iter();
        Some(uses.map(ToString::to_string).collect::<Vec<_>>().join(", "))
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
    let Instance {
        parameter_set,
        field,
        width,
        ..
    } = instance;
    (&key.parameters, key.field.as_str(), key.width) == (parameter_set, field.name, *width)
}

//! Our kernels beside Plonky3's own: where a table says that Plonky3's is the faster one, programs that
//! have both hand over to it.
//!
//! Plonky3 settles when it is compiled which packed type it has, so what it takes depends on the build:
//! tables tell the time of each packed type by the ratios of the kernels that were timed against it.
//! What a table does not tell counts as faster than ours. A single state is plain Rust in every build,
//! and one figure stands for all of them.

use std::collections::BTreeMap;

use super::resolve::{Candidate, Rung, Source, Step, ladder};
use super::{Figure, Key, Workload};
use crate::isa::{Target, table};
use crate::names::{Isa, Layout};
use crate::params::Field;

/// Who permutes, in a build that has Plonky3, too.
#[derive(Clone, Debug, PartialEq)]
pub enum Server {
    /// A kernel.
    Kernel(Step),
    /// Plonky3's own.
    Stock {
        /// States that it permutes at once.
        states: usize,
        /// States that must be left.
        least: usize,
    },
}

/// The lanes that Plonky3's packed type can have where a row of the tables is used: in builds for that
/// architecture, unless a CPU that such a build runs on has wider kernels of the permutation.
pub(super) fn builds<'a>(
    key: &'a Key,
    arch: &str,
    isas: impl Iterator<Item = Isa> + Clone + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let own = Isa::all().iter().copied();
    let own = own.filter(|isa| isa.target_arch() == Some(arch));
    let mut builds: Vec<(Isa, usize)> = own.map(|isa| (isa, vector_bits(isa))).collect();
    // What has the same vectors has the same packed type.
    builds.dedup_by_key(|build| build.1);
    if builds.is_empty() {
        builds.push((Isa::Scalar, 0));
    }
    let used = move |build: &&(Isa, usize)| {
        let mut wider = isas.clone();
        !wider.any(|isa| key.isa < isa && isa <= build.0)
    };
    builds.retain(|build| used(&build));
    let all = builds.into_iter();
    all.map(|(_, bits)| lanes(key, bits))
}

/// Bits of an instruction set's vectors; 0: it has none.
fn vector_bits(isa: Isa) -> usize {
    let lanes = Target::of(isa, Layout::Lanes);
    lanes.map_or(0, |target| table(target).vector_bits as usize)
}

/// Lanes of a vector; 1: there is none.
fn lanes(key: &Key, vector_bits: usize) -> usize {
    let field = Field::by_name(&key.field);
    field.map_or(1, |field| (vector_bits / field.word_bits() as usize).max(1))
}

/// The one in the middle of figures, the upper one of two; none if there are none.
#[must_use]
pub fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

/// How long Plonky3's own takes for a permutation, as kernels' ratios tell it: by table, workload and lanes of
/// its type, 1 for a single state.
pub struct Peers<'a>(BTreeMap<(&'a str, Workload, usize), f64>);

impl<'a> Peers<'a> {
    /// Of the cells of one permutation.
    pub fn of(cells: impl Iterator<Item = Source<'a>>) -> Self {
        let mut times: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for source in cells {
            for (workload, figures) in Workload::ALL.into_iter().zip(&source.cell.figures) {
                for figure in figures {
                    let against = against(figure, workload, source);
                    let times = times.entry((source.table.cpu.as_str(), workload, against));
                    times.or_default().push(figure.time * figure.ratio);
                }
            }
        }
        let times = times.into_iter();
        Self(
            times
                .filter_map(|(key, times)| Some((key, median(times)?)))
                .collect(),
        )
    }

    /// What it takes for each of so many states, if that is known; a single state takes as long in every
    /// workload.
    fn time(&self, source: Source<'a>, workload: Workload, lanes: usize) -> Option<f64> {
        let cpu = source.table.cpu.as_str();
        let found = self.0.get(&(cpu, workload, lanes));
        let single = (lanes == 1).then(|| self.0.get(&(cpu, Workload::Chain, 1)));
        found.or(single.flatten()).copied()
    }

    /// How often a kernel with a figure from `source` fits into the time of a type of so many lanes.
    pub fn ratio(
        &self,
        source: Source<'a>,
        figure: &Figure,
        workload: Workload,
        lanes: usize,
    ) -> Option<f64> {
        if against(figure, workload, source) == lanes {
            // Both had their turns in one process.
            return Some(figure.ratio);
        }
        let time = self.time(source, workload, lanes)?;
        Some(time / figure.time)
    }

    /// What serves in a build whose packed type has so many lanes: of `chosen`, which is in the order in
    /// which kernels are tried, those that are as fast as Plonky3's own for as many states, and
    /// Plonky3's own for what these leave.
    pub(super) fn beside(
        &self,
        chosen: &[&Candidate<'a>],
        workload: Workload,
        lanes: usize,
    ) -> Vec<Server> {
        let ratio =
            |one: &Candidate<'a>, lanes| self.ratio(one.source, one.figure, workload, lanes);
        let as_fast = |one: &&&Candidate<'a>| {
            let single = one.figure.states < lanes;
            ratio(one, if single { 1 } else { lanes }).is_some_and(|ratio| ratio >= 1.0)
        };
        let kept: Vec<_> = chosen.iter().filter(as_fast).collect();
        // As many states as the packed type has, by a smaller kernel or by a larger one that is not full.
        let serves_a_vector = |one: &&&Candidate<'a>| {
            let more = (one.figure.states as f64 / lanes as f64).max(1.0);
            let partial = more == 1.0 || one.figure.lanes > 1;
            partial && ratio(one, lanes).is_some_and(|ratio| ratio >= more)
        };
        let packed = lanes > 1 && !kept.iter().any(serves_a_vector);

        let mut rungs: Vec<_> = kept.iter().map(|one| one.rung()).collect();
        let alone = kept.iter().any(|one| one.figure.states == 1);
        let stock = [packed.then_some(lanes), (!alone).then_some(1)];
        rungs.extend(stock.into_iter().flatten().map(|states| Rung {
            kernel: None,
            states,
            time: (chosen.first()).and_then(|one| self.time(one.source, workload, states)),
            shared: states > 1,
        }));
        ladder(rungs)
    }
}

/// What a figure's ratio is to: how many lanes the peer had. It has its packed type, but for a kernel
/// that permutes single states again and again, and in a model, which knows no workloads.
fn against(figure: &Figure, workload: Workload, source: Source<'_>) -> usize {
    if figure.lanes == 1 && (workload == Workload::Chain || source.table.modelled) {
        return 1;
    }
    let key = &source.cell.key;
    let bits = match source.table.arch.as_str() {
        // Every build has NEON.
        "aarch64" => vector_bits(Isa::Neon),
        _ => vector_bits(key.isa),
    };
    lanes(key, bits)
}

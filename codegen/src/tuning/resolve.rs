//! From tables to what programs choose by: for each CPU, permutation, instruction set and shape, the
//! kernels in the order in which they are tried.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::{Peers, Server, builds};
use super::{CpuPattern, Figure, Key, TuningCell, TuningTable, Workload, stairs};
use crate::names::Isa;
use crate::render::target_arch;

/// What programs know of one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The CPU's name.
    pub cpu: String,
    /// Its architecture.
    pub arch: String,
    /// Whether it serves CPUs that are nobody's kin.
    pub default: bool,
    /// Whether it was modelled.
    pub modelled: bool,
    /// How programs know it; none: not at all.
    pub known_by: Option<CpuPattern>,
    /// CPUs without a table of their own that it serves.
    pub kin: Vec<CpuPattern>,
    /// In the order of keys and workloads.
    pub choices: Vec<Choice>,
}

/// The kernels for one permutation on one instruction set and one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The permutation and the widest instruction set.
    pub key: Key,
    /// The workload; none: a single state.
    pub workload: Option<Workload>,
    /// Largest first; the last is for a single state.
    pub steps: Vec<Step>,
    /// Lanes of Plonky3's packed type in builds where its own is nowhere faster.
    pub stands: Vec<usize>,
    /// What serves in other builds, by those lanes.
    pub beside: Vec<(usize, Vec<Server>)>,
}

/// A kernel and when it is tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its full name.
    pub kernel: String,
    /// States that must be left.
    pub least: usize,
    /// To the peer.
    pub ratio: f64,
    /// Of the samples.
    pub spread: f64,
}

/// Resolves all tables, for the kernels that there are, by their full names.
///
/// A kernel that is not there is passed over, and so is a permutation without a kernel for a single
/// state: parts of the crate have no use for them. What a table lacks, it takes from the default of
/// its architecture; one that comes to the same as that default is left out, and the default serves its
/// CPUs as kin. Defaults come last.
#[must_use]
pub fn resolve(tables: &[TuningTable], kernels: &BTreeSet<String>) -> Vec<Resolved> {
    let resolved = |table: &TuningTable| {
        let defaults = tables
            .iter()
            .find(|other| other.default && other.arch == table.arch);
        let mut cells = BTreeMap::new();
        let mut sources = Vec::new();
        for table in defaults.into_iter().chain([table]) {
            sources.extend(table.cells.iter().map(|cell| Source { cell, table }));
        }
        cells.extend(sources.iter().map(|source| (&source.cell.key, *source)));
        Resolved {
            cpu: table.cpu.clone(),
            arch: table.arch.clone(),
            default: table.default,
            modelled: table.modelled,
            known_by: table.known_by.clone(),
            kin: table.kin.clone(),
            choices: choices(&cells, &sources, kernels),
        }
    };
    let mut all: Vec<Resolved> = tables.iter().map(resolved).collect();
    for arch in ["aarch64", "x86_64"] {
        if !all.iter().any(|one| one.default && one.arch == arch) {
            all.push(nothing(arch));
        }
    }
    let (mut all, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.default);
    for one in others {
        let mut defaults = all.iter_mut().filter(|default| default.default);
        let default = defaults.find(|default| default.arch == one.arch);
        let same = |default: &Resolved| plain(&default.choices) == plain(&one.choices);
        match default {
            _ if one.choices.is_empty() => {}
            Some(default) if same(default) => {
                default.kin.extend(one.known_by.into_iter().chain(one.kin));
            }
            _ => all.push(one),
        }
    }
    all.sort_by(|a, b| (a.default, &a.arch, &a.cpu).cmp(&(b.default, &b.arch, &b.cpu)));
    all
}

/// What is known where nothing is: programs then use plain Rust.
fn nothing(arch: &str) -> Resolved {
    Resolved {
        cpu: "none".to_owned(),
        arch: arch.to_owned(),
        default: true,
        modelled: false,
        known_by: None,
        kin: Vec::new(),
        choices: Vec::new(),
    }
}

/// What differs between CPUs if programs are to do something different on them.
fn plain(choices: &[Choice]) -> Vec<Choice> {
    let step = |step: &Step| Step {
        ratio: 0.0,
        spread: 0.0,
        ..step.clone()
    };
    let server = |server: &Server| match server {
        Server::Kernel(one) => Server::Kernel(step(one)),
        Server::Stock { .. } => server.clone(),
    };
    let mut choices = choices.to_vec();
    for choice in &mut choices {
        choice.steps = choice.steps.iter().map(step).collect();
        for (_, servers) in &mut choice.beside {
            *servers = servers.iter().map(server).collect();
        }
    }
    choices
}

fn choices(
    cells: &BTreeMap<&Key, Source<'_>>,
    sources: &[Source<'_>],
    kernels: &BTreeSet<String>,
) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (key, source) in cells {
        let pools = [0, 1, 2].map(|workload| pool(key, workload, cells, kernels));
        let single = pools[0].iter().filter(|one| one.figure.states == 1);
        let Some(single) = single.min_by(|a, b| a.figure.time.total_cmp(&b.figure.time)) else {
            continue;
        };
        let same = sources.iter().filter(|other| other.cell.key.is_of(key));
        let peers = Peers::of(same.clone().copied());
        let isas: Vec<Isa> = same.map(|other| other.cell.key.isa).collect();
        let mut choose = |workload: Option<Workload>, chosen: &[&Candidate<'_>]| {
            let mut choice = Choice {
                key: (*key).clone(),
                workload,
                steps: steps(chosen),
                stands: Vec::new(),
                beside: Vec::new(),
            };
            for lanes in builds(key, &source.table.arch, isas.iter().copied()) {
                let servers = match workload {
                    Some(workload) => peers.beside(chosen, workload, lanes),
                    None => peers.beside(chosen, Workload::Chain, 1),
                };
                let ours = choice.steps.iter().cloned().map(Server::Kernel);
                if servers.iter().cloned().eq(ours) {
                    choice.stands.push(lanes);
                } else {
                    choice.beside.push((lanes, servers));
                }
            }
            choices.push(choice);
        };
        choose(None, &[single]);
        for (workload, pool) in Workload::ALL.into_iter().zip(&pools) {
            choose(Some(workload), &chosen(pool, single));
        }
    }
    choices
}

/// A cell, and the table that it is from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The cell.
    pub cell: &'a TuningCell,
    /// Its table.
    pub table: &'a TuningTable,
}

/// A kernel that comes into question.
pub(super) struct Candidate<'a> {
    /// Its full name.
    pub(super) kernel: String,
    pub(super) figure: &'a Figure,
    /// Where the figure is from.
    pub(super) source: Source<'a>,
}

/// The kernels that come into question: those that a cell's own instruction set uses, and for what
/// these leave over those that narrower ones use and that need no group of states.
///
/// Where x86-64 has kernels on general registers, plain Rust does not compete with them: what becomes of
/// it depends on the flags that a program is built with. With AVX-512 among them, LLVM spreads it over
/// vectors, and it takes up to twice the time that was measured. AArch64 has its vectors in any case.
fn pool<'a>(
    key: &Key,
    workload: usize,
    cells: &BTreeMap<&Key, Source<'a>>,
    kernels: &BTreeSet<String>,
) -> Vec<Candidate<'a>> {
    let serves =
        |other: &Key| other.is_of(key) && other.isa <= key.isa && runs_where(other.isa, key.isa);
    let cells: Vec<_> = cells.iter().filter(|(other, _)| serves(other)).collect();
    let has_single = cells.iter().any(|(other, source)| {
        let mut used = source.cell.figures[workload]
            .iter()
            .filter(|figure| figure.used);
        other.isa == Isa::X86_64 && used.any(|figure| figure.states == 1)
    });
    let cells = cells
        .into_iter()
        .filter(|(other, _)| !has_single || other.isa != Isa::Scalar);
    let candidates = cells.flat_map(|(other, source)| {
        let own = other.isa == key.isa;
        let used = source.cell.figures[workload].iter();
        used.filter(move |figure| figure.used && (own || figure.lanes == 1))
            .map(|figure| Candidate {
                kernel: other.full(&figure.kernel),
                figure,
                source: *source,
            })
    });
    candidates
        .filter(|one| kernels.contains(&one.kernel))
        .collect()
}

/// Whether a CPU with `wide` has `narrow`.
fn runs_where(narrow: Isa, wide: Isa) -> bool {
    target_arch(narrow).is_none() || target_arch(narrow) == target_arch(wide)
}

/// The kernels of a pool in the order in which they are tried; `single` is the one for a single state
/// where the pool has none.
fn chosen<'p, 'a>(pool: &'p [Candidate<'a>], single: &'p Candidate<'a>) -> Vec<&'p Candidate<'a>> {
    let stairs = stairs(pool.iter().map(|one| one.figure));
    let mut kept: Vec<_> = stairs.into_iter().map(|index| &pool[index]).collect();
    if kept.first().is_none_or(|one| one.figure.states > 1) {
        kept.insert(0, single);
    }
    kept.reverse();
    kept
}

/// Those as steps; the last is for a single state.
fn steps(chosen: &[&Candidate<'_>]) -> Vec<Step> {
    let single = chosen.last().map_or(f64::NAN, |one| one.figure.time);
    let smallest_group = chosen.iter().rfind(|one| one.figure.lanes > 1);
    let smallest_group = smallest_group.map(|one| one.figure.states);
    let step = |one: &&Candidate<'_>| {
        let Figure { states, time, .. } = *one.figure;
        let partial = smallest_group == Some(states);
        one.step(if partial {
            least(states, time, single)
        } else {
            states
        })
    };
    chosen.iter().map(step).collect()
}

/// How many states must be left for a group of lanes to take less time, full or not, than these states
/// one by one.
pub(super) fn least(states: usize, time: f64, single: f64) -> usize {
    ((states as f64 * time / single) as usize + 1).min(states)
}

impl Candidate<'_> {
    pub(super) fn step(&self, least: usize) -> Step {
        Step {
            kernel: self.kernel.clone(),
            least,
            ratio: self.figure.ratio,
            spread: self.figure.spread,
        }
    }
}

/// The kernel that programs use, by the tables, for a permutation on an instruction set and a workload
/// (none: a single state), with `states` of them left to permute: on the CPU of that name, or (none) on
/// one that no table is for. None if there is no such table, or nothing in it for the permutation.
#[must_use]
pub fn serving<'r>(
    resolved: &'r [Resolved],
    cpu: Option<&str>,
    key: &Key,
    workload: Option<Workload>,
    states: usize,
) -> Option<&'r Step> {
    let wanted = |one: &&Resolved| cpu.map_or(one.default, |cpu| one.cpu == cpu);
    let choices = resolved.iter().filter(wanted).flat_map(|one| &one.choices);
    let mut choices = choices.filter(|choice| choice.key == *key && choice.workload == workload);
    choices
        .next()?
        .steps
        .iter()
        .find(|step| step.least <= states)
}

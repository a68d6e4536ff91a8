//! From tables to what programs choose by: for each CPU, permutation, instruction set and shape, the
//! kernels in the order in which they are tried.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::{Peers, Server, builds};
use super::{CpuPattern, Figure, Key, TuningCell, TuningTable, Workload, stairs};
use crate::names::Isa;

/// What programs know of one CPU.
#[derive(Clone, Debug, Default, PartialEq)]
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
}

/// Resolves all tables, for the kernels that there are, by their full names.
///
/// A kernel that is not there is passed over, and so is a permutation without a kernel for a single
/// state: parts of the crate have no use for them. What a table lacks, it takes from the default of
/// its architecture; a permutation that neither has, from the others. One that comes to the same as its
/// default is left out, and the default serves its CPUs as kin. Defaults come last.
#[must_use]
pub fn resolve<'a>(tables: &'a [TuningTable], kernels: &BTreeSet<String>) -> Vec<Resolved> {
    let resolved = |table: &'a TuningTable| {
        let default = tables
            .iter()
            .find(|other| other.default && other.arch == table.arch);
        let both = || default.into_iter().chain([table]);
        let source =
            |table: &'a TuningTable| table.cells.iter().map(move |cell| Source { cell, table });
        // A permutation comes from one CPU or the other, never from both: their times differ.
        let permutation = |key: &'a Key| (&key.parameters, &key.field, key.width);
        let known: BTreeSet<_> = both()
            .flat_map(|table| &table.cells)
            .map(|cell| permutation(&cell.key))
            .collect();
        let others = tables.iter().filter(|other| other.arch == table.arch);
        let others = others.flat_map(source);
        let younger = others.filter(|other| !known.contains(&permutation(&other.cell.key)));
        let sources: Vec<_> = younger.chain(both().flat_map(source)).collect();
        // What is its own counts, and comes later.
        let cells = sources
            .iter()
            .map(|source| (&source.cell.key, *source))
            .collect();
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
    // Of another architecture there is nothing to say without kernels for it, or in plain Rust if it has no
    // instruction set of its own.
    let told = |table: &&'a TuningTable| ARCHES.contains(&&*table.arch) || has_own(table, kernels);
    let mut all: Vec<Resolved> = tables.iter().filter(told).map(resolved).collect();
    for arch in ARCHES {
        if !all.iter().any(|one| one.default && one.arch == arch) {
            // Where nothing is known, programs use plain Rust.
            all.push(Resolved {
                cpu: "none".to_owned(),
                arch: arch.to_owned(),
                default: true,
                ..Resolved::default()
            });
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

/// Architectures that programs tell from others, whether there are kernels for them or not.
const ARCHES: [&str; 2] = ["aarch64", "x86_64"];

/// Whether there are kernels for a table's own architecture, or for every one if it has no instruction set.
fn has_own(table: &TuningTable, kernels: &BTreeSet<String>) -> bool {
    let is_own = |isa: Isa| isa.target_arch() == Some(&table.arch);
    let all = !Isa::all().iter().copied().any(is_own);
    let cells = table.cells.iter();
    let mut own = cells.filter(|cell| all || is_own(cell.key.isa));
    own.any(|cell| {
        let mut names = cell.kernels().map(|name| cell.key.full(name));
        names.any(|name| kernels.contains(&name))
    })
}

/// What differs between CPUs if programs are to do something different on them.
fn plain(choices: &[Choice]) -> Vec<Choice> {
    let mut choices = choices.to_vec();
    for choice in &mut choices {
        let servers = choice.beside.iter_mut().flat_map(|(_, servers)| servers);
        let beside = servers.filter_map(|server| match server {
            Server::Kernel(step) => Some(step),
            Server::Stock { .. } => None,
        });
        for step in choice.steps.iter_mut().chain(beside) {
            step.ratio = 0.0;
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
            let ours = ladder(chosen.iter().map(|one| one.rung()).collect());
            let (mut stands, mut beside) = (Vec::new(), Vec::new());
            for lanes in builds(key, &source.table.arch, isas.iter().copied()) {
                let servers = match workload {
                    Some(workload) => peers.beside(chosen, workload, lanes),
                    None => peers.beside(chosen, Workload::Chain, 1),
                };
                if servers == ours {
                    stands.push(lanes);
                } else {
                    beside.push((lanes, servers));
                }
            }
            let steps = ours.into_iter().filter_map(|server| match server {
                Server::Kernel(step) => Some(step),
                Server::Stock { .. } => None,
            });
            choices.push(Choice {
                key: (*key).clone(),
                workload,
                steps: steps.collect(),
                stands,
                beside,
            });
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
    let cells = cells.iter().filter(|(other, _)| serves(other));
    let mut used: Vec<_> = cells
        .map(|(other, source)| (other.isa, *source, used(source.cell, workload, kernels)))
        .collect();
    let single = |figures: &[&Figure]| figures.iter().any(|figure| figure.states == 1);
    if used
        .iter()
        .any(|(isa, _, figures)| *isa == Isa::X86_64 && single(figures))
    {
        used.retain(|(isa, ..)| *isa != Isa::Scalar);
    }
    let candidates = used.into_iter().flat_map(|(isa, source, figures)| {
        let own = isa == key.isa;
        let figures = figures
            .into_iter()
            .filter(move |figure| own || figure.lanes == 1);
        figures.map(move |figure| Candidate {
            kernel: source.cell.key.full(&figure.kernel),
            figure,
            source,
        })
    });
    candidates.collect()
}

/// The kernels that a cell uses for a workload, of those that there are: one that is only packaged takes
/// nobody's place elsewhere.
fn used<'a>(cell: &'a TuningCell, workload: usize, kernels: &BTreeSet<String>) -> Vec<&'a Figure> {
    let mut figures: Vec<&Figure> = cell.figures[workload].iter().collect();
    figures.retain(|figure| kernels.contains(&cell.key.full(&figure.kernel)));
    let stairs = stairs(figures.iter().copied()).into_iter();
    stairs.map(|index| figures[index]).collect()
}

/// Whether a CPU with `wide` has `narrow`.
fn runs_where(narrow: Isa, wide: Isa) -> bool {
    narrow.target_arch().is_none() || narrow.target_arch() == wide.target_arch()
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

/// Someone who can permute so many states in a call.
pub(super) struct Rung<'c> {
    /// None: Plonky3's own.
    pub(super) kernel: Option<&'c Candidate<'c>>,
    pub(super) states: usize,
    /// For a permutation, if it is known.
    pub(super) time: Option<f64>,
    /// Whether states share registers, so that a call takes as long if some are missing.
    pub(super) shared: bool,
}

/// Those in the order in which they are tried, each with the states that must be left for it. One of
/// them is for a single state.
pub(super) fn ladder(mut rungs: Vec<Rung<'_>>) -> Vec<Server> {
    rungs.sort_by_key(|rung| std::cmp::Reverse(rung.states));
    let single = rungs.last().and_then(|rung| rung.time);
    let smallest = rungs.iter().rfind(|rung| rung.shared);
    let smallest = smallest.map(|rung| rung.states);
    let server = |rung: &Rung<'_>| {
        let states = rung.states;
        let least = match rung.time.zip(single) {
            // That many that they would take longer one by one.
            Some((time, single)) if smallest == Some(states) => ((states as f64 * time / single)
                as usize)
                .saturating_add(1)
                .min(states),
            _ => states,
        };
        match rung.kernel {
            Some(one) => Server::Kernel(Step {
                kernel: one.kernel.clone(),
                least,
                ratio: one.figure.ratio,
            }),
            None => Server::Stock { states, least },
        }
    };
    rungs.iter().map(server).collect()
}

impl Candidate<'_> {
    pub(super) fn rung(&self) -> Rung<'_> {
        Rung {
            kernel: Some(self),
            states: self.figure.states,
            time: Some(self.figure.time),
            shared: self.figure.lanes > 1,
        }
    }
}

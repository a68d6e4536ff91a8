//! From tables to what programs choose by: for each CPU, permutation, instruction set and shape, the
//! kernels in the order in which they are tried.

use std::collections::{BTreeMap, BTreeSet};

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
        let mut cells: BTreeMap<&Key, &TuningCell> = BTreeMap::new();
        for cell in defaults
            .iter()
            .flat_map(|table| &table.cells)
            .chain(&table.cells)
        {
            cells.insert(&cell.key, cell);
        }
        Resolved {
            cpu: table.cpu.clone(),
            arch: table.arch.clone(),
            default: table.default,
            modelled: table.modelled,
            known_by: table.known_by.clone(),
            kin: table.kin.clone(),
            choices: choices(&cells, kernels),
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
fn plain(choices: &[Choice]) -> Vec<(&Key, Option<Workload>, &str, usize)> {
    let mut all = Vec::new();
    for Choice {
        key,
        workload,
        steps,
    } in choices
    {
        all.extend(
            steps
                .iter()
                .map(|step| (key, *workload, step.kernel.as_str(), step.least)),
        );
    }
    all
}

fn choices(cells: &BTreeMap<&Key, &TuningCell>, kernels: &BTreeSet<String>) -> Vec<Choice> {
    let mut choices = Vec::new();
    for key in cells.keys() {
        let pools = [0, 1, 2].map(|workload| pool(key, workload, cells, kernels));
        let single = pools[0].iter().filter(|(_, figure)| figure.states == 1);
        let Some(single) = single.min_by(|(_, a), (_, b)| a.time.total_cmp(&b.time)) else {
            continue;
        };
        choices.push(Choice {
            key: (*key).clone(),
            workload: None,
            steps: vec![step(single, 1)],
        });
        for (workload, pool) in Workload::ALL.into_iter().zip(&pools) {
            choices.push(Choice {
                key: (*key).clone(),
                workload: Some(workload),
                steps: steps(pool, single),
            });
        }
    }
    choices
}

/// A kernel's full name and its figure.
type Named<'a> = (String, &'a Figure);

/// The kernels that come into question: those that a cell's own instruction set uses, and for what
/// these leave over those that narrower ones use and that need no group of states.
///
/// Where x86-64 has kernels on general registers, plain Rust does not compete with them: what becomes of
/// it depends on the flags that a program is built with. With AVX-512 among them, LLVM spreads it over
/// vectors, and it takes up to twice the time that was measured. AArch64 has its vectors in any case.
fn pool<'a>(
    key: &Key,
    workload: usize,
    cells: &BTreeMap<&Key, &'a TuningCell>,
    kernels: &BTreeSet<String>,
) -> Vec<Named<'a>> {
    let serves = |other: &Key| {
        let runs = other.isa <= key.isa && runs_where(other.isa, key.isa);
        (&other.parameters, &other.field, other.width) == (&key.parameters, &key.field, key.width)
            && runs
    };
    let cells: Vec<_> = cells.iter().filter(|(other, _)| serves(other)).collect();
    let has_single = cells.iter().any(|(other, cell)| {
        let mut used = cell.figures[workload].iter().filter(|figure| figure.used);
        other.isa == Isa::X86_64 && used.any(|figure| figure.states == 1)
    });
    let cells = cells
        .into_iter()
        .filter(|(other, _)| !has_single || other.isa != Isa::Scalar);
    let figures = cells.flat_map(|(other, cell)| {
        let own = other.isa == key.isa;
        let used = cell.figures[workload].iter();
        used.filter(move |figure| figure.used && (own || figure.lanes == 1))
            .map(|figure| (other.full(&figure.kernel), figure))
    });
    figures.filter(|(name, _)| kernels.contains(name)).collect()
}

/// Whether a CPU with `wide` has `narrow`.
fn runs_where(narrow: Isa, wide: Isa) -> bool {
    target_arch(narrow).is_none() || target_arch(narrow) == target_arch(wide)
}

/// The kernels of a pool in the order in which they are tried; `single` is the one for a single state
/// where the pool has none.
fn steps(pool: &[Named<'_>], single: &Named<'_>) -> Vec<Step> {
    let stairs = stairs(pool.iter().map(|(_, figure)| *figure));
    let mut kept: Vec<&Named<'_>> = stairs.into_iter().map(|index| &pool[index]).collect();
    if kept.first().is_none_or(|(_, figure)| figure.states > 1) {
        kept.insert(0, single);
    }
    let single = kept[0].1;
    let smallest_group = kept.iter().find(|(_, figure)| figure.lanes > 1);
    let smallest_group = smallest_group.map(|(_, figure)| figure.states);
    let least = |figure: &Figure| {
        // A group need not be full if what it takes is less than its states one by one would.
        let alone = figure.states as f64 * figure.time / single.time;
        let partial = smallest_group == Some(figure.states);
        if partial {
            (alone as usize + 1).min(figure.states)
        } else {
            figure.states
        }
    };
    kept.reverse();
    kept.iter()
        .map(|named| step(named, least(named.1)))
        .collect()
}

fn step((kernel, figure): &Named<'_>, least: usize) -> Step {
    Step {
        kernel: kernel.clone(),
        least,
        ratio: figure.ratio,
        spread: figure.spread,
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

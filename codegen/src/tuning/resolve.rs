//! From tables to what programs choose by: for each CPU, permutation, instruction set and shape, the
//! kernels in the order in which they are tried.

use std::collections::{BTreeMap, BTreeSet};

use super::decide::stairs;
use super::{Cell, Figure, Key, KnownBy, Shape, Table};
use crate::names::Isa;
use crate::render::plan::target_arch;

/// What programs know of one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The CPU's name.
    pub cpu: String,
    /// Its architecture.
    pub arch: String,
    /// Whether it serves CPUs without a table.
    pub default: bool,
    /// Whether it was modelled.
    pub modelled: bool,
    /// How programs know it.
    pub known_by: KnownBy,
    /// In the order of keys and shapes.
    pub choices: Vec<Choice>,
}

/// The kernels for one permutation on one instruction set in one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The permutation and the widest instruction set.
    pub key: Key,
    /// The shape; none: a single state.
    pub shape: Option<Shape>,
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
/// its architecture; one that comes to the same as that default is left out. Defaults come last.
#[must_use]
pub fn resolve(tables: &[Table], kernels: &BTreeSet<String>) -> Vec<Resolved> {
    let resolved = |table: &Table| {
        let defaults = tables
            .iter()
            .find(|other| other.default && other.arch == table.arch);
        let mut cells: BTreeMap<&Key, &Cell> = BTreeMap::new();
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
            choices: choices(&cells, kernels),
        }
    };
    let mut all: Vec<Resolved> = tables.iter().map(resolved).collect();
    for arch in ["aarch64", "x86_64"] {
        if !all.iter().any(|one| one.default && one.arch == arch) {
            all.push(nothing(arch));
        }
    }
    let defaults: Vec<Resolved> = all.iter().filter(|one| one.default).cloned().collect();
    all.retain(|one| {
        let default = defaults.iter().find(|default| default.arch == one.arch);
        let same = |default: &Resolved| plain(&default.choices) == plain(&one.choices);
        one.default || !default.is_some_and(same) && !one.choices.is_empty()
    });
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
        known_by: KnownBy::Nothing,
        choices: Vec::new(),
    }
}

/// What differs between CPUs if programs are to do something different on them.
fn plain(choices: &[Choice]) -> Vec<(&Key, Option<Shape>, &str, usize)> {
    let mut all = Vec::new();
    for Choice { key, shape, steps } in choices {
        all.extend(
            steps
                .iter()
                .map(|step| (key, *shape, step.kernel.as_str(), step.least)),
        );
    }
    all
}

fn choices(cells: &BTreeMap<&Key, &Cell>, kernels: &BTreeSet<String>) -> Vec<Choice> {
    let mut choices = Vec::new();
    for key in cells.keys() {
        let pools = [0, 1, 2].map(|shape| pool(key, shape, cells, kernels));
        let single = pools[0].iter().filter(|(_, figure)| figure.states == 1);
        let Some(single) = single.min_by(|(_, a), (_, b)| a.time.total_cmp(&b.time)) else {
            continue;
        };
        choices.push(Choice {
            key: (*key).clone(),
            shape: None,
            steps: vec![step(single, 1)],
        });
        for (shape, pool) in Shape::ALL.into_iter().zip(&pools) {
            choices.push(Choice {
                key: (*key).clone(),
                shape: Some(shape),
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
    shape: usize,
    cells: &BTreeMap<&Key, &'a Cell>,
    kernels: &BTreeSet<String>,
) -> Vec<Named<'a>> {
    let serves = |other: &Key| {
        let runs = other.isa <= key.isa && runs_where(other.isa, key.isa);
        (&other.parameters, &other.field, other.width) == (&key.parameters, &key.field, key.width)
            && runs
    };
    let cells: Vec<_> = cells.iter().filter(|(other, _)| serves(other)).collect();
    let has_single = cells.iter().any(|(other, cell)| {
        let mut used = cell.figures[shape].iter().filter(|figure| figure.used);
        other.isa == Isa::X86_64 && used.any(|figure| figure.states == 1)
    });
    let cells = cells
        .into_iter()
        .filter(|(other, _)| !has_single || other.isa != Isa::Scalar);
    let figures = cells.flat_map(|(other, cell)| {
        let own = other.isa == key.isa;
        let used = cell.figures[shape].iter();
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
    let stairs = stairs(pool.iter().map(|(_, figure)| (figure.states, figure.time)));
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

/// Kernels of the tables that there are not, by table.
#[must_use]
pub fn unknown(tables: &[Table], kernels: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut found: Vec<_> = tables
        .iter()
        .flat_map(|table| table.cells.iter().map(move |cell| (table, cell)))
        .flat_map(|(table, cell)| {
            let figures = cell.figures.iter().flatten();
            figures.map(move |figure| (table.cpu.clone(), cell.key.full(&figure.kernel)))
        })
        .filter(|(_, name)| !kernels.contains(name))
        .collect();
    found.sort();
    found.dedup();
    found
}

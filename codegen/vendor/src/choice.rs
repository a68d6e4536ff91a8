//! Which kernel the tuning tables prefer in each of the crate's `Permutation` implementations.
//!
//! One state counts as the tables' `chain`, the packed type's states as `independent`. A place takes
//! the kernel that takes the least time there, if the crate's own does not take less.

use std::collections::{BTreeMap, BTreeSet};

use codegen::cli::text::table;
use codegen::diag::{Diagnostic, Diagnostics, UnknownName};
use codegen::names::Isa;
use codegen::tuning::{Peers, Source, TuningTable, Workload};

use super::package::Package;
use super::platform::{Platform, X86_64};
use super::slots::{Candidate, PARAMETERS, Place};

/// What was decided on one place, or on one under a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) place: Place,
    /// What the CPU needs beyond the place's platform.
    pub(crate) needs: BTreeSet<String>,
    /// The fastest kernel, if it is at least as fast as the crate's own implementation.
    pub(crate) ours: Option<Candidate>,
    /// What speaks for it, or for the crate's own.
    pub(crate) why: String,
}

/// A candidate with its figure.
struct Timed<'s> {
    candidate: &'s Candidate,
    time: f64,
    /// To the crate's own.
    ratio: f64,
}

/// The tables that decide, each on its architecture: those of the CPUs named, then the default of each
/// architecture, then the others. Of these, the last comes first, as in programs.
///
/// # Errors
/// A CPU has no table, or one of an architecture for which crates have no kernels, or two of one
/// architecture are named.
pub(crate) fn deciding<'t>(
    tables: &'t [TuningTable],
    cpus: &[String],
) -> Result<Vec<&'t TuningTable>, Diagnostics> {
    let (mut named, mut errors) = (Vec::<&TuningTable>::new(), Diagnostics::new());
    let archs = Platform::ALL.map(|platform| platform.facts().arch);
    let tables = tables.iter().filter(|table| archs.contains(&&*table.arch));
    for cpu in cpus {
        let Some(table) = tables.clone().find(|table| table.cpu == *cpu) else {
            let valid = tables.clone().map(|table| table.cpu.as_str());
            errors.push(UnknownName::new("CPU", cpu.as_str(), valid));
            continue;
        };
        match named.iter().find(|other| other.arch == table.arch) {
            Some(other) if other.cpu != table.cpu => {
                let message = format!(
                    "{} and {} are both of {}: one table decides for an architecture",
                    other.cpu, table.cpu, table.arch
                );
                errors.push(Diagnostic::new(message).help("leave one of them out of --cpu"));
            }
            _ => named.push(table),
        }
    }
    errors.into_result()?;
    named.extend(tables.clone().filter(|table| table.default));
    named.extend(tables.rev().filter(|table| !table.default));
    Ok(named)
}

/// Decides on every place that some kernel can serve.
pub(crate) fn choose(
    package: &Package,
    candidates: &[Candidate],
    tables: &[&TuningTable],
) -> Vec<Choice> {
    let mut places: BTreeMap<Place, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let there = places.entry(candidate.place).or_default();
        there.extend(timed_there(candidate));
    }
    let places = places.into_iter();
    places
        .flat_map(|(place, candidates)| decide(package, place, &candidates, tables))
        .collect()
}

/// The candidate, if its figure is about the code that is compiled there.
fn timed_there(candidate: &Candidate) -> Option<Candidate> {
    let mut candidate = candidate.clone();
    match (candidate.isa, candidate.place.platform) {
        // Plain Rust is timed in a build without flags; with these, LLVM makes vectors of it.
        (Isa::Scalar, Platform::Avx2 | Platform::Avx512) => return None,
        // This build is that of other architectures, too, of which the table says nothing.
        (Isa::Scalar, Platform::Scalar) => drop(candidate.needs.insert(X86_64.to_owned())),
        _ => {}
    }
    Some(candidate)
}

fn decide(
    package: &Package,
    place: Place,
    candidates: &[Candidate],
    tables: &[&TuningTable],
) -> Vec<Choice> {
    let arch = place.platform.facts().arch;
    // The first table that knows any of them decides.
    let tables = tables.iter().filter(|table| table.arch == arch);
    let mut known = tables.map(|table| (cpu(table), timed(table, package, place, candidates)));
    let (cpu, timed) = known
        .find(|(_, timed)| !timed.is_empty())
        .unwrap_or_default();
    let levels: BTreeSet<_> = candidates
        .iter()
        .map(|candidate| (candidate.needs.len(), &candidate.needs))
        .collect();
    let (mut choices, mut best) = (Vec::new(), f64::INFINITY);
    for (_, needs) in levels {
        let here = timed.iter().filter(|timed| timed.candidate.needs == *needs);
        let (ours, why) = match here.min_by(|a, b| a.time.total_cmp(&b.time)) {
            // What needs less serves there, too.
            None if best.is_finite() => continue,
            None => {
                let unknown = candidates.iter().filter(|one| one.needs == *needs);
                let unknown: Vec<_> = unknown.map(Candidate::leaf).collect();
                (
                    None,
                    format!("no figure for {arch} of {}", unknown.join(", ")),
                )
            }
            // What needs less is as good.
            Some(fastest) if fastest.time >= best => continue,
            Some(fastest) => {
                let (candidate, ratio) = (fastest.candidate, fastest.ratio);
                let why = format!("{ratio:.2} on {cpu}");
                if ratio < 1.0 {
                    (None, format!("{} has {why}", candidate.leaf()))
                } else {
                    best = fastest.time;
                    (Some(candidate.clone()), why)
                }
            }
        };
        choices.push(Choice {
            place,
            needs: needs.clone(),
            ours,
            why,
        });
    }
    choices
}

/// A table's CPU, and whether its figures are those of a model.
fn cpu(table: &TuningTable) -> String {
    let model = if table.modelled { ", modelled" } else { "" };
    format!("{}{model}", table.cpu)
}

fn timed<'s>(
    table: &TuningTable,
    package: &Package,
    place: Place,
    candidates: &'s [Candidate],
) -> Vec<Timed<'s>> {
    let workload = if place.states > 1 {
        Workload::Independent
    } else {
        Workload::Chain
    };
    let permutation = (PARAMETERS, package.field, place.width);
    let sources = table.cells.iter().filter_map(|cell| {
        let key = &cell.key;
        let own = (key.parameters.as_str(), key.field.as_str(), key.width) == permutation;
        own.then_some(Source { cell, table })
    });
    let peers = Peers::of(sources.clone());
    let timed = candidates.iter().filter_map(|candidate| {
        let mut sources = sources.clone();
        let source = sources.find(|source| source.cell.key.isa == candidate.isa)?;
        let mut figures = source.cell.figures[workload as usize].iter();
        let figure = figures.find(|figure| figure.kernel == candidate.leaf())?;
        Some(Timed {
            candidate,
            time: figure.time,
            ratio: peers.ratio(source, figure, workload, place.states)?,
        })
    });
    timed.collect()
}

/// What was decided, for people.
pub(crate) fn told(choices: &[Choice]) -> String {
    let header = [
        "build",
        "width",
        "states",
        "kernel",
        "times the crate's own speed",
    ];
    let row = |choice: &Choice| {
        let platform = choice.place.platform.facts().name;
        let needs = choice.needs.iter();
        let needs = needs.filter_map(|need| need.split('"').nth(1));
        let build: Vec<_> = [platform].into_iter().chain(needs).collect();
        let ours = choice.ours.as_ref();
        vec![
            build.join(", "),
            choice.place.width.to_string(),
            choice.place.states.to_string(),
            ours.map_or("the crate's own", Candidate::leaf).to_owned(),
            choice.why.clone(),
        ]
    };
    table(&header, header.len(), choices.iter().map(row).collect())
}

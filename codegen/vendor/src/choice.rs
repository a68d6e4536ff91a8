//! Which kernel the tuning tables prefer in each of the crate's `Permutation` implementations.
//!
//! One state counts as the tables' `chain`, the packed type's states as `independent`. A place takes
//! the kernel that takes the least time there, if the crate's own does not take less.

use std::collections::{BTreeMap, BTreeSet};

use codegen::cli::text::table;
use codegen::diag::{Diagnostic, Diagnostics, UnknownName};
use codegen::names::Isa;
use codegen::tuning::{Figure, Key, Shape, Table};

use super::platform::Platform;
use super::slots::{Candidate, FIELD, PARAMETERS, Place, leaf};

/// The tables that decide, on one architecture each.
#[derive(Clone, Debug)]
pub(crate) struct Deciding<'t> {
    /// The named ones before the defaults.
    tables: Vec<&'t Table>,
}

/// What was decided on one place, or on one under a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) place: Place,
    /// What the CPU needs beyond the place's platform.
    pub(crate) needs: BTreeSet<String>,
    pub(crate) verdict: Verdict,
}

/// What the tables say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The fastest kernel is at least as fast as the crate's own implementation.
    Ours {
        candidate: Candidate,
        /// To the crate's own.
        ratio: f64,
        /// Whose table says so.
        cpu: String,
    },
    /// It is slower.
    Slower {
        kernel: String,
        ratio: f64,
        cpu: String,
    },
    /// No table has a figure for any kernel.
    Unknown { kernels: Vec<String> },
}

/// A candidate with its figure.
struct Timed<'s> {
    candidate: &'s Candidate,
    time: f64,
    ratio: f64,
}

impl<'t> Deciding<'t> {
    /// The tables of the CPUs named, and the default of each architecture.
    ///
    /// # Errors
    /// A CPU has no table, or two of one architecture are named.
    pub(crate) fn of(tables: &'t [Table], cpus: &[String]) -> Result<Self, Diagnostics> {
        let (mut named, mut errors) = (Vec::<&Table>::new(), Diagnostics::new());
        for cpu in cpus {
            let Some(table) = tables.iter().find(|table| table.cpu == *cpu) else {
                let valid = tables.iter().map(|table| table.cpu.as_str());
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
        named.extend(tables.iter().filter(|table| table.default));
        Ok(Self { tables: named })
    }

    /// What the first table that knows any of the candidates says of them.
    fn timed<'s>(
        &self,
        place: Place,
        candidates: &[&'s Candidate],
    ) -> Option<(String, Vec<Timed<'s>>)> {
        let arch = place.platform.arch();
        let tables = self.tables.iter().filter(|table| table.arch == arch);
        let mut told = tables.map(|table| (name(table), timed(table, place, candidates)));
        told.find(|(_, timed)| !timed.is_empty())
    }
}

fn timed<'s>(table: &Table, place: Place, candidates: &[&'s Candidate]) -> Vec<Timed<'s>> {
    let figures = candidates
        .iter()
        .filter_map(|candidate| Some((*candidate, figure(table, candidate)?)));
    let figures: Vec<_> = figures.collect();
    // What the crate's packed implementation takes, by the kernels that were compared with it.
    let packed = figures
        .iter()
        .filter(|(candidate, _)| place.packed && !candidate.unpacked);
    let stock = packed
        .map(|(_, figure)| figure.time * figure.ratio)
        .reduce(f64::min);
    let timed = figures.iter().filter_map(|&(candidate, figure)| {
        Some(Timed {
            candidate,
            time: figure.time,
            ratio: if candidate.unpacked {
                stock? / figure.time
            } else {
                figure.ratio
            },
        })
    });
    timed.collect()
}

/// A CPU, and whether its figures are those of a model.
fn name(table: &Table) -> String {
    let model = if table.modelled { ", modelled" } else { "" };
    format!("{}{model}", table.cpu)
}

fn figure<'t>(table: &'t Table, candidate: &Candidate) -> Option<&'t Figure> {
    let key = Key {
        parameters: PARAMETERS.to_owned(),
        field: FIELD.to_owned(),
        width: candidate.place.width,
        isa: candidate.isa,
    };
    let cell = table.cells.iter().find(|cell| cell.key == key)?;
    let shape = if candidate.place.packed {
        Shape::Independent
    } else {
        Shape::Chain
    };
    let mut figures = cell.figures[shape as usize].iter();
    figures.find(|figure| key.full(&figure.kernel) == candidate.kernel)
}

/// Decides on every place that some kernel can serve.
pub(crate) fn choose(candidates: &[Candidate], deciding: &Deciding<'_>) -> Vec<Choice> {
    let mut places: BTreeMap<Place, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        places
            .entry(candidate.place)
            .or_default()
            .extend(timed_there(candidate));
    }
    let choices = places
        .into_iter()
        .flat_map(|(place, candidates)| decide(place, &candidates, deciding));
    choices.collect()
}

/// The candidate, if its figure is about the code that is compiled there.
fn timed_there(candidate: &Candidate) -> Option<Candidate> {
    match (candidate.isa, candidate.place.platform) {
        // Plain Rust is timed in a build without flags; with these, LLVM makes vectors of it.
        (Isa::Scalar, Platform::Avx2 | Platform::Avx512) => None,
        // This build is that of other architectures, too, of which the table says nothing.
        (Isa::Scalar, Platform::Scalar) => {
            let mut candidate = candidate.clone();
            candidate.needs.insert(Platform::Scalar.only_here());
            Some(candidate)
        }
        _ => Some(candidate.clone()),
    }
}

fn decide(place: Place, candidates: &[Candidate], deciding: &Deciding<'_>) -> Vec<Choice> {
    let all: Vec<&Candidate> = candidates.iter().collect();
    let (cpu, timed) = deciding.timed(place, &all).unwrap_or_default();
    let mut levels: Vec<&BTreeSet<String>> = candidates
        .iter()
        .map(|candidate| &candidate.needs)
        .collect();
    levels.sort_by_key(|needs| (needs.len(), *needs));
    levels.dedup();
    let (mut choices, mut best) = (Vec::new(), f64::INFINITY);
    for needs in levels {
        let here = timed.iter().filter(|timed| timed.candidate.needs == *needs);
        let fastest = here.min_by(|a, b| a.time.total_cmp(&b.time));
        let cpu = cpu.clone();
        let verdict = match fastest {
            None => {
                let unknown = candidates
                    .iter()
                    .filter(|candidate| candidate.needs == *needs);
                Verdict::Unknown {
                    kernels: unknown.map(|candidate| candidate.kernel.clone()).collect(),
                }
            }
            // What needs less is as good.
            Some(fastest) if fastest.time >= best => continue,
            Some(fastest) if fastest.ratio < 1.0 => Verdict::Slower {
                kernel: fastest.candidate.kernel.clone(),
                ratio: fastest.ratio,
                cpu,
            },
            Some(fastest) => {
                best = fastest.time;
                Verdict::Ours {
                    candidate: fastest.candidate.clone(),
                    ratio: fastest.ratio,
                    cpu,
                }
            }
        };
        choices.push(Choice {
            place,
            needs: needs.clone(),
            verdict,
        });
    }
    choices
}

/// What was decided, for people.
pub(crate) fn told(choices: &[Choice]) -> String {
    let rows = choices.iter().map(Choice::row).collect();
    let header = [
        "build",
        "width",
        "states",
        "kernel",
        "times the crate's own speed",
    ];
    table(&header, header.len(), rows)
}

impl Choice {
    fn row(&self) -> Vec<String> {
        let own = "the crate's own".to_owned();
        let (kernel, why) = match &self.verdict {
            Verdict::Ours {
                candidate,
                ratio,
                cpu,
            } => (candidate.leaf().to_owned(), format!("{ratio:.2} on {cpu}")),
            Verdict::Slower { kernel, ratio, cpu } => {
                (own, format!("{} has {ratio:.2} on {cpu}", leaf(kernel)))
            }
            Verdict::Unknown { kernels } => {
                let kernels: Vec<_> = kernels.iter().map(|kernel| leaf(kernel)).collect();
                let arch = self.place.platform.arch();
                (
                    own,
                    format!("no figure for {arch} of {}", kernels.join(", ")),
                )
            }
        };
        let platform = self.place.platform.name();
        let needs = self.needs.iter().filter_map(|need| need.split('"').nth(1));
        let build: Vec<_> = [platform].into_iter().chain(needs).collect();
        let states = match self.place.platform.packing() {
            Some(packing) if self.place.packed => packing.lanes,
            _ => 1,
        };
        vec![
            build.join(", "),
            self.place.width.to_string(),
            states.to_string(),
            kernel,
            why,
        ]
    }
}

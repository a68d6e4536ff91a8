//! The tuning tables: which kernel is fastest on which CPU for which workload.
//!
//! A table (`codegen/tuning/CPU.toml`) holds a cell for each permutation and instruction set, with a
//! figure for each kernel and workload, how it came about, and which kernels are used. The package
//! `tune` writes it; [`resolve`](fn@resolve) makes of all tables what programs choose by at run time. A
//! kernel without a figure is never chosen.

mod beside;
/// The very text that programs find out their CPU by.
#[path = "../../scaffold/cpu.rs"]
pub mod cpu;
mod file;
mod gaps;
mod resolve;
mod stairs;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use beside::{Peers, Server, median};
pub use file::{load_all, read};
pub use gaps::{Gap, Gaps, gaps, warnings};
pub use resolve::{Choice, Resolved, Source, Step, resolve};
pub use stairs::{MARGIN, faster, stairs};

use crate::kernel::KernelInfo;
use crate::names::Isa;

/// What is known of one CPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TuningTable {
    /// Its file.
    pub path: PathBuf,
    /// The CPU's name: `zen5`.
    pub cpu: String,
    /// The architecture, as `target_arch` has it.
    pub arch: String,
    /// Whether it serves CPUs of the architecture that are nobody's kin.
    pub default: bool,
    /// Whether `codegen package` alone makes its kernels: `generated/` has no room for them.
    pub packaged: bool,
    /// Whether times are cycles of a model, not nanoseconds of a machine.
    pub modelled: bool,
    /// What is to be known of the figures, for people; may be empty.
    pub note: String,
    /// How programs know the CPU; none: not at all.
    pub known_by: Option<CpuPattern>,
    /// CPUs that have no table and use this one, since it is of their nearest kin.
    pub kin: Vec<CpuPattern>,
    /// Instruction sets of the architecture that the CPU does not have.
    pub lacks: Vec<Isa>,
    /// In the order of the file.
    pub cells: Vec<TuningCell>,
}

/// Some CPUs; what is not given is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuPattern {
    /// Who made it, as `cpuid` tells it: `AuthenticAMD`.
    pub vendor: Option<String>,
    /// The family, as `cpuid` tells it; only with a vendor.
    pub family: Option<u32>,
    /// Models of the family, of which it is one; only with a family.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<u32>,
    /// CPU features that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

/// Kernels of one permutation on one instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningCell {
    /// What it is about.
    pub key: Key,
    /// How its figures came about.
    pub made: Provenance,
    /// Figures by workload, in the order of [`Workload::ALL`].
    pub figures: [Vec<Figure>; 3],
    /// By kernel, the [hash of the code](KernelInfo::code) that was timed. A kernel that is not here
    /// was timed when nobody noted it.
    pub code: BTreeMap<String, String>,
}

/// What a cell is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Named parameter set.
    pub parameters: String,
    /// Field.
    pub field: String,
    /// Elements in a state.
    pub width: usize,
    /// Instruction set.
    pub isa: Isa,
}

/// How figures came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The command.
    pub command: String,
    /// The CPU, as it calls itself, or the model.
    pub machine: String,
    /// The compiler.
    pub compiler: String,
    /// The peer and its version.
    pub peer: String,
    /// What the states were made from.
    pub seed: u64,
}

/// How fast a kernel is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its name, without parameter set and field.
    pub kernel: String,
    /// States that it permutes in a call.
    pub states: usize,
    /// SIMD lanes, a state each: 1 where states do not share a register.
    pub lanes: usize,
    /// For a permutation: nanoseconds, or cycles of a model.
    pub time: f64,
    /// How often it fits into the peer's time.
    pub ratio: f64,
    /// The interval of the middle half of the samples, by the median.
    pub spread: f64,
    /// Whether it is used where all kernels of the cell are there; [`resolve`](fn@resolve) decides for those that are.
    pub used: bool,
}

/// What is done with states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    /// The states of one call, again and again.
    Chain,
    /// An array of states, each once.
    Independent,
    /// Nodes of a tree, layer by layer.
    Merkle,
}

impl Workload {
    /// All of them, in the order of [`TuningCell::figures`].
    pub const ALL: [Self; 3] = [Self::Chain, Self::Independent, Self::Merkle];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Independent => "independent",
            Self::Merkle => "merkle",
        }
    }
}

impl Key {
    /// Of a kernel; none if its instruction set is not known.
    #[must_use]
    pub fn of(info: &KernelInfo) -> Option<Self> {
        Some(Self {
            parameters: info.parameter_set.clone(),
            field: info.field.clone(),
            width: info.width,
            isa: info.isa.parse().ok()?,
        })
    }

    /// Whether both are about one permutation, on whatever instruction set.
    #[must_use]
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.parameters, &self.field, self.width)
            == (&other.parameters, &other.field, other.width)
    }

    /// The full name of one of its kernels.
    #[must_use]
    pub fn full(&self, kernel: &str) -> String {
        let set = self.parameters.replace('-', "_");
        format!("{set}/{}/{kernel}", self.field.replace('-', "_"))
    }
}

impl TuningTable {
    /// Puts a cell in, in place of the one of the same key.
    pub fn put(&mut self, cell: TuningCell) {
        self.cells.retain(|old| old.key != cell.key);
        self.cells.push(cell);
        self.cells.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

impl TuningCell {
    /// Its kernels, each once, as the first workload has them.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let all = self.figures.iter().enumerate();
        let names = all.flat_map(|(index, figures)| figures.iter().map(move |f| (index, f)));
        names.filter_map(|(index, figure)| {
            let before = self.figures[..index].iter().flatten();
            let known = before
                .into_iter()
                .any(|other| other.kernel == figure.kernel);
            (!known).then_some(figure.kernel.as_str())
        })
    }
}

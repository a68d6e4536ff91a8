//! The tuning tables: which kernels are the fastest, on which CPU, at what.
//!
//! A table (`codegen/tuning/CPU.toml`) holds a cell for each permutation and instruction set, with a
//! figure for each kernel in each shape, how it came about, and which kernels are used. `codegen tune`
//! writes it; [`resolve`](fn@resolve) makes of all tables what programs choose by at run time. A kernel
//! without a figure is never chosen.

mod beside;
/// The very text that programs find out their CPU by.
#[path = "../../scaffold/cpu.rs"]
pub mod cpu;
mod decide;
mod file;
pub mod knobs;
mod measure;
mod record;
mod resolve;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use beside::Server;
pub use decide::{MARGIN, decide};
pub use file::{load_all, read, save, write};
pub use measure::{Benches, Campaign, Measurer};
pub use record::{Origin, Record, cells};
pub use resolve::{Choice, Resolved, Step, resolve, unknown};

use crate::names::Isa;

/// What is known of one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its file.
    pub path: PathBuf,
    /// The CPU's name: `zen5`.
    pub cpu: String,
    /// The architecture, as `target_arch` has it.
    pub arch: String,
    /// Whether it serves CPUs of the architecture that have no table.
    pub default: bool,
    /// Whether times are cycles of a model, not nanoseconds of a machine.
    pub modelled: bool,
    /// How programs know the CPU.
    pub known_by: KnownBy,
    /// In the order of the file.
    pub cells: Vec<Cell>,
}

/// How programs know a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// By what `cpuid` says.
    Cpuid {
        /// As `AuthenticAMD`.
        vendor: String,
        /// The family.
        family: u32,
        /// Models of the family; none: all of them.
        models: Vec<u32>,
    },
    /// By features that only such CPUs have.
    Features(Vec<String>),
    /// Not at all: a default only.
    Nothing,
}

/// Kernels of one permutation on one instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What it is about.
    pub key: Key,
    /// How its figures came about.
    pub made: Made,
    /// Figures by shape, in the order of [`Shape::ALL`].
    pub figures: [Vec<Figure>; 3],
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
pub struct Made {
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
#[derive(Clone, Debug, PartialEq)]
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
    /// Whether it is used.
    pub used: bool,
}

/// What is done with states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// The states of one call, again and again.
    Chain,
    /// An array of states, each once.
    Independent,
    /// Nodes of a tree, layer by layer.
    Merkle,
}

impl Shape {
    /// All of them, in the order of [`Cell::figures`].
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

impl Table {
    /// Puts a cell in, in place of the one of the same key.
    pub fn put(&mut self, cell: Cell) {
        self.cells.retain(|old| old.key != cell.key);
        self.cells.push(cell);
        self.cells.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

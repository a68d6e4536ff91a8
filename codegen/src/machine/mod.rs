//! Machine programs: instructions of one ISA over virtual registers.
//!
//! Everything here is *per lane*: a vector instruction means what it does to one 64-bit lane,
//! because the layouts in use keep one state per lane and never mix lanes.

mod eval;

use crate::isa::{Kind, Row};

/// A virtual register, numbered within its [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// A named constant of the field, such as `P` or `EPSILON`, with the word that a register holds for
/// it. Whoever reads a template finds the word; nobody looks a name up later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Named {
    /// Its name in templates and kernels.
    pub name: &'static str,
    /// What a register of the kind that reads it holds, per lane.
    pub word: u64,
    /// What it is, for the comment beside its definition.
    pub about: &'static str,
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A virtual register.
    Reg(Reg),
    /// A named constant.
    Constant(Named),
}

impl Source {
    /// The register; `None` for constants.
    #[must_use]
    pub fn reg(self) -> Option<Reg> {
        match self {
            Self::Reg(reg) => Some(reg),
            Self::Constant(_) => None,
        }
    }

    /// The constant; `None` for registers.
    #[must_use]
    pub fn constant(self) -> Option<Named> {
        match self {
            Self::Reg(_) => None,
            Self::Constant(named) => Some(named),
        }
    }
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its row in the ISA's table.
    pub row: &'static Row,
    /// Registers written, in the row's order. Flags are a register like any other.
    pub results: Vec<Reg>,
    /// Operands read, in the row's order.
    pub sources: Vec<Source>,
    /// Immediates (shift distances, condition codes), in the row's order.
    pub immediates: Vec<u32>,
}

impl Instruction {
    /// Registers read, in the row's order.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        self.sources.iter().filter_map(|source| source.reg())
    }
}

/// Straight-line code in static single assignment form: every register is written once.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The kind of every register; `Reg(i)` is described by entry `i`.
    pub registers: Vec<Kind>,
    /// Registers that hold the operands on entry.
    pub operands: Vec<Reg>,
    /// Registers that hold the results at the end.
    pub results: Vec<Reg>,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
}

impl Body {
    /// The kind of a register.
    #[must_use]
    pub fn kind(&self, reg: Reg) -> Kind {
        self.registers[reg.0 as usize]
    }

    /// Instructions that a core executes. Beside lines of assembler, Rust takes words apart and puts them
    /// together: each half is in a register of its own already.
    pub fn executed(&self) -> impl Iterator<Item = &Instruction> + '_ {
        use crate::isa::Class::{Logic, Shift, Shuffle};
        let lines = self.instructions.iter().any(|i| i.row.is_assembler());
        let moves = |i: &Instruction| {
            let mut classes = i.row.classes.iter();
            classes.all(|class| matches!(class, Logic | Shift | Shuffle))
        };
        let all = self.instructions.iter();
        all.filter(move |i| i.row.is_assembler() || !lines || !moves(i))
    }

    /// Named constants read, each with the kind of register that holds it.
    pub fn constants(&self) -> impl Iterator<Item = (Named, Kind)> + '_ {
        let instructions = self.instructions.iter();
        let sources = instructions.flat_map(|i| i.sources.iter().zip(i.row.sources));
        sources.filter_map(|(source, kind)| Some((source.constant()?, *kind)))
    }
}

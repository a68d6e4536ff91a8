//! Machine programs: instructions of one ISA over virtual registers.
//!
//! Everything here is *per lane*: a vector instruction means what it does to one 64-bit lane,
//! because the layouts in use keep one state per lane and never mix lanes.

mod eval;

pub use eval::constants;

use crate::isa::Row;

/// A virtual register, numbered within its [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// What an instruction reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A virtual register.
    Reg(Reg),
    /// A named constant of the field, such as `P` or `EPSILON`.
    Constant(&'static str),
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

/// Straight-line code in static single assignment form: every register is written once.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The kind of every register; `Reg(i)` is described by entry `i`.
    pub registers: Vec<crate::isa::Kind>,
    /// Registers that hold the operands on entry.
    pub operands: Vec<Reg>,
    /// Registers that hold the results at the end.
    pub results: Vec<Reg>,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
}

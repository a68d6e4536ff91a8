//! The body of a macro-op as instructions: what a macro's text is read as, and what is proved of it.

use crate::instruction::Instruction;

/// A macro's body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// Operands of the macro, in order.
    pub(crate) operands: usize,
    /// Instructions, each after those that it reads.
    pub(crate) steps: Vec<Step>,
    /// What the macro gives.
    pub(crate) results: Vec<Value>,
}

/// One instruction of a body.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) instruction: &'static Instruction,
    pub(crate) immediates: Vec<u64>,
    pub(crate) sources: Vec<Value>,
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// An operand of the macro.
    Operand(usize),
    /// A constant: in every lane the same word, of so many bits.
    Constant(u64, u32),
    /// A result of a step: the step, and which of its results.
    Result(usize, usize),
}

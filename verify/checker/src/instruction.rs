//! Instructions, their spellings and their meanings: `instructions.smt2`, read.

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The name of the function that is its meaning, as SMT-LIB writes it; of each result.
    pub(crate) meanings: Vec<String>,
    /// Bits of each source.
    pub(crate) sources: Vec<u32>,
    /// Bits of each result.
    pub(crate) results: Vec<u32>,
    /// How many immediates follow the sources.
    pub(crate) immediates: usize,
    /// Its spelling in Rust, with holes.
    pub(crate) rust: Option<String>,
    /// Its line of assembler, with holes.
    pub(crate) asm: Option<String>,
}

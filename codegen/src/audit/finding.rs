//! What the audit can object to.

use super::Instruction;

/// One objection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct Finding {
    /// The line of the rendered file; the first one where something is missing.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

impl Finding {
    pub(super) fn at(line: usize, fault: Fault) -> Self {
        Self { line, fault }
    }
}

/// What is wrong with a rendered file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not parse.
    #[error("not Rust: {0}")]
    NotRust(String),
    /// A function or macro that is neither of the ISA's table nor of this file.
    #[error("`{}` is not an instruction of this ISA: `{}`", .0.name, .0.text)]
    NotAllowed(Instruction),
    /// Arithmetic that no table gives a meaning to, or that is no macro-op's.
    #[error("operator `{0}` outside an index, a loop bound or a macro-op")]
    Operator(String),
    /// An instruction that is no macro-op's: nothing proves what it does there.
    #[error("`{}` computes outside of any macro-op", .0.text)]
    Unproved(Instruction),
    /// Something that may be executed or not, for another reason than the round at hand.
    #[error("`{0}` decides by something else than a loop's counter")]
    Branch(String),
    /// A condition on the round that the flow does not have.
    #[error("`if {found}`: the flow has conditions {planned} and no others")]
    Condition {
        /// The condition.
        found: String,
        /// Those that are planned.
        planned: String,
    },
    /// A condition of the flow that the text does not have, or has more than once.
    #[error("`if {0}` of the flow must be in the text once")]
    NoCondition(String),
    /// Another `#[target_feature]` than planned.
    #[error("`{function}` enables [{}], planned is [{}]", .found.join(", "), .planned.join(", "))]
    Features {
        /// The function.
        function: String,
        /// Planned features.
        planned: Vec<String>,
        /// What the attribute says.
        found: Vec<String>,
    },
    /// The raw entry does more than call the typed one.
    #[error("`permute_raw` may only call `permute`, but does `{}`", .0.text)]
    RawEntry(Instruction),
    /// An entry point is not there.
    #[error("there is no function `{0}`")]
    NoEntry(&'static str),
    /// More or fewer `unsafe` blocks than planned.
    #[error("{found} unsafe blocks, planned are {planned}")]
    UnsafeBlocks {
        /// Planned.
        planned: usize,
        /// Found.
        found: usize,
    },
    /// Of macros of one name, an invocation means the one above it.
    #[error("macro `{0}` is defined a second time")]
    MacroTwice(String),
    /// A loop that may not end, or runs over neither rounds nor data.
    #[error("loop over `{0}`: neither rounds nor elements")]
    Loop(String),
    /// Not exactly one loop over the rounds of a kind.
    #[error("{found} loops over {what} ({trips} times), planned is one")]
    Rounds {
        /// The rounds.
        what: &'static str,
        /// How often it must run.
        trips: u64,
        /// Such loops.
        found: usize,
    },
    /// A site that the certificate does not know.
    #[error("site `{0}` is not in the certificate")]
    UncertifiedSite(String),
    /// A site of the certificate that the text does not show.
    #[error("site `{0}` of the certificate is not in the text")]
    SiteNotInText(String),
    /// An `asm!` uses a register that it does not declare.
    #[error("asm: {register} is used but not declared: `{text}`")]
    Undeclared {
        /// The register.
        register: String,
        /// The instruction.
        text: String,
    },
    /// An `asm!` writes a register that it declares as input only.
    #[error("asm: {register} is written but declared `in`: `{text}`")]
    InputWritten {
        /// The register.
        register: String,
        /// The instruction.
        text: String,
    },
    /// An `asm!` reads a register that holds nothing yet.
    #[error("asm: {register} is read before it is written: `{text}`")]
    Undefined {
        /// The register.
        register: String,
        /// The instruction.
        text: String,
    },
    /// A register that `asm!` must leave alone.
    #[error("asm: {register} is reserved: `{text}`")]
    Reserved {
        /// The register.
        register: String,
        /// The instruction.
        text: String,
    },
    /// A late output may share the register of an input that is still to be read.
    #[error("asm: `{direction}({register})` may alias an input; declare it `{}`", .direction.replace("late", ""))]
    LateOutput {
        /// As declared.
        direction: String,
        /// The register.
        register: String,
    },
    /// A promise to the compiler that kernels do not make.
    #[error("asm: option `{0}` promises what the block does not keep")]
    Option(String),
}

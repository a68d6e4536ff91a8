//! Kernels in AArch64 assembly: each block one `asm!` over physical registers.

use super::comments;
use crate::asm::{Action, Allocation, Bodies, Line, Pointer, RegisterFile, allocate, stream};
use crate::ir::BlockKind;
use crate::isa::Operand;
use crate::machine::{Reg, Source};
use crate::prove::Proved;
use crate::schedule::{interleave, is_faithful};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Registers that hold the pointers while a block runs.
const STATE: u32 = 0;
const CONSTANTS: u32 = 1;
const SCRATCH: u32 = 2;
/// Named constants are held from here on.
const FIRST_CONSTANT: u32 = 3;

/// General registers that `asm!` may use: not x18 (platform), x19 (LLVM's base pointer), x29
/// (frame pointer), and not the stack pointer. AAPCS64 section 6.1.1; Rust reference, inline
/// assembly, register operands.
fn available() -> impl Iterator<Item = u32> {
    (0..31).filter(|n| !matches!(n, 18 | 19 | 29))
}

/// One block, scheduled and allocated.
#[derive(Clone, Debug)]
pub struct AssembledBlock {
    /// Which block.
    pub kind: BlockKind,
    /// Index of the block in the program.
    pub index: usize,
    /// The code.
    pub code: Allocation,
    /// Named constants and the registers that hold them.
    pub constants: Vec<(&'static str, u32)>,
}

/// A schedule that changed more than the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfaithful {
    /// The block.
    pub block: BlockKind,
}

/// Schedules and allocates one block for `batch` groups.
///
/// # Errors
/// If the interleaved code is not the groups' code in another order (a defect of the scheduler).
pub fn assemble(
    proved: &Proved,
    index: usize,
    bodies: &Bodies,
    batch: usize,
) -> Result<AssembledBlock, Unfaithful> {
    let program = proved.program();
    let block = &program.blocks[index];
    let groups = if block.kind == BlockKind::ExternalLinear {
        1
    } else {
        batch
    };
    let width = program.instance.width;
    let streams: Vec<_> = (0..groups)
        .map(|g| stream(block, bodies, g * width))
        .collect();
    let merged = interleave(&streams);
    if !is_faithful(&streams, &merged) {
        return Err(Unfaithful { block: block.kind });
    }
    let mut names = BTreeSet::new();
    for line in &merged.lines {
        if let Action::Compute(instruction) = &line.action {
            names.extend(instruction.constants().map(|(named, _)| named.name));
        }
    }
    let constants: Vec<(&'static str, u32)> = names.into_iter().zip(FIRST_CONSTANT..).collect();
    let first_free = FIRST_CONSTANT + constants.len() as u32;
    let file = RegisterFile {
        general: available().filter(|&n| n >= first_free).collect(),
    };
    Ok(AssembledBlock {
        kind: block.kind,
        index,
        code: allocate(&merged, &file),
        constants,
    })
}

impl AssembledBlock {
    fn line(&self, line: &Line) -> String {
        match &line.action {
            Action::Load {
                result,
                pointer,
                word,
            } => {
                format!("ldr x{}, {}", result.0, address(*pointer, *word))
            }
            Action::Store {
                source,
                pointer,
                word,
            } => {
                format!("str x{}, {}", source.0, address(*pointer, *word))
            }
            Action::Compute(instruction) => {
                let held: BTreeMap<&str, u32> = self.constants.iter().copied().collect();
                let line = instruction.row.line_with(|hole| {
                    // A register is named by its view.
                    let register = |n: u32| format!("{}{n}", hole.view.unwrap_or('x'));
                    match hole.operand {
                        Operand::Result(n) => register(instruction.results[n].0),
                        Operand::Source(n) => match instruction.sources[n] {
                            Source::Reg(Reg(n)) => register(n),
                            Source::Constant(named) => register(held[named.name]),
                        },
                        Operand::Immediate(n) => instruction.immediates[n].to_string(),
                    }
                });
                line.expect("all instructions have lines")
            }
        }
    }

    /// The lines as plain assembly with the reasons as comments.
    fn lines(&self, proved: &Proved) -> impl Iterator<Item = (String, Option<String>)> {
        let mut comments = comments(proved, self.index);
        self.code.lines.iter().map(move |line| {
            let comment = line.operation.and_then(|n| comments.remove(&n));
            (self.line(line), comment)
        })
    }

    /// The operands of the `asm!` that executes the block.
    #[must_use]
    pub fn operands(&self, proved: &Proved, width: usize) -> String {
        let mut text = String::new();
        for (line, comment) in self.lines(proved) {
            let _ = match comment {
                Some(comment) => writeln!(text, "\"{line}\", // {comment}"),
                None => writeln!(text, "\"{line}\","),
            };
        }
        let state = match self.kind {
            BlockKind::ExternalLinear => format!("state.add(group * {width})"),
            BlockKind::ExternalSbox => "state.add(element)".to_owned(),
            _ => "state".to_owned(),
        };
        let _ = writeln!(text, "in(\"x{STATE}\") {state},");
        if self.kind != BlockKind::ExternalLinear {
            let _ = writeln!(text, "in(\"x{CONSTANTS}\") core::ptr::from_ref(constant),");
        }
        if self.code.scratch_words > 0 {
            let _ = writeln!(text, "in(\"x{SCRATCH}\") scratch,");
        }
        for (name, register) in &self.constants {
            let _ = writeln!(text, "in(\"x{register}\") {name},");
        }
        for register in &self.code.clobbered {
            let _ = writeln!(text, "out(\"x{register}\") _,");
        }
        text.push_str("options(nostack),\n");
        text
    }
}

fn address(pointer: Pointer, word: usize) -> String {
    let base = match pointer {
        Pointer::State => STATE,
        Pointer::Constants => CONSTANTS,
        Pointer::Scratch => SCRATCH,
    };
    if word == 0 {
        format!("[x{base}]")
    } else {
        format!("[x{base}, #{}]", 8 * word)
    }
}

//! The last check before text: blocks as the machine will execute them, on concrete words.
//!
//! Ranges, lemmas and forms are proved for all inputs; this catches what they do not see, a
//! defect in scheduling, register allocation or selection. Inputs are directed at the edges of
//! the word and of the field, and random.

use crate::arith::{Block, MacroOp, Program};
use crate::asm::{Bodies, Memory, emulate};
use crate::ir::{BlockKind, Input};
use crate::isa::Target;
use crate::isa::constants::elements_per_word;
use crate::isa::tape::Tape;
use crate::machine;
use crate::params::Field;
use crate::prove::{Proved, specified};
use crate::render::assembly::AssembledBlock;
use std::collections::BTreeMap;

/// Executions of each block with different inputs.
const TRIALS: usize = 48;

/// A block that computes something else than was proved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{block}: state[{element}] came out as {got:#x}, wanted the residue {wanted:#x}; inputs {inputs:x?}"
)]
pub struct Wrong {
    /// Name of the block.
    pub block: &'static str,
    /// The state element.
    pub element: usize,
    /// The word that came out.
    pub got: u64,
    /// The residue it should stand for.
    pub wanted: u64,
    /// Inputs of the block.
    pub inputs: Vec<u64>,
}

/// Checks every block as a sequence of macro-op bodies.
///
/// # Errors
/// The first wrong output.
pub fn bodies(proved: &Proved, bodies: &Bodies, target: Target) -> Result<(), Wrong> {
    let program = proved.program();
    let field = program.instance.field;
    let machine = Machine::new(field, bodies, target);
    for block in &program.blocks {
        for inputs in inputs(field, block) {
            let outputs = machine.execute(block, &inputs);
            compare(program, block, &inputs, &outputs)?;
        }
    }
    Ok(())
}

/// The macro-ops of a target, compiled for emulation on one state.
struct Machine {
    tapes: BTreeMap<MacroOp, Tape>,
    /// Where a lane holds two elements, both halves run the same state.
    twice: bool,
}

impl Machine {
    fn new(field: &'static Field, bodies: &Bodies, target: Target) -> Self {
        let constants = machine::constants(field, target);
        let twice = elements_per_word(field, target) == 2;
        let tapes = bodies
            .iter()
            .map(|(op, body)| (*op, body.tape(constants)))
            .collect();
        Self { tapes, twice }
    }

    fn execute(&self, block: &Block, inputs: &[u64]) -> Vec<u64> {
        let lane = |x: u64| u128::from(if self.twice { x << 32 | x } else { x });
        let mut values: Vec<u128> = inputs.iter().map(|&x| lane(x)).collect();
        for operation in &block.operations {
            let operands: Vec<u128> = operation
                .operands
                .iter()
                .map(|v| values[v.index()])
                .collect();
            values.push(self.tapes[&operation.op].eval(&operands)[0]);
        }
        let word = |x: u128| {
            if self.twice {
                x as u64 & 0xffff_ffff
            } else {
                x as u64
            }
        };
        block
            .outputs
            .iter()
            .map(|v| word(values[v.index()]))
            .collect()
    }
}

fn compare(program: &Program, block: &Block, inputs: &[u64], outputs: &[u64]) -> Result<(), Wrong> {
    let field = program.instance.field;
    let wanted = specified(&program.instance, block.kind);
    let residue = |input: Input| {
        let n = block
            .inputs
            .iter()
            .position(|&i| i == input)
            .expect("an input of the block");
        field.from_montgomery(inputs[n])
    };
    for (element, (&got, form)) in outputs.iter().zip(&wanted).enumerate() {
        let wanted = form.eval(field, &residue);
        let in_range = Program::boundary(field).hi >= i128::from(got);
        if field.from_montgomery(got) != wanted || !in_range {
            let block = block.kind.name();
            return Err(Wrong {
                block,
                element,
                got,
                wanted,
                inputs: inputs.to_vec(),
            });
        }
    }
    Ok(())
}

/// Checks one assembled block: all groups at once, in memory, by the instructions' meanings.
///
/// # Errors
/// The first wrong output.
pub fn assembled(proved: &Proved, code: &AssembledBlock, batch: usize) -> Result<(), Wrong> {
    let program = proved.program();
    let field = program.instance.field;
    let block = &program.blocks[code.index];
    let width = program.instance.width;
    let groups = if block.kind == BlockKind::ExternalLinear {
        1
    } else {
        batch
    };
    let trials = inputs(field, block);
    let constants = machine::constants(field, Target::Aarch64);
    for shift in 0..trials.len() {
        let group_inputs: Vec<&Vec<u64>> = (0..groups)
            .map(|g| &trials[(shift + g) % trials.len()])
            .collect();
        let mut memory = Memory {
            state: vec![0; groups * width],
            constants: vec![0],
            scratch: vec![0; code.code.scratch_words],
        };
        let mut expected: Vec<Vec<u64>> = Vec::new();
        for (g, inputs) in group_inputs.iter().enumerate() {
            let mut inputs = (*inputs).clone();
            for (n, input) in block.inputs.iter().enumerate() {
                match input {
                    Input::State(i) => memory.state[g * width + i] = inputs[n],
                    // All groups share the constant; the first group's trial chooses it.
                    Input::Constant if g == 0 => memory.constants[0] = inputs[n],
                    Input::Constant => inputs[n] = memory.constants[0],
                }
            }
            expected.push(inputs);
        }
        emulate(&code.code, &mut memory, &constants);
        for (g, inputs) in expected.iter().enumerate() {
            let outputs: Vec<u64> = (0..block.outputs.len())
                .map(|i| memory.state[g * width + i])
                .collect();
            compare(program, block, inputs, &outputs)?;
        }
    }
    Ok(())
}

/// Inputs of a block: all edge words in turn, then words near the edges, then any.
fn inputs(field: &'static Field, block: &Block) -> Vec<Vec<u64>> {
    let p = field.modulus;
    let edges = [
        0,
        1,
        p - 1,
        p / 2,
        p / 2 + 1,
        0xffff_fffe,
        0xffff_ffff,
        1 << 31,
    ];
    let wide = [
        p,
        p.wrapping_add(1),
        u64::MAX,
        u64::MAX - 1,
        1 << 32,
        (1 << 32) + 1,
        1 << 63,
        p.wrapping_neg(),
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        // splitmix64 (Steele, Lea, Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..TRIALS)
        .map(|trial| {
            block
                .inputs
                .iter()
                .map(|&input| {
                    let range = Program::input_range(field, input);
                    let r = random();
                    let pick = (r >> 32) as usize;
                    let word = match trial % 3 {
                        0 => edges
                            .iter()
                            .chain(&wide)
                            .copied()
                            .nth(pick % 16)
                            .unwrap_or(0),
                        1 => u64::MAX - (r & 0xffff_ffff),
                        _ => r,
                    };
                    if i128::from(word) <= range.hi {
                        word
                    } else {
                        field.reduce(u128::from(word))
                    }
                })
                .collect()
        })
        .collect()
}

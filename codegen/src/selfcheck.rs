//! The last check before text: blocks as the machine will execute them, on concrete words.
//!
//! Ranges, lemmas and forms are proved for all inputs; this catches what they do not see, a defect in
//! selection. Inputs are directed at the edges of
//! the word and of the field, and random.

use crate::arith::{Block, Program};
use crate::asm::Bodies;
use crate::diag::Diagnostic;
use crate::ir::Input;
use crate::isa::Target;
use crate::isa::constants::elements_per_word;
use crate::lemma::{edges, random};
use crate::names::Part;
use crate::ops::{MacroOp, Range};
use crate::params::Field;
use crate::prove::{Proved, specified};
use crate::term::tape::Tape;
use std::collections::BTreeMap;

/// Executions of each block with different inputs.
const TRIALS: usize = 64;

/// Checks every block as a sequence of macro-op bodies.
///
/// # Errors
/// The first output that is not what was proved.
pub fn bodies(proved: &Proved, bodies: &Bodies, target: Target) -> Result<(), Diagnostic> {
    let program = proved.program();
    let field = program.instance.field;
    let machine = Machine::new(field, bodies, target);
    for (index, block) in program.blocks.iter().enumerate() {
        // Constants are prepared by scalar code, which is checked where it is made.
        let mut ops = block.operations.iter().map(|operation| operation.op);
        if !ops.all(|op| op == MacroOp::Second || machine.tapes.contains_key(&op)) {
            continue;
        }
        for inputs in inputs(field, &proved.ranges(index)[..block.inputs.len()]) {
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
        let twice = elements_per_word(field, target) == 2;
        let tapes = bodies.iter().map(|(op, body)| (*op, body.tape())).collect();
        Self { tapes, twice }
    }

    fn execute(&self, block: &Block, inputs: &[u64]) -> Vec<u64> {
        let lane = |&x: &u64| u128::from(if self.twice { x << 32 | x } else { x });
        let inputs: Vec<u128> = inputs.iter().map(lane).collect();
        let values = block.run(&inputs, |operation, operands| {
            self.tapes[&operation.op].eval(operands)
        });
        let mask = if self.twice { 0xffff_ffff } else { u64::MAX };
        let outputs = block.outputs.iter();
        outputs.map(|v| values[v.index()] as u64 & mask).collect()
    }
}

fn compare(
    program: &Program,
    block: &Block,
    inputs: &[u64],
    outputs: &[u64],
) -> Result<(), Diagnostic> {
    let field = program.instance.field;
    let wanted = specified(program, block.kind);
    let word = |input: Input| {
        let n = block.inputs.iter().position(|&i| i == input);
        n.map(|n| inputs[n])
    };
    let residue = |input: Input| {
        let part = |part| match input {
            Input::State(i) => word(Input::StatePart(i, part)),
            _ => word(Input::ConstantPart(part)),
        };
        match (word(input), part(Part::Low), part(Part::High)) {
            (Some(word), ..) => field.from_montgomery(word),
            (None, Some(low), Some(high)) => whole(field, low, high),
            _ => unreachable!("an input of the block"),
        }
    };
    let parts = outputs.len() / wanted.len();
    for (element, (got, form)) in outputs.chunks(parts).zip(&wanted).enumerate() {
        let wanted = form.eval(field, &residue);
        let right = match *got {
            [low, high] => whole(field, low, high) == wanted,
            _ => {
                let in_range = Program::boundary(field).hi >= i128::from(got[0]);
                in_range && field.from_montgomery(got[0]) == wanted
            }
        };
        if !right {
            let (block, got) = (block.kind.name(), got[0]);
            return Err(Diagnostic::new(format!(
                "{block}: state[{element}] came out as {got:#x}, wanted the residue {wanted:#x}; \
                 inputs {inputs:x?}"
            )));
        }
    }
    Ok(())
}

/// The residue of `low + 2^32·high`, both signed.
fn whole(field: &Field, low: u64, high: u64) -> u64 {
    let residue = |x: u64| {
        let magnitude = field.reduce(x.cast_signed().unsigned_abs().into());
        if x.cast_signed() < 0 {
            field.sub(0, magnitude)
        } else {
            magnitude
        }
    };
    field.add(residue(low), field.mul(residue(high), 1 << 32))
}

/// Inputs of a block within their ranges: edges in turn, then the ends of the ranges, then any.
fn inputs(field: &'static Field, ranges: &[Range]) -> Vec<Vec<u64>> {
    let edges = [64, 32].map(|bits| edges(field.modulus, bits)).concat();
    let mut state = 0;
    let mut word = |range: &Range, trial: usize| {
        let r = random(&mut state);
        let size = (range.hi - range.lo).saturating_add(1);
        let near = i128::from(r & 0xffff_ffff) % size;
        let value = match trial % 4 {
            0 => edges[(r >> 32) as usize % edges.len()].into(),
            1 => range.hi - near,
            2 => range.lo + near,
            _ => range.lo + i128::from(r) % size,
        };
        let inside = range.contains(&Range::new(value, value));
        (if inside { value } else { range.hi - near }) as u64
    };
    (0..TRIALS)
        .map(|trial| ranges.iter().map(|range| word(range, trial)).collect())
        .collect()
}

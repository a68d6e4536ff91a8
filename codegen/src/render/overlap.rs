//! Internal rounds whose S-box stands beside the linear layer of the round before.
//!
//! A core executes older instructions first. In plain order the linear layer is older than the S-box of the next
//! round, though little waits for it, and everything for the S-box. Side by side they are as old. Between rounds,
//! element 0 is then what the S-box has made of it.

use super::layout::Layout;
use super::rust::laid_out;
use crate::arith::{Block, Operation, Remade};
use crate::diag::Diagnostic;
use crate::ir::{BlockKind, Input, Value};
use crate::prove::Proved;
use std::collections::BTreeSet;

/// Puts the texts of a block of internal rounds into a context.
pub(super) fn insert(
    context: &mut tera::Context,
    proved: &Proved,
    index: usize,
    layout: Layout,
) -> Result<(), Diagnostic> {
    let program = proved.program();
    let parts = Overlap::of(&program.blocks[index], program.parts);
    // Where elements move on, those of two rounds are not in the same places.
    let parts = parts.filter(|_| program.window().is_none());
    let Overlap { first, each, last } = parts.ok_or_else(|| {
        let error = Diagnostic::new("internal rounds of this permutation do not overlap");
        error.help(
            "their linear layer reads element 0 as the S-box does, or moves the others on; drop `overlap`",
        )
    })?;
    let texts = [
        ("internal_first", &first),
        ("internal", &each),
        ("internal_last", &last),
    ];
    for (key, block) in texts {
        context.insert(key, &laid_out(proved, index, block, layout));
    }
    Ok(())
}

/// An internal round in three blocks, of which all rounds can be made.
struct Overlap {
    /// The S-box of the first round.
    first: Block,
    /// The linear layer of the round before, and the S-box of this one.
    each: Block,
    /// The linear layer of the last round.
    last: Block,
}

impl Overlap {
    /// Those of a round whose elements have so many parts; none if the linear layer reads element 0 as the S-box
    /// does.
    fn of(round: &Block, parts: usize) -> Option<Self> {
        let element: Vec<Value> = (0..parts as u32).map(Value).collect();
        let mut sbox = Self::made_alone(round, &element);
        // Behind the S-box may be more that is made of element 0 alone, such as its multiples.
        let (inside, outside, power) = loop {
            let made = |value: &Value| sbox.contains(value);
            let (inside, outside): (Vec<_>, Vec<_>) =
                round.operations.iter().partition(|o| made(&o.result));
            let read = outside.iter().flat_map(|o| &o.operands);
            let read: BTreeSet<Value> = read.chain(&round.outputs).copied().collect();
            let power: Vec<Value> = read.iter().filter(|v| made(v)).copied().collect();
            if power.len() == parts && element.iter().all(|value| !read.contains(value)) {
                break (inside, outside, power);
            }
            sbox.pop_last()?;
        };

        let mut first = Remade::new(round);
        inside.iter().for_each(|operation| first.push(operation));
        let unmoved = (parts..round.outputs.len()).map(|n| Value(n as u32));
        let first = first.with(power.iter().copied().chain(unmoved));

        let mut last = Remade::new(round);
        last.rename(&power, &element);
        let mut each = Remade::new(round);
        each.rename(&power, &element);
        outside.iter().for_each(|operation| last.push(operation));
        let mut last = last.with(round.outputs.iter().copied());
        // One group after the other: there is nothing to stand beside.
        last.kind = BlockKind::InternalLeave;

        let next = &round.outputs[..parts];
        let soon = round.leading_to(next).into_iter();
        let soon: BTreeSet<Value> = soon.flat_map(Operation::results).collect();
        let outside = outside.into_iter();
        let (soon, late): (Vec<_>, Vec<_>) = outside.partition(|o| soon.contains(&o.result));
        soon.iter().for_each(|operation| each.push(operation));
        each.rename(&element, next);
        let before = each.names.clone();
        inside.iter().for_each(|operation| each.push(operation));
        let powers: Vec<Value> = power.iter().map(|value| each.names[value]).collect();
        each.names = before;
        late.iter().for_each(|operation| each.push(operation));
        let mut each = each.with(round.outputs.iter().copied());
        each.outputs[..parts].copy_from_slice(&powers);
        Some(Self { first, each, last })
    }

    /// What is made of element 0 and a round constant alone.
    fn made_alone(round: &Block, element: &[Value]) -> BTreeSet<Value> {
        let is_constant = |input: &Input| {
            matches!(
                input,
                Input::Constant | Input::InnerConstant | Input::ConstantPart(_)
            )
        };
        let inputs = (0..).map(Value).zip(&round.inputs);
        let constants = inputs.filter(|(_, input)| is_constant(input));
        let constants = constants.map(|(value, _)| value);
        let mut known: BTreeSet<Value> = constants.chain(element.iter().copied()).collect();
        let mut made = BTreeSet::new();
        for operation in &round.operations {
            let mut operands = operation.operands.iter();
            if operands.len() > 0 && operands.all(|value| known.contains(value)) {
                known.insert(operation.result);
                made.insert(operation.result);
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Program;
    use crate::lower::{Claims, lower};
    use crate::names::Strategy;
    use crate::params::{GOLDILOCKS, instance};

    fn round() -> Block {
        let instance = instance("plonky3", &GOLDILOCKS, 12).expect("a named set");
        let program = Program::build(&instance);
        let program = lower(&program, Strategy::Redc, &Claims::new(&[])).expect("a program");
        let index = program.block(BlockKind::InternalRound);
        program.blocks[index.expect("internal rounds")].clone()
    }

    /// The state after a block, by names that say how each value was made.
    fn after(block: &Block, state: &[String], constant: usize) -> Vec<String> {
        let named = |(n, input): (usize, &Input)| match input {
            Input::ConstantPart(part) => format!("c{constant}.{}", part.name()),
            _ => state[n].clone(),
        };
        let mut values: Vec<String> = block.inputs.iter().enumerate().map(named).collect();
        for operation in &block.operations {
            let operands = operation.operands.iter();
            let operands: Vec<&str> = operands.map(|v| values[v.index()].as_str()).collect();
            // Names would double with each product; their hashes do not.
            let made = blake3::hash(format!("{}{operands:?}", operation.op).as_bytes());
            values.push(made.to_string());
        }
        let outputs = block.outputs.iter();
        outputs.map(|value| values[value.index()].clone()).collect()
    }

    #[test]
    fn overlapping_rounds_are_the_rounds() {
        let round = round();
        let Overlap { first, each, last } = Overlap::of(&round, 2).expect("rounds that overlap");
        let start: Vec<String> = (0..round.outputs.len()).map(|n| format!("s{n}")).collect();
        let rounds = 5;
        let plain = (0..rounds).fold(start.clone(), |state, n| after(&round, &state, n));
        let state = after(&first, &start, 0);
        let state = (1..rounds).fold(state, |state, n| after(&each, &state, n));
        assert_eq!(after(&last, &state, rounds), plain);
        assert_ne!(state, plain);
    }

    #[test]
    fn the_next_sbox_waits_for_element_0_alone() {
        let round = round();
        let each = Overlap::of(&round, 2).expect("rounds that overlap").each;
        let sbox = each
            .operations
            .iter()
            .position(|o| o.name == "internal.rc.low");
        let before = &each.operations[..sbox.expect("an S-box")];
        assert!(before.iter().all(|o| !o.name.starts_with("internal.pair")));
    }

    #[test]
    fn a_linear_layer_that_reads_what_the_sbox_reads_is_refused() {
        let mut round = round();
        let last = round.operations.last_mut().expect("operations");
        last.operands[0] = Value(0);
        assert!(Overlap::of(&round, 2).is_none());
    }
}

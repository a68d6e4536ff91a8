//! That every word is read as it was written.
//!
//! Ranges are of integers, and a word stands for one as its [`Reading`] says. A contract holds for
//! operands in its own reading, so whatever wrote them must have meant the same integer.

use super::Refusal;
use crate::arith::{Block, Program};
use crate::ir::{Input, Value};
use crate::ops::{Contract, Range, Reading};

/// Operands and outputs that stand for other integers than their readers take them for.
pub(super) fn check(
    program: &Program,
    block: &Block,
    contracts: &[Option<Contract>],
    ranges: &[Range],
) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let bits = program.words_of(block.kind).word_bits();
    let mut read = |value: Value, reading: Reading, by: &str| {
        let written = written(program, block, contracts, value);
        if !agree(written, reading, ranges[value.index()], bits) {
            refusals.push(Refusal::Reading {
                block: block.kind,
                by: by.to_owned(),
                value,
                written,
                read: reading,
            });
        }
    };
    for (operation, contract) in block.operations.iter().zip(contracts) {
        // A second result reads nothing.
        let Some(reading) = contract.as_ref().map(|contract| contract.row.reads) else {
            continue;
        };
        for &value in &operation.operands {
            read(value, reading, &operation.name);
        }
    }
    for (place, &value) in block.places().into_iter().zip(&block.outputs) {
        read(value, of_place(program, place), &place.to_string());
    }
    refusals
}

/// Whether a word of so many bits within the range is the same integer in both readings.
fn agree(written: Reading, read: Reading, range: Range, bits: u32) -> bool {
    let either = |reading| matches!(reading, Reading::Unsigned | Reading::Signed);
    let below = |bits: u32| 0 <= range.lo && range.hi < 1 << bits;
    match read {
        _ if written == read => true,
        Reading::Below52 => either(written) && below(52),
        Reading::Below63 => either(written) && below(63),
        _ => either(written) && either(read) && below(bits - 1),
    }
}

fn written(
    program: &Program,
    block: &Block,
    contracts: &[Option<Contract>],
    value: Value,
) -> Reading {
    let Some(at) = value.index().checked_sub(block.inputs.len()) else {
        return of_place(program, block.inputs[value.index()]);
    };
    match &contracts[at] {
        Some(contract) => contract.row.writes,
        None => written(program, block, contracts, block.operations[at].operands[0]),
    }
}

fn of_place(program: &Program, place: Input) -> Reading {
    match place {
        Input::State(_) | Input::Constant => Reading::Unsigned,
        // In wider words it is what it was.
        Input::InnerConstant if program.is_wide() => Reading::Unsigned,
        Input::Factor(_) => Reading::Unsigned,
        Input::InnerConstant => Reading::Signed,
        Input::StatePart(..) | Input::ConstantPart(_) | Input::Inner(_) => Reading::Signed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::BlockKind;
    use crate::lower::{Claims, lower};
    use crate::names::Strategy;
    use crate::ops::MacroOp;
    use crate::params::{GOLDILOCKS, instance};
    use crate::prove::prove;

    #[test]
    fn a_word_that_is_read_otherwise_is_refused() {
        let instance = instance("plonky3", &GOLDILOCKS, 8).expect("a named set");
        let program = crate::ir::Program::build(&instance);
        let columns =
            lower(&program, Strategy::Columns, &Claims::new(&[])).expect("a program on columns");
        let limbs =
            lower(&program, Strategy::Limbs, &Claims::new(&[])).expect("a program on limbs");
        for (mut program, from, to) in [
            (limbs, MacroOp::Preshift, MacroOp::Plus),
            (columns, MacroOp::Square, MacroOp::Plus),
        ] {
            let at = program.block(BlockKind::ExternalSbox).expect("a block");
            let block = &mut program.blocks[at];
            let first = block.operations.iter().position(|o| o.op == from);
            let operation = &mut block.operations[first.expect("an operation of the kind")];
            operation.op = to;
            operation.operands = vec![operation.operands[0]; 2];
            let refused = prove(program, &Claims::new(&[])).expect_err("a refusal");
            let misread = |r: &Refusal| matches!(r, Refusal::Reading { .. });
            assert!(refused.iter().any(misread), "{from}: {refused:?}");
        }
    }
}

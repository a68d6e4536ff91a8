//! Programs whose elements have parts, or are in other words than those in memory.

use super::*;
use crate::arith::{Block, Operation, Program};
use crate::ir::{self, BlockKind, Value};
use crate::names::Strategy;
use crate::ops::{MacroOp, Reading};
use crate::params::{Field, GOLDILOCKS, Instance, Linear, Mds, instance};
use crate::prove::prove;

fn set(width: usize) -> Instance {
    instance("plonky3", &GOLDILOCKS, width).unwrap()
}

/// Every width by every strategy on parts.
fn programs() -> Vec<(Strategy, Program)> {
    let widths = [8, 12, 16].map(|width| ir::Program::build(&set(width)));
    let strategies = [
        Strategy::Columns,
        Strategy::Redc,
        Strategy::Limbs,
        Strategy::Radix48,
        Strategy::Beside,
    ];
    let of = |strategy| {
        let lowered = widths.iter().map(move |p| lowered(p, strategy));
        lowered.map(move |program| (strategy, program))
    };
    strategies.into_iter().flat_map(of).collect()
}

fn lowered(program: &ir::Program, strategy: Strategy) -> Program {
    lower(program, strategy, &Claims::new(&[])).unwrap()
}

#[test]
fn they_permute_as_words_do() {
    for (strategy, program) in programs() {
        let source = ir::Program::build(&program.instance);
        let words = lowered(&source, Strategy::Eager);
        let width = program.instance.width as u64;
        for seed in [0, 1, 0xffff_fffe, 0xffff_ffff_0000_0000, u64::MAX] {
            let state: Vec<u64> = (0..width)
                .map(|i| seed.wrapping_mul(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
                .collect();
            let residues = |state: Vec<u64>| -> Vec<u64> {
                let reduce = |x: u64| GOLDILOCKS.reduce(x.into());
                state.into_iter().map(reduce).collect()
            };
            let found = residues(program.permute(&state));
            assert_eq!(
                found,
                residues(words.permute(&state)),
                "{strategy} w{width}"
            );
        }
    }
}

/// Words of 31-bit fields by all strategies that are for them, on every edge of the boundary.
#[test]
fn other_words_permute_as_words_do() {
    let strategies = [
        Strategy::Radix52,
        Strategy::Radix32,
        Strategy::Radix64,
        Strategy::Signed,
        Strategy::Long,
        Strategy::Uniform,
    ];
    let fields = ["koala-bear", "baby-bear"].into_iter();
    for (field, strategy) in fields.flat_map(|field| strategies.map(|s| (field, s))) {
        let field = Field::by_name(field).unwrap();
        let instance = instance("plonky3", field, 16).unwrap();
        let source = ir::Program::build(&instance);
        let [words, other] = [Strategy::Eager, strategy].map(|s| lowered(&source, s));
        let ranges = other.input_ranges();
        for seed in [0, 1, 0x1234_5678, field.modulus - 1] {
            for step in [0, 1, 0x0765_4321] {
                let state = (0..16).map(|i| (seed + step * i) % field.modulus);
                let state: Vec<u64> = state.collect();
                assert_eq!(
                    other.permute(&state),
                    words.permute(&state),
                    "{strategy} {}",
                    field.name
                );
                other.execute(
                    state,
                    &other.constants(|c| other.prepared(c), |word| word),
                    |index, inputs, next| {
                        let block = &other.blocks[index];
                        for (x, range) in inputs.iter().zip(&ranges[index]) {
                            let x = Reading::Signed.integer(*x, other.words.word_bits());
                            let block = block.kind.name();
                            assert!(
                                range.lo <= x && x <= range.hi,
                                "{block}: {x} not in {range}"
                            );
                        }
                        next.extend(block.eval(other.words, inputs));
                    },
                );
            }
        }
    }
}

/// How many products of elements are summed in a block: others are of p.
fn products(block: &Block) -> usize {
    let operations = block.operations.iter();
    let factors = operations.filter(|o| matches!(o.op, MacroOp::Dot(_) | MacroOp::MulSigned));
    let factors = factors.flat_map(|o| o.operands.iter().step_by(2));
    let is_number = |x: &Value| block.definition(*x).is_some_and(|o| o.word().is_some());
    factors.filter(|x| !is_number(x)).count()
}

/// Poseidon1 over a 31-bit field, with a circulant matrix.
fn poseidon1(field: &str, first: &[u64]) -> Instance {
    let field = Field::by_name(field).unwrap();
    Instance {
        linear: Linear::Poseidon1(Mds::circulant(first)),
        ..instance("plonky3", field, first.len()).unwrap()
    }
}

/// At width 24 partial rounds are on values: one product for each element, those of the S-box, and two for its share.
/// Long products are in full rounds alone, whose S-boxes have an order of their own.
#[test]
fn wide_states_are_kept_by_values() {
    let first: Vec<u64> = (0..24).map(|i| i * i * i + 7).collect();
    for (field, sbox) in [("koala-bear", 2), ("baby-bear", 4)] {
        let source = ir::Program::build(&poseidon1(field, &first));
        let [words, signed, long] =
            [Strategy::Eager, Strategy::Signed, Strategy::Long].map(|s| lowered(&source, s));
        for other in [&signed, &long] {
            for word in [0, 1, 0x77ff_ffff] {
                let state = vec![word; 24];
                assert_eq!(other.permute(&state), words.permute(&state), "{field}");
            }
            let round = &other.blocks[other.block(BlockKind::InternalRound).unwrap()];
            assert_eq!(products(round), 24 + sbox + 2, "{field}");
        }
        let sbox = &long.blocks[long.block(BlockKind::ExternalSbox).unwrap()];
        let mut operations = sbox.operations.iter();
        assert!(operations.any(|o| o.op == MacroOp::SquareLong), "{field}");
    }
}

#[test]
fn dense_matrices_are_few_sums_of_products() {
    let first = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
    let source = ir::Program::build(&poseidon1("koala-bear", &first));
    let [words, other] = [Strategy::Eager, Strategy::Signed].map(|s| lowered(&source, s));
    for word in [0, 1, 0x7eff_ffff] {
        let state = vec![word; 16];
        assert_eq!(other.permute(&state), words.permute(&state));
    }
    let products = |kind| products(&other.blocks[other.block(kind).unwrap()]);
    // Of sizes 2, 2, 4, 4 and 4; four elements are multiplied by a root of -1 before and after.
    let split = 4 + 4 + 16 + 16 + 16;
    assert_eq!(products(BlockKind::ExternalLinear), split + 4 + 4);
    // Two rows, and the S-box.
    assert_eq!(products(BlockKind::InternalRound), 15 + 16 + 2);
    // With the layer before, in rows that are alike; of its first column the basis leaves one entry.
    assert_eq!(products(BlockKind::LinearEnter), 16 * 16);
    let long = lowered(&source, Strategy::Long);
    let enter = &long.blocks[long.block(BlockKind::LinearEnter).unwrap()];
    assert_eq!(super::tests::products(enter), 16 + 15 * 15 + 1);
}

/// Some differences stay between -p and p: only products take them. Others only products take, too, but four of them
/// have no room for both signs.
#[test]
fn differences_are_reduced_where_products_have_no_room() {
    let first = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
    let source = ir::Program::build(&poseidon1("baby-bear", &first));
    let program = lowered(&source, Strategy::Signed);
    let layer = &program.blocks[program.block(BlockKind::ExternalLinear).unwrap()];
    let is_product = |op| matches!(op, MacroOp::Dot(_) | MacroOp::MulSigned);
    let multiplied = |op: MacroOp| {
        let differences = layer.operations.iter().filter(move |o| o.op == op);
        differences.filter(|difference| {
            let users = layer.operations.iter();
            let mut users = users.filter(|o| o.operands.contains(&difference.result));
            users.all(|user| is_product(user.op))
        })
    };
    let all = |op: MacroOp| layer.operations.iter().filter(|o| o.op == op).count();
    assert_eq!(multiplied(MacroOp::Minus).count(), all(MacroOp::Minus));
    assert!(multiplied(MacroOp::Minus).count() > 0);
    let fits = multiplied(MacroOp::Sub).filter(|difference| {
        let mut users = layer.operations.iter();
        users.any(|o| o.op == MacroOp::MulSigned && o.operands.contains(&difference.result))
    });
    assert_eq!(fits.count(), 0);
    assert!(multiplied(MacroOp::Sub).count() > 0);
}

/// Two blocks of 8 × 8 in place of four.
#[test]
fn across_lanes_circulant_matrices_are_taken_apart() {
    let first = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
    let mut dense = Mds::circulant(&first);
    dense.rows[15][0] += 1;
    for (mds, expected) in [(Mds::circulant(&first), 128), (dense, 256)] {
        let mut instance = poseidon1("koala-bear", &first);
        instance.linear = Linear::Poseidon1(mds);
        let source = ir::Program::build(&instance);
        let [words, other] = [Strategy::Eager, Strategy::Uniform].map(|s| lowered(&source, s));
        for word in [0, 1, 0x7eff_ffff] {
            let state: Vec<u64> = (0..16).map(|i| word / (i + 1)).collect();
            assert_eq!(other.permute(&state), words.permute(&state));
        }
        assert_eq!(products(&other.blocks[0]), expected);
    }
}

#[test]
fn across_lanes_a_multiple_of_p_may_be_added_in_one_alone() {
    let field = Field::by_name("koala-bear").unwrap();
    let quarter = field.modulus / 4;
    let mut mds = Mds::circulant(&[1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    mds.rows[0].fill(field.from_montgomery(quarter));
    let mut instance = poseidon1("koala-bear", &[1; 16]);
    instance.linear = Linear::Poseidon1(mds);
    let program = lowered(&ir::Program::build(&instance), Strategy::Uniform);
    let operations = &program.blocks[0].operations;
    let words = operations.iter().filter_map(Operation::word);
    assert!(words.clone().any(|word| word == field.modulus));
    assert!(words.clone().any(|word| word == 0));
    prove(program, &Claims::new(&[])).unwrap();
}

#[test]
fn what_does_not_fill_vectors_is_refused() {
    let field = Field::by_name("koala-bear").unwrap();
    let mut other = instance("plonky3", field, 16).unwrap();
    other.width = 12;
    let refused = |instance: &Instance| {
        let source = ir::Program {
            instance: instance.clone(),
            blocks: ir::Program::build(&poseidon1("koala-bear", &[1; 16])).blocks,
        };
        lower(&source, Strategy::Uniform, &Claims::new(&[])).err()
    };
    assert_eq!(
        refused(&other),
        Some(Unsuited::Width(Strategy::Uniform, 12))
    );
    other.width = 16;
    if let Linear::Poseidon2 { external, .. } = &mut other.linear {
        external.m4[0][0] = 5;
    }
    assert_eq!(refused(&other), Some(Unsuited::M4(Strategy::Uniform)));
}

/// The first column is an eigenvector of what is left of the matrix.
#[test]
fn partial_rounds_without_a_basis_are_refused() {
    let mut first = [1; 16];
    first[0] = 2;
    let source = ir::Program::build(&poseidon1("koala-bear", &first));
    let refused = lower(&source, Strategy::Signed, &Claims::new(&[]));
    assert_eq!(refused.err(), Some(Unsuited::Partial(Strategy::Signed)));
}

#[test]
fn runs_are_the_longest_that_fit() {
    let mut chosen = Vec::new();
    for (strategy, mut program) in programs() {
        let field = program.instance.field;
        let runs: Vec<usize> = program.runs().map(ExactSizeIterator::len).collect();
        assert_eq!(runs.iter().sum::<usize>(), 22);
        chosen.push((strategy.name(), program.instance.width, runs));
        let fits = |program: &Program| {
            let blocks = program.blocks.iter().zip(program.input_ranges());
            let mut broken = blocks.map(|(block, inputs)| block.ranges(field, &inputs).1);
            broken.all(|broken| broken.is_empty())
        };
        assert!(fits(&program));
        program.flow = Program::in_order(&program.instance, &program.blocks, &[22]);
        assert!(!fits(&program), "{strategy}: no normalisation is needed");
    }
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_debug_snapshot!("runs", chosen);
    });
}

/// What the machine executes lies in the ranges that the proof is about.
#[test]
fn executions_stay_in_range() {
    for (strategy, program) in programs() {
        let field = program.instance.field;
        let ranges = program.input_ranges();
        for word in [0, 1, 0xffff_ffff, 1 << 63, u64::MAX] {
            let state = vec![word; program.instance.width];
            let constants = program.constants(|c| program.prepared(c), |word| word);
            program.execute(state, &constants, |index, inputs, next| {
                let block = &program.blocks[index];
                for ((x, range), input) in inputs.iter().zip(&ranges[index]).zip(&block.inputs) {
                    let reading = match input {
                        ir::Input::State(_) | ir::Input::Constant => Reading::Unsigned,
                        _ => Reading::Signed,
                    };
                    let x = reading.integer(*x, 64);
                    assert!(
                        range.lo <= x && x <= range.hi,
                        "{strategy} {}: {input} is {x}, not in {range:?}",
                        block.kind.name()
                    );
                }
                next.extend(block.eval(field, inputs));
            });
        }
    }
}

#[test]
fn constants_are_prepared_to_the_same_residue() {
    for (strategy, program) in programs() {
        assert!(program.block(BlockKind::Constant).is_some());
        for c in [0, 1, 0xffff_ffff, GOLDILOCKS.modulus - 1] {
            let [low, high] = program.prepared(c)[..] else {
                panic!("{strategy}: a constant has two parts");
            };
            let [low, high] = [low, high].map(|part| Reading::Signed.integer(part, 64));
            let whole = (low + (high << program.radix)).rem_euclid(GOLDILOCKS.modulus.into());
            assert_eq!(whole, c.into(), "{strategy}");
        }
    }
}

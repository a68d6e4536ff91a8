use super::*;
use crate::ir::Input;
use crate::isa::{Kind, Target, table};
use crate::machine::{Body, Instruction, Source};
use crate::names::Part;
use proptest::prelude::*;

/// Code that adds two earlier vectors again and again; the last one leaves.
fn sums(inputs: usize, operands: &[(usize, usize)]) -> Mixed {
    let mut code = Mixed {
        registers: vec![(Bank::Vector, Kind::Word); inputs + operands.len()],
        inputs: (0..inputs as u32).map(Reg).collect(),
        ..Mixed::default()
    };
    let row = table(Target::Neon).row("vaddq_u64").unwrap();
    for (n, &(a, b)) in operands.iter().enumerate() {
        let source = |i: usize| Source::Reg(Reg((i % (inputs + n)) as u32));
        let instruction = Instruction {
            row,
            results: vec![Reg(2)],
            sources: vec![Source::Reg(Reg(0)), Source::Reg(Reg(1))],
            immediates: Vec::new(),
        };
        let body = Body {
            registers: vec![Kind::Word; 3],
            operands: vec![Reg(0), Reg(1)],
            results: vec![Reg(2)],
            instructions: vec![instruction],
        };
        code.pieces.push(Piece {
            work: Work::Rows { body, operation: n },
            sources: vec![source(a), source(b)],
            results: vec![Reg((inputs + n) as u32)],
        });
    }
    code.outputs = vec![Reg((inputs + operands.len()) as u32 - 1)];
    code
}

fn core() -> &'static Core {
    Core::by_name("neoverse-n1").unwrap()
}

#[test]
fn what_is_longest_goes_first() {
    // A chain of three, and a sum that nothing waits for, written first.
    let code = sums(2, &[(0, 1), (0, 1), (3, 0), (4, 0)]);
    assert_eq!(list_schedule(&code, core())[0], 1);
}

/// A chain for each of some streams, from a word that it loads to the one that it stores.
fn chains(streams: usize, length: usize) -> Mixed {
    let mut code = Mixed::default();
    let word = Input::Inner(0);
    for stream in 0..streams {
        let chain = sums(1, &vec![(0, 0); length]);
        let first = code.registers.len() as u32;
        let reg = |reg: Reg| Reg(first + reg.0);
        code.registers.extend(chain.registers);
        code.pieces.push(Piece {
            work: Work::Load(stream, word),
            sources: Vec::new(),
            results: vec![Reg(first)],
        });
        for (n, piece) in chain.pieces.into_iter().enumerate() {
            let before = Source::Reg(Reg(first + n as u32));
            code.pieces.push(Piece {
                sources: vec![before; piece.sources.len()],
                results: piece.results.into_iter().map(reg).collect(),
                ..piece
            });
        }
        code.pieces.push(Piece {
            work: Work::Store(stream, word),
            sources: vec![Source::Reg(Reg(first + length as u32))],
            results: Vec::new(),
        });
    }
    code
}

/// Side by side, all chains would end at the end.
#[test]
fn sboxes_begin_one_after_another() {
    let (streams, length) = (8, 12);
    let code = chains(streams, length);
    let order = list_schedule(&code, core());
    let end = |stream: usize| {
        let store = (stream + 1) * (length + 2) - 1;
        order.iter().position(|n| *n == store).unwrap()
    };
    let ends: Vec<usize> = (0..streams).map(end).collect();
    assert!(ends.is_sorted(), "{ends:?}");
    assert!(ends[0] < 2 * order.len() / 3, "{ends:?}");
}

#[test]
fn orders_that_are_none_are_refused() {
    let code = sums(2, &[(0, 1), (2, 1), (3, 0)]);
    assert!(is_order(&code, &[0, 1, 2]));
    for wrong in [
        &[1, 0, 2][..],
        &[0, 1],
        &[0, 1, 1],
        &[0, 1, 2, 2],
        &[0, 1, 3],
    ] {
        assert!(!is_order(&code, wrong), "{wrong:?}");
    }
}

/// What overwrites a word must wait for what loads it, though no value passes between them.
#[test]
fn orders_that_overwrite_what_is_to_be_loaded_are_refused() {
    let word = Input::StatePart(0, Part::Low);
    let code = Mixed {
        registers: vec![(Bank::Vector, Kind::Word); 2],
        inputs: vec![Reg(0)],
        pieces: vec![
            Piece {
                work: Work::Load(0, word),
                sources: Vec::new(),
                results: vec![Reg(1)],
            },
            Piece {
                work: Work::Store(0, word),
                sources: vec![Source::Reg(Reg(0))],
                results: Vec::new(),
            },
        ],
        ..Mixed::default()
    };
    assert!(is_order(&code, &[0, 1]));
    assert!(!is_order(&code, &[1, 0]));
    let mut round = code;
    round.rounds = true;
    round.pieces[1].work = Work::Store(1, word);
    assert!(is_order(&round, &[0, 1]));
    assert!(!is_order(&round, &[1, 0]));
}

proptest! {
    #[test]
    fn every_schedule_is_an_order(
        inputs in 1..40_usize,
        operands in prop::collection::vec((0..200_usize, 0..200_usize), 1..150),
    ) {
        let code = sums(inputs, &operands);
        prop_assert!(is_order(&code, &list_schedule(&code, core())));
    }
}

//! Instruction meanings against the real instructions, for what this CPU has.
//!
//! Meanings are what every proof rests on. Each row of a table that the host can execute is
//! executed here, on words that make carries, borrows and sign bits matter.

#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
mod scalar;
mod x86_64;

use codegen::isa::{Table, Target, table};
use codegen::term::Term;
use codegen::term::tape::Tape;

/// One word for each of eight lanes.
type Lanes = [u64; 8];

/// A row's name, immediates, and the instruction itself.
type Case = (&'static str, &'static [u32], fn(&[Lanes]) -> Vec<Lanes>);

const WORDS: [u64; 19] = [
    0,
    1,
    2,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_fffe_ffff_ffff,
    0xffff_ffff_0000_0000,
    0xffff_ffff_0000_0001,
    0xffff_ffff_0000_0002,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
    0x0123_4567_89ab_cdef,
];

/// Operands for eight lanes: every triple of words occurs in some round and lane.
fn operands(round: usize, operand: usize) -> Lanes {
    std::array::from_fn(|lane| {
        let n = round * 8 + lane;
        WORDS[n / WORDS.len().pow(operand as u32 % 3) % WORDS.len()].rotate_left(operand as u32 / 3)
    })
}

/// Runs every case, and requires a case for every row.
fn check(target: Target, cases: &[Case]) {
    let table: &Table = table(target);
    for row in table.rows() {
        assert!(
            cases.iter().any(|c| c.0 == row.name),
            "no case for {}",
            row.name
        );
    }
    for (name, immediates, execute) in cases {
        let row = table
            .row(name)
            .unwrap_or_else(|| panic!("{name} is not in the table"));
        let kinds = row.sources.iter().enumerate();
        let variables: Vec<Term> = kinds.map(|(n, kind)| Term::var(n, kind.bits())).collect();
        let meaning = Tape::new(&row.apply(&variables, immediates), variables.len());
        for round in 0..WORDS.len().pow(3).div_ceil(8) {
            let fit = |n: usize| {
                let mask = u64::MAX >> (64 - row.sources[n].bits());
                operands(round, n).map(|word| word & mask)
            };
            let sources: Vec<Lanes> = (0..row.sources.len()).map(fit).collect();
            let got = execute(&sources);
            for lane in 0..8 {
                let words: Vec<u128> = sources.iter().map(|s| s[lane].into()).collect();
                let got: Vec<u128> = got.iter().map(|r| r[lane].into()).collect();
                assert_eq!(
                    meaning.eval(&words),
                    got,
                    "{name} {immediates:?} {words:x?}"
                );
            }
        }
    }
}

#[test]
fn scalar() {
    check(Target::Scalar, &scalar::cases());
}

#[test]
fn x86_64() {
    check(Target::X86_64, &[scalar::cases(), x86_64::cases()].concat());
}

#[test]
fn avx2() {
    if is_x86_feature_detected!("avx2") {
        check(Target::Avx2, &avx2::cases());
    } else {
        eprintln!("not run: this CPU has no AVX2");
    }
}

#[test]
fn avx512() {
    if is_x86_feature_detected!("avx512f") {
        check(Target::Avx512, &avx512::cases());
    } else {
        eprintln!("not run: this CPU has no AVX-512F");
    }
}

#[test]
fn avx512ifma() {
    if is_x86_feature_detected!("avx512ifma") {
        check(Target::Avx512Ifma, &avx512::ifma_cases());
    } else {
        eprintln!("not run: this CPU has no AVX-512 IFMA");
    }
}

//! Plain Rust on machine words. Names are paths of `core`, or the operator with its operand type.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::{Bit, Half, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

/// The table.
pub static TABLE: Table = Table {
    target: Target::Scalar,
    syntax: Syntax::Rust,
    module: "",
    features: &[],
    types: &[(Word, "u64"), (Half, "u32"), (Bit, "bool")],
    family: &[ROWS],
};

/// `call!("name", [results] <- [sources], class, meaning)`: a function of `core`.
macro_rules! call {
    ($name:literal, $results:expr, $sources:expr, $class:expr, $meaning:expr) => {
        text!($name, Text::Call, $results, $sources, [], $class, $meaning)
    };
}

macro_rules! text {
    ($name:literal, $text:expr, $results:expr, $sources:expr, $immediates:expr, $class:expr, $meaning:expr) => {
        Row {
            name: $name,
            text: $text,
            line: None,
            results: &$results,
            sources: &$sources,
            immediates: &$immediates,
            class: $class,
            feature: "",
            meaning: $meaning,
        }
    };
}

fn one(bits: u32) -> Term {
    Term::constant(1, bits)
}

fn carrying_mul(s: &[Term], _: &[u32]) -> Vec<Term> {
    let bits = s[0].width();
    let product = s[0].widening_mul(&s[1]);
    vec![product.bits(0, bits), product.bits(bits, bits)]
}

fn overflowing_add(s: &[Term], _: &[u32]) -> Vec<Term> {
    let sum = s[0].add(&s[1]);
    vec![sum.clone(), sum.ult(&s[0])]
}

fn overflowing_sub(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[0].sub(&s[1]), s[0].ult(&s[1])]
}

fn wrapping_neg(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[0].not().add(&one(s[0].width()))]
}

/// The rows.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    call!("u64::wrapping_add", [Word], [Word, Word], Add, |s, _| vec![s[0].add(&s[1])]),
    call!("u64::wrapping_sub", [Word], [Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]),
    call!("u64::wrapping_neg", [Word], [Word], Add, wrapping_neg),
    call!("u64::overflowing_add", [Word, Bit], [Word, Word], Add, overflowing_add),
    call!("u64::overflowing_sub", [Word, Bit], [Word, Word], Add, overflowing_sub),
    call!("u64::wrapping_mul", [Word], [Word, Word], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 64)]),
    text!("u64::carrying_mul", Text::Pattern("u64::carrying_mul({0}, {1}, 0)"), [Word, Word], [Word, Word], [], Multiply, carrying_mul),
    text!("u64 >>", Text::Pattern("{0} >> {i0}"), [Word], [Word], [(0, 63)], Shift, |s, i| vec![s[0].lshr(i[0])]),
    text!("u64 <<", Text::Pattern("{0} << {i0}"), [Word], [Word], [(0, 63)], Shift, |s, i| vec![s[0].shl(i[0])]),
    text!("u64::rotate_right", Text::Pattern("u64::rotate_right({0}, {i0})"), [Word], [Word], [(1, 63)], Shift, |s, i| vec![s[0].lshr(i[0]).or(&s[0].shl(64 - i[0]))]),
    text!("u64 &", Text::Pattern("{0} & {1}"), [Word], [Word, Word], [], Logic, |s, _| vec![s[0].and(&s[1])]),
    text!("u64 |", Text::Pattern("{0} | {1}"), [Word], [Word, Word], [], Logic, |s, _| vec![s[0].or(&s[1])]),
    text!("u64 ^", Text::Pattern("{0} ^ {1}"), [Word], [Word, Word], [], Logic, |s, _| vec![s[0].xor(&s[1])]),
    text!("u64 <", Text::Pattern("{0} < {1}"), [Bit], [Word, Word], [], Compare, |s, _| vec![s[0].ult(&s[1])]),
    text!("u64::min", Text::Call, [Word], [Word, Word], [], Compare, |s, _| vec![s[0].ult(&s[1]).select(&s[0], &s[1])]),
    text!("select_unpredictable u64", Text::Pattern("core::hint::select_unpredictable({0}, {1}, {2})"), [Word], [Bit, Word, Word], [], Select, |s, _| vec![s[0].select(&s[1], &s[2])]),
    call!("u64::from", [Word], [Half], Shuffle, |s, _| vec![s[0].resize(64)]),
    text!("u64::from bool", Text::Pattern("u64::from({0})"), [Word], [Bit], [], Shuffle, |s, _| vec![s[0].resize(64)]),
    call!("u32::from", [Half], [Bit], Shuffle, |s, _| vec![s[0].resize(32)]),
    text!("as u32", Text::Pattern("{0} as u32"), [Half], [Word], [], Shuffle, |s, _| vec![s[0].resize(32)]),
    call!("u32::wrapping_add", [Half], [Half, Half], Add, |s, _| vec![s[0].add(&s[1])]),
    call!("u32::wrapping_sub", [Half], [Half, Half], Add, |s, _| vec![s[0].sub(&s[1])]),
    call!("u32::wrapping_neg", [Half], [Half], Add, wrapping_neg),
    call!("u32::overflowing_add", [Half, Bit], [Half, Half], Add, overflowing_add),
    call!("u32::overflowing_sub", [Half, Bit], [Half, Half], Add, overflowing_sub),
    call!("u32::wrapping_mul", [Half], [Half, Half], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 32)]),
    text!("u32::carrying_mul", Text::Pattern("u32::carrying_mul({0}, {1}, 0)"), [Half, Half], [Half, Half], [], Multiply, carrying_mul),
    text!("u32 >>", Text::Pattern("{0} >> {i0}"), [Half], [Half], [(0, 31)], Shift, |s, i| vec![s[0].lshr(i[0])]),
    text!("u32 <<", Text::Pattern("{0} << {i0}"), [Half], [Half], [(0, 31)], Shift, |s, i| vec![s[0].shl(i[0])]),
    text!("u32 &", Text::Pattern("{0} & {1}"), [Half], [Half, Half], [], Logic, |s, _| vec![s[0].and(&s[1])]),
    call!("u32::min", [Half], [Half, Half], Compare, |s, _| vec![s[0].ult(&s[1]).select(&s[0], &s[1])]),
    text!("select_unpredictable u32", Text::Pattern("core::hint::select_unpredictable({0}, {1}, {2})"), [Half], [Bit, Half, Half], [], Select, |s, _| vec![s[0].select(&s[1], &s[2])]),
];

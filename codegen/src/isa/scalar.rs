//! Plain Rust on machine words. Names are paths of `core`, or the operator with its operand type.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::{Bit, Half, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::Scalar,
    syntax: Syntax::Rust,
    module: "",
    features: &[],
    types: &[(Word, "u64"), (Half, "u32"), (Bit, "bool")],
    vector_bits: 0,
    memory: &[],
    family: &[ROWS],
};

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

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    Row::new("u64::wrapping_add", &[Word], &[Word, Word], Add, |s, _| vec![s[0].add(&s[1])]),
    Row::new("u64::wrapping_sub", &[Word], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]),
    Row::new("u64::wrapping_neg", &[Word], &[Word], Add, wrapping_neg),
    Row::new("u64::overflowing_add", &[Word, Bit], &[Word, Word], Add, overflowing_add),
    Row::new("u64::overflowing_sub", &[Word, Bit], &[Word, Word], Add, overflowing_sub),
    Row::new("u64::wrapping_mul", &[Word], &[Word, Word], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 64)]),
    Row::new("u64::carrying_mul", &[Word, Word], &[Word, Word], Multiply, carrying_mul).written(Text::Pattern("u64::carrying_mul({0}, {1}, 0)")),
    Row::new("u64 >>", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0])]).written(Text::Pattern("{0} >> {i0}")).immediates(&[(0, 63)]),
    Row::new("u64 <<", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).written(Text::Pattern("{0} << {i0}")).immediates(&[(0, 63)]),
    Row::new("u64::rotate_right", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0]).or(&s[0].shl(64 - i[0]))]).written(Text::Pattern("u64::rotate_right({0}, {i0})")).immediates(&[(1, 63)]),
    Row::new("u64 &", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]).written(Text::Pattern("{0} & {1}")),
    Row::new("u64 |", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]).written(Text::Pattern("{0} | {1}")),
    Row::new("u64 ^", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]).written(Text::Pattern("{0} ^ {1}")),
    Row::new("u64 <", &[Bit], &[Word, Word], Compare, |s, _| vec![s[0].ult(&s[1])]).written(Text::Pattern("{0} < {1}")),
    Row::new("u64::min", &[Word], &[Word, Word], Compare, |s, _| vec![s[0].ult(&s[1]).select(&s[0], &s[1])]),
    Row::new("select_unpredictable u64", &[Word], &[Bit, Word, Word], Select, |s, _| vec![s[0].select(&s[1], &s[2])]).written(Text::Pattern("core::hint::select_unpredictable({0}, {1}, {2})")),
    Row::new("u64::from", &[Word], &[Half], Shuffle, |s, _| vec![s[0].resize(64)]),
    Row::new("u64::from bool", &[Word], &[Bit], Shuffle, |s, _| vec![s[0].resize(64)]).written(Text::Pattern("u64::from({0})")),
    Row::new("u32::from", &[Half], &[Bit], Shuffle, |s, _| vec![s[0].resize(32)]),
    Row::new("as u32", &[Half], &[Word], Shuffle, |s, _| vec![s[0].resize(32)]).written(Text::Pattern("{0} as u32")),
    Row::new("u32::wrapping_add", &[Half], &[Half, Half], Add, |s, _| vec![s[0].add(&s[1])]),
    Row::new("u32::wrapping_sub", &[Half], &[Half, Half], Add, |s, _| vec![s[0].sub(&s[1])]),
    Row::new("u32::wrapping_neg", &[Half], &[Half], Add, wrapping_neg),
    Row::new("u32::overflowing_add", &[Half, Bit], &[Half, Half], Add, overflowing_add),
    Row::new("u32::overflowing_sub", &[Half, Bit], &[Half, Half], Add, overflowing_sub),
    Row::new("u32::wrapping_mul", &[Half], &[Half, Half], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 32)]),
    Row::new("u32::carrying_mul", &[Half, Half], &[Half, Half], Multiply, carrying_mul).written(Text::Pattern("u32::carrying_mul({0}, {1}, 0)")),
    Row::new("u32 >>", &[Half], &[Half], Shift, |s, i| vec![s[0].lshr(i[0])]).written(Text::Pattern("{0} >> {i0}")).immediates(&[(0, 31)]),
    Row::new("u32 <<", &[Half], &[Half], Shift, |s, i| vec![s[0].shl(i[0])]).written(Text::Pattern("{0} << {i0}")).immediates(&[(0, 31)]),
    Row::new("u32 &", &[Half], &[Half, Half], Logic, |s, _| vec![s[0].and(&s[1])]).written(Text::Pattern("{0} & {1}")),
    Row::new("u32::min", &[Half], &[Half, Half], Compare, |s, _| vec![s[0].ult(&s[1]).select(&s[0], &s[1])]),
    Row::new("select_unpredictable u32", &[Half], &[Bit, Half, Half], Select, |s, _| vec![s[0].select(&s[1], &s[2])]).written(Text::Pattern("core::hint::select_unpredictable({0}, {1}, {2})")),
];

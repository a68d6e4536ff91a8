//! AVX-512 vectors as 64-bit lanes; a lane's bit of a `__mmask8` is a mask bit.
//!
//! Shuffles are listed only with those immediates that stay within a 64-bit lane.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::{Bit, Word};
use super::{Row, Syntax, Table, Target, Text, x86};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::Avx512,
    syntax: Syntax::Rust,
    module: "core::arch::x86_64",
    features: &["avx512f"],
    types: &[(Word, "__m512i"), (Bit, "__mmask8")],
    vector_bits: 512,
    memory: &["_mm512_set1_epi32", "_mm512_set1_epi64"],
    family: &[ROWS],
};

/// The table with the rows that ask for `avx512ifma`.
pub(super) const TABLE_IFMA: Table = Table {
    target: Target::Avx512Ifma,
    features: &["avx512f", "avx512ifma"],
    family: &[ROWS, IFMA],
    ..TABLE
};

/// The product of the low 52 bits of two lanes.
fn product52(s: &[Term]) -> Term {
    s[1].resize(52).widening_mul(&s[2].resize(52))
}

/// `src, k, a, b`: `a + b` where the mask is set, else `src`.
fn mask_add(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[1].select(&s[2].add(&s[3]), &s[0])]
}

fn mask_sub(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[1].select(&s[2].sub(&s[3]), &s[0])]
}

/// High half from the low half of `b`, low half from `a`.
fn insert_high(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[1].resize(32).concat(&s[0].resize(32))]
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    Row::new("_mm512_add_epi64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].add(&s[1])]),
    Row::new("_mm512_sub_epi64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]),
    Row::new("_mm512_mask_add_epi64", &[Word], &[Word, Bit, Word, Word], Add, mask_add),
    Row::new("_mm512_mask_sub_epi64", &[Word], &[Word, Bit, Word, Word], Add, mask_sub),
    Row::new("_mm512_mul_epu32", &[Word], &[Word, Word], Multiply, |s, _| vec![x86::mul_epu32(&s[0], &s[1])]),
    Row::new("_mm512_and_si512", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]),
    Row::new("_mm512_or_si512", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]),
    Row::new("_mm512_xor_si512", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]),
    Row::new("_mm512_slli_epi64", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).immediates(&[(0, 63)]),
    Row::new("_mm512_srli_epi64", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0])]).immediates(&[(0, 63)]),
    Row::new("_mm512_srai_epi64", &[Word], &[Word], Shift, |s, i| vec![s[0].ashr(i[0])]).immediates(&[(0, 63)]),
    Row::new("_mm512_cmplt_epu64_mask", &[Bit], &[Word, Word], Compare, |s, _| vec![s[0].ult(&s[1])]),
    Row::new("_mm512_cmpge_epu64_mask", &[Bit], &[Word, Word], Compare, |s, _| vec![s[0].ult(&s[1]).not()]),
    Row::new("_mm512_test_epi64_mask", &[Bit], &[Word, Word], Compare, |s, _| vec![s[0].and(&s[1]).equals(&Term::constant(0, 64)).not()]),
    Row::new("_mm512_min_epu64", &[Word], &[Word, Word], Compare, |s, _| vec![x86::min(&s[0], &s[1])]),
    Row::new("_mm512_mask_blend_epi64", &[Word], &[Bit, Word, Word], Select, |s, _| vec![s[0].select(&s[2], &s[1])]),
    Row::new("_mm512_mask_blend_epi32", &[Word], &[Word, Word], Select, |s, _| vec![x86::blend_high(&s[0], &s[1])]).written(Text::Pattern("_mm512_mask_blend_epi32(0xAAAA, {0}, {1})")),
    Row::new("_mm512_shuffle_epi32 hi", &[Word], &[Word], Shuffle, |s, _| vec![x86::high_half_twice(&s[0])]).written(Text::Pattern("_mm512_shuffle_epi32::<0xF5>({0})")),
    Row::new("_mm512_shuffle_epi32 lo", &[Word], &[Word], Shuffle, |s, _| vec![x86::low_half_twice(&s[0])]).written(Text::Pattern("_mm512_shuffle_epi32::<0xA0>({0})")),
    Row::new("_mm512_mask_shuffle_epi32", &[Word], &[Word, Word], Shuffle, insert_high).written(Text::Pattern("_mm512_mask_shuffle_epi32::<0xA0>({0}, 0xAAAA, {1})")),
];

#[rustfmt::skip]
static IFMA: &[Row] = &[
    Row::new("_mm512_madd52lo_epu64", &[Word], &[Word, Word, Word], Multiply, |s, _| vec![s[0].add(&product52(s).bits(0, 52).resize(64))]),
    Row::new("_mm512_madd52hi_epu64", &[Word], &[Word, Word, Word], Multiply, |s, _| vec![s[0].add(&product52(s).bits(52, 52).resize(64))]),
];

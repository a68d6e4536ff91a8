//! AVX2 vectors as 64-bit lanes; a lane of a 31-bit field holds two elements.
//!
//! Shuffles are listed only with those immediates that stay within a 64-bit lane.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::Word;
use super::{Row, Syntax, Table, Target, Text, x86};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::Avx2,
    syntax: Syntax::Rust,
    module: "core::arch::x86_64",
    features: &["avx2"],
    types: &[(Word, "__m256i")],
    vector_bits: 256,
    memory: &["_mm256_set1_epi32", "_mm256_set1_epi64x"],
    family: &[ROWS],
};

/// Takes the second operand where the sign bit of the third is set.
fn blendv_pd(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[2].bits(63, 1).select(&s[1], &s[0])]
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    Row::new("_mm256_add_epi64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].add(&s[1])]),
    Row::new("_mm256_sub_epi64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]),
    Row::new("_mm256_add_epi32", &[Word], &[Word, Word], Add, |s, _| x86::by_halves(&s[0], &s[1], Term::add)),
    Row::new("_mm256_sub_epi32", &[Word], &[Word, Word], Add, |s, _| x86::by_halves(&s[0], &s[1], Term::sub)),
    Row::new("_mm256_mul_epu32", &[Word], &[Word, Word], Multiply, |s, _| vec![x86::mul_epu32(&s[0], &s[1])]),
    Row::new("_mm256_and_si256", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]),
    Row::new("_mm256_andnot_si256", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].not().and(&s[1])]),
    Row::new("_mm256_or_si256", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]),
    Row::new("_mm256_xor_si256", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]),
    Row::new("_mm256_slli_epi64", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).immediates(&[(0, 63)]),
    Row::new("_mm256_srli_epi64", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0])]).immediates(&[(0, 63)]),
    Row::new("_mm256_slli_epi32", &[Word], &[Word], Shift, |s, i| x86::each_half(&s[0], |x| x.shl(i[0]))).immediates(&[(0, 31)]),
    Row::new("_mm256_srli_epi32", &[Word], &[Word], Shift, |s, i| x86::each_half(&s[0], |x| x.lshr(i[0]))).immediates(&[(0, 31)]),
    Row::new("_mm256_srai_epi32", &[Word], &[Word], Shift, |s, i| x86::each_half(&s[0], |x| x.ashr(i[0]))).immediates(&[(0, 31)]),
    Row::new("_mm256_cmpgt_epi64", &[Word], &[Word, Word], Compare, |s, _| vec![x86::mask(&s[1].slt(&s[0]))]),
    Row::new("_mm256_cmpeq_epi64", &[Word], &[Word, Word], Compare, |s, _| vec![x86::mask(&s[0].equals(&s[1]))]),
    Row::new("_mm256_cmpgt_epi32", &[Word], &[Word, Word], Compare, |s, _| x86::by_halves(&s[0], &s[1], |a, b| b.slt(a).sign_extend(32))),
    Row::new("_mm256_cmpeq_epi32", &[Word], &[Word, Word], Compare, |s, _| x86::by_halves(&s[0], &s[1], |a, b| a.equals(b).sign_extend(32))),
    Row::new("_mm256_min_epu32", &[Word], &[Word, Word], Compare, |s, _| x86::by_halves(&s[0], &s[1], x86::min)),
    Row::new("_mm256_blendv_pd", &[Word], &[Word, Word, Word], Select, blendv_pd).written(Text::Cast("_mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd({0}), _mm256_castsi256_pd({1}), _mm256_castsi256_pd({2})))")),
    Row::new("_mm256_blend_epi32", &[Word], &[Word, Word], Select, |s, _| vec![x86::blend_high(&s[0], &s[1])]).written(Text::Pattern("_mm256_blend_epi32::<0xAA>({0}, {1})")),
    Row::new("_mm256_shuffle_epi32 hi", &[Word], &[Word], Shuffle, |s, _| vec![x86::high_half_twice(&s[0])]).written(Text::Pattern("_mm256_shuffle_epi32::<0xF5>({0})")),
    Row::new("_mm256_shuffle_epi32 lo", &[Word], &[Word], Shuffle, |s, _| vec![x86::low_half_twice(&s[0])]).written(Text::Pattern("_mm256_shuffle_epi32::<0xA0>({0})")),
];

//! NEON vectors: `uint64x2_t` is a word per lane, `uint32x2_t` a half word per lane.
//!
//! Compares give words of all ones or all zeros. A row has the intrinsic and the instruction that it stands
//! for, as Arm's reference has it.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::{Half, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::Neon,
    syntax: Syntax::Rust,
    module: "core::arch::aarch64",
    features: &["neon"],
    types: &[(Word, "uint64x2_t"), (Half, "uint32x2_t")],
    vector_bits: 128,
    memory: &["vdup_n_u32", "vdupq_n_u64"],
    family: &[ROWS],
};

/// Shift right by 1 to 64: by 64 nothing is left.
fn shr(x: &Term, by: u32) -> Term {
    if by == 64 {
        Term::constant(0, 64)
    } else {
        x.lshr(by)
    }
}

fn mask(condition: &Term) -> Vec<Term> {
    vec![condition.sign_extend(64)]
}

/// The sum of signed words; the greatest or least one where it is out of range.
fn saturated(a: &Term, b: &Term) -> Vec<Term> {
    let (sum, sign) = (a.add(b), |x: &Term| x.bits(63, 1));
    let least = Term::constant(1 << 63, 64);
    let bound = sign(a).select(&least, &least.not());
    let over = sign(a).xor(&sign(b)).not().and(&sign(a).xor(&sign(&sum)));
    vec![over.select(&bound, &sum)]
}

/// `b` shifted left, over the low bits of `a`.
fn sli(s: &[Term], i: &[u32]) -> Vec<Term> {
    vec![match i[0] {
        0 => s[1].clone(),
        by => s[1].resize(64 - by).concat(&s[0].resize(by)),
    }]
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    Row::new("vaddq_u64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].add(&s[1])]).line(Text::Call, "add {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vsubq_u64", &[Word], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]).line(Text::Call, "sub {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vqaddq_s64", &[Word], &[Word, Word], Add, |s, _| saturated(&s[0], &s[1])).line(Text::Cast("vreinterpretq_u64_s64(vqaddq_s64(vreinterpretq_s64_u64({0}), vreinterpretq_s64_u64({1})))"), "sqadd {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vaddw_u32", &[Word], &[Word, Half], Add, |s, _| vec![s[0].add(&s[1].resize(64))]).line(Text::Call, "uaddw {r0:v}.2d, {0:v}.2d, {1:v}.2s"),
    Row::new("vsubw_u32", &[Word], &[Word, Half], Add, |s, _| vec![s[0].sub(&s[1].resize(64))]).line(Text::Call, "usubw {r0:v}.2d, {0:v}.2d, {1:v}.2s"),
    Row::new("vaddl_u32", &[Word], &[Half, Half], Add, |s, _| vec![s[0].resize(64).add(&s[1].resize(64))]).line(Text::Call, "uaddl {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    Row::new("vsubl_u32", &[Word], &[Half, Half], Add, |s, _| vec![s[0].resize(64).sub(&s[1].resize(64))]).line(Text::Call, "usubl {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    Row::new("vmull_u32", &[Word], &[Half, Half], Multiply, |s, _| vec![s[0].widening_mul(&s[1])]).line(Text::Call, "umull {r0:v}.2d, {0:v}.2s, {1:v}.2s"),
    Row::new("vmlal_u32", &[Word], &[Word, Half, Half], Multiply, |s, _| vec![s[0].add(&s[1].widening_mul(&s[2]))]).line(Text::Call, "umlal {r0:v}.2d, {1:v}.2s, {2:v}.2s"),
    Row::new("vmlsl_u32", &[Word], &[Word, Half, Half], Multiply, |s, _| vec![s[0].sub(&s[1].widening_mul(&s[2]))]).line(Text::Call, "umlsl {r0:v}.2d, {1:v}.2s, {2:v}.2s"),
    Row::new("vandq_u64", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]).line(Text::Call, "and {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    Row::new("vorrq_u64", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]).line(Text::Call, "orr {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    Row::new("veorq_u64", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]).line(Text::Call, "eor {r0:v}.16b, {0:v}.16b, {1:v}.16b"),
    Row::new("vbslq_u64", &[Word], &[Word, Word, Word], Select, |s, _| vec![s[0].and(&s[1]).or(&s[0].not().and(&s[2]))]).line(Text::Call, "bsl {r0:v}.16b, {1:v}.16b, {2:v}.16b"),
    Row::new("vshlq_n_u64", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).line(Text::Call, "shl {r0:v}.2d, {0:v}.2d, #{i0}").immediates(&[(0, 63)]),
    Row::new("vshrq_n_u64", &[Word], &[Word], Shift, |s, i| vec![shr(&s[0], i[0])]).line(Text::Call, "ushr {r0:v}.2d, {0:v}.2d, #{i0}").immediates(&[(1, 64)]),
    Row::new("vsraq_n_u64", &[Word], &[Word, Word], Shift, |s, i| vec![s[0].add(&shr(&s[1], i[0]))]).line(Text::Call, "usra {r0:v}.2d, {1:v}.2d, #{i0}").immediates(&[(1, 64)]),
    Row::new("vsliq_n_u64", &[Word], &[Word, Word], Shift, sli).line(Text::Call, "sli {r0:v}.2d, {1:v}.2d, #{i0}").immediates(&[(0, 63)]),
    Row::new("vcgtq_u64", &[Word], &[Word, Word], Compare, |s, _| mask(&s[1].ult(&s[0]))).line(Text::Call, "cmhi {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vcgeq_u64", &[Word], &[Word, Word], Compare, |s, _| mask(&s[0].ult(&s[1]).not())).line(Text::Call, "cmhs {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vtstq_u64", &[Word], &[Word, Word], Compare, |s, _| mask(&s[0].and(&s[1]).equals(&Term::constant(0, 64)).not())).line(Text::Call, "cmtst {r0:v}.2d, {0:v}.2d, {1:v}.2d"),
    Row::new("vmovn_u64", &[Half], &[Word], Shuffle, |s, _| vec![s[0].resize(32)]).line(Text::Call, "xtn {r0:v}.2s, {0:v}.2d"),
    Row::new("vshrn_n_u64", &[Half], &[Word], Shuffle, |s, i| vec![s[0].bits(i[0], 32)]).line(Text::Call, "shrn {r0:v}.2s, {0:v}.2d, #{i0}").immediates(&[(1, 32)]),
    Row::new("vmovl_u32", &[Word], &[Half], Shuffle, |s, _| vec![s[0].resize(64)]).line(Text::Call, "ushll {r0:v}.2d, {0:v}.2s, #0"),
];

/// A lane's word into a general register. The meaning of this, and of the way back, is that of the
/// lane that it names.
#[rustfmt::skip]
pub static TAKE: [Row; 2] = [
    Row::new("take lane 0", &[Word], &[Word], Shuffle, |s, _| vec![s[0].clone()]).line(Text::Line, "fmov {r0}, {0:d}"),
    Row::new("take lane 1", &[Word], &[Word], Shuffle, |s, _| vec![s[0].clone()]).line(Text::Line, "mov {r0}, {0:v}.d[1]"),
];

/// Two words into the lanes of a vector, one after the other.
#[rustfmt::skip]
pub static JOIN: [Row; 2] = [
    Row::new("join lane 0", &[Word], &[Word], Shuffle, |s, _| vec![s[0].clone()]).line(Text::Line, "fmov {r0:d}, {0}"),
    Row::new("join lane 1", &[Word], &[Word, Word], Shuffle, |s, _| vec![s[1].clone()]).line(Text::Line, "mov {r0:v}.d[1], {1}"),
];

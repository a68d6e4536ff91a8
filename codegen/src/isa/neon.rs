//! NEON vectors: `uint64x2_t` is a word per lane, `uint32x2_t` a half word per lane.
//!
//! Compares give words of all ones or all zeros. A row has the intrinsic and the instruction that it stands
//! for, as Arm's reference has it.

use super::Class::{Add, Compare, Logic, Multiply, Select, Shift, Shuffle};
use super::Kind::{Half, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

/// The table.
pub static TABLE: Table = Table {
    target: Target::Neon,
    syntax: Syntax::Rust,
    module: "core::arch::aarch64",
    features: &["neon"],
    types: &[(Word, "uint64x2_t"), (Half, "uint32x2_t")],
    family: &[ROWS],
};

macro_rules! neon {
    ($name:literal, $line:literal, $result:expr, $sources:expr, $class:expr, $meaning:expr) => {
        neon!($name, $line, $result, $sources, [], $class, $meaning)
    };
    ($name:literal, $line:literal, $result:expr, $sources:expr, $immediates:expr, $class:expr, $meaning:expr) => {
        Row {
            name: $name,
            text: Text::Call,
            line: Some($line),
            results: &[$result],
            sources: &$sources,
            immediates: &$immediates,
            class: $class,
            feature: "neon",
            meaning: $meaning,
        }
    };
}

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

/// The rows.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    neon!("vaddq_u64", "add {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Add, |s, _| vec![s[0].add(&s[1])]),
    neon!("vsubq_u64", "sub {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]),
    Row {
        text: Text::Cast("vreinterpretq_u64_s64(vqaddq_s64(vreinterpretq_s64_u64({0}), vreinterpretq_s64_u64({1})))"),
        ..neon!("vqaddq_s64", "sqadd {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Add, |s, _| saturated(&s[0], &s[1]))
    },
    neon!("vaddw_u32", "uaddw {r0:v}.2d, {0:v}.2d, {1:v}.2s", Word, [Word, Half], Add, |s, _| vec![s[0].add(&s[1].resize(64))]),
    neon!("vsubw_u32", "usubw {r0:v}.2d, {0:v}.2d, {1:v}.2s", Word, [Word, Half], Add, |s, _| vec![s[0].sub(&s[1].resize(64))]),
    neon!("vaddl_u32", "uaddl {r0:v}.2d, {0:v}.2s, {1:v}.2s", Word, [Half, Half], Add, |s, _| vec![s[0].resize(64).add(&s[1].resize(64))]),
    neon!("vsubl_u32", "usubl {r0:v}.2d, {0:v}.2s, {1:v}.2s", Word, [Half, Half], Add, |s, _| vec![s[0].resize(64).sub(&s[1].resize(64))]),
    neon!("vmull_u32", "umull {r0:v}.2d, {0:v}.2s, {1:v}.2s", Word, [Half, Half], Multiply, |s, _| vec![s[0].widening_mul(&s[1])]),
    neon!("vmlal_u32", "umlal {r0:v}.2d, {1:v}.2s, {2:v}.2s", Word, [Word, Half, Half], Multiply, |s, _| vec![s[0].add(&s[1].widening_mul(&s[2]))]),
    neon!("vmlsl_u32", "umlsl {r0:v}.2d, {1:v}.2s, {2:v}.2s", Word, [Word, Half, Half], Multiply, |s, _| vec![s[0].sub(&s[1].widening_mul(&s[2]))]),
    neon!("vandq_u64", "and {r0:v}.16b, {0:v}.16b, {1:v}.16b", Word, [Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]),
    neon!("vorrq_u64", "orr {r0:v}.16b, {0:v}.16b, {1:v}.16b", Word, [Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]),
    neon!("veorq_u64", "eor {r0:v}.16b, {0:v}.16b, {1:v}.16b", Word, [Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]),
    neon!("vbslq_u64", "bsl {r0:v}.16b, {1:v}.16b, {2:v}.16b", Word, [Word, Word, Word], Select, |s, _| vec![s[0].and(&s[1]).or(&s[0].not().and(&s[2]))]),
    neon!("vshlq_n_u64", "shl {r0:v}.2d, {0:v}.2d, #{i0}", Word, [Word], [(0, 63)], Shift, |s, i| vec![s[0].shl(i[0])]),
    neon!("vshrq_n_u64", "ushr {r0:v}.2d, {0:v}.2d, #{i0}", Word, [Word], [(1, 64)], Shift, |s, i| vec![shr(&s[0], i[0])]),
    neon!("vsraq_n_u64", "usra {r0:v}.2d, {1:v}.2d, #{i0}", Word, [Word, Word], [(1, 64)], Shift, |s, i| vec![s[0].add(&shr(&s[1], i[0]))]),
    neon!("vsliq_n_u64", "sli {r0:v}.2d, {1:v}.2d, #{i0}", Word, [Word, Word], [(0, 63)], Shift, sli),
    neon!("vcgtq_u64", "cmhi {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Compare, |s, _| mask(&s[1].ult(&s[0]))),
    neon!("vcgeq_u64", "cmhs {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Compare, |s, _| mask(&s[0].ult(&s[1]).not())),
    neon!("vtstq_u64", "cmtst {r0:v}.2d, {0:v}.2d, {1:v}.2d", Word, [Word, Word], Compare, |s, _| mask(&s[0].and(&s[1]).equals(&Term::constant(0, 64)).not())),
    neon!("vmovn_u64", "xtn {r0:v}.2s, {0:v}.2d", Half, [Word], Shuffle, |s, _| vec![s[0].resize(32)]),
    neon!("vshrn_n_u64", "shrn {r0:v}.2s, {0:v}.2d, #{i0}", Half, [Word], [(1, 32)], Shuffle, |s, i| vec![s[0].bits(i[0], 32)]),
    neon!("vmovl_u32", "ushll {r0:v}.2d, {0:v}.2s, #0", Word, [Half], Shuffle, |s, _| vec![s[0].resize(64)]),
];

/// A lane's word into a general register.
pub static TAKE: [Row; 2] = [
    moved("take lane 0", "fmov {r0}, {0:d}", &[Word], |s, _| {
        vec![s[0].clone()]
    }),
    moved("take lane 1", "mov {r0}, {0:v}.d[1]", &[Word], |s, _| {
        vec![s[0].clone()]
    }),
];

/// Two words into the lanes of a vector, one after the other.
pub static JOIN: [Row; 2] = [
    moved("join lane 0", "fmov {r0:d}, {0}", &[Word], |s, _| {
        vec![s[0].clone()]
    }),
    moved(
        "join lane 1",
        "mov {r0:v}.d[1], {1}",
        &[Word, Word],
        |s, _| vec![s[1].clone()],
    ),
];

/// A move between vectors and general registers. Its meaning is that of the lane that it names.
const fn moved(
    name: &'static str,
    line: &'static str,
    sources: &'static [super::Kind],
    meaning: fn(&[Term], &[u32]) -> Vec<Term>,
) -> Row {
    Row {
        name,
        text: Text::Line,
        line: Some(line),
        results: &[Word],
        sources,
        immediates: &[],
        class: Shuffle,
        feature: "neon",
        meaning,
    }
}

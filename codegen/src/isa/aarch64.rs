//! AArch64 general registers. Flags are an explicit result; `t:w` is the 32-bit view of `t`.
//!
//! Only the carry and zero flags are modelled: templates read no other.

use super::Class::{Add, Logic, Multiply, Select, Shift};
use super::Kind::{Flags, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::Aarch64,
    syntax: Syntax::Assembler,
    module: "",
    features: &["neon"],
    types: &[(Word, "u64")],
    vector_bits: 0,
    memory: &[],
    family: &[ROWS],
};

/// C above Z.
fn flags(carry: &Term, result: &Term) -> Term {
    carry.concat(&result.equals(&Term::constant(0, result.width())))
}

fn adds(a: &Term, b: &Term) -> Vec<Term> {
    let sum = a.add(b);
    vec![sum.clone(), flags(&sum.ult(a), &sum)]
}

/// C is set when there is *no* borrow.
fn subs(a: &Term, b: &Term) -> Vec<Term> {
    let difference = a.sub(b);
    vec![difference.clone(), flags(&a.ult(b).not(), &difference)]
}

fn carry(flags: &Term) -> Term {
    flags.bits(1, 1)
}

fn zero(flags: &Term) -> Term {
    flags.bits(0, 1)
}

fn word(value: u128) -> Term {
    Term::constant(value, 64)
}

/// All ones in the low 32 bits, zeros above: what `csetm w` leaves in the register.
fn csetm(condition: &Term) -> Term {
    condition.select(&word(0xffff_ffff), &word(0))
}

fn low(x: &Term) -> Term {
    x.resize(32)
}

fn sbfx(s: &[Term], i: &[u32]) -> Vec<Term> {
    let (from, width) = (i[0], i[1].min(64 - i[0]));
    vec![s[0].bits(from, width).sign_extend(64)]
}

fn ubfiz(s: &[Term], i: &[u32]) -> Vec<Term> {
    let width = i[1].min(64 - i[0]);
    vec![s[0].resize(width).resize(64).shl(i[0])]
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    Row::new("add", &[Word], &[Word, Word], Add, |s, _| vec![s[0].add(&s[1])]).line(Text::Line, "add {r0}, {0}, {1}"),
    Row::new("add lsl", &[Word], &[Word, Word], Add, |s, i| vec![s[0].add(&s[1].shl(i[0]))]).line(Text::Line, "add {r0}, {0}, {1}, lsl #{i0}").immediates(&[(1, 63)]),
    Row::new("add lsr", &[Word], &[Word, Word], Add, |s, i| vec![s[0].add(&s[1].lshr(i[0]))]).line(Text::Line, "add {r0}, {0}, {1}, lsr #{i0}").immediates(&[(1, 63)]),
    Row::new("sub", &[Word], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1])]).line(Text::Line, "sub {r0}, {0}, {1}"),
    Row::new("sub lsl", &[Word], &[Word, Word], Add, |s, i| vec![s[0].sub(&s[1].shl(i[0]))]).line(Text::Line, "sub {r0}, {0}, {1}, lsl #{i0}").immediates(&[(1, 63)]),
    Row::new("sub lsr", &[Word], &[Word, Word], Add, |s, i| vec![s[0].sub(&s[1].lshr(i[0]))]).line(Text::Line, "sub {r0}, {0}, {1}, lsr #{i0}").immediates(&[(1, 63)]),
    Row::new("adds", &[Word, Flags], &[Word, Word], Add, |s, _| adds(&s[0], &s[1])).line(Text::Line, "adds {r0}, {0}, {1}"),
    Row::new("adds lsl", &[Word, Flags], &[Word, Word], Add, |s, i| adds(&s[0], &s[1].shl(i[0]))).line(Text::Line, "adds {r0}, {0}, {1}, lsl #{i0}").immediates(&[(1, 63)]),
    Row::new("subs", &[Word, Flags], &[Word, Word], Add, |s, _| subs(&s[0], &s[1])).line(Text::Line, "subs {r0}, {0}, {1}"),
    Row::new("subs lsl", &[Word, Flags], &[Word, Word], Add, |s, i| subs(&s[0], &s[1].shl(i[0]))).line(Text::Line, "subs {r0}, {0}, {1}, lsl #{i0}").immediates(&[(1, 63)]),
    Row::new("subs lsr", &[Word, Flags], &[Word, Word], Add, |s, i| subs(&s[0], &s[1].lshr(i[0]))).line(Text::Line, "subs {r0}, {0}, {1}, lsr #{i0}").immediates(&[(1, 63)]),
    Row::new("csel cs", &[Word], &[Word, Word, Flags], Select, |s, _| vec![carry(&s[2]).select(&s[0], &s[1])]).line(Text::Line, "csel {r0}, {0}, {1}, cs"),
    Row::new("csel cc", &[Word], &[Word, Word, Flags], Select, |s, _| vec![carry(&s[2]).select(&s[1], &s[0])]).line(Text::Line, "csel {r0}, {0}, {1}, cc"),
    Row::new("csel eq", &[Word], &[Word, Word, Flags], Select, |s, _| vec![zero(&s[2]).select(&s[0], &s[1])]).line(Text::Line, "csel {r0}, {0}, {1}, eq"),
    Row::new("csel ne", &[Word], &[Word, Word, Flags], Select, |s, _| vec![zero(&s[2]).select(&s[1], &s[0])]).line(Text::Line, "csel {r0}, {0}, {1}, ne"),
    Row::new("csetm w cs", &[Word], &[Flags], Select, |s, _| vec![csetm(&carry(&s[0]))]).line(Text::Line, "csetm {r0:w}, cs"),
    Row::new("csetm w cc", &[Word], &[Flags], Select, |s, _| vec![csetm(&carry(&s[0]).not())]).line(Text::Line, "csetm {r0:w}, cc"),
    Row::new("cset cs", &[Word], &[Flags], Select, |s, _| vec![carry(&s[0]).resize(64)]).line(Text::Line, "cset {r0}, cs"),
    Row::new("cset cc", &[Word], &[Flags], Select, |s, _| vec![carry(&s[0]).not().resize(64)]).line(Text::Line, "cset {r0}, cc"),
    Row::new("mul", &[Word], &[Word, Word], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 64)]).line(Text::Line, "mul {r0}, {0}, {1}"),
    Row::new("umulh", &[Word], &[Word, Word], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(64, 64)]).line(Text::Line, "umulh {r0}, {0}, {1}"),
    Row::new("umull", &[Word], &[Word, Word], Multiply, |s, _| vec![low(&s[0]).widening_mul(&low(&s[1]))]).line(Text::Line, "umull {r0}, {0:w}, {1:w}"),
    Row::new("umaddl", &[Word], &[Word, Word, Word], Multiply, |s, _| vec![s[2].add(&low(&s[0]).widening_mul(&low(&s[1])))]).line(Text::Line, "umaddl {r0}, {0:w}, {1:w}, {2}"),
    Row::new("lsl", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).line(Text::Line, "lsl {r0}, {0}, #{i0}").immediates(&[(0, 63)]),
    Row::new("lsr", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0])]).line(Text::Line, "lsr {r0}, {0}, #{i0}").immediates(&[(0, 63)]),
    Row::new("sbfx", &[Word], &[Word], Shift, sbfx).line(Text::Line, "sbfx {r0}, {0}, #{i0}, #{i1}").immediates(&[(0, 63), (1, 64)]),
    Row::new("ubfiz", &[Word], &[Word], Shift, ubfiz).line(Text::Line, "ubfiz {r0}, {0}, #{i0}, #{i1}").immediates(&[(0, 63), (1, 64)]),
    Row::new("and", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].and(&s[1])]).line(Text::Line, "and {r0}, {0}, {1}"),
    Row::new("orr", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].or(&s[1])]).line(Text::Line, "orr {r0}, {0}, {1}"),
    Row::new("eor", &[Word], &[Word, Word], Logic, |s, _| vec![s[0].xor(&s[1])]).line(Text::Line, "eor {r0}, {0}, {1}"),
    Row::new("tst", &[Flags], &[Word, Word], Logic, |s, _| vec![flags(&Term::constant(0, 1), &s[0].and(&s[1]))]).line(Text::Line, "tst {0}, {1}"),
];

//! AArch64 general registers. Flags are an explicit result; `t:w` is the 32-bit view of `t`.
//!
//! Only the carry and zero flags are modelled: templates read no other.

use super::Class::{Add, Logic, Multiply, Select, Shift};
use super::Kind::{Flags, Word};
use super::{Row, Syntax, Table, Target, Text};
use crate::term::Term;

/// The table.
pub static TABLE: Table = Table {
    target: Target::Aarch64,
    syntax: Syntax::Assembler,
    module: "",
    features: &["neon"],
    types: &[(Word, "u64")],
    family: &[ROWS],
};

macro_rules! asm {
    ($name:literal, $line:literal, $results:expr, $sources:expr, $immediates:expr, $class:expr, $meaning:expr) => {
        Row {
            name: $name,
            text: Text::Line,
            line: Some($line),
            results: &$results,
            sources: &$sources,
            immediates: &$immediates,
            class: $class,
            feature: "",
            meaning: $meaning,
        }
    };
}

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

/// The rows.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    asm!("add", "add {r0}, {0}, {1}", [Word], [Word, Word], [], Add, |s, _| vec![s[0].add(&s[1])]),
    asm!("add lsl", "add {r0}, {0}, {1}, lsl #{i0}", [Word], [Word, Word], [(1, 63)], Add, |s, i| vec![s[0].add(&s[1].shl(i[0]))]),
    asm!("add lsr", "add {r0}, {0}, {1}, lsr #{i0}", [Word], [Word, Word], [(1, 63)], Add, |s, i| vec![s[0].add(&s[1].lshr(i[0]))]),
    asm!("sub", "sub {r0}, {0}, {1}", [Word], [Word, Word], [], Add, |s, _| vec![s[0].sub(&s[1])]),
    asm!("sub lsl", "sub {r0}, {0}, {1}, lsl #{i0}", [Word], [Word, Word], [(1, 63)], Add, |s, i| vec![s[0].sub(&s[1].shl(i[0]))]),
    asm!("sub lsr", "sub {r0}, {0}, {1}, lsr #{i0}", [Word], [Word, Word], [(1, 63)], Add, |s, i| vec![s[0].sub(&s[1].lshr(i[0]))]),
    asm!("adds", "adds {r0}, {0}, {1}", [Word, Flags], [Word, Word], [], Add, |s, _| adds(&s[0], &s[1])),
    asm!("adds lsl", "adds {r0}, {0}, {1}, lsl #{i0}", [Word, Flags], [Word, Word], [(1, 63)], Add, |s, i| adds(&s[0], &s[1].shl(i[0]))),
    asm!("subs", "subs {r0}, {0}, {1}", [Word, Flags], [Word, Word], [], Add, |s, _| subs(&s[0], &s[1])),
    asm!("subs lsl", "subs {r0}, {0}, {1}, lsl #{i0}", [Word, Flags], [Word, Word], [(1, 63)], Add, |s, i| subs(&s[0], &s[1].shl(i[0]))),
    asm!("subs lsr", "subs {r0}, {0}, {1}, lsr #{i0}", [Word, Flags], [Word, Word], [(1, 63)], Add, |s, i| subs(&s[0], &s[1].lshr(i[0]))),
    asm!("csel cs", "csel {r0}, {0}, {1}, cs", [Word], [Word, Word, Flags], [], Select, |s, _| vec![carry(&s[2]).select(&s[0], &s[1])]),
    asm!("csel cc", "csel {r0}, {0}, {1}, cc", [Word], [Word, Word, Flags], [], Select, |s, _| vec![carry(&s[2]).select(&s[1], &s[0])]),
    asm!("csel eq", "csel {r0}, {0}, {1}, eq", [Word], [Word, Word, Flags], [], Select, |s, _| vec![zero(&s[2]).select(&s[0], &s[1])]),
    asm!("csel ne", "csel {r0}, {0}, {1}, ne", [Word], [Word, Word, Flags], [], Select, |s, _| vec![zero(&s[2]).select(&s[1], &s[0])]),
    asm!("csetm w cs", "csetm {r0:w}, cs", [Word], [Flags], [], Select, |s, _| vec![csetm(&carry(&s[0]))]),
    asm!("csetm w cc", "csetm {r0:w}, cc", [Word], [Flags], [], Select, |s, _| vec![csetm(&carry(&s[0]).not())]),
    asm!("cset cs", "cset {r0}, cs", [Word], [Flags], [], Select, |s, _| vec![carry(&s[0]).resize(64)]),
    asm!("cset cc", "cset {r0}, cc", [Word], [Flags], [], Select, |s, _| vec![carry(&s[0]).not().resize(64)]),
    asm!("mul", "mul {r0}, {0}, {1}", [Word], [Word, Word], [], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(0, 64)]),
    asm!("umulh", "umulh {r0}, {0}, {1}", [Word], [Word, Word], [], Multiply, |s, _| vec![s[0].widening_mul(&s[1]).bits(64, 64)]),
    asm!("umull", "umull {r0}, {0:w}, {1:w}", [Word], [Word, Word], [], Multiply, |s, _| vec![low(&s[0]).widening_mul(&low(&s[1]))]),
    asm!("umaddl", "umaddl {r0}, {0:w}, {1:w}, {2}", [Word], [Word, Word, Word], [], Multiply, |s, _| vec![s[2].add(&low(&s[0]).widening_mul(&low(&s[1])))]),
    asm!("lsl", "lsl {r0}, {0}, #{i0}", [Word], [Word], [(0, 63)], Shift, |s, i| vec![s[0].shl(i[0])]),
    asm!("lsr", "lsr {r0}, {0}, #{i0}", [Word], [Word], [(0, 63)], Shift, |s, i| vec![s[0].lshr(i[0])]),
    asm!("sbfx", "sbfx {r0}, {0}, #{i0}, #{i1}", [Word], [Word], [(0, 63), (1, 64)], Shift, sbfx),
    asm!("ubfiz", "ubfiz {r0}, {0}, #{i0}, #{i1}", [Word], [Word], [(0, 63), (1, 64)], Shift, ubfiz),
    asm!("and", "and {r0}, {0}, {1}", [Word], [Word, Word], [], Logic, |s, _| vec![s[0].and(&s[1])]),
    asm!("orr", "orr {r0}, {0}, {1}", [Word], [Word, Word], [], Logic, |s, _| vec![s[0].or(&s[1])]),
    asm!("eor", "eor {r0}, {0}, {1}", [Word], [Word, Word], [], Logic, |s, _| vec![s[0].xor(&s[1])]),
    asm!("tst", "tst {0}, {1}", [Flags], [Word, Word], [], Logic, |s, _| vec![flags(&Term::constant(0, 1), &s[0].and(&s[1]))]),
];

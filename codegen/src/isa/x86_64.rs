//! x86-64 general registers: plain Rust, and instructions whose carry the next one reads.
//!
//! Rust has no way to say that a borrow becomes a mask by one `sbb`, and what LLVM makes of the
//! usual ways it may spread over vectors. So bodies that hang on the carry flag are a few lines of
//! inline assembler; the compiler allocates their registers and schedules around them.
//!
//! Two-operand instructions: the result takes the place of the first source. Only the carry flag is
//! modelled (AMD64 Architecture Programmer's Manual, volume 3: ADD, SUB, SBB, SHL, SHR).

use super::Class::{Add, Select, Shift};
use super::Kind::{Bit, Half, Word};
use super::{Row, Syntax, Table, Target, Text, scalar};
use crate::term::Term;

pub(super) const TABLE: Table = Table {
    target: Target::X86_64,
    syntax: Syntax::Rust,
    module: "",
    features: &[],
    types: &[(Word, "u64"), (Half, "u32"), (Bit, "bool")],
    vector_bits: 0,
    memory: &[],
    family: &[ROWS, scalar::ROWS],
};

fn add(s: &[Term], _: &[u32]) -> Vec<Term> {
    let sum = s[0].add(&s[1]);
    vec![sum.clone(), sum.ult(&s[0])]
}

/// The sum of the low halves; the upper half of the register becomes zero.
fn add32(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[0].resize(32).add(&s[1].resize(32)).resize(64)]
}

fn sbb(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[0].sub(&s[1]).sub(&s[2].resize(64))]
}

/// Of a register with itself: all ones in its low half if there was a carry, and zero above.
fn sbb32(s: &[Term], _: &[u32]) -> Vec<Term> {
    vec![s[0].sign_extend(32).resize(64)]
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    Row::new("add", &[Word, Bit], &[Word, Word], Add, add).line(Text::Named, "add {r0}, {1}"),
    Row::new("add32", &[Word], &[Word, Word], Add, add32).line(Text::Named, "add {r0:e}, {1:e}"),
    Row::new("sub", &[Word, Bit], &[Word, Word], Add, |s, _| vec![s[0].sub(&s[1]), s[0].ult(&s[1])]).line(Text::Named, "sub {r0}, {1}"),
    Row::new("sbb", &[Word], &[Word, Word, Bit], Add, sbb).line(Text::Named, "sbb {r0}, {1}"),
    Row::new("sbb32", &[Word], &[Bit], Select, sbb32).line(Text::Named, "sbb {r0:e}, {r0:e}"),
    Row::new("shl", &[Word], &[Word], Shift, |s, i| vec![s[0].shl(i[0])]).line(Text::Named, "shl {r0}, {i0}").immediates(&[(1, 63)]),
    Row::new("shr", &[Word], &[Word], Shift, |s, i| vec![s[0].lshr(i[0])]).line(Text::Named, "shr {r0}, {i0}").immediates(&[(1, 63)]),
];

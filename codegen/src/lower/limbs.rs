//! Strategy `limbs`: an element is `low + 2^32·high` in two signed words, multiplied by the 52-bit
//! multiply-accumulate of AVX-512 IFMA and never packed inside the permutation.
//!
//! An S-box takes limbs of at most 33 bits, which `carry` makes of anything that fits 63, and
//! multiplies without a reduction: limbs of `x²`, `x³` and `x⁴` stay below `2^42`, the greatest
//! that a product takes. What would make their low limbs negative is balanced by pairs that stand
//! for zero ([`Balance`]), at no cost; for the operand itself the pair that comes with the round
//! constant does that ([`Offset::Limb`]): with it the high limb is negative and the low one larger,
//! so both limbs that `carry` makes are non-negative.
//!
//! An internal round carries twice: once for the operand of the next S-box, which is element 0
//! with the next round constant, and once for the total. The tail grows by at most `|d_i|` a round
//! and is carried where ranges ask for it.

use super::Unsuited;
use super::parts::{Builder, Element, enter, external_linear, leave, longest_runs, tail};
use crate::arith::{Block, MacroOp, Program};
use crate::ir::{self, BlockKind, Value};
use crate::params::{Balance, Offset};
use crate::params::{Instance, Rational};

/// Lowers a field-level program.
///
/// # Errors
/// If the S-box is not `x⁷`, or limbs overflow however often they are carried; no Poseidon2
/// diagonal in use does that.
pub(super) fn lower(program: &ir::Program) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    if instance.alpha != 7 {
        return Err(Unsuited::LimbsSbox(instance.alpha));
    }
    let mut lowered = Program {
        instance: instance.clone(),
        blocks: vec![
            external_linear(&program.blocks[0]),
            external_sbox(),
            internal_round(instance),
            enter(instance.width),
            leave(instance.width),
            carry_tail(instance, BlockKind::InternalEnter, |_| true),
            carry_tail(instance, BlockKind::InternalNormalise, Rational::grows),
            constant(),
        ],
        parts: 2,
        flow: Vec::new(),
        pairs: Vec::new(),
    };
    longest_runs(&mut lowered)?;
    Ok(lowered)
}

/// Two limbs, 10 bits up.
#[derive(Clone, Copy)]
struct Shifted {
    low: Value,
    high: Value,
}

impl Builder {
    fn carry(&mut self, name: &str, x: Element) -> Element {
        self.pair(name, MacroOp::Carry, &[x.low, x.high])
    }

    fn preshift(&mut self, name: &str, x: Element) -> Shifted {
        let Element { low, high } = self.both(name, |_| MacroOp::Preshift, &[x]);
        Shifted { low, high }
    }

    /// `x⁷` of limbs that `carry` made.
    fn sbox_limbs(&mut self, name: &str, x: Element) -> Element {
        let of = |power: u64| format!("{name}.x{power}");
        let up = |power: u64| format!("{name}.x{power}.up");
        let x = self.preshift(&up(1), x);
        let x2 = self.pair(
            &of(2),
            MacroOp::SquareLimbs(Balance::Square),
            &[x.low, x.high],
        );
        let x2 = self.preshift(&up(2), x2);
        let x4 = self.pair(
            &of(4),
            MacroOp::SquareLimbs(Balance::Fourth),
            &[x2.low, x2.high],
        );
        let x3 = self.pair(
            &of(3),
            MacroOp::MulLimbs(Some(Balance::Cube)),
            &[x.low, x.high, x2.low, x2.high],
        );
        let x3 = self.preshift(&up(3), x3);
        let x4 = self.preshift(&up(4), x4);
        self.pair(
            &of(7),
            MacroOp::MulLimbs(None),
            &[x3.low, x3.high, x4.low, x4.high],
        )
    }
}

fn external_sbox() -> Block {
    let mut b = Builder::new(1, true);
    let (state, constant) = (b.element(0), b.element(1));
    let x = b.plus("external[*].rc", state, constant);
    let x = b.carry("external[*].rc.carry", x);
    let z = b.sbox_limbs("external[*].sbox", x);
    b.finish(BlockKind::ExternalSbox, &[z])
}

fn internal_round(instance: &Instance) -> Block {
    let width = instance.width;
    let mut b = Builder::new(width, true);
    let s: Vec<Element> = (0..width).map(|i| b.element(i)).collect();
    let constant = b.element(width);
    let x = b.plus("internal.rc", s[0], constant);
    let x = b.carry("internal.rc.carry", x);
    let z = b.sbox_limbs("internal.sbox", x);
    let sum = b.sum_of("internal.sum", &s[1..]);
    let total = b.plus(&format!("internal.sum[{}]", width - 2), sum, z);
    let total = b.carry("internal.total.carry", total);
    let mut outputs = Vec::with_capacity(width);
    for (i, d) in instance.diagonal.iter().enumerate() {
        let site = format!("internal.diag[{i}]");
        let output = if i == 0 && *d == Rational::integer(-2) {
            b.minus(&format!("{site}.0"), sum, z)
        } else {
            let mut x = if i == 0 { z } else { s[i] };
            if d.shift > 0 {
                let op = MacroOp::Div2ExpSigned(d.shift);
                x = b.pair(&format!("{site}.div2exp"), op, &[x.low, x.high]);
            }
            b.accumulate(&site, total, x, d)
        };
        outputs.push(output);
    }
    b.finish(BlockKind::InternalRound, &outputs)
}

/// Carries those elements of the tail whose diagonal entry is chosen.
fn carry_tail(instance: &Instance, kind: BlockKind, chosen: impl Fn(&Rational) -> bool) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| chosen(d)) {
        outputs[i] = b.carry(&format!("{}.carry[{i}]", kind.name()), outputs[i]);
    }
    b.finish(kind, &outputs)
}

/// A round constant in limbs, with the pair that makes sums with it non-negative.
fn constant() -> Block {
    let mut b = Builder::of_constant();
    let x = b.split("constant.split", Value(0));
    let x = b.offset("constant.offset", x, Offset::Limb);
    b.finish(BlockKind::Constant, &[x])
}

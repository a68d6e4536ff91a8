//! Macro-ops on limbs: columns that the 52-bit multiply-accumulate of AVX-512 IFMA takes without a
//! reduction in between.
//!
//! `madd52lo` and `madd52hi` add the low or the high 52 bits of a 104-bit product of the operands'
//! low 52 bits. With both operands 10 bits up the cut falls at bit 32 of the true product
//! `X·Y = L + φ·H`: the low half is `2^20·L`, the high half `H`. So limbs below `2^42` multiply
//! exactly, and with `φ² ≡ φ - 1`, `φ³ ≡ -1` (mod p)
//!
//! ```text
//! (x0 + φ·x1)·(y0 + φ·y1) = (L00 - L11 - H01 - H10 - H11)
//!                         + φ·(L01 + L10 + L11 + H01 + H10 + H00)
//! ```
//!
//! A word holds a limb that is 10 bits up in its low 52 bits, which is all that a multiplication reads.
//! So any integer can be written so, and what is multiplied must be non-negative and below `2^42`.
//!
//! The low limb may be negative; where another product follows, the accumulators start with a
//! [`Balance`], which makes up for that. `carry` brings limbs of any size back to 32 bits and a
//! little: `φ·(2^32·h) ≡ (φ - 1)·h`, so the top of the high limb goes down once with each sign.

use super::columns::{HIGH, LOW};
use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, Reading, Row, Word};
use crate::names::Part;
use crate::params::Balance;
use Reading::{Shifted, Signed};

/// Bound of what fits in 52 bits, 10 bits up.
const LIMB: i128 = 1 << 42;

pub(super) fn row(op: MacroOp) -> Option<Row> {
    Some(match op {
        MacroOp::Carry => carry(),
        MacroOp::CarryUp => carry().writes(Shifted),
        MacroOp::Preshift => Row::new(Signed, [x(0)], "x, 10 bits up").writes(Shifted),
        MacroOp::SquareLimbs(balance) => square(balance).writes(Signed),
        MacroOp::MulLimbs(balance) => mul(balance).writes(Signed),
        MacroOp::MulChained => mul(None).writes(Signed),
        MacroOp::SquareUp(balance) => square(balance),
        MacroOp::MulUp(balance) => mul(Some(balance)),
        _ => return None,
    })
}

fn carry() -> Row {
    let low = bits(LOW, 0, 32) - floor(HIGH, 32);
    let high = bits(HIGH, 0, 32) + floor(LOW, 32) + floor(HIGH, 32);
    let text = "the same element in limbs of about 32 bits";
    Row::new(Signed, [low, high], text)
}

/// The two mixed products are one of twice the size.
fn square(balance: Balance) -> Row {
    let [first, last] = [Word::Product(0, 0), Word::Product(1, 1)];
    let row = product(first, &[Word::Doubled(0, 1)], last, Some(balance));
    row.need(&[-1, 0], 1, "low ≥ 0")
        .need(&[0, -1], 1, "high ≥ 0")
        .need(&[1, 0], LIMB, "low < 2^42")
        .need(&[0, 2], LIMB, "2·high < 2^42")
}

fn mul(balance: Option<Balance>) -> Row {
    let [first, last] = [Word::Product(0, 2), Word::Product(1, 3)];
    let mixed = [Word::Product(0, 3), Word::Product(1, 2)];
    let row = product(first, &mixed, last, balance);
    row.need(&[-1, 0, 0, 0], 1, "al ≥ 0")
        .need(&[0, -1, 0, 0], 1, "ah ≥ 0")
        .need(&[0, 0, -1, 0], 1, "bl ≥ 0")
        .need(&[0, 0, 0, -1], 1, "bh ≥ 0")
        .need(&[1, 0, 0, 0], LIMB, "al < 2^42")
        .need(&[0, 1, 0, 0], LIMB, "ah < 2^42")
        .need(&[0, 0, 1, 0], LIMB, "bl < 2^42")
        .need(&[0, 0, 0, 1], LIMB, "bh < 2^42")
}

/// The sums of the heading, in the order in which machines form them: a solver sees the same sums.
fn product(first: Word, mixed: &[Word], last: Word, balance: Option<Balance>) -> Row {
    let l = |product| bits(product, 0, 32);
    let h = |product| floor(product, 32);
    let start = |part| Expr::Constant(balance.map_or(0, |balance| balance.value(part).into()));
    let top = mixed.iter().fold(start(Part::High), |sum, &m| sum + l(m)) + l(last);
    let bottom = start(Part::Low) + l(first) - l(last);
    let (one, others) = mixed.split_last().expect("a mixed product");
    let rest = if others.is_empty() {
        top
    } else {
        h(*one) + top
    };
    let high = h(mixed[0]) + h(first) + rest;
    let low = others.iter().fold(bottom, |sum, &m| sum - h(m)) - (h(*one) + h(last));
    Row::new(Shifted, [low, high], "a product mod p as low + 2^32·high").width(64)
}

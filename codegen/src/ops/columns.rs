//! Macro-ops on columns: elements kept as `low + 2^32·high` in two signed words.
//!
//! Sums of columns do not carry into each other, so a linear layer is additions and shifts alone,
//! exact while they fit a word. Four macro-ops lead in and out. With `φ = 2^32`, `φ² ≡ φ - 1` and
//! `φ³ ≡ -1` (mod p):
//!
//! - `split` cuts a word in two.
//! - `pack` brings `low + φ·high` back to a word: with `high = h0 + φ·h1` that is
//!   `low + φ·h0 + (φ - 1)·h1`, and one carry at most.
//! - `mul-columns` leaves a product in columns: `t0 + φ·t1 + φ²·t2 + φ³·t3` is
//!   `(t0 - t2 - t3) + φ·(t1 + t2)`.
//! - `div2exp-columns(k)` divides both columns. What is cut off, `l = low mod 2^k` and
//!   `h = high mod 2^k`, comes back by `2^-k ≡ 2^(32-k)·(1 - φ)`: the low column gets
//!   `(l + h)·2^(32-k)`, the high one loses `l·2^(32-k)`.
//! - `cut(k)` makes of one column what both that and a carry of 32 bits are sums of.

use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, Range, Reading, Row, Word};
use crate::params::{Field, Offset};
use Reading::{Signed, Unsigned};

/// The greatest magnitude of an integer in a signed word, and one more.
const SIGNED: i128 = 1 << 63;
/// Bound of the columns that `pack` takes.
const PACKED: i128 = 1 << 62;

pub(super) const LOW: Word = Word::Operand(0);
pub(super) const HIGH: Word = Word::Operand(1);

/// The 32 bits of a product from `2^(32·n)` upwards.
pub(super) const fn t(n: u32) -> Expr {
    bits(Word::Product(0, 1), 32 * n, 32)
}

/// Signed sums that fit their words.
pub(super) fn exact(op: MacroOp) -> Option<Row> {
    Some(match op {
        MacroOp::Plus => Row::new(Signed, [x(0) + x(1)], "a + b exactly")
            .need(&[-1, -1], SIGNED + 1, "a + b ≥ -2^63")
            .need(&[1, 1], SIGNED, "a + b < 2^63")
            .width(128),
        MacroOp::Minus => Row::new(Signed, [x(0) - x(1)], "a - b exactly")
            .need(&[-1, 1], SIGNED + 1, "a - b ≥ -2^63")
            .need(&[1, -1], SIGNED, "a - b < 2^63")
            .width(128),
        MacroOp::ShiftLeft(k @ 1..=31) => Row::new(Signed, [x(0).up(k)], "2^k·x exactly")
            .need(&[-(1 << k)], SIGNED + 1, "2^k·x ≥ -2^63")
            .need(&[1 << k], SIGNED, "2^k·x < 2^63")
            .width(128),
        _ => return None,
    })
}

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    Some(match op {
        MacroOp::Plus | MacroOp::Minus | MacroOp::ShiftLeft(_) => return exact(op),
        MacroOp::Offset(offset, part) => {
            let by = i128::from(offset.value(part));
            let text = match offset {
                Offset::Halves => "x plus one part of a pair that stands for 2^31",
                _ => "x plus one part of a pair that stands for zero",
            };
            let row = Row::new(Signed, [x(0) + Expr::Constant(by)], text);
            let row = row.need(&[1], SIGNED - by, "x + offset < 2^63");
            match by {
                0.. => row,
                _ => row.need(&[-1], SIGNED + 1 + by, "x + offset ≥ -2^63"),
            }
        }
        MacroOp::Split => {
            let halves = [0, 32].map(|from| bits(Word::Operand(0), from, 32));
            Row::new(Unsigned, halves, "low = x mod 2^32 and high = x / 2^32").writes(Signed)
        }
        MacroOp::Pack => {
            let sum = x(0) + bits(HIGH, 0, 32).up(32) + floor(HIGH, 32).folded();
            below_packed(Row::new(Signed, [sum], "low + 2^32·high mod p in any word"))
                .writes(Unsigned)
                .either(&[0, -i128::from(field.modulus)])
                .within(Range::word(64))
        }
        MacroOp::MulColumns => {
            let columns = [t(0) - t(2) - t(3), t(1) + t(2)];
            Row::new(Unsigned, columns, "a·b mod p as low + 2^32·high").writes(Signed)
        }
        MacroOp::Div2ExpColumns(k @ 1..=32) => below_packed(divided(k)),
        MacroOp::Div2ExpSigned(k @ 1..=32) => divided(k),
        MacroOp::Cut(k @ 1..=32) => {
            let x = Word::Operand(0);
            let results = [bits(x, 0, k).up(32 - k), floor(x, k)];
            let text = "low = 2^(32-k)·(x mod 2^k) and high = x / 2^k, rounded down";
            Row::new(Signed, results, text).need(&[-1], 1, "x ≥ 0")
        }
        _ => return None,
    })
}

fn divided(k: u32) -> Row {
    let (l, h) = (bits(LOW, 0, k), bits(HIGH, 0, k));
    let low = floor(LOW, k) + (l.clone() + h).up(32 - k);
    let high = floor(HIGH, k) - l.up(32 - k);
    let text = "(low + 2^32·high) / 2^k mod p as low + 2^32·high";
    Row::new(Signed, [low, high], text)
}

fn below_packed(row: Row) -> Row {
    row.need(&[-1, 0], 1, "low ≥ 0")
        .need(&[0, -1], 1, "high ≥ 0")
        .need(&[1, 0], PACKED, "low < 2^62")
        .need(&[0, 1], PACKED, "high < 2^62")
}

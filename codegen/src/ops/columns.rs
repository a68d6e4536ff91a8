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

use super::expr::{bits, floor, low, x};
use super::{Expr, Gives, MacroOp, Need, Proof, Range, Reading, Row, Word};
use crate::params::Field;
use Reading::{Signed, Unsigned};

/// The greatest magnitude of an integer in a signed word, and one more.
const SIGNED: i128 = 1 << 63;
/// Bound of the columns that `pack` takes.
const PACKED: i128 = 1 << 62;

/// The 32 bits of a product, from `2^(32·n)` upwards.
pub(super) const fn t(n: u32) -> Expr {
    bits(Word::Product(0, 1), 32 * n, 32)
}

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    Some(match op {
        MacroOp::Plus => Row {
            needs: fits(&[1, 1], "a + b ≥ -2^63", "a + b < 2^63"),
            width: 128,
            ..Row::new(Signed, x(0) + x(1), "a + b exactly")
        },
        MacroOp::Minus => Row {
            needs: fits(&[1, -1], "a - b ≥ -2^63", "a - b < 2^63"),
            width: 128,
            ..Row::new(Signed, x(0) - x(1), "a - b exactly")
        },
        MacroOp::ShiftLeft(k @ 1..=31) => Row {
            needs: fits(&[1 << k], "2^k·x ≥ -2^63", "2^k·x < 2^63"),
            width: 128,
            ..Row::new(Signed, x(0).up(k), "2^k·x exactly")
        },
        MacroOp::Offset(offset, part) => {
            let by = i128::from(offset.value(part));
            let mut needs = vec![Need::linear(&[1], SIGNED - by, "x + offset < 2^63")];
            if by < 0 {
                needs.push(Need::linear(&[-1], SIGNED + 1 + by, "x + offset ≥ -2^63"));
            }
            let text = "x plus one part of a pair that stands for zero";
            Row {
                needs,
                ..Row::new(Signed, x(0) + Expr::Constant(by), text)
            }
        }
        MacroOp::Split => Row {
            writes: Signed,
            ..Row::new(
                Unsigned,
                [low(0, 32), bits(Word::Operand(0), 32, 32)],
                "low = x mod 2^32 and high = x / 2^32",
            )
        },
        MacroOp::Pack => {
            let p = i128::from(field.modulus);
            let sum = x(0) + low(1, 32).up(32) + floor(1, 32).folded();
            Row {
                writes: Unsigned,
                needs: packable(),
                ..Row::new(
                    Signed,
                    sum.either([0, -p]).within(Range::word(64)),
                    "low + 2^32·high mod p in any word",
                )
            }
        }
        MacroOp::MulColumns => Row {
            writes: Signed,
            proof: Proof::OfHalves,
            ..Row::new(
                Unsigned,
                [t(0) - t(2) - t(3), t(1) + t(2)],
                "a·b mod p as low + 2^32·high",
            )
        },
        MacroOp::Div2ExpColumns(k @ 1..=32) => Row {
            needs: packable(),
            ..Row::new(Signed, divided(k), DIVIDED)
        },
        MacroOp::Div2ExpSigned(k @ 1..=32) => Row::new(Signed, divided(k), DIVIDED),
        _ => return None,
    })
}

const DIVIDED: &str = "(low + 2^32·high) / 2^k mod p as low + 2^32·high";

fn divided(k: u32) -> Gives {
    let back = 32 - k;
    let high = floor(1, k) - low(0, k).up(back);
    [floor(0, k) + (low(0, k) + low(1, k)).up(back), high].into()
}

/// That an exact result fits a signed word.
fn fits(coefficients: &[i128], least: &'static str, greatest: &'static str) -> Vec<Need> {
    let negated: Vec<i128> = coefficients.iter().map(|c| -c).collect();
    vec![
        Need::linear(&negated, SIGNED + 1, least),
        Need::linear(coefficients, SIGNED, greatest),
    ]
}

fn packable() -> Vec<Need> {
    vec![
        Need::linear(&[-1, 0], 1, "low ≥ 0"),
        Need::linear(&[0, -1], 1, "high ≥ 0"),
        Need::linear(&[1, 0], PACKED, "low < 2^62"),
        Need::linear(&[0, 1], PACKED, "high < 2^62"),
    ]
}

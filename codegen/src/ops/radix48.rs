//! Elements kept as `low + 2^48·high`, for machines whose registers have 32 bits: a sum of words of 64 bits is
//! four instructions there where no flag holds a carry, and one of halves is one. So the low part is a word, the
//! high one a signed integer in half of one, and both have 15 bits for what linear layers add.
//!
//! With `φ = 2^32`, `φ² ≡ φ - 1` (mod p) and so `2^-64 ≡ -φ`. Products are reduced from below, as in `redc`; but
//! `mul-quarters` and `square-quarters` make them of products of halves, and one macro-op reduces them: of the
//! quarters `t0 .. t3` of a product,
//!
//! ```text
//! (t2 + t1) + φ·(t3 - t0 - t1)
//! ```
//!
//! is `2^-64` times the product. It lies above -2p and below 2^64: `p` is added where `t0 + t1` reaches φ, and
//! where a body finds what is left to be negative.
//!
//! - `split-radix48` cuts a word at bit 48, `pack-radix48` makes one of parts that are not negative.
//! - `carry-radix48` brings back to 48 and 16 bits what has grown: `2^48·(2^16·h) ≡ (φ - 1)·h`.
//! - `mul-radix48` leaves a product in parts: what is above bit 16 of each quarter that `φ` weighs is the
//!   high one.
//! - `div2exp-radix48(k)` divides both parts: `2^-k ≡ 2^(32-k) - 2^(64-k)`, so what is cut off the low part
//!   goes up, and is taken from the high one.

use super::columns::{HIGH, LOW, t};
use super::expr::{bits, floor, x};
use super::{MacroOp, Range, Reading, Row, Word};
use crate::params::Field;
use Reading::{Signed, Unsigned};

/// The greatest magnitude of an integer in half a signed word, and one more.
const NARROW: i128 = 1 << 31;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    Some(match op {
        MacroOp::PlusNarrow => Row::new(Signed, [x(0) + x(1)], "a + b exactly, in half a word")
            .need(&[-1, -1], NARROW + 1, "a + b ≥ -2^31")
            .need(&[1, 1], NARROW, "a + b < 2^31"),
        MacroOp::MinusNarrow => Row::new(Signed, [x(0) - x(1)], "a - b exactly, in half a word")
            .need(&[-1, 1], NARROW + 1, "a - b ≥ -2^31")
            .need(&[1, -1], NARROW, "a - b < 2^31"),
        MacroOp::ShiftLeftNarrow(k @ 1..=16) => {
            Row::new(Signed, [x(0).up(k)], "2^k·x exactly, in half a word")
                .need(&[-(1 << k)], NARROW + 1, "2^k·x ≥ -2^31")
                .need(&[1 << k], NARROW, "2^k·x < 2^31")
                .width(128)
        }
        MacroOp::SplitRadix48 => {
            let parts = [(0, 48), (48, 16)].map(|(from, width)| bits(LOW, from, width));
            let text = "low = x mod 2^48 and high = x / 2^48";
            in_parts(Row::new(Unsigned, parts, text).writes(Signed))
        }
        MacroOp::PackRadix48 => {
            let sum = x(0) + bits(HIGH, 0, 16).up(48) + floor(HIGH, 16).folded();
            Row::new(Signed, [sum], "low + 2^48·high mod p in any word")
                .need(&[-1, 0], 1, "low ≥ 0")
                .need(&[0, -1], 1, "high ≥ 0")
                .need(&[0, 1], NARROW, "high < 2^31")
                .writes(Unsigned)
                .either(&[0, -p])
                .within(Range::word(64))
                .width(96)
        }
        MacroOp::CarryRadix48 => {
            let low = bits(LOW, 0, 48) + floor(HIGH, 16).folded();
            let high = bits(HIGH, 0, 16) + floor(LOW, 48);
            let text = "the same element in parts of about 48 and 16 bits";
            narrow(Row::new(Signed, [low, high], text)).width(96)
        }
        MacroOp::Div2ExpRadix48(k @ 1..=16) => {
            let (l, h) = (bits(LOW, 0, k), bits(HIGH, 0, k));
            let low = floor(LOW, k) + l.clone().up(32 - k) + h.up(48 - k);
            let high = floor(HIGH, k) - l.up(16 - k);
            let text = "(low + 2^48·high) / 2^k mod p as low + 2^48·high";
            narrow(Row::new(Signed, [low, high], text))
        }
        MacroOp::MulQuarters | MacroOp::SquareQuarters => {
            let of = Word::Product(0, op.operands().len() - 1);
            let halves = [0, 64].map(|from| bits(of, from, 64));
            let text = "the low and the high half of a product";
            let row = Row::new(Unsigned, halves, text);
            Row { radix: 64, ..row }
        }
        MacroOp::Redc => {
            let [t0, t1] = [0, 32].map(|from| bits(LOW, from, 32));
            let sum = x(1) + t1.clone() - (t0 + t1).up(32);
            Row::new(
                Unsigned,
                [sum],
                "(low + 2^64·high) / 2^64 mod p in any word",
            )
            .either(&[0, p, 2 * p])
            .within(Range::word(64))
        }
        MacroOp::MulRadix48 => {
            let half = |from| bits(Word::Product(0, 1), from, 16);
            let middle = |from: u32| half(96 + from) - half(from) - half(32 + from);
            let parts = [t(2) + t(1) + middle(0).up(32), middle(16)];
            let text = "a·b / 2^64 mod p as low + 2^48·high";
            in_parts(Row::new(Unsigned, parts, text).writes(Signed))
        }
        _ => return None,
    })
}

fn in_parts(row: Row) -> Row {
    Row { radix: 48, ..row }
}

/// Parts of which the high one fits half a word.
fn narrow(row: Row) -> Row {
    in_parts(row)
        .need(&[0, -1], NARROW + 1, "high ≥ -2^31")
        .need(&[0, 1], NARROW, "high < 2^31")
}

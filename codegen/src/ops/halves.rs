//! Macro-ops on words whose halves are signed: `2^32·h + l` with both between `-2^31` and `2^31 - 1`.
//!
//! With `φ = 2^32`, a product `x = t0 + φ·y` is divided by `2^64` in two steps of Montgomery's REDC, as p is 1
//! modulo `φ`, with quotients `t0` and then `t`:
//!
//! ```text
//! x / φ  ≡ (x - t0·p) / φ = (y + t0) - φ·t0            y + t0 = t + φ·z
//! x / φ² ≡ z - φ·t + t - t0 = z - (φ - 1)·t - t0
//! ```
//!
//! `y + t0` is φ times the product of high halves, and the two mixed ones, the upper half of that of low halves and
//! `t0`: as halves are signed, all but the first fit a word. There is one borrow to correct.
//!
//! Not all words are taken: where every half is `-2^31`, they do not. Results never are that word, and `pack-halves`
//! gives none that is below `-2^63 + 2^31 - 1`.

use super::columns::HIGH;
use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, Range, Reading, Row, Word};
use crate::params::Field;
use Reading::{Halves, Signed};

/// The least integer in a word of signed halves.
const LEAST: i128 = -(1 << 63) - (1 << 31);
/// The least that the first factor may be.
const FIRST: i128 = LEAST + (1 << 32) - 1;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let product = |a, b, text| {
        let [product, sum] = [Word::Product(a, b), Word::Folded(a, b)];
        let less = bits(sum, 0, 32).folded() + bits(product, 0, 32);
        let row = Row::new(Halves, [floor(sum, 32) - less], text);
        row.either(&[0, p]).width(104)
    };
    let reduced = Range::new(LEAST + 1, LEAST + p);
    Some(match op {
        MacroOp::PackHalves => {
            let sum = x(0) + bits(HIGH, 0, 32).up(32) + floor(HIGH, 32).folded();
            let text = "low + 2^32·high - 2^31 mod p in signed halves";
            Row::new(Signed, [sum - Expr::Constant(1 << 31)], text)
                .writes(Halves)
                .either(&[0, -p])
                .within(Range::new(FIRST, LEAST + (1 << 64) - 1))
                .need(
                    &[-1, 0],
                    (1 << 63) - (1 << 32) + 2,
                    "low ≥ -2^63 + 2^32 - 1",
                )
                .need(&[1, 0], -(1 << 62) + 1, "low ≤ -2^62")
                .need(&[0, -1], 1, "high ≥ 0")
                .need(&[0, 1], 1 << 62, "high < 2^62")
        }
        MacroOp::SquareHalves => product(0, 0, "x² / 2^64 mod p in signed halves")
            .within(reduced)
            .need(&[-1], -LEAST, "x > -2^63 - 2^31"),
        MacroOp::MulHalves => product(0, 1, "a·b / 2^64 mod p in signed halves")
            .within(reduced)
            .need(&[-1, 0], 1 - FIRST, "a ≥ -2^63 + 2^31 - 1"),
        MacroOp::MulColumnsHalves => {
            let ranges = [(2 - (1 << 31), 3 << 31), (-(1 << 30) - 1, (5 << 30) - 1)];
            let text = "a·b / 2^64 mod p as low + 2^32·high";
            product(0, 1, text)
                .either(&[p])
                .writes(Signed)
                .parts(ranges.map(|(lo, hi)| Range::new(lo, hi)))
        }
        _ => return None,
    })
}

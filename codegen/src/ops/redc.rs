//! Products that are reduced from below, as Montgomery's REDC does.
//!
//! With `φ = 2^32` and `φ² ≡ φ - 1` (mod p), `φ³ ≡ -1` and so `2^-64 = φ^-2 ≡ -φ`. A product
//! `lo + 2^64·hi` of two words, divided by `2^64`, is therefore `hi - φ·lo`, and with the halves
//! `lo = t0 + φ·t1`, `hi = t2 + φ·t3`
//!
//! ```text
//! hi - φ·t0 - φ²·t1 ≡ hi - (φ·(t0 + t1) - t1)
//!                   = (t2 + t1) + φ·(t3 - t0 - t1)
//! ```
//!
//! - `mul-wide` gives the two halves of a product.
//! - `share` makes of the low half what is to be subtracted from the high one:
//!   `φ·(t0 + t1) - t1`, less p if `t0 + t1` reaches `φ`. That is below p: without the carry it is
//!   at most `φ·(φ - 1) = p - 1`; with it, `φ·(t0 + t1 - φ) + φ - 1 - t1`, and `t0 < φ` makes the
//!   bracket at most `t1 - 1`. So the subtraction after it is `sub`, with one borrow to mend,
//!   where folding from above has two.
//! - `mul-columns-redc` leaves the two columns as they are.
//!
//! Each product brings a factor `2^-64` along. `x^α` is made of `α - 1` of them, and `2^192 ≡ 1`
//! (mod p): where 3 divides `α - 1`, as for `x⁷`, the factors cancel, and nothing needs to be in
//! Montgomery form before or after.

use super::columns::t;
use super::expr::{bits, low};
use super::{MacroOp, Range, Reading, Row, When, Word};
use crate::params::Field;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let row = |gives, text| Row::new(Reading::Unsigned, gives, text);
    Some(match op {
        MacroOp::MulWide => {
            let half = |n: u32| bits(Word::Product(0, 1), 64 * n, 64);
            let halves = [half(0), half(1)];
            Row {
                radix: 64,
                ..row(halves.into(), "the low and the high half of a·b")
            }
        }
        MacroOp::Share => {
            let (t0, t1) = (low(0, 32), bits(Word::Operand(0), 32, 32));
            let sum = t0 + t1.clone();
            let carry = When::Reaches(Box::new(sum.clone()), 1 << 32);
            let share = (sum.up(32) - t1).corrected(carry, -i128::from(field.modulus));
            row(
                share.within(Range::below(field.modulus)),
                "-x / 2^64 mod p, below p",
            )
        }
        MacroOp::MulColumnsRedc => Row {
            writes: Reading::Signed,
            ..row(
                [t(2) + t(1), t(3) - (t(0) + t(1))].into(),
                "a·b / 2^64 mod p as low + 2^32·high",
            )
        },
        _ => return None,
    })
}

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
//!   bracket at most `t1 - 1`. So the subtraction after it is `sub`, with one borrow to correct,
//!   where folding from above has two.
//! - `mul-columns-redc` leaves the two columns as they are.
//!
//! Each product brings a factor `2^-64` along. `x^α` is made of `α - 1` of them, and `2^192 ≡ 1`
//! (mod p): where 3 divides `α - 1`, as for `x⁷`, the factors cancel, and nothing needs to be in
//! Montgomery form before or after.

use super::columns::t;
use super::expr::bits;
use super::{MacroOp, Range, Reading, Row, Word};
use crate::params::Field;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    Some(match op {
        MacroOp::MulWide => {
            let halves = [0, 64].map(|from| bits(Word::Product(0, 1), from, 64));
            let text = "the low and the high half of a·b";
            let row = Row::new(Reading::Unsigned, halves, text);
            Row { radix: 64, ..row }
        }
        MacroOp::Share => {
            let [t0, t1] = [0, 32].map(|from| bits(Word::Operand(0), from, 32));
            let share = (t0 + t1.clone()).up(32) - t1;
            Row::new(Reading::Unsigned, [share], "-x / 2^64 mod p, below p")
                .either(&[0, -i128::from(field.modulus)])
                .within(Range::below(field.modulus))
        }
        MacroOp::MulColumnsRedc => {
            let columns = [t(2) + t(1), t(3) - (t(0) + t(1))];
            let text = "a·b / 2^64 mod p as low + 2^32·high";
            Row::new(Reading::Unsigned, columns, text).writes(Reading::Signed)
        }
        _ => return None,
    })
}

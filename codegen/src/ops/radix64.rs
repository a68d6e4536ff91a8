//! Macro-ops of the family `montgomery128`: Montgomery forms of radix `2^32` in 64-bit words, whose products are two
//! words and are reduced by `2^64`.
//!
//! That is the square of the radix. So one reduction is enough for a product of three words, and leaves a Montgomery
//! form again, if the product of two of them fits a word:
//!
//! ```text
//! q = a·b·c·p^-1 mod 2^64      2^64 divides a·b·c - p·q
//! (a·b·c - p·q) / 2^64 = ⌊a·b·c / 2^64⌋ - ⌊p·q / 2^64⌋
//! ```
//!
//! In a product of an element and a constant, the constant holds the third factor, `2^32`.
//!
//! [`Fold`](MacroOp::Fold) subtracts p once for each `2^31` in a word. It is cheaper than [`Reduce`](MacroOp::Reduce),
//! and leaves `2^t - 1` for each of them, where `p = 2^31 - 2^t + 1`.

use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, NeedLeft, Range, Reading, Row, Word, radix52};
use crate::params::Field;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let left = (1 << 31) - field.modulus;
    Some(match op {
        MacroOp::Fold => {
            let sum = bits(Word::Operand(0), 0, 31) + left * floor(Word::Operand(0), 31);
            Row::new(Reading::Below52, [sum], "x mod p, p less for each 2^31")
                .writes(Reading::Signed)
        }
        MacroOp::Product => Row::new(Reading::Below52, [floor(Word::Product(0, 1), 0)], "a·b")
            .needs(NeedLeft::Product, 1 << 64, "a·b < 2^64")
            .writes(Reading::Unsigned)
            .width(120),
        MacroOp::MulAdd => {
            let (of, factor, bits) = (Word::Product(1, 2), field.inverse_mod_word(64), 64);
            let multiple = field.modulus * Expr::Quotient { of, factor, bits };
            Row::new(
                Reading::Unsigned,
                [x(0).up(32).up(32) + floor(of, 0) - multiple],
                "c + a·b / 2^64 mod p, more than c - p",
            )
            .need(&[-1, 0, 0], 1 - i128::from(field.modulus), "c ≥ p")
            .need(&[1, 0, 0], 1 << 52, "c < 2^52")
            .need(&[0, 0, 1], 1 << 52, "b < 2^52")
            .needs(NeedLeft::Product, 1 << 116, "a·b < 2^116")
            .writes(Reading::Signed)
            .over(64)
            .width(128)
        }
        MacroOp::Reduce => {
            let multiples: Vec<i128> = (0..256).map(|n| -n * i128::from(field.modulus)).collect();
            let greatest = i128::from(field.modulus) + (1 << (2 * field.two_adicity() - 24));
            Row::new(Reading::Below52, [x(0)], "x mod p, below p and a little")
                .need(&[1], 1 << 38, "x < 2^38")
                .either(&multiples)
                .within(Range::new(0, greatest))
                .writes(Reading::Signed)
        }
        MacroOp::AddDiv2Exp(k) | MacroOp::SubDiv2Exp(k) if k > field.two_adicity() => return None,
        MacroOp::AddDiv2Exp(_)
        | MacroOp::SubDiv2Exp(_)
        | MacroOp::AddProduct
        | MacroOp::Canonicalise
        | MacroOp::Constant(_)
        | MacroOp::Plus
        | MacroOp::Minus => return radix52::row(op, field),
        _ => return None,
    })
}

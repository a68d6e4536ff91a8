//! Macro-ops on elements of the family `goldilocks` that are one word each.
//!
//! What strategy `eager` canonicalises is the second operand of an addition or subtraction: with
//! `b < p` the bounds `a + b < 2^64 + p` and `b - a ≤ p` hold for every `a`.

use super::expr::{bits, x};
use super::{Expr, MacroOp, Range, Reading, Row, Word, radix52};
use crate::params::Field;

const WORD: i128 = 1 << 64;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |result, text| Row::new(Reading::Unsigned, [result], text);
    Some(match op {
        MacroOp::Add => row(
            (x(0) + x(1)).less(p, WORD),
            "a + b, less p if it reaches 2^64",
        )
        .need(&[1, 1], WORD + p, "a + b < 2^64 + p")
        .canonical(&[1]),
        MacroOp::Sub => row(
            (x(0) - x(1)).plus_if_negative(p),
            "a - b, plus p if it is negative",
        )
        .need(&[-1, 1], p + 1, "b - a ≤ p")
        .canonical(&[1]),
        MacroOp::Canonicalise => row(x(0).less(p, p), "x, less p if x ≥ p"),
        MacroOp::Halve => row(x(0), "(x + p·[x odd]) / 2").over(1).either(&[0, p]),
        MacroOp::Constant(word) => radix52::constant(word),
        MacroOp::Div2Exp(k @ 1..=32) => divided(k, field).width(128),
        // 2^64 ≡ 2^32 - 1 and 2^96 ≡ -1 (mod p).
        MacroOp::Mul | MacroOp::Square => {
            let product = Word::Product(0, op.operands().len() - 1);
            let middle = bits(product, 64, 32).folded();
            row(
                bits(product, 0, 64) + middle - bits(product, 96, 32),
                "a product mod p in any word",
            )
            .either(&[0, p, -p])
            .within(Range::word(64))
        }
        _ => return None,
    })
}

/// `x / 2^k`: p is added so often that `2^k` divides the sum.
pub(super) fn divided(k: u32, field: &Field) -> Row {
    let often = Expr::Quotient {
        of: Word::Operand(0),
        factor: (1 << k) - field.inverse_mod_word(k),
        bits: k,
    };
    let sum = x(0) + field.modulus * often;
    Row::new(Reading::Unsigned, [sum], "x / 2^k mod p, below p")
        .over(k)
        .either(&[0, -(i128::from(field.modulus) << k)])
        .within(Range::below(field.modulus))
}

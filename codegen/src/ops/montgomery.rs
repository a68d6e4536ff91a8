//! Macro-ops of the family `montgomery31`: 32-bit words that stand for residues in Montgomery form.
//!
//! A word is only one bit wider than p, so strategy `eager` canonicalises both operands of
//! additions, subtractions and products.

use super::expr::{bits, x};
use super::words::divided;
use super::{Expr, MacroOp, NeedLeft, Range, Reading, Row, Word};
use crate::params::Field;

const WORD: i128 = 1 << 32;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |result, text| Row::new(Reading::Unsigned, [result], text).width(40);
    Some(match op {
        MacroOp::Add => row(x(0) + x(1), "a + b exactly")
            .need(&[1, 1], WORD, "a + b < 2^32")
            .canonical(&[0, 1]),
        MacroOp::Sub => row(
            (x(0) - x(1)).plus_if_negative(p),
            "a - b, plus p if it is negative",
        )
        .need(&[-1, 1], p + 1, "b - a ≤ p")
        .need(&[1, -1], WORD - p, "a - b < 2^32 - p")
        .canonical(&[0, 1]),
        MacroOp::Canonicalise => row(x(0).less(p, p), "x, less p if x ≥ p"),
        MacroOp::Div2Exp(1) => divided(1, field)
            .width(64)
            .need(&[1], 2 * p, "x < 2p")
            .canonical(&[0]),
        MacroOp::Div2Exp(k @ 2..=31) => divided(k, field).width(64),
        MacroOp::Mul => product(field, Word::Product(0, 1))
            .needs(NeedLeft::Product, WORD * p, "a·b < 2^32·p")
            .canonical(&[0, 1]),
        MacroOp::Square => product(field, Word::Product(0, 0))
            .needs(NeedLeft::Product, WORD * p, "x·x < 2^32·p")
            .canonical(&[0]),
        MacroOp::MulAdd => mul_add(field),
        MacroOp::Constant(word) => constant(word),
        _ => return None,
    })
}

/// A word that is the same in all states, in two's complement.
fn constant(word: u64) -> Row {
    let number = Expr::Constant(Reading::Signed.integer(word, 32));
    Row::new(Reading::Unsigned, [number], "the word, or less 2^32").writes(Reading::Signed)
}

/// `c` and the quotient of a product by the radix. Subtracting a multiple of p needs no carry: both
/// products have the same low half.
fn mul_add(field: &Field) -> Row {
    let (p, of) = (i128::from(field.modulus), Word::Product(1, 2));
    let often = Expr::Quotient {
        of,
        factor: field.inverse_mod_word(32),
        bits: 32,
    };
    let sum = x(0).up(32) + bits(of, 0, 64) - field.modulus * often;
    let text = "c + a·b / R mod p, more than c - p";
    Row::new(Reading::Unsigned, [sum], text)
        .need(&[-1, 0, 0], 1 - p, "c ≥ p")
        .need(&[1, 0, 0], WORD - p, "c < 2^32 - p")
        .needs(NeedLeft::Product, WORD * p, "a·b < 2^32·p")
        .over(32)
}

/// A product, divided by `2^32`: p is subtracted so often that `2^32` divides the difference.
fn product(field: &Field, of: Word) -> Row {
    let often = Expr::Quotient {
        of,
        factor: field.inverse_mod_word(32),
        bits: 32,
    };
    let difference = bits(of, 0, 64) - field.modulus * often;
    Row::new(
        Reading::Unsigned,
        [difference],
        "a Montgomery product, below p",
    )
    .over(32)
    .either(&[0, i128::from(field.modulus) << 32])
    .within(Range::below(field.modulus))
    .width(72)
}

//! Macro-ops of the family `montgomery52`: Montgomery forms of radix `2^52` in 64-bit words, which are
//! reduced by products that are cut at bit 52, and by nothing else.
//!
//! Sums are exact. A product is brought back by adding p as often as makes its low 52 bits vanish:
//!
//! ```text
//! q = -a·b·p^-1 mod 2^52       2^52 divides a·b + p·q
//! (a·b + p·q) / 2^52 = ⌊a·b / 2^52⌋ + ⌊p·q / 2^52⌋ + carry
//! ```
//!
//! The low halves of both products add to `2^52`, which carries one, or both are zero. Who multiplies
//! shows that `2^52` does not divide `a·b` ([`NeedLeft::Carry`]); then what is
//! added to the quotient holds the carry, and two multiply-accumulates make the whole of it. Of a product below
//! `2^52` the high half is zero, and one of them is enough.
//!
//! A sum of products is two sums: of low halves, which have room above bit 52, and of high ones. It is reduced once,
//! and no carry is taken for granted.

use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, NeedLeft, Reading, Row, Word, columns};
use crate::params::Field;

/// Bound of each sum of halves: with one more half it stays below the sign bit.
const HALVES: i128 = 1 << 62;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    Some(match op {
        MacroOp::MulAdd => carried(field),
        MacroOp::AddProduct => {
            let sum = x(0) + floor(Word::Product(1, 2), 0);
            Row::new(Reading::Below52, [sum], "c + a·b")
                .needs(NeedLeft::Product, 1 << 52, "a·b < 2^52")
                .writes(Reading::Signed)
                .width(120)
        }
        MacroOp::Accumulate => {
            let product = Word::Product(2, 3);
            let low = x(0) + bits(product, 0, 52);
            let high = x(1) + floor(product, 52);
            let text = "low and high, each with a half of a·b";
            let row = Row::new(Reading::Below63, [low, high], text)
                .need(&[1, 0, 0, 0], HALVES, "low < 2^62")
                .need(&[0, 1, 0, 0], HALVES, "high < 2^62")
                .need(&[0, 0, 1, 0], 1 << 52, "a < 2^52")
                .need(&[0, 0, 0, 1], 1 << 52, "b < 2^52")
                .writes(Reading::Signed)
                .width(120);
            Row { radix: 52, ..row }
        }
        MacroOp::Redc => {
            let bits = field.radix_bits();
            let often = often(field, Word::Operand(0), bits);
            let sum = x(0) + x(1).up(bits) + field.modulus * often;
            Row::new(Reading::Below63, [sum], "(low + 2^52·high) / 2^52 mod p")
                .need(&[1, 0], HALVES, "low < 2^62")
                .need(&[0, 1], HALVES, "high < 2^62")
                .writes(Reading::Signed)
                .over(bits)
                .width(120)
        }
        MacroOp::MulAddShort => carried(field).needs(NeedLeft::Product, 1 << 52, "a·b < 2^52"),
        MacroOp::Canonicalise => {
            Row::new(Reading::Unsigned, [x(0).less(p, p)], "x, less p if x ≥ p")
        }
        MacroOp::AddDiv2Exp(k) | MacroOp::SubDiv2Exp(k) => divided(op, k, field)?,
        MacroOp::Constant(word) => constant(word),
        _ => return columns::exact(op),
    })
}

/// `a ± x / 2^k`: with `p - 1 = 2^k·m` and `2^k·m ≡ -1` it is `⌊x / 2^k⌋` less m times what is cut off. Where
/// `2^k` does not divide p - 1, p is added to x as often as makes a multiple of `2^k`.
fn divided(op: MacroOp, k: u32, field: &Field) -> Option<Row> {
    if field.odd_divisions().contains(&k) && matches!(op, MacroOp::AddDiv2Exp(_)) {
        let sum = x(0).up(k) + x(1) + field.modulus * often(field, Word::Operand(1), k);
        let row = Row::new(Reading::Below52, [sum], "a + x / 2^k mod p");
        return Some(row.writes(Reading::Signed).over(k).width(120));
    }
    let cut = ((field.modulus - 1) >> k) * bits(Word::Operand(1), 0, k);
    let kept = floor(Word::Operand(1), k);
    let (sum, text) = match op {
        MacroOp::AddDiv2Exp(_) => (x(0) + kept - cut, "a + x / 2^k mod p"),
        _ => (x(0) - kept + cut, "a - x / 2^k mod p"),
    };
    let row = Row::new(Reading::Below52, [sum], text).writes(Reading::Signed);
    (k <= field.two_adicity()).then_some(row)
}

/// How often p is added to a word until `2^bits` divides it.
fn often(field: &Field, of: Word, bits: u32) -> Expr {
    let factor = (1 << bits) - field.inverse_mod_word(bits);
    Expr::Quotient { of, factor, bits }
}

/// `c - 1` and the quotient of a product by the radix, p added to it until it has no rest.
fn carried(field: &Field) -> Row {
    let (of, bits) = (Word::Product(1, 2), field.radix_bits());
    let often = field.modulus * often(field, of, bits);
    let sum = x(0).up(bits) + floor(of, 0) + often - Expr::Constant(1 << bits);
    Row::new(Reading::Below52, [sum], "c - 1 + a·b / R mod p, at least c")
        .needs(NeedLeft::Carry, 1, "2^52 does not divide a·b")
        .writes(Reading::Signed)
        .over(bits)
        .width(120)
}

/// A word that is the same in all states.
pub(super) fn constant(word: u64) -> Row {
    Row::new(
        Reading::Unsigned,
        [Expr::Constant(word.into())],
        "the word itself",
    )
}

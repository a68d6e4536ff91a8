//! Macro-ops of the family `montgomery52`: Montgomery forms of radix `2^52` in 64-bit words, which are
//! reduced by products that are cut at bit 52, and by nothing else.
//!
//! Sums are exact. A product is brought back by subtracting p as often as makes its low 52 bits
//! vanish:
//!
//! ```text
//! q = a·b·p^-1 mod 2^52        2^52 divides a·b - p·q
//! (a·b - p·q) / 2^52 = ⌊a·b / 2^52⌋ - ⌊p·q / 2^52⌋
//! ```
//!
//! Both products have the same low half, so there is no carry to guess: adding a multiple of p
//! instead, as Montgomery does, carries wherever that half is not zero, which no range tells. What is
//! added to the quotient, `c`, makes it positive and is how sums get into it: with `c = p` a product
//! is in `1 ..= p + ⌊a·b / 2^52⌋`.

use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, Reading, Row, Word, columns};
use crate::params::Field;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    Some(match op {
        MacroOp::MulAdd => mul_add(field, floor(PRODUCT, 0), Reading::Below52)
            .writes(Reading::Signed)
            .width(120),
        MacroOp::Canonicalise => {
            Row::new(Reading::Unsigned, [x(0).less(p, p)], "x, less p if x ≥ p")
        }
        MacroOp::AddDiv2Exp(k) | MacroOp::SubDiv2Exp(k) => divided(op, k, field)?,
        MacroOp::Constant(word) => constant(word),
        _ => return columns::exact(op),
    })
}

/// `a ± x / 2^k`: with `p - 1 = 2^k·m` and `2^k·m ≡ -1` it is `⌊x / 2^k⌋` less m times what is cut off.
fn divided(op: MacroOp, k: u32, field: &Field) -> Option<Row> {
    let cut = ((field.modulus - 1) >> k) * bits(Word::Operand(1), 0, k);
    let kept = floor(Word::Operand(1), k);
    let (sum, text) = match op {
        MacroOp::AddDiv2Exp(_) => (x(0) + kept - cut, "a + x / 2^k mod p"),
        _ => (x(0) - kept + cut, "a - x / 2^k mod p"),
    };
    let row = Row::new(Reading::Below52, [sum], text).writes(Reading::Signed);
    (k <= field.two_adicity()).then_some(row)
}

pub(super) const PRODUCT: Word = Word::Product(1, 2);

/// `c` and the quotient of a product by the radix.
pub(super) fn mul_add(field: &Field, product: Expr, reads: Reading) -> Row {
    let bits = field.radix_bits();
    let often = Expr::Quotient {
        of: PRODUCT,
        factor: field.inverse_mod_word(bits),
        bits,
    };
    let sum = x(0).up(bits) + product - field.modulus * often;
    let text = "c + a·b / R mod p, more than c - p";
    Row::new(reads, [sum], text).over(bits)
}

/// A word that is the same in all states.
pub(super) fn constant(word: u64) -> Row {
    Row::new(
        Reading::Unsigned,
        [Expr::Constant(word.into())],
        "the word itself",
    )
}

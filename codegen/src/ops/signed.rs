//! Macro-ops of the family `montgomery31` on words that may be negative: those of strategy `signed`.
//!
//! A word has room for two times p. Elements from 0 to p - 1 and sums of two of them are half of what
//! fits; the other half is elements from -p to p, which a product takes as they are:
//!
//! ```text
//! q = a·b·p^-1 mod 2^32, between -2^31 and 2^31
//! (a·b - p·q) / 2^32     between -p and p, if |a·b| < 2^31·p
//! ```
//!
//! The same holds of a sum of products that is as small.
//!
//! Division by `2^k` is `⌊x / 2^k⌋` less `(p - 1) / 2^k` times what is cut off, for `-1 / 2^k` is
//! `(p - 1) / 2^k`; of an element between -p and p that is between -p and p, too. Where `2^k` does not divide
//! p - 1, p is subtracted as often as leaves a multiple of `2^k`: that takes any word, and no longer than two
//! divisions.

use super::expr::{bits, floor, x};
use super::{Expr, MacroOp, NeedLeft, Range, Reading, Row, Word};
use crate::params::Field;
use Reading::Signed;

/// The greatest magnitude of an integer in a signed word, and one more.
const SIGNED: i128 = 1 << 31;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |result, text| Row::new(Signed, [result], text).width(40);
    Some(match op {
        MacroOp::Plus => row(x(0) + x(1), "a + b exactly")
            .need(&[-1, -1], SIGNED + 1, "a + b ≥ -2^31")
            .need(&[1, 1], SIGNED, "a + b < 2^31"),
        MacroOp::Minus => row(x(0) - x(1), "a - b exactly")
            .need(&[-1, 1], SIGNED + 1, "a - b ≥ -2^31")
            .need(&[1, -1], SIGNED, "a - b < 2^31"),
        MacroOp::MulSigned | MacroOp::MulLong => {
            let text = ["a Montgomery product between -p and p", "|a·b| < 2^31·p"];
            product(Word::Product(0, 1), text, field)
        }
        MacroOp::SquareLong => {
            let text = ["a Montgomery square between -p and p", "x² < 2^31·p"];
            product(Word::Product(0, 0), text, field)
        }
        MacroOp::Dot(products) if MacroOp::DOTS.contains(&products) => {
            let text = [
                "a sum of Montgomery products between -p and p",
                "|Σ a·b| < 2^31·p",
            ];
            product(Word::Dot(products as usize), text, field)
        }
        MacroOp::CanonicaliseSigned => row(x(0).plus_if_negative(p), "x, plus p if it is negative")
            .need(&[-1], p + 1, "x ≥ -p"),
        MacroOp::Div2ExpBalanced(k) if k <= field.two_adicity() => {
            let kept = floor(Word::Operand(0), k);
            let cut = ((field.modulus - 1) >> k) * bits(Word::Operand(0), 0, k);
            row(kept - cut, "x / 2^k mod p, between -p and p where x is")
        }
        MacroOp::Div2ExpWord(k) if field.odd_divisions().contains(&k) => {
            let often = Expr::Quotient {
                of: Word::Operand(0),
                factor: field.inverse_mod_word(k),
                bits: k,
            };
            let rest = x(0) - field.modulus * often;
            Row::new(Reading::Unsigned, [rest], "x / 2^k mod p, above -p")
                .writes(Signed)
                .over(k)
                .width(72)
        }
        MacroOp::AddSigned => canonical(row(x(0) + x(1), "a + x mod p, below p"), p),
        MacroOp::SubSigned => canonical(row(x(0) - x(1), "a - x mod p, below p"), p),
        // The squares of entries of diagonals.
        MacroOp::Times(n @ (9 | 16)) => {
            let multiples: Vec<i128> = (0..i128::from(n)).map(|n| -n * p).collect();
            row(u64::from(n) * x(0), "n·x mod p, below p")
                .need(&[-1], 1, "x ≥ 0")
                .need(&[1], p, "x < p")
                .either(&multiples)
                .within(Range::new(0, p - 1))
        }
        // Where p is as near to 2^31 as leaves room in a word; see the template.
        MacroOp::Sum(words) if MacroOp::SUMS.contains(&words) && field.two_adicity() <= 24 => {
            let sum = (1..words as usize).fold(x(0), |sum, n| sum + x(n));
            let multiples: Vec<i128> = (0..2 * i128::from(words)).map(|n| -n * p).collect();
            Row::new(Reading::Unsigned, [sum], "the sum mod p, as any word")
                .either(&multiples)
                .within(Range::new(0, 2 * SIGNED - 1))
                .width(40)
        }
        _ => return None,
    })
}

/// A word that is reduced as a product is.
fn product(of: Word, [text, need]: [&'static str; 2], field: &Field) -> Row {
    let p = i128::from(field.modulus);
    let often = Expr::Quotient {
        of,
        factor: field.inverse_mod_word(32),
        bits: 32,
    };
    let difference = floor(of, 0) - field.modulus * often;
    Row::new(Signed, [difference], text)
        .needs(NeedLeft::Magnitude(of), SIGNED * p, need)
        .over(32)
        .either(&[0, p << 32])
        .within(Range::new(1 - p, p - 1))
        .width(72)
}

/// The sum of an element below p and another between -p and p, brought below p.
fn canonical(row: Row, p: i128) -> Row {
    row.need(&[-1, 0], 1, "a ≥ 0")
        .need(&[1, 0], p, "a < p")
        .need(&[0, -1], p, "x > -p")
        .need(&[0, 1], p, "x < p")
        .either(&[0, p, -p])
        .within(Range::new(0, p - 1))
}

//! Macro-ops of the family `montgomery64`: Montgomery forms of radix `2^32` in 64-bit words. Sums are exact, and
//! what leads into products is reduced.
//!
//! A product of two reduced words fits a word, and so does the multiple of p that makes it divisible by `2^32`. Where
//! a factor is itself a product, their sum might not: [`MulAdd`](MacroOp::MulAdd) subtracts the multiple, high half
//! from high half, which takes longer.
//!
//! [`Reduce`](MacroOp::Reduce) multiplies by `⌊2^48 / p⌋`, of which the upper bits are the quotient, or one less.

use super::expr::{floor, x};
use super::{Expr, MacroOp, NeedLeft, Range, Reading, Row, Word, radix52};
use crate::params::Field;
use Reading::{Below52, Signed};

/// Words that are reduced have at most so many bits.
const REDUCED: u32 = 38;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |result, text| Row::new(Below52, [result], text).writes(Signed);
    Some(match op {
        MacroOp::Reduce => {
            let multiples: Vec<i128> = (0..1 << (REDUCED - 30)).map(|n| -n * p).collect();
            row(x(0), "x mod p, below p + 2^18")
                .need(&[1], 1 << REDUCED, "x < 2^38")
                .either(&multiples)
                .within(Range::new(0, p + (1 << 18) - 1))
        }
        MacroOp::Mul => {
            let (of, less) = (Word::Product(0, 1), (1 << 32) - field.inverse_mod_word(32));
            let sum = floor(of, 0) + field.modulus * quotient(of, less);
            row(sum, "a·b / R mod p")
                .needs(
                    NeedLeft::Product,
                    (1 << 64) - (p << 32),
                    "a·b < 2^64 - 2^32·p",
                )
                .over(32)
                .width(120)
        }
        MacroOp::MulAdd => {
            let of = Word::Product(1, 2);
            let multiple = field.modulus * quotient(of, field.inverse_mod_word(32));
            let sum = x(0).up(32) + floor(of, 0) - multiple;
            row(sum, "c + a·b / R mod p, more than c - p")
                .needs(NeedLeft::Product, 1 << 64, "a·b < 2^64")
                .over(32)
                .width(120)
        }
        MacroOp::AddDiv2Exp(k) | MacroOp::SubDiv2Exp(k) if k > field.two_adicity() => return None,
        op => return radix52::row(op, field),
    })
}

/// How often p is added to a product, or subtracted, so that `2^32` divides it.
fn quotient(of: Word, factor: u64) -> Expr {
    let bits = 32;
    Expr::Quotient { of, factor, bits }
}

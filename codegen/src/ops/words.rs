//! Macro-ops on elements of the family `goldilocks` that are one word each.

use super::expr::{bits, x};
use super::{Expr, MacroOp, Need, Proof, Range, Reading, Row, When, Word};
use crate::params::Field;

const WORD: i128 = 1 << 64;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |gives, text| Row::new(Reading::Unsigned, gives, text);
    Some(match op {
        MacroOp::Add => Row {
            needs: vec![Need::linear(&[1, 1], WORD + p, "a + b < 2^64 + p")],
            canonical: &[1],
            ..row(
                (x(0) + x(1)).corrected(When::AtLeast(WORD), -p).into(),
                "a + b, less p if it reaches 2^64",
            )
        },
        MacroOp::Sub => Row {
            needs: vec![Need::linear(&[-1, 1], p + 1, "b - a ≤ p")],
            canonical: &[1],
            ..row(
                (x(0) - x(1)).corrected(When::Negative, p).into(),
                "a - b, plus p if it is negative",
            )
        },
        MacroOp::Canonicalise => row(
            x(0).corrected(When::AtLeast(p), -p).into(),
            "x, less p if x ≥ p",
        ),
        MacroOp::Halve => row(x(0).corrected(When::Odd, p).over(1), "(x + p·[x odd]) / 2"),
        MacroOp::Div2Exp(k @ 1..=32) => {
            // So often p is added that 2^k divides the sum.
            let of = Word::Operand(0);
            let factor = (1 << k) - field.inverse_mod_word(k);
            let times = Expr::Quotient {
                of,
                factor,
                bits: k,
            };
            Row {
                width: 128,
                ..row(
                    (x(0) + field.modulus * times)
                        .over(k)
                        .either([0, -(p << k)])
                        .within(Range::below(field.modulus)),
                    "x / 2^k mod p, below p",
                )
            }
        }
        MacroOp::Mul | MacroOp::Square => {
            // 2^64 ≡ 2^32 - 1 and 2^96 ≡ -1 (mod p).
            let product = Word::Product(0, op.operands().len() - 1);
            let folded = bits(product, 0, 64) + bits(product, 64, 32).folded();
            Row {
                proof: Proof::Folded,
                ..row(
                    (folded - bits(product, 96, 32))
                        .either([0, p, -p])
                        .within(Range::word(64)),
                    "a product mod p in any word",
                )
            }
        }
        _ => return None,
    })
}

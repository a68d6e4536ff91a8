//! Macro-ops of the family `montgomery31`: 32-bit words that stand for residues in Montgomery form.

use super::expr::{bits, x};
use super::{Expr, MacroOp, Need, Proof, Range, Reading, Row, When, Word};
use crate::params::Field;

const WORD: i128 = 1 << 32;

pub(super) fn row(op: MacroOp, field: &Field) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |gives, text| Row {
        width: 40,
        ..Row::new(Reading::Unsigned, gives, text)
    };
    Some(match op {
        MacroOp::Add => Row {
            needs: vec![Need::linear(&[1, 1], WORD, "a + b < 2^32")],
            canonical: &[0, 1],
            ..row((x(0) + x(1)).into(), "a + b exactly")
        },
        MacroOp::Sub => Row {
            needs: vec![
                Need::linear(&[-1, 1], p + 1, "b - a ≤ p"),
                Need::linear(&[1, -1], WORD - p, "a - b < 2^32 - p"),
            ],
            canonical: &[0, 1],
            ..row(
                (x(0) - x(1)).corrected(When::Negative, p).into(),
                "a - b, plus p if it is negative",
            )
        },
        MacroOp::Canonicalise => row(
            x(0).corrected(When::AtLeast(p), -p).into(),
            "x, less p if x ≥ p",
        ),
        MacroOp::Div2Exp(k @ 1..=31) => {
            // So often p is added that 2^k divides the sum.
            let of = Word::Operand(0);
            let factor = (1 << k) - field.inverse_mod_word(k);
            let times = Expr::Quotient {
                of,
                factor,
                bits: k,
            };
            let half = vec![Need::linear(&[1], 2 * p, "x < 2p")];
            Row {
                needs: if k == 1 { half } else { Vec::new() },
                canonical: if k == 1 { &[0] } else { &[] },
                width: 64,
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
            // So often p is subtracted that 2^32 divides the difference.
            let of = Word::Product(0, op.operands().len() - 1);
            let factor = field.inverse_mod_word(32);
            let times = Expr::Quotient {
                of,
                factor,
                bits: 32,
            };
            let (text, canonical): (_, &[usize]) = match op {
                MacroOp::Mul => ("a·b < 2^32·p", &[0, 1]),
                _ => ("x·x < 2^32·p", &[0]),
            };
            Row {
                needs: vec![Need::product(WORD * p, text)],
                canonical,
                width: 72,
                proof: Proof::Montgomery,
                ..row(
                    (bits(of, 0, 64) - field.modulus * times)
                        .over(32)
                        .either([0, p << 32])
                        .within(Range::below(field.modulus)),
                    "a Montgomery product, below p",
                )
            }
        }
        _ => return None,
    })
}

//! The macro-ops on 31-bit fields.

use super::{F, bits, corrected, divided, exact, floor, inverse, need, row, sum, x};
use crate::row::Piece::Quotient;
use crate::row::Reading::{Below52, Signed, Unsigned};
use crate::row::Word::{Operand, Product};
use crate::row::{Need, Piece, Reading, Row};
use reference::Field;

/// A named constant.
pub(super) fn word(wide: bool, word: u64) -> Option<Row> {
    let bits = if wide { 64 } else { 32 };
    let row = row(Unsigned, 0, vec![sum(word.into(), &[])]);
    (word >> (bits - 1) == 0).then_some(Row { bits, ..row })
}

/// `c + (a·b - p·q) / 2^k`, where p is subtracted so often that `2^k` divides the difference.
fn mul_add(field: &Field, product: Piece, reads: Reading, k: u32) -> Row {
    let (of, factor, bits) = (Product(1, 2), inverse(field.modulus, k), k);
    let often = Quotient { of, factor, bits };
    let p = i128::from(field.modulus);
    Row {
        down: k,
        ..row(
            reads,
            3,
            vec![sum(0, &[(1 << k, x(0)), (1, product), (-p, often)])],
        )
    }
}

/// Words of 64 bits in Montgomery form of radix 2^52.
pub(super) fn radix52(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    let p = i128::from(field.modulus);
    Some(match (name, parameter) {
        ("plus" | "minus", None) => exact(name),
        ("canonicalise", None) => corrected(1, &[(1, x(0))], p, [0, -p]),
        ("add-div2exp" | "sub-div2exp", Some(parameter)) => {
            let k = parameter.parse().ok().filter(|k| (1..=32).contains(k))?;
            let sign = if name == "add-div2exp" { 1 } else { -1 };
            // What is cut off is divided by -1, which is p - 1 and a multiple of 2^k.
            let kept = (sign, floor(Operand(1), k));
            let cut = (-sign * ((p - 1) >> k), bits(Operand(1), 0, k));
            let sums = vec![sum(0, &[(1, x(0)), kept, cut])];
            let divides = (p - 1) % (1 << k) == 0;
            return divides.then(|| Row {
                writes: Signed,
                ..row(Below52, 2, sums)
            });
        }
        ("mul-add", None) => Row {
            writes: Signed,
            ..mul_add(field, floor(Product(1, 2), 0), Below52, 52)
        },
        _ => return None,
    })
}

/// Words of 32 bits in Montgomery form of radix 2^32.
pub(super) fn radix32(field: &Field, name: &str, k: Option<u32>) -> Option<Row> {
    let (p, word) = (i128::from(field.modulus), F);
    let row = |reads, operands, results| Row {
        bits: 32,
        ..row(reads, operands, results)
    };
    let corrected = |operands, terms: &[_], from, by| Row {
        bits: 32,
        ..corrected(operands, terms, from, by)
    };
    Some(match (name, k) {
        ("mul-add", None) => {
            let (left, bound) = (None, word * p);
            let least = need(&[-1, 0, 0], 1 - p);
            let greatest = need(&[1, 0, 0], word - p);
            Row {
                bits: 32,
                needs: vec![least, greatest, Need { left, bound }],
                ..mul_add(field, bits(Product(1, 2), 0, 64), Unsigned, 32)
            }
        }
        ("add", None) => Row {
            needs: vec![need(&[1, 1], word)],
            ..row(Unsigned, 2, vec![sum(0, &[(1, x(0)), (1, x(1))])])
        },
        ("sub", None) => Row {
            needs: vec![need(&[-1, 1], p + 1), need(&[1, -1], word - p)],
            ..corrected(2, &[(1, x(0)), (-1, x(1))], 0, [p, 0])
        },
        ("canonicalise", None) => corrected(1, &[(1, x(0))], p, [0, -p]),
        ("div2exp", Some(k @ 1..=31)) => {
            let row = Row {
                bits: 32,
                ..divided(field, k, inverse(field.modulus, k))
            };
            let needs = match k {
                1 => vec![need(&[1], 2 * p)],
                _ => Vec::new(),
            };
            Row { needs, ..row }
        }
        // p is subtracted so often that 2^32 divides the difference.
        ("mul" | "square", None) => {
            let last = usize::from(name == "mul");
            let (of, factor) = (Product(0, last), inverse(field.modulus, 32));
            let often = Quotient {
                of,
                factor,
                bits: 32,
            };
            let (left, bound) = (None, word * p);
            Row {
                needs: vec![Need { left, bound }],
                down: 32,
                either: vec![0, p << 32],
                range: Some((0, p - 1)),
                ..row(
                    Unsigned,
                    last + 1,
                    vec![sum(0, &[(1, bits(of, 0, 64)), (-p, often)])],
                )
            }
        }
        _ => return None,
    })
}

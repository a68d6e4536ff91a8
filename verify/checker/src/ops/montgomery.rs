//! The macro-ops on 31-bit fields.

use super::{F, added, bits, corrected, divided, exact, floor, need};
use super::{product_below, row, subtracted, sum, sums, x};
use crate::row::Reading::{Below52, Below63, Signed, Unsigned};
use crate::row::Word::{Dot, Operand, Product};
use crate::row::{Piece, Row};
use reference::Field;

/// A named constant: of 32 bits in two's complement, or of 64 and not negative.
pub(super) fn word(wide: bool, word: u64) -> Option<Row> {
    let (bits, number) = match wide {
        true => (64, i64::try_from(word).ok()?),
        false => (32, u32::try_from(word).ok()?.cast_signed().into()),
    };
    let row = row(Unsigned, 0, vec![sum(number.into(), &[])]);
    let writes = if wide { Unsigned } else { Signed };
    Some(Row {
        bits,
        writes,
        ..row
    })
}

/// An operand divided by `2^k`, plus or minus; none if that does not divide p - 1. What is cut off is
/// divided by -1, which is p - 1.
fn quotient(p: i128, operand: usize, k: u32, sign: i128) -> Option<[(i128, Piece); 2]> {
    let of = Operand(operand);
    let pieces = [
        (sign, floor(of, k)),
        (-sign * ((p - 1) >> k), bits(of, 0, k)),
    ];
    ((p - 1) % (1 << k) == 0).then_some(pieces)
}

/// Words of 64 bits in Montgomery form of radix 2^52.
pub(super) fn radix52(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    let p = i128::from(field.modulus);
    Some(match (name, parameter) {
        ("plus" | "minus", None) => exact(name, 64),
        ("canonicalise", None) => corrected(1, &[(1, x(0))], p, [0, -p]),
        ("add-div2exp" | "sub-div2exp", Some(parameter)) => {
            let k = parameter.parse().ok().filter(|k| (1..=32).contains(k))?;
            let sign = if name == "add-div2exp" { 1 } else { -1 };
            let row = |terms: &[_]| Row {
                writes: Signed,
                ..row(Below52, 2, sums([terms]))
            };
            match quotient(p, 1, k, sign) {
                Some([kept, cut]) => row(&[(1, x(0)), kept, cut]),
                // p is added so often that this leaves no rest.
                None if sign > 0 => Row {
                    down: k,
                    ..row(&[(1 << k, x(0)), (1, x(1)), added(field, Operand(1), k)])
                },
                None => return None,
            }
        }
        ("add-product", None) => Row {
            writes: Signed,
            needs: vec![product_below(1 << 52)],
            ..row(
                Below52,
                3,
                sums([&[(1, x(0)), (1, floor(Product(1, 2), 0))]]),
            )
        },
        // Two sums, of the low halves of products and of high ones.
        ("accumulate", None) => {
            let product = Product(2, 3);
            let low = [(1, x(0)), (1, bits(product, 0, 52))];
            let high = [(1, x(1)), (1, floor(product, 52))];
            let bounds = [62, 62, 52, 52].into_iter().enumerate();
            let needs = bounds.map(|(n, bits)| {
                let mut one = [0; 4];
                one[n] = 1;
                need(&one, 1 << bits)
            });
            Row {
                writes: Signed,
                needs: needs.collect(),
                radix: 52,
                ..row(Below63, 4, sums([&low, &high]))
            }
        }
        // Such sums together over 2^52, p added so often that this leaves no rest.
        ("redc", None) => {
            let terms = [(1, x(0)), (1 << 52, x(1)), added(field, Operand(0), 52)];
            Row {
                writes: Signed,
                needs: vec![need(&[1, 0], 1 << 62), need(&[0, 1], 1 << 62)],
                down: 52,
                ..row(Below63, 2, sums([&terms]))
            }
        }
        // c - 1 and the product over 2^52, with p added so often that this leaves no rest. The 1 is what
        // the low halves of the product and of p's multiple carry.
        // The short one takes products below 2^52.
        ("mul-add" | "mul-add-short", None) => {
            let (of, r) = (Product(1, 2), 1 << 52);
            let terms = [(r, x(0)), (1, floor(of, 0)), added(field, of, 52)];
            let short = (name == "mul-add-short").then(|| product_below(r));
            Row {
                writes: Signed,
                needs: short.into_iter().collect(),
                carries: true,
                down: 52,
                ..row(Below52, 3, vec![sum(-r, &terms)])
            }
        }
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
            let least = need(&[-1, 0, 0], 1 - p);
            let greatest = need(&[1, 0, 0], word - p);
            let (product, less) = (Product(1, 2), subtracted(field, Product(1, 2), 32));
            let terms = [(word, x(0)), (1, bits(product, 0, 64)), less];
            Row {
                needs: vec![least, greatest, product_below(word * p)],
                down: 32,
                ..row(Unsigned, 3, sums([&terms]))
            }
        }
        ("add", None) => Row {
            needs: vec![need(&[1, 1], word)],
            ..row(Unsigned, 2, sums([&[(1, x(0)), (1, x(1))]]))
        },
        ("sub", None) => Row {
            needs: vec![need(&[-1, 1], p + 1), need(&[1, -1], word - p)],
            ..corrected(2, &[(1, x(0)), (-1, x(1))], 0, [p, 0])
        },
        ("canonicalise", None) => corrected(1, &[(1, x(0))], p, [0, -p]),
        ("div2exp", Some(k @ 1..=31)) => {
            let of_half = (k == 1).then(|| need(&[1], 2 * p));
            Row {
                bits: 32,
                needs: of_half.into_iter().collect(),
                ..divided(field, k)
            }
        }
        ("mul" | "square", None) => {
            let last = usize::from(name == "mul");
            let of = Product(0, last);
            let terms = [(1, bits(of, 0, 64)), subtracted(field, of, 32)];
            Row {
                needs: vec![product_below(word * p)],
                down: 32,
                either: vec![0, p << 32],
                range: Some((0, p - 1)),
                ..row(Unsigned, last + 1, sums([&terms]))
            }
        }
        _ => return signed(field, name, k),
    })
}

/// The same where words may be negative.
fn signed(field: &Field, name: &str, k: Option<u32>) -> Option<Row> {
    let p = i128::from(field.modulus);
    let row = |operands, terms: &[_]| Row {
        bits: 32,
        ..row(Signed, operands, sums([terms]))
    };
    Some(match (name, k) {
        ("plus" | "minus", None) => exact(name, 32),
        // With the multiple of p that lies nearest to the product, or the sum of some, of two.
        ("mul-signed" | "mul-long" | "square-long", None) | ("dot", Some(2..=9)) => {
            let (operands, of) = match k {
                None if name == "square-long" => (1, Product(0, 0)),
                None => (2, Product(0, 1)),
                Some(products) => (2 * products as usize, Dot(products as usize)),
            };
            Row {
                needs: vec![product_below(p << 31)],
                down: 32,
                either: vec![0, p << 32],
                range: Some((1 - p, p - 1)),
                ..row(operands, &[(1, floor(of, 0)), subtracted(field, of, 32)])
            }
        }
        ("canonicalise-signed", None) => {
            let mut row = row(1, &[(1, x(0))]);
            row.results[0].corrected = Some((0, [p, 0]));
            let needs = vec![need(&[-1], p + 1)];
            Row { needs, ..row }
        }
        ("div2exp-balanced", Some(k @ 1..=31)) => row(1, &quotient(p, 0, k, 1)?),
        // Of any word.
        ("div2exp-word", Some(k @ 1..=32)) => Row {
            reads: Unsigned,
            down: k,
            ..row(1, &[(1, x(0)), subtracted(field, Operand(0), k)])
        },
        // Of an element below p, and one whose magnitude is.
        ("add-signed" | "sub-signed", None) => {
            let sign = if name == "add-signed" { 1 } else { -1 };
            let first = [need(&[-1, 0], 1), need(&[1, 0], p)];
            let second = [need(&[0, -1], p), need(&[0, 1], p)];
            Row {
                needs: [first, second].concat(),
                either: vec![0, p, -p],
                range: Some((0, p - 1)),
                ..row(2, &[(1, x(0)), (sign, x(1))])
            }
        }
        ("times", Some(n @ (9 | 16))) => {
            let n = i128::from(n);
            Row {
                needs: vec![need(&[-1], 1), need(&[1], p)],
                either: (0..n).map(|n| -n * p).collect(),
                range: Some((0, p - 1)),
                ..row(1, &[(n, x(0))])
            }
        }
        // Of words that may be anything, as is the result.
        ("sum", Some(words @ 6..=8)) if p > F / 2 - (1 << 24) => {
            let words = words as usize;
            let terms: Vec<(i128, Piece)> = (0..words).map(|n| (1, x(n))).collect();
            Row {
                reads: Unsigned,
                writes: Unsigned,
                either: (0..2 * words as i128).map(|n| -n * p).collect(),
                range: Some((0, F - 1)),
                ..row(words, &terms)
            }
        }
        _ => return None,
    })
}

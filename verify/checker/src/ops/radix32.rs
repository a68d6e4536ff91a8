//! The macro-ops on 31-bit fields in words of 64 bits, of which products fit a word.

use super::montgomery::radix52;
use super::{floor, inverse, need, row, shifted, sum, x};
use crate::row::Piece::Quotient;
use crate::row::Reading::{Below52, Signed};
use crate::row::Word::Product;
use crate::row::{Need, Piece, Row};
use reference::Field;

/// Words of 64 bits in Montgomery form of radix 2^32.
pub(super) fn find(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    let p = i128::from(field.modulus);
    let less = inverse(field.modulus, 32);
    let often = |of, factor| Quotient {
        of,
        factor,
        bits: 32,
    };
    let product = |operands, bound, terms: &[(i128, Piece)]| Row {
        needs: vec![Need { left: None, bound }],
        writes: Signed,
        down: 32,
        ..row(Below52, operands, vec![sum(0, terms)])
    };
    match (name, parameter) {
        // As many times p less as leaves p and a little at most.
        ("reduce", None) => Some(Row {
            needs: vec![need(&[1], 1 << 38)],
            writes: Signed,
            either: (0..256).map(|n| -n * p).collect(),
            range: Some((0, p + (1 << 18) - 1)),
            ..row(Below52, 1, vec![sum(0, &[(1, x(0))])])
        }),
        // With p added so often that 2^32 divides the sum, which fits a word.
        ("mul", None) => {
            let of = Product(0, 1);
            let terms = [(1, floor(of, 0)), (p, often(of, (1 << 32) - less))];
            Some(product(2, (1 << 64) - (p << 32), &terms))
        }
        // With p subtracted so often that 2^32 divides the difference.
        ("mul-add", None) => {
            let of = Product(1, 2);
            let terms = [(1 << 32, x(0)), (1, floor(of, 0)), (-p, often(of, less))];
            Some(product(3, 1 << 64, &terms))
        }
        ("shift-left", Some(k)) => shifted(field, name, k.parse().ok()?),
        _ => beside(field, name, parameter),
    }
}

/// What words of any such radix have.
pub(super) fn beside(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    match (name, parameter) {
        ("add-div2exp" | "sub-div2exp", Some(k)) => {
            let k: u32 = k.parse().ok().filter(|k| (1..=32).contains(k))?;
            let divides = (field.modulus - 1).is_multiple_of(1 << k);
            divides.then(|| radix52(field, name, parameter))?
        }
        ("plus" | "minus" | "canonicalise", None) => radix52(field, name, parameter),
        _ => None,
    }
}

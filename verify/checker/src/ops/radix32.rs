//! The macro-ops on 31-bit fields in words of 64 bits, of which products fit a word.

use super::montgomery::radix52;
use super::{added, floor, need, product_below, row, shifted, subtracted, sums, x};
use crate::row::Reading::{Below52, Signed};
use crate::row::Word::Product;
use crate::row::{Piece, Row};
use reference::Field;

/// Words of 64 bits in Montgomery form of radix 2^32.
pub(super) fn find(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    let p = i128::from(field.modulus);
    let product = |operands, bound, terms: &[(i128, Piece)]| Row {
        needs: vec![product_below(bound)],
        writes: Signed,
        down: 32,
        ..row(Below52, operands, sums([terms]))
    };
    match (name, parameter) {
        ("reduce", None) => Some(reduce(p, (1 << 18) - 1)),
        // The sum fits a word.
        ("mul", None) => {
            let of = Product(0, 1);
            let terms = [(1, floor(of, 0)), added(field, of, 32)];
            Some(product(2, (1 << 64) - (p << 32), &terms))
        }
        ("mul-add", None) => {
            let (up, of) = (1 << 32, Product(1, 2));
            let terms = [(up, x(0)), (1, floor(of, 0)), subtracted(field, of, 32)];
            Some(product(3, 1 << 64, &terms))
        }
        ("shift-left", Some(k)) => shifted(field, name, k.parse().ok()?),
        _ => beside(field, name, parameter),
    }
}

/// As many times p less as leaves p and a little at most.
pub(super) fn reduce(p: i128, little: i128) -> Row {
    Row {
        needs: vec![need(&[1], 1 << 38)],
        writes: Signed,
        either: (0..256).map(|n| -n * p).collect(),
        range: Some((0, p + little)),
        ..row(Below52, 1, sums([&[(1, x(0))]]))
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

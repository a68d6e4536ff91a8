//! The macro-ops on 31-bit fields in words of 64 bits, of which products are two words.

use super::montgomery::radix52;
use super::radix32::{beside, reduce};
use super::{bits, floor, need, product_below, row, subtracted, sums, x};
use crate::row::Reading::{Below52, Signed, Unsigned};
use crate::row::Row;
use crate::row::Word::{Operand, Product};
use reference::Field;

/// Words of 64 bits in Montgomery form of radix 2^32, of which products of three, and by constants, are reduced by
/// 2^64; for p = 2^31 - 2^t + 1 with t of 12 at least.
pub(super) fn find(field: &Field, name: &str, parameter: Option<&str>) -> Option<Row> {
    let p = i128::from(field.modulus);
    let little = (2 * (p - 1).trailing_zeros()).checked_sub(24)?;
    match (name, parameter) {
        // p less for each 2^31.
        ("fold", None) => {
            let terms = [
                (1, bits(Operand(0), 0, 31)),
                ((1 << 31) - p, floor(Operand(0), 31)),
            ];
            Some(Row {
                writes: Signed,
                ..row(Below52, 1, sums([&terms]))
            })
        }
        ("reduce", None) => Some(reduce(p, 1 << little)),
        ("product", None) => Some(Row {
            needs: vec![product_below(1 << 64)],
            writes: Unsigned,
            ..row(Below52, 2, sums([&[(1, floor(Product(0, 1), 0))]]))
        }),
        ("mul-add", None) => {
            let (up, of) = (1 << 64, Product(1, 2));
            let terms = [(up, x(0)), (1, floor(of, 0)), subtracted(field, of, 64)];
            Some(Row {
                needs: vec![
                    need(&[-1, 0, 0], 1 - p),
                    need(&[1, 0, 0], 1 << 52),
                    need(&[0, 0, 1], 1 << 52),
                    product_below(1 << 116),
                ],
                writes: Signed,
                down: 64,
                ..row(Unsigned, 3, sums([&terms]))
            })
        }
        ("add-product", None) => radix52(field, name, parameter),
        _ => beside(field, name, parameter),
    }
}

//! The macro-ops on 31-bit fields in words of 64 bits, of which products are two words.

use super::montgomery::radix52;
use super::radix32::beside;
use super::{bits, floor, inverse, need, row, sum, x};
use crate::row::Piece::Quotient;
use crate::row::Reading::{Below52, Signed, Unsigned};
use crate::row::Word::{Operand, Product};
use crate::row::{Need, Row};
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
                ..row(Below52, 1, vec![sum(0, &terms)])
            })
        }
        // As many times p less as leaves p and a little at most.
        ("reduce", None) => Some(Row {
            needs: vec![need(&[1], 1 << 38)],
            writes: Signed,
            either: (0..256).map(|n| -n * p).collect(),
            range: Some((0, p + (1 << little))),
            ..row(Below52, 1, vec![sum(0, &[(1, x(0))])])
        }),
        ("product", None) => {
            let (left, bound) = (None, 1 << 64);
            Some(Row {
                needs: vec![Need { left, bound }],
                writes: Unsigned,
                ..row(Below52, 2, vec![sum(0, &[(1, floor(Product(0, 1), 0))])])
            })
        }
        // With p subtracted so often that 2^64 divides the difference.
        ("mul-add", None) => {
            let (of, factor, bits) = (Product(1, 2), inverse(field.modulus, 64), 64);
            let often = Quotient { of, factor, bits };
            let terms = [(1 << 64, x(0)), (1, floor(of, 0)), (-p, often)];
            Some(Row {
                needs: vec![
                    need(&[-1, 0, 0], 1 - p),
                    need(&[1, 0, 0], 1 << 52),
                    need(&[0, 0, 1], 1 << 52),
                    Need {
                        left: None,
                        bound: 1 << 116,
                    },
                ],
                writes: Signed,
                down: 64,
                ..row(Unsigned, 3, vec![sum(0, &terms)])
            })
        }
        ("add-product", None) => radix52(field, name, parameter),
        _ => beside(field, name, parameter),
    }
}

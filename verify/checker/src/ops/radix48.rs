//! The macro-ops on elements that are `low + 2^48·high`, of which the high part fits half a word, and on the
//! halves of products.

use super::{F, bits, exact, floor, need, packed, row, sums, t, x};
use crate::row::Reading::{Signed, Unsigned};
use crate::row::Word::{Operand, Product};
use crate::row::{Need, Row};

pub(super) fn plain(p: i128, name: &str) -> Option<Row> {
    let word = (0, (1 << 64) - 1);
    Some(match name {
        "plus-narrow" | "minus-narrow" => Row {
            bits: 64,
            ..exact(name.trim_end_matches("-narrow"), 32)
        },
        "split-radix48" => {
            let (low, high) = (bits(Operand(0), 0, 48), bits(Operand(0), 48, 16));
            Row {
                writes: Signed,
                ..radix48(row(Unsigned, 1, sums([&[(1, low)], &[(1, high)]])))
            }
        }
        "pack-radix48" => {
            let needs = vec![need(&[-1, 0], 1), need(&[0, -1], 1), need(&[0, 1], F / 2)];
            packed(p, 48, needs)
        }
        // What is above 64 bits goes down by φ² ≡ φ - 1.
        "carry-radix48" => {
            let (low, high) = (Operand(0), Operand(1));
            let first = [(1, bits(low, 0, 48)), (F - 1, floor(high, 16))];
            let second = [(1, bits(high, 0, 16)), (1, floor(low, 48))];
            Row {
                needs: half_a_word(),
                ..radix48(row(Signed, 2, sums([&first, &second])))
            }
        }
        // Halves of a product, divided by 2^64 ≡ φ - 1, as 2^-64 ≡ -φ.
        "redc" => {
            let t = |n: u32| bits(Operand(0), 32 * n, 32);
            let terms = [(1, x(1)), (1 - F, t(1)), (-F, t(0))];
            Row {
                either: vec![0, p, 2 * p],
                range: Some(word),
                ..row(Unsigned, 2, sums([&terms]))
            }
        }
        "mul-radix48" => {
            let half = |from| bits(Product(0, 1), from, 16);
            let low = [
                (1, t(2)),
                (1, t(1)),
                (F, half(96)),
                (-F, half(0)),
                (-F, half(32)),
            ];
            let high = [(1, half(112)), (-1, half(16)), (-1, half(48))];
            Row {
                writes: Signed,
                ..radix48(row(Unsigned, 2, sums([&low, &high])))
            }
        }
        _ => return None,
    })
}

pub(super) fn shifted(name: &str, k: u32) -> Option<Row> {
    Some(match name {
        "shift-left-narrow" if k <= 16 => Row {
            needs: vec![need(&[-(1 << k)], F / 2 + 1), need(&[1 << k], F / 2)],
            ..row(Signed, 1, sums([&[(1 << k, x(0))]]))
        },
        // What is cut off comes back by 2^-k ≡ 2^(32-k) - 2^(64-k).
        "div2exp-radix48" if k <= 16 => {
            let cut = |n| bits(Operand(n), 0, k);
            let first = [
                (1, floor(Operand(0), k)),
                (1 << (32 - k), cut(0)),
                (1 << (48 - k), cut(1)),
            ];
            let second = [(1, floor(Operand(1), k)), (-(1 << (16 - k)), cut(0))];
            Row {
                needs: half_a_word(),
                ..radix48(row(Signed, 2, sums([&first, &second])))
            }
        }
        _ => return None,
    })
}

/// Two results, of which the second weighs `2^48`.
fn radix48(row: Row) -> Row {
    Row { radix: 48, ..row }
}

/// That the second of two parts fits half a word.
fn half_a_word() -> Vec<Need> {
    vec![need(&[0, -1], F / 2 + 1), need(&[0, 1], F / 2)]
}

//! Contracts of products that are reduced from below, as Montgomery's REDC does.
//!
//! With `φ = 2^32` and `φ² ≡ φ - 1` (mod p), `φ³ ≡ -1` and so `2^-64 = φ^-2 ≡ -φ`. A product
//! `lo + 2^64·hi` of two words, divided by `2^64`, is therefore `hi - φ·lo`, and with the halves
//! `lo = l0 + φ·l1`, `hi = h0 + φ·h1`
//!
//! ```text
//! hi - φ·l0 - φ²·l1 ≡ hi - (φ·(l0 + l1) - l1)
//!                   = (h0 + l1) + φ·(h1 - l0 - l1)
//! ```
//!
//! - `mul-wide` gives the two halves of a product.
//! - `share` makes of the low half what is to be subtracted from the high one:
//!   `φ·(l0 + l1) - l1`, less p if `l0 + l1` reaches `φ`. That is below p: without the carry it is
//!   at most `φ·(φ - 1) = p - 1`; with it, `φ·(l0 + l1 - φ) + φ - 1 - l1`, and `l0 < φ` makes the
//!   bracket at most `l1 - 1`. So the subtraction after it is `sub`, with one borrow to mend,
//!   where folding from above has two.
//! - `mul-columns-redc` leaves the two columns as they are.
//!
//! Each product brings a factor `2^-64` along. `x^α` is made of `α - 1` of them, and `2^192 ≡ 1`
//! (mod p): where 3 divides `α - 1`, as for `x⁷`, the factors cancel, and nothing needs to be in
//! Montgomery form before or after.

use super::contract::{Gives, MacroOp, Need};
use super::range::Range;
use crate::params::Field;
use crate::term::Term;

const LOW: i128 = (1 << 32) - 1;

/// What such a macro-op needs and gives; `None` if it is none, or the field has none.
pub(super) fn contract(field: &Field, op: MacroOp) -> Option<(Vec<Need>, Gives)> {
    match op {
        _ if field.is_montgomery() => None,
        MacroOp::MulWide => Some((vec![], Gives::Halves)),
        MacroOp::Share => Some((vec![], Gives::Share)),
        MacroOp::MulColumnsRedc => Some((vec![], Gives::ReducedColumns)),
        _ => None,
    }
}

/// Ranges of the results.
pub(super) fn ranges(field: &Field, gives: &Gives) -> Vec<Range> {
    match gives {
        Gives::Halves => vec![Range::word(64), Range::word(64)],
        Gives::Share => vec![Range::below(field.modulus)],
        _ => vec![Range::new(0, 2 * LOW), Range::new(-2 * LOW, LOW)],
    }
}

/// The results for words.
pub(super) fn apply(field: &Field, gives: &Gives, x: &[u64]) -> Vec<i128> {
    let product = u128::from(x[0]) * u128::from(x[x.len() - 1]);
    let part = |n: u32| (product >> (32 * n)) as i128 & LOW;
    match gives {
        Gives::Halves => vec![
            (product & u128::from(u64::MAX)) as i128,
            (product >> 64) as i128,
        ],
        Gives::Share => {
            let (l0, l1) = (i128::from(x[0]) & LOW, i128::from(x[0]) >> 32);
            let p = i128::from(field.modulus);
            let carry = i128::from(l0 + l1 > LOW);
            vec![((l0 + l1) << 32) - l1 - carry * p]
        }
        _ => vec![part(2) + part(1), part(3) - part(0) - part(1)],
    }
}

/// What is promised, as a one-bit term; results are integers of `w` bits.
pub(super) fn term(field: &Field, gives: &Gives, operands: &[Term], r: &[Term], w: u32) -> Term {
    if *gives == Gives::Share {
        let [l0, l1] = [0, 32].map(|from| operands[0].bits(from, 32).resize(w));
        let sum = l0.add(&l1);
        let exact = sum.shl(32).sub(&l1);
        let less = exact.sub(&Term::constant(field.modulus.into(), w));
        let small = sum.ult(&Term::constant(1 << 32, w));
        return r[0].equals(&small.select(&exact, &less));
    }
    let product = operands[0].widening_mul(&operands[1]);
    let part = |n: u32| product.bits(32 * n, 32).resize(w);
    let wanted = if *gives == Gives::Halves {
        [0, 64].map(|from| product.bits(from, 64).resize(w))
    } else {
        let less = part(0).add(&part(1));
        [part(2).add(&part(1)), part(3).sub(&less)]
    };
    r[0].equals(&wanted[0]).and(&r[1].equals(&wanted[1]))
}

/// What is given, in words.
pub(super) fn text(gives: &Gives) -> Option<&'static str> {
    match gives {
        Gives::Halves => Some("the low and the high half of a·b"),
        Gives::Share => Some("-x / 2^64 mod p, below p"),
        Gives::ReducedColumns => Some("a·b / 2^64 mod p as low + 2^32·high"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::{Contract, MacroOp, Range};
    use crate::params::GOLDILOCKS;

    /// The results as integers, which must be within their ranges.
    fn results(op: MacroOp, operands: &[u64]) -> Vec<i128> {
        let contract = Contract::of(&GOLDILOCKS, op).expect("a macro-op of the field");
        let reading = contract.readings().1;
        let words = contract.apply_all(operands);
        let ranges = contract.result_ranges(&[Range::word(64), Range::word(64)]);
        let integers = words.iter().zip(ranges).map(|(&word, range)| {
            let r = reading.integer(word);
            assert!(range.contains(&Range::new(r, r)), "{op} {operands:?}");
            r
        });
        integers.collect()
    }

    #[test]
    fn products_are_divided_by_a_power_of_two() {
        let p = i128::from(GOLDILOCKS.modulus);
        let words = [0, 1, 0xffff_ffff, 1 << 32, 1 << 63, p as u64, u64::MAX];
        let scaled = |x: i128| GOLDILOCKS.mul(x.rem_euclid(p) as u64, GOLDILOCKS.pow(2, 64));
        for (a, b) in words.into_iter().flat_map(|a| words.map(|b| (a, b))) {
            let right = GOLDILOCKS.reduce(u128::from(a) * u128::from(b));
            let columns = results(MacroOp::MulColumnsRedc, &[a, b]);
            assert_eq!(scaled(columns[0] + (columns[1] << 32)), right, "{a} {b}");
            let halves = results(MacroOp::MulWide, &[a, b]);
            let share = results(MacroOp::Share, &[halves[0] as u64]);
            assert_eq!(scaled(halves[1] - share[0]), right, "{a} {b}");
        }
    }
}

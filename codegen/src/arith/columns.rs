//! Contracts of the macro-ops on columns: elements kept as `low + 2^32·high` in two signed words.
//!
//! Sums of columns do not carry into each other, so a linear layer is additions and shifts alone,
//! exact while they fit a word. Four macro-ops lead in and out. With `φ = 2^32`, `φ² ≡ φ - 1` and
//! `φ³ ≡ -1` (mod p):
//!
//! - `split` cuts a word in two.
//! - `pack` brings `low + φ·high` back to a word: with `high = h0 + φ·h1` that is
//!   `low + φ·h0 + (φ - 1)·h1`, and one carry at most.
//! - `mul-columns` leaves a product in columns: `t0 + φ·t1 + φ²·t2 + φ³·t3` is
//!   `(t0 - t2 - t3) + φ·(t1 + t2)`.
//! - `div2exp-columns(k)` divides both columns. What is cut off, `l = low mod 2^k` and
//!   `h = high mod 2^k`, comes back by `2^-k ≡ 2^(32-k)·(1 - φ)`: the low column gets
//!   `(l + h)·2^(32-k)`, the high one loses `l·2^(32-k)`.

use super::contract::{Gives, MacroOp, Need};
use super::range::Range;
use crate::names::Part;
use crate::params::Field;
use crate::term::Term;

/// The greatest magnitude of an integer in a signed word, and one more.
const SIGNED: i128 = 1 << 63;
/// Bound of the columns that `pack` takes.
const PACKED: i128 = 1 << 62;
const LOW: i128 = (1 << 32) - 1;

/// That an exact result fits a signed word.
fn fits(coefficients: &[i128], least: &'static str, greatest: &'static str) -> Vec<Need> {
    let negated: Vec<i128> = coefficients.iter().map(|c| -c).collect();
    vec![
        Need::linear(&negated, SIGNED + 1, least),
        Need::linear(coefficients, SIGNED, greatest),
    ]
}

/// What a macro-op on columns needs and gives; `None` if it is none, or the field has none.
pub(super) fn contract(field: &Field, op: MacroOp) -> Option<(Vec<Need>, Gives)> {
    if field.is_montgomery() {
        return None;
    }
    Some(match op {
        MacroOp::Plus => (
            fits(&[1, 1], "a + b ≥ -2^63", "a + b < 2^63"),
            Gives::Exact(vec![1, 1]),
        ),
        MacroOp::Minus => (
            fits(&[1, -1], "a - b ≥ -2^63", "a - b < 2^63"),
            Gives::Exact(vec![1, -1]),
        ),
        MacroOp::ShiftLeft(k @ 1..=31) => (
            fits(&[1 << k], "2^k·x ≥ -2^63", "2^k·x < 2^63"),
            Gives::Exact(vec![1 << k]),
        ),
        MacroOp::Offset(offset, part) => {
            let value = i128::from(offset.value(part));
            let mut needs = vec![Need::linear(&[1], SIGNED - value, "x + offset < 2^63")];
            if value < 0 {
                needs.push(Need::linear(
                    &[-1],
                    SIGNED + 1 + value,
                    "x + offset ≥ -2^63",
                ));
            }
            (needs, Gives::Moved(value))
        }
        MacroOp::Split => (vec![], Gives::Split),
        MacroOp::Pack => (
            vec![
                Need::linear(&[-1, 0], 1, "low ≥ 0"),
                Need::linear(&[0, -1], 1, "high ≥ 0"),
                Need::linear(&[1, 0], PACKED, "low < 2^62"),
                Need::linear(&[0, 1], PACKED, "high < 2^62"),
            ],
            Gives::Packed,
        ),
        MacroOp::MulColumns => (vec![], Gives::ProductColumns),
        MacroOp::Div2ExpColumns(k @ 1..=32) => (
            vec![
                Need::linear(&[-1, 0], 1, "low ≥ 0"),
                Need::linear(&[0, -1], 1, "high ≥ 0"),
                Need::linear(&[1, 0], PACKED, "low < 2^62"),
                Need::linear(&[0, 1], PACKED, "high < 2^62"),
            ],
            Gives::DividedColumns(k),
        ),
        MacroOp::Div2ExpSigned(k @ 1..=32) => (vec![], Gives::DividedColumns(k)),
        _ => return None,
    })
}

/// Ranges of the results.
pub(super) fn ranges(gives: &Gives, x: &[Range]) -> Vec<Range> {
    match gives {
        Gives::Moved(by) => vec![Range::new(x[0].lo + by, x[0].hi + by)],
        Gives::Split => {
            let high = Range::new(x[0].lo >> 32, x[0].hi >> 32);
            let low = if high.lo == high.hi {
                Range::new(x[0].lo & LOW, x[0].hi & LOW)
            } else {
                Range::word(32)
            };
            vec![low, high]
        }
        Gives::Packed => vec![Range::word(64)],
        Gives::ProductColumns => vec![Range::new(-2 * LOW, LOW), Range::new(0, 2 * LOW)],
        Gives::DividedColumns(k) => {
            let cut = ((1 << k) - 1) << (32 - k);
            vec![
                Range::new(x[0].lo >> k, (x[0].hi >> k) + 2 * cut),
                Range::new((x[1].lo >> k) - cut, x[1].hi >> k),
            ]
        }
        _ => unreachable!("contracts of other macro-ops have ranges of their own"),
    }
}

/// The results for concrete operands.
pub(super) fn apply(field: &Field, gives: &Gives, x: &[i128]) -> Vec<i128> {
    match gives {
        Gives::Moved(by) => vec![x[0] + by],
        Gives::Split => vec![x[0] & LOW, x[0] >> 32],
        Gives::Packed => {
            let value = (x[0] + (x[1] << 32)).rem_euclid(i128::from(field.modulus));
            vec![value]
        }
        Gives::ProductColumns => {
            let product = x[0] as u128 * x[1] as u128;
            let part = |n: u32| (product >> (32 * n)) as i128 & LOW;
            vec![part(0) - part(2) - part(3), part(1) + part(2)]
        }
        Gives::DividedColumns(k) => {
            let mask = (1 << k) - 1;
            let (l, h) = (x[0] & mask, x[1] & mask);
            vec![
                (x[0] >> k) + ((l + h) << (32 - k)),
                (x[1] >> k) - (l << (32 - k)),
            ]
        }
        _ => unreachable!("contracts of other macro-ops have values of their own"),
    }
}

/// What is promised, as a one-bit term. `x` and `r` are extended to `w` bits.
pub(super) fn term(field: &Field, gives: &Gives, operands: &[Term], r: &[Term], w: u32) -> Term {
    let constant = |value: i128| Term::constant(value as u128, w);
    let signed = |n: usize| operands[n].sign_extend(w);
    match gives {
        Gives::Moved(by) => r[0].equals(&signed(0).add(&constant(*by))),
        Gives::Split => {
            let x = &operands[0];
            let low = r[0].equals(&x.bits(0, 32).resize(w));
            low.and(&r[1].equals(&x.bits(32, 32).resize(w)))
        }
        Gives::Packed => {
            let (low, high) = (signed(0), &operands[1]);
            let middle = high.bits(0, 32).resize(w).shl(32);
            let top = high.bits(32, 32).resize(w);
            let e = low.add(&middle).add(&top.shl(32).sub(&top));
            let less = e.sub(&constant(field.modulus.into()));
            r[0].equals(&e).or(&r[0].equals(&less))
        }
        Gives::ProductColumns => {
            let product = operands[0].widening_mul(&operands[1]);
            let part = |n: u32| product.bits(32 * n, 32).resize(w);
            let low = part(0).sub(&part(2)).sub(&part(3));
            let high = part(1).add(&part(2));
            r[0].equals(&low).and(&r[1].equals(&high))
        }
        Gives::DividedColumns(k) => {
            let cut = |n: usize| operands[n].bits(0, *k).resize(w);
            let up = |t: &Term| if *k == 32 { t.clone() } else { t.shl(32 - k) };
            let low = signed(0).ashr(*k).add(&up(&cut(0).add(&cut(1))));
            let high = signed(1).ashr(*k).sub(&up(&cut(0)));
            r[0].equals(&low).and(&r[1].equals(&high))
        }
        _ => unreachable!("contracts of other macro-ops have terms of their own"),
    }
}

/// What is given, in words.
pub(super) fn text(gives: &Gives) -> &'static str {
    match gives {
        Gives::Moved(_) => "x plus one part of a pair that stands for zero",
        Gives::Split => "low = x mod 2^32 and high = x / 2^32",
        Gives::Packed => "low + 2^32·high mod p in any word",
        Gives::ProductColumns => "a·b mod p as low + 2^32·high",
        Gives::DividedColumns(_) => "(low + 2^32·high) / 2^k mod p as low + 2^32·high",
        _ => unreachable!("contracts of other macro-ops have texts of their own"),
    }
}

/// The name of a part, as a suffix of sites.
#[must_use]
pub fn of_part(name: &str, part: Part) -> String {
    format!("{name}.{}", part.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::{Contract, Reading};
    use crate::params::GOLDILOCKS;
    use crate::params::Offset;

    /// What operands and results stand for, with the weights of parts.
    fn whole(parts: &[i128]) -> i128 {
        let sum: i128 = parts.iter().zip([0, 32]).map(|(x, k)| x << k).sum();
        sum.rem_euclid(i128::from(GOLDILOCKS.modulus))
    }

    /// Results for operands that meet the preconditions, as the integers that words stand for.
    fn results(op: MacroOp, operands: &[i128]) -> Option<Vec<i128>> {
        let contract = Contract::of(&GOLDILOCKS, op).unwrap();
        let ranges: Vec<Range> = operands.iter().map(|&x| Range::new(x, x)).collect();
        if contract.unmet(&ranges).is_some() {
            return None;
        }
        let (from, to) = contract.readings();
        let words: Vec<u64> = operands.iter().map(|&x| from.word(x)).collect();
        let results = contract.apply_all(&words).into_iter();
        let results: Vec<i128> = results.map(|word| to.integer(word)).collect();
        for (result, range) in results.iter().zip(contract.result_ranges(&ranges)) {
            assert!(
                range.contains(&Range::new(*result, *result)),
                "{op} {operands:?}"
            );
        }
        Some(results)
    }

    const WORDS: [i128; 9] = [
        0,
        1,
        LOW - 1,
        LOW,
        LOW + 1,
        SIGNED - 1,
        SIGNED,
        0xffff_ffff_0000_0001,
        2 * SIGNED - 1,
    ];

    const PARTS: [i128; 11] = [
        -SIGNED,
        -PACKED,
        -LOW - 1,
        -1,
        0,
        1,
        LOW,
        LOW + 1,
        PACKED - 1,
        PACKED,
        SIGNED - 1,
    ];

    #[test]
    fn words_of_readings_stand_for_integers() {
        for x in PARTS {
            assert_eq!(Reading::Signed.integer(Reading::Signed.word(x)), x);
        }
    }

    #[test]
    fn splitting_and_products_keep_the_residue() {
        let p = GOLDILOCKS.modulus;
        for a in WORDS {
            assert_eq!(whole(&results(MacroOp::Split, &[a]).unwrap()), whole(&[a]));
            for b in WORDS {
                let product = results(MacroOp::MulColumns, &[a, b]).unwrap();
                let right = a as u128 * b as u128 % u128::from(p);
                assert_eq!(whole(&product), right as i128, "{a} {b}");
            }
        }
    }

    #[test]
    fn packing_and_dividing_keep_the_residue() {
        let mut met = 0;
        for (low, high) in PARTS.iter().flat_map(|&x| PARTS.map(|y| (x, y))) {
            if let Some(packed) = results(MacroOp::Pack, &[low, high]) {
                met += 1;
                assert_eq!(whole(&packed), whole(&[low, high]));
            }
            for op in (1..=32).flat_map(|k| [MacroOp::Div2ExpColumns(k), MacroOp::Div2ExpSigned(k)])
            {
                let Some(parts) = results(op, &[low, high]) else {
                    continue;
                };
                let power = 1 << op.immediate().unwrap();
                let back = whole(&parts) * power % i128::from(GOLDILOCKS.modulus);
                assert_eq!(back, whole(&[low, high]), "{op} {low} {high}");
            }
        }
        assert!(met > 20, "{met}");
    }

    #[test]
    fn sums_are_exact_or_refused() {
        for (a, b) in PARTS.iter().flat_map(|&x| PARTS.map(|y| (x, y))) {
            for (op, exact) in [(MacroOp::Plus, a + b), (MacroOp::Minus, a - b)] {
                let fits = (-SIGNED..SIGNED).contains(&exact);
                assert_eq!(
                    results(op, &[a, b]),
                    fits.then(|| vec![exact]),
                    "{op} {a} {b}"
                );
            }
        }
        for (offset, x) in Offset::ALL.into_iter().flat_map(|o| PARTS.map(|x| (o, x))) {
            for part in Part::BOTH {
                let exact = x + i128::from(offset.value(part));
                let moved = results(MacroOp::Offset(offset, part), &[x]);
                let fits = (-SIGNED..SIGNED).contains(&exact);
                assert_eq!(moved, fits.then(|| vec![exact]), "{offset} {x}");
            }
        }
    }
}

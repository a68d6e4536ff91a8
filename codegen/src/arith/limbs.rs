//! Contracts of the macro-ops on limbs: columns that the 52-bit multiply-accumulate of AVX-512 IFMA
//! takes without a reduction in between.
//!
//! `madd52lo` and `madd52hi` add the low or the high 52 bits of a 104-bit product of the operands'
//! low 52 bits. With both operands 10 bits up the cut falls at bit 32 of the true product
//! `X·Y = L + φ·H`: the low half is `2^20·L`, the high half `H`. So limbs below `2^42` multiply
//! exactly, and with `φ² ≡ φ - 1`, `φ³ ≡ -1` (mod p)
//!
//! ```text
//! (x0 + φ·x1)·(y0 + φ·y1) = (L00 - L11 - H01 - H10 - H11)
//!                         + φ·(L01 + L10 + L11 + H01 + H10 + H00)
//! ```
//!
//! The low limb may be negative; where another product follows, the accumulators start with a
//! [`Balance`], which makes up for that. `carry` brings limbs of any size back to 32 bits and a
//! little: `φ·(2^32·h) ≡ (φ - 1)·h`, so the top of the high limb goes down once with each sign.

use super::contract::{Gives, MacroOp, Need};
use super::range::Range;
use crate::names::Part;
use crate::params::Balance;
use crate::params::Field;
use crate::term::Term;
use std::fmt;

const LOW: i128 = (1 << 32) - 1;
/// Bound of what fits in 52 bits, 10 bits up.
const LIMB: i128 = 1 << 42;

/// How a word stands for an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As it is.
    Unsigned,
    /// In two's complement.
    Signed,
    /// Its low 52 bits are `2^10` times the integer; the bits above mean nothing.
    Shifted,
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsigned => "an unsigned integer",
            Self::Signed => "a signed integer",
            Self::Shifted => "a limb, 10 bits up",
        })
    }
}

impl Reading {
    /// The integer that a 64-bit word stands for.
    #[must_use]
    pub fn integer(self, word: u64) -> i128 {
        match self {
            Self::Unsigned => i128::from(word),
            Self::Signed => i128::from(word.cast_signed()),
            Self::Shifted => i128::from(word << 12 >> 22),
        }
    }

    /// A word that stands for an integer.
    #[must_use]
    pub fn word(self, integer: i128) -> u64 {
        match self {
            Self::Unsigned | Self::Signed => integer as u64,
            Self::Shifted => (integer as u64) << 10,
        }
    }

    /// The integer as a term of `width` bits.
    pub(super) fn term(self, word: &Term, width: u32) -> Term {
        match self {
            Self::Unsigned => word.resize(width),
            Self::Signed => word.sign_extend(width),
            Self::Shifted => word.bits(10, 42).resize(width),
        }
    }

    /// That a word stands for an integer at all, as a one-bit term; `None` if every word does.
    pub(super) fn valid(self, word: &Term) -> Option<Term> {
        (self == Self::Shifted).then(|| word.bits(0, 10).equals(&Term::constant(0, 10)))
    }
}

/// How words of operands and of results stand for integers.
pub(super) fn readings(op: MacroOp) -> (Reading, Reading) {
    use Reading::{Shifted, Signed, Unsigned};
    match op {
        MacroOp::Plus
        | MacroOp::Minus
        | MacroOp::ShiftLeft(_)
        | MacroOp::Offset(..)
        | MacroOp::Div2ExpColumns(_)
        | MacroOp::Div2ExpSigned(_)
        | MacroOp::Carry => (Signed, Signed),
        MacroOp::Pack => (Signed, Unsigned),
        MacroOp::Split | MacroOp::MulColumns | MacroOp::MulColumnsRedc => (Unsigned, Signed),
        MacroOp::Preshift => (Signed, Shifted),
        MacroOp::SquareLimbs(_) | MacroOp::MulLimbs(_) => (Shifted, Signed),
        _ => (Unsigned, Unsigned),
    }
}

/// What a macro-op on limbs needs and gives; `None` if it is none, or the field has none.
pub(super) fn contract(field: &Field, op: MacroOp) -> Option<(Vec<Need>, Gives)> {
    if field.is_montgomery() {
        return None;
    }
    Some(match op {
        MacroOp::Carry => (vec![], Gives::Carried),
        MacroOp::Preshift => {
            let needs = vec![
                Need::linear(&[-1], 1, "x ≥ 0"),
                Need::linear(&[1], LIMB, "x < 2^42"),
            ];
            (needs, Gives::Shifted)
        }
        MacroOp::SquareLimbs(balance) => {
            let needs = vec![Need::linear(&[0, 2], LIMB, "2·high < 2^42")];
            (needs, product(Some(balance)))
        }
        MacroOp::MulLimbs(balance) => (vec![], product(balance)),
        _ => return None,
    })
}

fn product(balance: Option<Balance>) -> Gives {
    let part = |part| balance.map_or(0, |balance| i128::from(balance.value(part)));
    Gives::ProductLimbs(Part::BOTH.map(part))
}

/// The partial products: operands `(x0, x1)` of a square, `(x0, x1, y0, y1)` of a product. For a
/// square the two mixed products are one of twice the size.
fn pairs<T: Clone>(x: &[T], twice: impl Fn(&T) -> T) -> Vec<(Weight, T, T)> {
    let all = |x0: &T, x1: &T, y0: &T, y1: &T| {
        vec![
            (Weight::One, x0.clone(), y0.clone()),
            (Weight::Phi, x0.clone(), y1.clone()),
            (Weight::Phi, x1.clone(), y0.clone()),
            (Weight::PhiSquared, x1.clone(), y1.clone()),
        ]
    };
    match x {
        [x0, x1] => vec![
            (Weight::One, x0.clone(), x0.clone()),
            (Weight::Phi, x0.clone(), twice(x1)),
            (Weight::PhiSquared, x1.clone(), x1.clone()),
        ],
        [x0, x1, y0, y1] => all(x0, x1, y0, y1),
        _ => unreachable!("two or four limbs"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    One,
    Phi,
    PhiSquared,
}

impl Weight {
    /// How often `L` and `H` of a partial product count in the low limb, and in the high one.
    const fn counts(self) -> ([i128; 2], [i128; 2]) {
        match self {
            Self::One => ([1, 0], [0, 1]),
            Self::Phi => ([0, -1], [1, 1]),
            Self::PhiSquared => ([-1, -1], [1, 0]),
        }
    }
}

/// Ranges of the results.
pub(super) fn ranges(gives: &Gives, x: &[Range]) -> Vec<Range> {
    match gives {
        Gives::Shifted => vec![x[0]],
        Gives::Carried => {
            let top = |x: &Range| Range::new(x.lo >> 32, x.hi >> 32);
            let (low, high) = (top(&x[0]), top(&x[1]));
            vec![
                Range::new(-high.hi, LOW - high.lo),
                Range::new(low.lo + high.lo, LOW + low.hi + high.hi),
            ]
        }
        Gives::ProductLimbs(by) => {
            let [mut low, mut high] = by.map(|by| Range::new(by, by));
            let twice = |x: &Range| Range::new(2 * x.lo, 2 * x.hi);
            // No word stands for more; where a need was broken, the range may say otherwise.
            let x: Vec<Range> = x
                .iter()
                .map(|x| Range::new(x.lo.clamp(0, LIMB - 1), x.hi.clamp(0, LIMB - 1)))
                .collect();
            for (weight, a, b) in pairs(&x, twice) {
                let greatest = a.hi * b.hi;
                let halves = [
                    Range::new(0, greatest.min(LOW)),
                    Range::new((a.lo * b.lo) >> 32, greatest >> 32),
                ];
                let (in_low, in_high) = weight.counts();
                let add = |sum: Range, counts: [i128; 2]| {
                    let part = Range::linear(&counts, &halves);
                    Range::new(sum.lo + part.lo, sum.hi + part.hi)
                };
                (low, high) = (add(low, in_low), add(high, in_high));
            }
            vec![low, high]
        }
        _ => unreachable!("contracts of other macro-ops have ranges of their own"),
    }
}

/// The results for concrete operands.
pub(super) fn apply(gives: &Gives, x: &[i128]) -> Vec<i128> {
    match gives {
        Gives::Shifted => vec![x[0]],
        Gives::Carried => {
            let (low, high) = (x[0], x[1]);
            vec![
                (low & LOW) - (high >> 32),
                (high & LOW) + (low >> 32) + (high >> 32),
            ]
        }
        Gives::ProductLimbs(by) => {
            let [mut low, mut high] = *by;
            for (weight, a, b) in pairs(x, |x| 2 * x) {
                let product = a.wrapping_mul(b);
                let halves = [product & LOW, product >> 32];
                let (in_low, in_high) = weight.counts();
                low += in_low[0] * halves[0] + in_low[1] * halves[1];
                high += in_high[0] * halves[0] + in_high[1] * halves[1];
            }
            vec![low, high]
        }
        _ => unreachable!("contracts of other macro-ops have values of their own"),
    }
}

/// Facts about products of operands that stand for integers: their low 20 bits are zero.
pub(super) fn facts(gives: &Gives, operands: &[Term]) -> Vec<Term> {
    match gives {
        Gives::ProductLimbs(_) => products(operands)
            .map(|(_, product)| product.bits(0, 20).equals(&Term::constant(0, 20)))
            .collect(),
        _ => Vec::new(),
    }
}

/// The 104-bit partial products of the low 52 bits of operands.
fn products(operands: &[Term]) -> impl Iterator<Item = (Weight, Term)> {
    let twice = |x: &Term| x.add(x);
    pairs(operands, twice)
        .into_iter()
        .map(|(weight, a, b)| (weight, a.resize(52).widening_mul(&b.resize(52))))
}

/// What is promised, as a one-bit term. `x` and `r` are integers as terms of `w` bits.
pub(super) fn term(gives: &Gives, operands: &[Term], x: &[Term], r: &[Term], w: u32) -> Term {
    let constant = |value: i128| Term::constant(value as u128, w);
    match gives {
        Gives::Shifted => r[0].equals(&x[0]),
        Gives::Carried => {
            let mask = constant(LOW);
            let (low, high) = (&x[0], &x[1]);
            let (low_top, high_top) = (low.ashr(32), high.ashr(32));
            let rl = low.and(&mask).sub(&high_top);
            let rh = high.and(&mask).add(&low_top).add(&high_top);
            r[0].equals(&rl).and(&r[1].equals(&rh))
        }
        Gives::ProductLimbs(by) => {
            // The same sums as in the heading, ordered as machines form them. Sums of `L` and a
            // balance need 43 bits, all others 55, so nothing wraps.
            let halves = |weight: Weight| -> Vec<[Term; 2]> {
                products(operands)
                    .filter(|(other, _)| *other == weight)
                    .map(|(_, p)| [p.bits(20, 32).resize(44), p.bits(52, 52).resize(w)])
                    .collect()
            };
            let mixed = halves(Weight::Phi);
            let [[l00, h00], [l11, h11]] =
                [Weight::One, Weight::PhiSquared].map(|weight| halves(weight).swap_remove(0));
            let [balance_low, balance_high] = by.map(|by| Term::constant(by as u128, 44));
            let top = mixed.iter().fold(balance_high, |sum, [l, _]| sum.add(l));
            let top = top.add(&l11).resize(w);
            let bottom = balance_low.add(&l00).sub(&l11).sign_extend(w);
            let ([_, first], [_, last]) = (&mixed[0], &mixed[mixed.len() - 1]);
            let rest = if mixed.len() > 1 { last.add(&top) } else { top };
            let high = first.add(&h00).add(&rest);
            let others = &mixed[..mixed.len() - 1];
            let low = others.iter().fold(bottom, |sum, [_, h]| sum.sub(h));
            let low = low.sub(&last.add(&h11));
            r[0].equals(&low).and(&r[1].equals(&high))
        }
        _ => unreachable!("contracts of other macro-ops have terms of their own"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Contract;
    use crate::params::Balance;
    use crate::params::GOLDILOCKS;

    /// The promise, the values for concrete operands and the residue of the true product agree.
    #[test]
    fn products_of_limbs_are_products() {
        let p = i128::from(GOLDILOCKS.modulus);
        let limbs = [0, 1, LOW - 1, LOW, LOW + 1, 9 << 32, LIMB / 2 - 1];
        let whole = |low: i128, high: i128| (low + (high << 32)).rem_euclid(p);
        let times = |a: i128, b: i128| (a as u128 * b as u128 % p as u128) as i128;
        for op in [
            MacroOp::SquareLimbs(Balance::Square),
            MacroOp::MulLimbs(None),
            MacroOp::MulLimbs(Some(Balance::Cube)),
        ] {
            let contract = Contract::of(&GOLDILOCKS, op).expect("a macro-op of the field");
            let Gives::ProductLimbs(by) = contract.gives else {
                panic!("a product");
            };
            for n in 0..limbs.len().pow(4) {
                let at = |place: u32| limbs[n / limbs.len().pow(place) % limbs.len()];
                let x: Vec<i128> = (0..op.operands().len() as u32).map(at).collect();
                let words: Vec<u64> = x.iter().map(|&x| Reading::Shifted.word(x)).collect();
                let results = contract.apply_all(&words);
                let [low, high] = [0, 1].map(|n| Reading::Signed.integer(results[n]));
                let (a, b) = (whole(x[0], x[1]), whole(x[x.len() - 2], x[x.len() - 1]));
                let product = (times(a, b) + whole(by[0], by[1])) % p;
                assert_eq!(whole(low, high), product);
                let terms: Vec<Term> = (0..words.len()).map(|n| Term::var(n, 64)).collect();
                let given: Vec<Term> = results
                    .iter()
                    .map(|&r| Term::constant(r.into(), 64))
                    .collect();
                let variables: Vec<u128> = words.iter().map(|&x| x.into()).collect();
                assert_eq!(contract.gives_term(&terms, &given).eval(&variables), 1);
            }
        }
    }
}

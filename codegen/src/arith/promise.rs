//! Contracts as bit-vector terms: what the lemma of a template body has to show.

use super::columns;
use super::contract::{Contract, Gives, NeedLeft};
use super::limbs::{self, Reading};
use super::redc;
use crate::params::Field;
use crate::term::Term;

impl Contract {
    /// Preconditions as one-bit terms over the operands (variables `0, 1, …`, `word_bits` wide),
    /// then what follows from the operands' standing for integers.
    #[must_use]
    pub fn needs_terms(&self, operands: &[Term]) -> Vec<Term> {
        let reading = self.readings().0;
        let valid = operands.iter().filter_map(|x| reading.valid(x));
        let facts = valid.chain(limbs::facts(&self.gives, operands));
        let needs = self.needs.iter().map(|need| match &need.left {
            NeedLeft::Linear(c) => {
                let w = self.wide();
                sum(c, &self.extended(operands, w), w).slt(&signed(need.bound, w))
            }
            NeedLeft::Product => {
                let product = self.product(operands);
                product.ult(&Term::constant(need.bound as u128, product.width()))
            }
        });
        needs.chain(facts).collect()
    }

    /// A width in which no sum of the contract wraps.
    fn wide(&self) -> u32 {
        match (self.readings(), &self.gives) {
            ((Reading::Unsigned, Reading::Unsigned), _) => self.field.word_bits() + WIDE,
            (_, Gives::Exact(_)) => 128,
            (_, Gives::ProductLimbs(_)) => 64,
            _ => 72,
        }
    }

    fn extended(&self, operands: &[Term], w: u32) -> Vec<Term> {
        let reading = self.readings().0;
        operands.iter().map(|x| reading.term(x, w)).collect()
    }

    fn product(&self, operands: &[Term]) -> Term {
        operands[0].widening_mul(&operands[operands.len() - 1])
    }

    /// What is promised of the results, as a one-bit term over operands and results.
    ///
    /// Congruences name the quotient, so that no term multiplies two unknowns except in the
    /// product itself, which lemmas abstract.
    #[must_use]
    pub fn gives_term(&self, operands: &[Term], results: &[Term]) -> Term {
        let w = self.wide();
        let result = &results[0];
        let p = signed(i128::from(self.field.modulus), w);
        let zero = Term::constant(0, w);
        let reading = self.readings().1;
        let extend = |r: &Term| reading.term(r, w);
        let r = extend(result);
        match &self.gives {
            Gives::Exact(c) => r.equals(&sum(c, &self.extended(operands, w), w)),
            Gives::SubtractOnce(c, threshold) => {
                let e = sum(c, &self.extended(operands, w), w);
                let below = e.slt(&signed(*threshold, w));
                r.equals(&below.select(&e, &e.sub(&p)))
            }
            Gives::AddOnce(c) => {
                let e = sum(c, &self.extended(operands, w), w);
                r.equals(&e.slt(&zero).select(&e.add(&p), &e))
            }
            Gives::Halve => {
                let x = operands[0].resize(w);
                let odd = operands[0].resize(1);
                let sum = odd.select(&x.add(&p), &x);
                r.equals(&sum.lshr(1))
            }
            Gives::Divide(k) => self.divide_term(&operands[0], result, *k),
            Gives::Product => {
                // 2^64 ≡ 2^32 - 1 and 2^96 ≡ -1 (mod p), so with product = lo + 2^64·m + 2^96·h
                // the residue is lo + (2^32 - 1)·m - h.
                let product = self.product(operands);
                let part = |lo, width| product.bits(lo, width).resize(w);
                let m = part(64, 32);
                let e = part(0, 64).add(&m.shl(32).sub(&m)).sub(&part(96, 32));
                either(&r, &[e.clone(), e.add(&p), e.sub(&p)])
            }
            Gives::MontgomeryProduct => {
                montgomery_term(self.field, &self.product(operands), result)
            }
            Gives::Carried | Gives::Shifted | Gives::ProductLimbs(_) => {
                let x = self.extended(operands, w);
                let integers: Vec<Term> = results.iter().map(extend).collect();
                let given = limbs::term(&self.gives, operands, &x, &integers, w);
                let valid = results.iter().filter_map(|r| reading.valid(r));
                valid.fold(given, |all, valid| all.and(&valid))
            }
            Gives::Halves | Gives::Share | Gives::ReducedColumns => {
                let results: Vec<Term> = results.iter().map(extend).collect();
                redc::term(self.field, &self.gives, operands, &results, w)
            }
            gives => {
                let results: Vec<Term> = results.iter().map(extend).collect();
                columns::term(self.field, gives, operands, &results, w)
            }
        }
    }

    /// `2^k·r = x + m·p` or `x + m·p - 2^k·p`, where `m = -x·p^-1 mod 2^k` makes the sum divisible.
    fn divide_term(&self, x: &Term, result: &Term, k: u32) -> Term {
        let bits = self.field.word_bits();
        let w = 2 * bits;
        let m = times(&x.resize(w), negative_inverse(self.field, k), w);
        let m = m.resize(k).resize(w);
        let modulus = u128::from(self.field.modulus);
        let e = x.resize(w).add(&times(&m, modulus, w));
        let r = result.resize(w);
        let shifted = r.shl(k);
        let less = e.sub(&Term::constant(modulus << k, w));
        r.ult(&Term::constant(modulus, w))
            .and(&either(&shifted, &[e, less]))
    }
}

/// Spare bits above the word in which sums of a few operands cannot wrap.
const WIDE: u32 = 8;

fn signed(value: i128, width: u32) -> Term {
    Term::constant(value as u128, width)
}

fn sum(coefficients: &[i128], operands: &[Term], width: u32) -> Term {
    coefficients
        .iter()
        .zip(operands)
        .fold(Term::constant(0, width), |sum, (&c, x)| {
            let product = times(x, c.unsigned_abs(), width);
            if c < 0 {
                sum.sub(&product)
            } else {
                sum.add(&product)
            }
        })
}

fn either(value: &Term, candidates: &[Term]) -> Term {
    let mut cases = candidates.iter().map(|c| value.equals(c));
    let first = cases.next().expect("at least one candidate");
    cases.fold(first, |any, case| any.or(&case))
}

/// `x·c` as shifts, additions and subtractions (non-adjacent form of `c`).
#[must_use]
pub fn times(x: &Term, mut c: u128, width: u32) -> Term {
    let mut result = Term::constant(0, width);
    let mut shift = 0;
    while c != 0 && shift < width {
        if c & 1 == 1 {
            let part = if shift == 0 { x.clone() } else { x.shl(shift) };
            if c & 3 == 3 {
                result = result.sub(&part);
                c += 1;
            } else {
                result = result.add(&part);
                c -= 1;
            }
        }
        c >>= 1;
        shift += 1;
    }
    result
}

/// `-p^-1 mod 2^k`, for odd `p`.
fn negative_inverse(field: &Field, k: u32) -> u128 {
    let p = u128::from(field.modulus);
    let mask = (1u128 << k) - 1;
    let inverse = (0..7).fold(1u128, |y, _| {
        y.wrapping_mul(2u128.wrapping_sub(p.wrapping_mul(y)))
    });
    inverse.wrapping_neg() & mask
}

/// `2^32·r = product - q·p` or `… + 2^32·p`, with `q = product·p^-1 mod 2^32`, and `r < p`.
fn montgomery_term(field: &Field, product: &Term, result: &Term) -> Term {
    let w = 2 * field.word_bits() + WIDE;
    let modulus = u128::from(field.modulus);
    let inverse = (1u128 << 32) - negative_inverse(field, 32);
    let low = product.resize(32);
    let q = times(&low, inverse, 32).resize(w);
    let e = product.resize(w).sub(&times(&q, modulus, w));
    let r = result.resize(w);
    let more = e.add(&Term::constant(modulus << 32, w));
    r.ult(&Term::constant(modulus, w))
        .and(&either(&r.shl(32), &[e, more]))
}

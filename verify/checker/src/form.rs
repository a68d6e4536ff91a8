//! What values are: linear forms over a block's inputs and powers of what the S-box takes.

use std::collections::BTreeMap;

use super::header::halves;
use super::rules::{Op, offset};
use reference::Poseidon2;

/// The constant 1, among the numbers of values.
const ONE: usize = usize::MAX;
/// What the second of two parts weighs.
const RADIX: u64 = 1 << 32;

/// Coefficients that are not zero, by the number of an input or of a second result, which may be
/// any integer, or by [`power`].
pub(super) type Form = BTreeMap<usize, u64>;

/// A value that is followed for itself.
pub(super) fn atom(n: usize) -> Form {
    Form::from([(n, 1)])
}

/// The number of a power of what the S-box takes.
pub(super) fn power(exponent: u64) -> usize {
    usize::MAX / 2 + exponent as usize
}

/// How forms follow from each other in one block.
pub(super) struct Forms<'a> {
    pub(super) p2: &'a Poseidon2,
    /// What the S-box takes.
    pub(super) base: Form,
}

impl Forms<'_> {
    /// `x·a + y·b`.
    fn combine(&self, x: u64, a: &Form, y: u64, b: &Form) -> Form {
        let mut sum = Form::new();
        for (scale, form) in [(x, a), (y, b)] {
            for (atom, k) in form {
                let entry = sum.entry(*atom).or_default();
                *entry = self.p2.add(*entry, self.p2.mul(scale, *k));
            }
        }
        sum.retain(|_, k| *k != 0);
        sum
    }

    fn scaled(&self, scale: u64, form: &Form) -> Form {
        self.combine(scale, form, 0, form)
    }

    /// `form + n`.
    fn moved(&self, form: &Form, n: i128) -> Form {
        let n = n.rem_euclid(i128::from(self.p2.modulus));
        self.combine(1, form, n as u64, &atom(ONE))
    }

    /// The product of two multiples of powers of what the S-box takes.
    fn product(&self, a: &Form, b: &Form) -> Option<Form> {
        let multiple = |form: &Form| match form.first_key_value() {
            _ if *form == self.base => Some((1, 1)),
            Some((n, k)) if form.len() == 1 && *n != ONE => Some((n.checked_sub(power(0))?, *k)),
            _ => None,
        };
        let ((e, k), (f, l)) = (multiple(a)?, multiple(b)?);
        let exponent = e.checked_add(f)? as u64;
        (exponent <= self.p2.alpha).then(|| Form::from([(power(exponent), self.p2.mul(k, l))]))
    }

    /// What two parts stand for.
    pub(super) fn whole(&self, low: &Form, high: &Form) -> Form {
        self.combine(1, low, RADIX, high)
    }

    /// The first of two parts that stand for `form`, where value `n` is the second.
    pub(super) fn less(&self, form: &Form, n: usize) -> Form {
        self.combine(1, form, self.p2.modulus - RADIX, &atom(n))
    }

    /// The form of value `n`, made by a macro-op.
    pub(super) fn apply(&self, op: Op<'_>, n: usize, operands: &[&Form]) -> Option<Form> {
        let first = |form: &Form| self.less(form, n + 1);
        let half = |k: u32| halves(self.p2, k.into());
        Some(match (op.name, op.number(), operands) {
            ("canonicalise", _, [x]) => (*x).clone(),
            ("add" | "plus", _, [a, b]) => self.combine(1, a, 1, b),
            ("sub" | "minus", _, [a, b]) => self.combine(1, a, self.p2.modulus - 1, b),
            ("mul", _, [a, b]) => self.product(a, b)?,
            ("square", _, [x]) => self.product(x, x)?,
            ("halve", _, [x]) => self.scaled(half(1), x),
            ("div2exp", Some(k), [x]) => self.scaled(half(k), x),
            ("shift-left", Some(k), [x]) => self.scaled(self.p2.pow(2, k.into()), x),
            ("preshift", _, [x]) => (*x).clone(),
            ("offset", _, [x]) => self.moved(x, offset(op)?),
            ("pack", _, [low, high]) => self.whole(low, high),
            ("split", _, [x]) => first(x),
            ("carry", _, [low, high]) => first(&self.whole(low, high)),
            ("mul-columns", _, [a, b]) => first(&self.product(a, b)?),
            ("mul-wide", _, [a, b]) => {
                // The second half weighs 2^64.
                let weight = self.p2.modulus - self.p2.pow(2, 64);
                self.combine(1, &self.product(a, b)?, weight, &atom(n + 1))
            }
            ("share", _, [x]) => self.scaled(self.p2.modulus - half(64), x),
            ("mul-columns-redc", _, [a, b]) => first(&self.scaled(half(64), &self.product(a, b)?)),
            ("square-limbs", _, [low, high]) => {
                let x = self.whole(low, high);
                first(&self.product(&x, &x)?)
            }
            ("mul-limbs", _, [a0, a1, b0, b1]) => {
                first(&self.product(&self.whole(a0, a1), &self.whole(b0, b1))?)
            }
            ("div2exp-columns" | "div2exp-signed", Some(k), [low, high]) => {
                first(&self.scaled(half(k), &self.whole(low, high)))
            }
            ("second", None, [_]) => atom(n),
            _ => return None,
        })
    }
}

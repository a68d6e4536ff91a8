//! What values are: linear forms over a block's inputs, and powers of them.

use std::collections::BTreeMap;

use super::header::halves;
use super::rules::{Op, offset};
use crate::oracle::Poseidon2;

/// Among the numbers of values: the S-box's output, and the constant 1.
pub(super) const SBOX: usize = usize::MAX - 1;
const ONE: usize = usize::MAX;
/// What the second of two parts weighs.
const RADIX: u64 = 1 << 32;

/// Coefficients, by the number of an input or of a second result, which may be any integer.
pub(super) type Linear = BTreeMap<usize, u64>;

/// A power of a linear form.
#[derive(Clone, PartialEq)]
pub(super) struct Form(pub(super) Linear, pub(super) u64);

impl Form {
    /// A value that is followed for itself.
    pub(super) fn atom(n: usize) -> Self {
        Self(Linear::from([(n, 1)]), 1)
    }
}

/// How forms follow from each other in one block.
pub(super) struct Forms<'a> {
    pub(super) p2: &'a Poseidon2,
    /// What the S-box raises to its power.
    pub(super) sbox: Linear,
}

impl Forms<'_> {
    /// The form as a linear one: that of the whole S-box is its output.
    fn linear(&self, form: &Form) -> Option<Linear> {
        if form.0 == self.sbox && form.1 == self.p2.alpha {
            return Some(Linear::from([(SBOX, 1)]));
        }
        (form.1 == 1).then(|| form.0.clone())
    }

    /// `x·a + y·b`.
    fn combine(&self, x: u64, a: &Form, y: u64, b: &Form) -> Option<Form> {
        let mut sum = Linear::new();
        for (scale, form) in [(x, a), (y, b)] {
            for (atom, k) in self.linear(form)? {
                let entry = sum.entry(atom).or_default();
                *entry = self.p2.add(*entry, self.p2.mul(scale, k));
            }
        }
        sum.retain(|_, k| *k != 0);
        Some(Form(sum, 1))
    }

    /// What two parts stand for.
    pub(super) fn whole(&self, low: &Form, high: &Form) -> Option<Form> {
        self.combine(1, low, RADIX, high)
    }

    /// The first of two parts that stand for `form`, where value `n` is the second.
    pub(super) fn less(&self, form: &Form, n: usize) -> Option<Form> {
        self.combine(1, form, self.p2.modulus - RADIX, &Form::atom(n))
    }

    /// The form of value `n`, made by a macro-op; both operands are the same where it takes one.
    pub(super) fn apply(&self, op: Op<'_>, n: usize, a: &Form, b: &Form) -> Option<Form> {
        let scaled = |scale: u64, form: &Form| self.combine(scale, form, 0, form);
        let product = || (a.0 == b.0).then(|| Form(a.0.clone(), a.1 + b.1));
        match (op.name, op.number()) {
            ("canonicalise", _) => Some(a.clone()),
            ("add" | "plus", _) => self.combine(1, a, 1, b),
            ("sub" | "minus", _) => self.combine(1, a, self.p2.modulus - 1, b),
            ("mul" | "square", _) => product(),
            ("halve", _) => scaled(halves(self.p2, 1), a),
            ("div2exp", Some(k)) => scaled(halves(self.p2, k.into()), a),
            ("shift-left", Some(k)) => scaled(self.p2.pow(2, k.into()), a),
            ("offset", _) => {
                let value = u64::try_from(offset(op)?).ok()?;
                self.combine(1, a, value, &Form::atom(ONE))
            }
            ("pack", _) => self.whole(a, b),
            ("split", _) => self.less(a, n + 1),
            ("mul-columns", _) => self.less(&product()?, n + 1),
            ("div2exp-columns", Some(k)) => {
                let divided = scaled(halves(self.p2, k.into()), &self.whole(a, b)?)?;
                self.less(&divided, n + 1)
            }
            ("second", _) => Some(Form::atom(n)),
            _ => None,
        }
    }

    /// Whether an output is what it must be.
    pub(super) fn is(&self, form: &Form, wanted: &Linear) -> bool {
        self.linear(form).as_ref() == Some(wanted)
    }
}

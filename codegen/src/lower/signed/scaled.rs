//! Internal layers with a factor: divisions by more than divides p - 1.

use super::{Lowering, MARGIN};
use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::lower::reduced::Reduced;
use crate::ops::{Contract, MacroOp};
use crate::params::Rational;

impl Lowering<'_> {
    /// The division that is a multiple by a residue, in scaled layers: those that Montgomery forms are divided
    /// by are greater than what divides p - 1. Where pairs are kept, their sums leave no margin.
    pub(super) fn division(&self, residue: u64) -> Option<MacroOp> {
        if self.instance.scale().is_none() || !self.pairs.is_empty() {
            return None;
        }
        let (most, half) = (self.field.two_adicity(), self.field.modulus.div_ceil(2));
        let is_it = |k: &u32| self.field.pow(half, u64::from(*k)) == residue;
        let shift = (MARGIN..self.field.odd_divisions().end).find(is_it)?;
        Some(match shift <= most {
            true => MacroOp::Div2ExpBalanced(shift),
            false => MacroOp::Div2ExpWord(shift),
        })
    }

    /// The total of some elements and the S-box, and where it becomes element 0, what is left of them less
    /// the S-box; both with the factor of the layer.
    pub(super) fn sums(
        &self,
        b: &mut Builder,
        elements: &[Value],
        sbox: Value,
    ) -> (Value, Option<Value>) {
        let first = self.instance.internal().map(|layer| layer.diagonal[0]);
        let is_rest = first == Some(Rational::integer(-2));
        let scale = self.instance.scale();
        let division = scale.and_then(|scale| self.division(scale.residue(self.field)));
        if let Some(op @ MacroOp::Div2ExpWord(_)) = division {
            return self.divided_sums(b, elements, sbox, op, is_rest);
        }
        let scaled = |b: &mut Builder, name: &str, x| match scale {
            Some(scale) => self.scaled(b, name, x, scale),
            None => x,
        };
        let tail = b.total("internal.sum", elements);
        let total = b.added("internal.total", tail, sbox);
        let total = scaled(b, "internal.scale", total);
        let rest = is_rest.then(|| {
            let rest = b.subtracted("internal.diag[0]", tail, sbox);
            scaled(b, "internal.diag[0].scale", rest)
        });
        (total, rest)
    }

    /// The same by a division that takes any word: the sum need not be reduced, and does not wait for the S-box.
    fn divided_sums(
        &self,
        b: &mut Builder,
        elements: &[Value],
        sbox: Value,
        op: MacroOp,
        is_rest: bool,
    ) -> (Value, Option<Value>) {
        let tail = self.word_of_sum(b, elements);
        let tail = b.push("internal.sum.scale", op, &[tail]);
        let sbox = b.push("internal.sbox.scale", op, &[sbox]);
        let reduced = b.positive("internal.sum.reduced", tail);
        let total = b.push("internal.total", MacroOp::Plus, &[reduced, sbox]);
        let total = b.positive("internal.total.reduced", total);
        let rest = is_rest.then(|| {
            let rest = b.push("internal.diag[0]", MacroOp::Minus, &[tail, sbox]);
            b.positive("internal.diag[0].reduced", rest)
        });
        (total, rest)
    }

    /// The sum of some elements, as any word: of all at once where there is a macro-op for their sums by two.
    fn word_of_sum(&self, b: &mut Builder, elements: &[Value]) -> Value {
        let op = MacroOp::Sum(elements.len().div_ceil(2) as u32);
        if Contract::of(self.field, op).is_none() {
            let (first, second) = elements.split_at(elements.len() / 2);
            let halves = [("internal.sum.0", first), ("internal.sum.1", second)];
            let halves = halves.map(|(name, elements)| b.total(name, elements));
            return b.push("internal.sum", MacroOp::Add, &halves);
        }
        let pairs = elements.chunks(2).enumerate();
        let pairs = pairs.map(|(n, pair)| match pair {
            [one] => *one,
            pair => b.push(&format!("internal.sum.{n}"), MacroOp::Add, pair),
        });
        let pairs: Vec<Value> = pairs.collect();
        b.push("internal.sum", op, &pairs)
    }

    /// The scale's multiple of an element, below p.
    fn scaled(&self, b: &mut Builder, name: &str, x: Value, scale: Rational) -> Value {
        let scale = scale.residue(self.field);
        match self.division(scale) {
            Some(op) => {
                let x = b.push(name, op, &[x]);
                b.positive(&format!("{name}.reduced"), x)
            }
            None => b.multiple(name, self.field, x, scale),
        }
    }
}

//! What leads from the words in memory into those of a strategy, into the basis of internal rounds, and back.

use super::Lowering;
use crate::arith::{Block, Pair};
use crate::ir::{BlockKind, Input, Value};
use crate::lower::parts::Builder;
use crate::ops::MacroOp;
use crate::params::Field;

impl Lowering<'_> {
    /// State words into Montgomery forms of the radix. With p added, none is zero.
    pub(super) fn enter(&self) -> Block {
        let width = self.instance.width;
        let mut b = Builder::on(self.words, (0..width).map(Input::State).collect());
        if !self.carries() {
            let same = (0..width as u32).map(Value).collect();
            return b.finish(BlockKind::Enter, same);
        }
        let factor = self.radix_to(self.instance.field, self.words);
        let enter = |i| {
            let x = self.moved(&mut b, &format!("enter.p[{i}]"), Value(i as u32));
            self.scaled(&mut b, &format!("enter[{i}]"), 0, x, factor)
        };
        let outputs = (0..width).map(enter).collect();
        b.finish(BlockKind::Enter, outputs)
    }

    pub(super) fn leave(&self) -> Block {
        let (mut b, s) = self.state(false);
        let factor = self.radix_to(self.words, self.instance.field);
        let leave = |(i, &x): (usize, &Value)| {
            let name = format!("leave[{i}]");
            let x = match (self.lazy, self.long) {
                (true, _) => self.reduced(&mut b, &name, x),
                (_, true) => b.push(&name, MacroOp::Reduce, &[x]),
                _ => self.scaled(&mut b, &name, 0, x, factor),
            };
            b.push(
                &format!("leave.canonicalise[{i}]"),
                MacroOp::Canonicalise,
                &[x],
            )
        };
        let outputs = s.iter().enumerate().map(leave).collect();
        b.finish(BlockKind::Leave, outputs)
    }

    /// What a word is multiplied by to stand in the words of `to` for what it stands for in those of
    /// `from`.
    fn radix_to(&self, from: &Field, to: &Field) -> u64 {
        let inverse = from.inv(from.to_montgomery(1)).expect("a power of two");
        to.mul(to.to_montgomery(1), inverse)
    }

    /// Into the basis of internal rounds, from sums of so many elements as an S-box leaves them. What a multiple of is
    /// subtracted there is reduced, so that the difference is positive; in `radix32` all that is summed there is, so
    /// that the sum can be. A difference of two elements has a multiple of p beside it that is more than either.
    pub(super) fn internal_enter(&self, row: u64) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for (i, d) in self.entries.iter().enumerate().skip(1) {
            let paired = |pair: &Pair| pair.sum == i || pair.difference == i;
            let name = format!("internal.enter[{i}]");
            if self.lazy {
                outputs[i] = self.reduced(&mut b, &name, outputs[i]);
            } else if d.negative && !self.pairs.iter().any(paired) {
                outputs[i] = self.scaled(&mut b, &name, 0, outputs[i], 1);
            }
        }
        for pair in &self.pairs {
            let site = format!("internal.enter.pair[{}]", pair.sum);
            let (x, y) = (outputs[pair.sum], outputs[pair.difference]);
            let scale = pair.scale(self.words);
            outputs[pair.sum] = b.push(&format!("{site}.sum"), MacroOp::Plus, &[x, y]);
            let difference = format!("{site}.difference");
            outputs[pair.difference] = if self.lazy {
                let start = self.start(&mut b, 1);
                let first = self.add_scaled(&mut b, &format!("{site}.first"), start, x, scale);
                self.add_scaled(&mut b, &difference, first, y, self.words.neg(scale))
            } else {
                let greatest = if self.long { 3 } else { 2 };
                let more = b.word(greatest * row * self.words.modulus);
                let x = b.push(&format!("{site}.more"), MacroOp::Plus, &[x, more]);
                let x = b.push(&format!("{site}.minus"), MacroOp::Minus, &[x, y]);
                self.scaled(&mut b, &difference, 0, x, scale)
            };
        }
        b.finish(BlockKind::InternalEnter, outputs)
    }

    /// Back from the basis of internal rounds.
    pub(super) fn internal_leave(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        let is_paired = |i| self.pairs.iter().any(|p| p.sum == i || p.difference == i);
        for (i, x) in outputs
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| !is_paired(*i))
        {
            // After some rounds that add sums to it, an element is more than an S-box of `radix64` takes.
            *x = match self.long {
                true => self.scaled(&mut b, &format!("internal.leave[{i}]"), 0, *x, 1),
                false => self.shrunk(&mut b, "internal.leave", i, *x),
            };
        }
        let half = self.words.modulus.div_ceil(2);
        for pair in &self.pairs {
            let site = format!("internal.leave.pair[{}]", pair.sum);
            let inverse = self.words.inv(pair.scale(self.words));
            let inverse = self.words.mul(half, inverse.expect("no entry is zero"));
            let m = self.reduced(&mut b, &format!("{site}.sum"), outputs[pair.sum]);
            let q = outputs[pair.difference];
            let q = self.reduced(&mut b, &format!("{site}.difference"), q);
            let sum = self.scaled(&mut b, &format!("{site}.sum"), 2, m, half);
            let difference = self.scaled(&mut b, &format!("{site}.difference"), 0, q, inverse);
            let operands = [sum, difference];
            outputs[pair.sum] = b.push(&format!("{site}.plus"), MacroOp::Plus, &operands);
            outputs[pair.difference] = b.push(&format!("{site}.minus"), MacroOp::Minus, &operands);
        }
        b.finish(BlockKind::InternalLeave, outputs)
    }

    /// A round constant as a Montgomery form of the radix, made by a product in the words of memory.
    pub(super) fn constant(&self) -> Block {
        let field = self.instance.field;
        let mut b = Builder::on(field, vec![Input::Constant]);
        let factor = field.to_montgomery(self.radix_to(field, self.words));
        let operands = [b.word(field.modulus), Value(0), b.word(factor)];
        let x = b.push("constant.mul-add", MacroOp::MulAdd, &operands);
        b.finish(BlockKind::Constant, vec![x])
    }
}

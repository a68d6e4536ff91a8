//! Entering terms: products, and every other operation by its simplifying constructor.

use super::{Binary, Graph, Id, Node};
use crate::ops::digits;
use crate::term::{Op, Term};

impl Graph {
    /// `x·c`, exact modulo 2^width, as shifts, additions and subtractions.
    fn times(&mut self, x: Id, c: u128, width: u32) -> Id {
        let x = self.resize(x, width);
        if (c + 1).is_power_of_two() && c > 0 && c.trailing_ones() < width {
            let shifted = self.shl(x, c.trailing_ones());
            return self.binary(Binary::Sub, shifted, x);
        }
        let zero = self.constant(0, width);
        digits(c, width).fold(zero, |sum, (place, negative)| {
            let part = self.shl(x, place);
            let op = if negative { Binary::Sub } else { Binary::Add };
            self.binary(op, sum, part)
        })
    }

    fn widening_mul(&mut self, a: Id, b: Id) -> Id {
        let width = self.width(a);
        match (self.value(a), self.value(b)) {
            (_, Some(c)) => return self.times(a, c, 2 * width),
            (Some(c), _) => return self.times(b, c, 2 * width),
            (None, None) => {}
        }
        if width > 32 && self.of_halves {
            return self.of_halves(a, b);
        }
        let key = (a.min(b), a.max(b));
        let number = self.products.iter().position(|&product| product == key);
        let number = number.unwrap_or_else(|| {
            self.products.push(key);
            self.products.len() - 1
        });
        let product = self.intern(Node::Product(number), 2 * width);
        if self.even == 0 {
            return product;
        }
        let (kept, zeros) = (
            self.slice(product, self.even, 2 * width - self.even),
            self.constant(0, self.even),
        );
        self.concat(vec![kept, zeros])
    }

    /// Schoolbook, carrying as the templates do: no sum here can wrap.
    fn of_halves(&mut self, a: Id, b: Id) -> Id {
        let width = self.width(a);
        let half = width / 2;
        let mut cut = |x| (self.slice(x, 0, half), self.slice(x, half, half));
        let ((al, ah), (bl, bh)) = (cut(a), cut(b));
        let (ll, hh) = (self.widening_mul(al, bl), self.widening_mul(ah, bh));
        let (lh, hl) = (self.widening_mul(al, bh), self.widening_mul(ah, bl));
        let carry = self.lshr(ll, half);
        let middle = self.binary(Binary::Add, hl, carry);
        let kept = self.slice(middle, 0, half);
        let kept = self.resize(kept, width);
        let second = self.binary(Binary::Add, lh, kept);
        let carry = self.lshr(middle, half);
        let high = self.binary(Binary::Add, hh, carry);
        let carry = self.lshr(second, half);
        let high = self.binary(Binary::Add, high, carry);
        let second = self.slice(second, 0, half);
        let low = self.slice(ll, 0, half);
        self.concat(vec![high, second, low])
    }

    /// Enters a term.
    pub(in crate::lemma) fn enter(&mut self, term: &Term) -> Id {
        if let Some((_, id)) = self.entered.get(&term.id()) {
            return *id;
        }
        let width = term.width();
        let id = match term.op().map(|operand| self.enter(operand)) {
            Op::Var(index) => self.intern(Node::Var(index), width),
            Op::Const(value) => self.constant(value, width),
            Op::Not(a) => self.not(a),
            Op::Add(a, b) => self.binary(Binary::Add, a, b),
            Op::Sub(a, b) => self.binary(Binary::Sub, a, b),
            Op::And(a, b) => self.binary(Binary::And, a, b),
            Op::Or(a, b) => self.binary(Binary::Or, a, b),
            Op::Xor(a, b) => self.binary(Binary::Xor, a, b),
            Op::Ult(a, b) => self.binary(Binary::Ult, a, b),
            Op::Slt(a, b) => self.binary(Binary::Slt, a, b),
            Op::Eq(a, b) => self.binary(Binary::Eq, a, b),
            Op::WideningMul(a, b) => self.widening_mul(a, b),
            Op::Shl(a, by) => self.shl(a, by),
            Op::Lshr(a, by) => self.lshr(a, by),
            Op::Ashr(a, by) => {
                let kept = self.slice(a, by, width - by);
                self.sign_extend(kept, width)
            }
            Op::Resize(a) => self.resize(a, width),
            Op::SignExtend(a) => self.sign_extend(a, width),
            Op::Concat(high, low) => self.concat(vec![high, low]),
            Op::Ite(c, yes, no) => self.ite(c, yes, no),
        };
        self.entered.insert(term.id(), (term.clone(), id));
        id
    }
}

//! Bit-vector terms: the one notation in which instruction meanings and macro-op contracts are
//! written. It is read in three ways: on concrete words here, as SMT terms by lemmas, and on intervals
//! by the prover.

pub mod tape;

use std::sync::Arc;

/// A bit-vector expression of a fixed width between 1 and 128 bits. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term(Arc<Node>);

/// One node of a [`Term`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Width of the value in bits.
    pub width: u32,
    /// What computes it.
    pub op: Op,
}

/// The operation at a [`Node`]. Operands of one operation have equal widths unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The `n`-th variable.
    Var(usize),
    /// A constant, already reduced to the width.
    Const(u128),
    /// Bitwise complement.
    Not(Term),
    /// Addition modulo 2^width.
    Add(Term, Term),
    /// Subtraction modulo 2^width.
    Sub(Term, Term),
    /// Bitwise and.
    And(Term, Term),
    /// Bitwise or.
    Or(Term, Term),
    /// Bitwise exclusive or.
    Xor(Term, Term),
    /// Shift left by a constant.
    Shl(Term, u32),
    /// Logical shift right by a constant.
    Lshr(Term, u32),
    /// Arithmetic shift right by a constant.
    Ashr(Term, u32),
    /// Zero extension (width grows) or truncation (width shrinks).
    Resize(Term),
    /// Sign extension.
    SignExtend(Term),
    /// High part, low part; widths add up.
    Concat(Term, Term),
    /// The exact product of two equally wide words, twice as wide. SMT lemmas abstract it.
    WideningMul(Term, Term),
    /// Unsigned less-than, one bit wide.
    Ult(Term, Term),
    /// Signed less-than, one bit wide.
    Slt(Term, Term),
    /// Equality, one bit wide.
    Eq(Term, Term),
    /// `Ite(c, t, e)` with `c` one bit wide.
    Ite(Term, Term, Term),
}

const fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn sign_extend(value: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

impl Term {
    fn new(width: u32, op: Op) -> Self {
        assert!(
            (1..=128).contains(&width),
            "term width {width} out of range"
        );
        Self(Arc::new(Node { width, op }))
    }

    /// The node behind this handle.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// An address that is equal for two handles on the same node, for sharing-aware printers.
    #[must_use]
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Width in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.0.width
    }

    /// The `index`-th variable.
    #[must_use]
    pub fn var(index: usize, width: u32) -> Self {
        Self::new(width, Op::Var(index))
    }

    /// A constant; the value is reduced modulo 2^width.
    #[must_use]
    pub fn constant(value: u128, width: u32) -> Self {
        Self::new(width, Op::Const(value & mask(width)))
    }

    fn binary(&self, other: &Self, op: fn(Self, Self) -> Op) -> Self {
        assert_eq!(self.width(), other.width(), "operand widths differ");
        Self::new(self.width(), op(self.clone(), other.clone()))
    }

    fn predicate(&self, other: &Self, op: fn(Self, Self) -> Op) -> Self {
        assert_eq!(self.width(), other.width(), "operand widths differ");
        Self::new(1, op(self.clone(), other.clone()))
    }

    /// `self + other` modulo 2^width.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.binary(other, Op::Add)
    }

    /// `self - other` modulo 2^width.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.binary(other, Op::Sub)
    }

    /// Bitwise and.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.binary(other, Op::And)
    }

    /// Bitwise or.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.binary(other, Op::Or)
    }

    /// Bitwise exclusive or.
    #[must_use]
    pub fn xor(&self, other: &Self) -> Self {
        self.binary(other, Op::Xor)
    }

    /// Bitwise complement.
    #[must_use]
    pub fn not(&self) -> Self {
        Self::new(self.width(), Op::Not(self.clone()))
    }

    /// Shift left by a constant below the width.
    #[must_use]
    pub fn shl(&self, by: u32) -> Self {
        assert!(by < self.width(), "shift by {by}");
        Self::new(self.width(), Op::Shl(self.clone(), by))
    }

    /// Logical shift right by a constant below the width.
    #[must_use]
    pub fn lshr(&self, by: u32) -> Self {
        assert!(by < self.width(), "shift by {by}");
        Self::new(self.width(), Op::Lshr(self.clone(), by))
    }

    /// Arithmetic shift right by a constant below the width.
    #[must_use]
    pub fn ashr(&self, by: u32) -> Self {
        assert!(by < self.width(), "shift by {by}");
        Self::new(self.width(), Op::Ashr(self.clone(), by))
    }

    /// Zero-extends or truncates.
    #[must_use]
    pub fn resize(&self, width: u32) -> Self {
        if width == self.width() {
            self.clone()
        } else {
            Self::new(width, Op::Resize(self.clone()))
        }
    }

    /// Sign-extends to a width that is not smaller.
    #[must_use]
    pub fn sign_extend(&self, width: u32) -> Self {
        assert!(width >= self.width());
        if width == self.width() {
            self.clone()
        } else {
            Self::new(width, Op::SignExtend(self.clone()))
        }
    }

    /// `self` above `low`.
    #[must_use]
    pub fn concat(&self, low: &Self) -> Self {
        Self::new(
            self.width() + low.width(),
            Op::Concat(self.clone(), low.clone()),
        )
    }

    /// Bits `lo .. lo + width`.
    #[must_use]
    pub fn bits(&self, lo: u32, width: u32) -> Self {
        let shifted = if lo == 0 { self.clone() } else { self.lshr(lo) };
        shifted.resize(width)
    }

    /// The exact product, twice as wide.
    #[must_use]
    pub fn widening_mul(&self, other: &Self) -> Self {
        assert_eq!(self.width(), other.width(), "operand widths differ");
        Self::new(
            2 * self.width(),
            Op::WideningMul(self.clone(), other.clone()),
        )
    }

    /// Unsigned `self < other`.
    #[must_use]
    pub fn ult(&self, other: &Self) -> Self {
        self.predicate(other, Op::Ult)
    }

    /// Signed `self < other`.
    #[must_use]
    pub fn slt(&self, other: &Self) -> Self {
        self.predicate(other, Op::Slt)
    }

    /// `self == other`.
    #[must_use]
    pub fn equals(&self, other: &Self) -> Self {
        self.predicate(other, Op::Eq)
    }

    /// `if self { yes } else { no }`; `self` is one bit wide.
    #[must_use]
    pub fn select(&self, yes: &Self, no: &Self) -> Self {
        assert_eq!(self.width(), 1, "the condition is one bit wide");
        assert_eq!(yes.width(), no.width(), "operand widths differ");
        Self::new(yes.width(), Op::Ite(self.clone(), yes.clone(), no.clone()))
    }

    /// The value under an assignment of the variables. Values are reduced to their widths.
    ///
    /// # Panics
    /// If a variable's index is not below `variables.len()`.
    #[must_use]
    pub fn eval(&self, variables: &[u128]) -> u128 {
        let Node { width, op } = self.node();
        let value = match op {
            Op::Var(index) => variables[*index],
            Op::Const(value) => *value,
            Op::Not(a) => !a.eval(variables),
            Op::Add(a, b) => a.eval(variables).wrapping_add(b.eval(variables)),
            Op::Sub(a, b) => a.eval(variables).wrapping_sub(b.eval(variables)),
            Op::And(a, b) => a.eval(variables) & b.eval(variables),
            Op::Or(a, b) => a.eval(variables) | b.eval(variables),
            Op::Xor(a, b) => a.eval(variables) ^ b.eval(variables),
            Op::Shl(a, by) => a.eval(variables) << by,
            Op::Lshr(a, by) => a.eval(variables) >> by,
            Op::Ashr(a, by) => (sign_extend(a.eval(variables), *width) >> by) as u128,
            Op::Resize(a) => a.eval(variables),
            Op::SignExtend(a) => sign_extend(a.eval(variables), a.width()) as u128,
            Op::Concat(high, low) => (high.eval(variables) << low.width()) | low.eval(variables),
            Op::WideningMul(a, b) => a.eval(variables).wrapping_mul(b.eval(variables)),
            Op::Ult(a, b) => u128::from(a.eval(variables) < b.eval(variables)),
            Op::Slt(a, b) => u128::from(
                sign_extend(a.eval(variables), a.width())
                    < sign_extend(b.eval(variables), b.width()),
            ),
            Op::Eq(a, b) => u128::from(a.eval(variables) == b.eval(variables)),
            Op::Ite(c, yes, no) => {
                if c.eval(variables) == 1 {
                    yes.eval(variables)
                } else {
                    no.eval(variables)
                }
            }
        };
        value & mask(*width)
    }

    /// This term with every variable replaced; `replacements[i]` stands for variable `i`.
    ///
    /// # Panics
    /// If a replacement is missing or has another width than its variable.
    #[must_use]
    pub fn substitute(&self, replacements: &[Self]) -> Self {
        let r = |t: &Self| t.substitute(replacements);
        let Node { width, op } = self.node();
        let op = match op {
            Op::Var(index) => {
                let replacement = &replacements[*index];
                assert_eq!(replacement.width(), *width, "replacement width differs");
                return replacement.clone();
            }
            Op::Const(_) => return self.clone(),
            Op::Not(a) => Op::Not(r(a)),
            Op::Add(a, b) => Op::Add(r(a), r(b)),
            Op::Sub(a, b) => Op::Sub(r(a), r(b)),
            Op::And(a, b) => Op::And(r(a), r(b)),
            Op::Or(a, b) => Op::Or(r(a), r(b)),
            Op::Xor(a, b) => Op::Xor(r(a), r(b)),
            Op::Shl(a, by) => Op::Shl(r(a), *by),
            Op::Lshr(a, by) => Op::Lshr(r(a), *by),
            Op::Ashr(a, by) => Op::Ashr(r(a), *by),
            Op::Resize(a) => Op::Resize(r(a)),
            Op::SignExtend(a) => Op::SignExtend(r(a)),
            Op::Concat(a, b) => Op::Concat(r(a), r(b)),
            Op::WideningMul(a, b) => Op::WideningMul(r(a), r(b)),
            Op::Ult(a, b) => Op::Ult(r(a), r(b)),
            Op::Slt(a, b) => Op::Slt(r(a), r(b)),
            Op::Eq(a, b) => Op::Eq(r(a), r(b)),
            Op::Ite(c, a, b) => Op::Ite(r(c), r(a), r(b)),
        };
        Self::new(*width, op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_signs() {
        let x = Term::var(0, 64);
        let y = Term::var(1, 64);
        let carry = x.add(&y).ult(&x);
        assert_eq!(carry.eval(&[u128::from(u64::MAX), 1]), 1);
        assert_eq!(carry.eval(&[u128::from(u64::MAX) - 1, 1]), 0);
        assert_eq!(x.slt(&y).eval(&[1 << 63, 0]), 1);
        assert_eq!(x.ashr(63).eval(&[1 << 63, 0]), u128::from(u64::MAX));
        let product = x.widening_mul(&y);
        let max = u128::from(u64::MAX);
        assert_eq!(product.eval(&[max, max]), max * max);
        assert_eq!(product.bits(64, 64).eval(&[max, max]), max - 1);
        assert_eq!(
            x.bits(32, 32)
                .concat(&x.bits(0, 32))
                .eval(&[0x1234_5678_9abc_def0, 0]),
            0x1234_5678_9abc_def0
        );
    }

    #[test]
    fn substitution_is_composition() {
        let x = Term::var(0, 64);
        let f = x.add(&Term::constant(3, 64));
        let g = f.substitute(std::slice::from_ref(&f));
        assert_eq!(g.eval(&[10]), 16);
    }
}

//! Bit-vector terms: the one notation in which instruction meanings and macro-op contracts are
//! written. It is read in two ways: on concrete words by a [`tape::Tape`], and as SMT terms by lemmas.

pub mod tape;

use std::sync::Arc;

/// A bit-vector expression of a fixed width between 1 and 128 bits. Cheap to clone.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term(Arc<(u32, Op<Term>)>);

/// What computes a value, on terms or what stands for them. Operands of one operation have
/// equal widths unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op<T> {
    /// The `n`-th variable.
    Var(usize),
    /// A constant, already reduced to the width.
    Const(u128),
    /// Bitwise complement.
    Not(T),
    /// Addition modulo 2^width.
    Add(T, T),
    /// Subtraction modulo 2^width.
    Sub(T, T),
    /// Bitwise and.
    And(T, T),
    /// Bitwise or.
    Or(T, T),
    /// Bitwise exclusive or.
    Xor(T, T),
    /// Shift left by a constant.
    Shl(T, u32),
    /// Logical shift right by a constant.
    Lshr(T, u32),
    /// Arithmetic shift right by a constant.
    Ashr(T, u32),
    /// Zero extension (width grows) or truncation (width shrinks).
    Resize(T),
    /// Sign extension.
    SignExtend(T),
    /// High part, low part; widths add up.
    Concat(T, T),
    /// The exact product of two equally wide words, twice as wide. SMT lemmas abstract it.
    WideningMul(T, T),
    /// Unsigned less-than, one bit wide.
    Ult(T, T),
    /// Signed less-than, one bit wide.
    Slt(T, T),
    /// Equality, one bit wide.
    Eq(T, T),
    /// `Ite(c, t, e)` with `c` one bit wide.
    Ite(T, T, T),
}

impl<T> Op<T> {
    /// The same operation on other operands, which are visited in order.
    pub fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> Op<U> {
        match self {
            Self::Var(index) => Op::Var(*index),
            Self::Const(value) => Op::Const(*value),
            Self::Not(a) => Op::Not(f(a)),
            Self::Add(a, b) => Op::Add(f(a), f(b)),
            Self::Sub(a, b) => Op::Sub(f(a), f(b)),
            Self::And(a, b) => Op::And(f(a), f(b)),
            Self::Or(a, b) => Op::Or(f(a), f(b)),
            Self::Xor(a, b) => Op::Xor(f(a), f(b)),
            Self::Shl(a, by) => Op::Shl(f(a), *by),
            Self::Lshr(a, by) => Op::Lshr(f(a), *by),
            Self::Ashr(a, by) => Op::Ashr(f(a), *by),
            Self::Resize(a) => Op::Resize(f(a)),
            Self::SignExtend(a) => Op::SignExtend(f(a)),
            Self::Concat(a, b) => Op::Concat(f(a), f(b)),
            Self::WideningMul(a, b) => Op::WideningMul(f(a), f(b)),
            Self::Ult(a, b) => Op::Ult(f(a), f(b)),
            Self::Slt(a, b) => Op::Slt(f(a), f(b)),
            Self::Eq(a, b) => Op::Eq(f(a), f(b)),
            Self::Ite(c, a, b) => Op::Ite(f(c), f(a), f(b)),
        }
    }
}

/// All bits of a word.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Term {
    fn new(width: u32, op: Op<Self>) -> Self {
        assert!(
            (1..=128).contains(&width),
            "term width {width} out of range"
        );
        Self(Arc::new((width, op)))
    }

    /// What computes it.
    #[must_use]
    pub fn op(&self) -> &Op<Self> {
        &self.0.1
    }

    /// An address that is equal for two handles on the same value, for sharing-aware printers.
    #[must_use]
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Width in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.0.0
    }

    /// The `index`-th variable.
    pub fn var(index: usize, width: u32) -> Self {
        Self::new(width, Op::Var(index))
    }

    /// A constant; the value is reduced modulo 2^width.
    pub fn constant(value: u128, width: u32) -> Self {
        Self::new(width, Op::Const(value & mask(width)))
    }

    fn binary(&self, other: &Self, width: u32, op: fn(Self, Self) -> Op<Self>) -> Self {
        assert_eq!(self.width(), other.width(), "operand widths differ");
        Self::new(width, op(self.clone(), other.clone()))
    }

    fn shift(&self, by: u32, op: fn(Self, u32) -> Op<Self>) -> Self {
        assert!(by < self.width(), "shift by {by}");
        Self::new(self.width(), op(self.clone(), by))
    }

    /// `self + other` modulo 2^width.
    pub fn add(&self, other: &Self) -> Self {
        self.binary(other, self.width(), Op::Add)
    }

    /// `self - other` modulo 2^width.
    pub fn sub(&self, other: &Self) -> Self {
        self.binary(other, self.width(), Op::Sub)
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.binary(other, self.width(), Op::And)
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.binary(other, self.width(), Op::Or)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.binary(other, self.width(), Op::Xor)
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        Self::new(self.width(), Op::Not(self.clone()))
    }

    /// Shift left by a constant below the width.
    pub fn shl(&self, by: u32) -> Self {
        self.shift(by, Op::Shl)
    }

    /// Logical shift right by a constant below the width.
    pub fn lshr(&self, by: u32) -> Self {
        self.shift(by, Op::Lshr)
    }

    /// Arithmetic shift right by a constant below the width.
    pub fn ashr(&self, by: u32) -> Self {
        self.shift(by, Op::Ashr)
    }

    /// Zero-extends or truncates.
    pub fn resize(&self, width: u32) -> Self {
        if width == self.width() {
            self.clone()
        } else {
            Self::new(width, Op::Resize(self.clone()))
        }
    }

    /// Sign-extends to a width that is not smaller.
    pub fn sign_extend(&self, width: u32) -> Self {
        assert!(width >= self.width());
        if width == self.width() {
            self.clone()
        } else {
            Self::new(width, Op::SignExtend(self.clone()))
        }
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &Self) -> Self {
        Self::new(
            self.width() + low.width(),
            Op::Concat(self.clone(), low.clone()),
        )
    }

    /// Bits `lo .. lo + width`.
    pub fn bits(&self, lo: u32, width: u32) -> Self {
        let shifted = if lo == 0 { self.clone() } else { self.lshr(lo) };
        shifted.resize(width)
    }

    /// The exact product, twice as wide.
    pub fn widening_mul(&self, other: &Self) -> Self {
        self.binary(other, 2 * self.width(), Op::WideningMul)
    }

    /// Unsigned `self < other`.
    pub fn ult(&self, other: &Self) -> Self {
        self.binary(other, 1, Op::Ult)
    }

    /// Signed `self < other`.
    pub fn slt(&self, other: &Self) -> Self {
        self.binary(other, 1, Op::Slt)
    }

    /// `self == other`.
    pub fn equals(&self, other: &Self) -> Self {
        self.binary(other, 1, Op::Eq)
    }

    /// `if self { yes } else { no }`; `self` is one bit wide.
    pub fn select(&self, yes: &Self, no: &Self) -> Self {
        assert_eq!(self.width(), 1, "the condition is one bit wide");
        assert_eq!(yes.width(), no.width(), "operand widths differ");
        Self::new(yes.width(), Op::Ite(self.clone(), yes.clone(), no.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::tape::Tape;
    use super::*;

    #[test]
    fn widths_and_signs() {
        let x = Term::var(0, 64);
        let y = Term::var(1, 64);
        let eval = |term: &Term, words: [u128; 2]| {
            let tape = Tape::new(std::slice::from_ref(term), 2);
            tape.eval(&words)[0]
        };
        let max = u128::from(u64::MAX);
        let carry = x.add(&y).ult(&x);
        assert_eq!(eval(&carry, [max, 1]), 1);
        assert_eq!(eval(&carry, [max - 1, 1]), 0);
        assert_eq!(eval(&x.slt(&y), [1 << 63, 0]), 1);
        assert_eq!(eval(&x.ashr(63), [1 << 63, 0]), max);
        let product = x.widening_mul(&y);
        assert_eq!(eval(&product, [max, max]), max * max);
        assert_eq!(eval(&product.bits(64, 64), [max, max]), max - 1);
        let halves = x.bits(32, 32).concat(&x.bits(0, 32));
        let word = 0x1234_5678_9abc_def0;
        assert_eq!(eval(&halves, [word, 0]), word);
    }
}

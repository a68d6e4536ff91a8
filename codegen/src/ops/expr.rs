//! What macro-ops give, as integer expressions over their operands.

use std::ops::{Add, Mul, Sub};

use super::Range;

/// An integer made of the operands of a macro-op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// An operand, by number.
    Operand(usize),
    /// A constant.
    Constant(i128),
    /// The sum of two.
    Sum(Box<Expr>, Box<Expr>),
    /// The difference of two.
    Difference(Box<Expr>, Box<Expr>),
    /// A multiple.
    Times(u64, Box<Expr>),
    /// `⌊w / 2^from⌋ mod 2^width`.
    Bits {
        /// `w`.
        of: Word,
        /// The lowest bit.
        from: u32,
        /// How many.
        width: u32,
    },
    /// `⌊w / 2^k⌋`.
    Floor(Word, u32),
    /// `factor·w mod 2^bits`: how often p is added, or subtracted, so that `2^bits` divides the sum.
    Quotient {
        /// `w`.
        of: Word,
        /// `p^-1` or `-p^-1`, modulo `2^bits`.
        factor: u64,
        /// How many low bits the division takes away.
        bits: u32,
    },
    /// A value that gets a multiple of p where that is wanted.
    Corrected {
        /// The value.
        value: Box<Expr>,
        /// Where.
        when: When,
        /// The multiple.
        by: i128,
    },
    /// The same integer, which fits so many bits; it says no more than the expression itself. Machines form
    /// such a sum in a part of a word, and a solver finds the same sum sooner.
    Narrow {
        /// The integer.
        value: Box<Expr>,
        /// The bits.
        bits: u32,
        /// Whether it may be negative.
        signed: bool,
    },
}

/// What bits are cut out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// An operand.
    Operand(usize),
    /// The product of two operands.
    Product(usize, usize),
    /// The product of an operand and twice another.
    Doubled(usize, usize),
}

impl Word {
    /// The operands that it is made of, the same twice where there is one.
    pub(super) const fn operands(self) -> (usize, usize) {
        match self {
            Self::Operand(n) => (n, n),
            Self::Product(a, b) | Self::Doubled(a, b) => (a, b),
        }
    }
}

/// Where a value is corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Where it is at least this.
    AtLeast(i128),
    /// Where it is negative.
    Negative,
    /// Where it is odd.
    Odd,
    /// Where something else is at least this.
    Reaches(Box<Expr>, i128),
}

/// The operand of that number.
pub(super) const fn x(n: usize) -> Expr {
    Expr::Operand(n)
}

/// Bits of a word.
pub(super) const fn bits(of: Word, from: u32, width: u32) -> Expr {
    Expr::Bits { of, from, width }
}

/// `⌊x / 2^k⌋` of an operand.
pub(super) const fn floor(n: usize, k: u32) -> Expr {
    Expr::Floor(Word::Operand(n), k)
}

/// `x mod 2^k` of an operand.
pub(super) const fn low(n: usize, k: u32) -> Expr {
    bits(Word::Operand(n), 0, k)
}

impl Expr {
    /// `2^k·e`.
    pub(super) fn up(self, k: u32) -> Self {
        (1 << k) * self
    }

    /// `(2^32 - 1)·e`, which is `2^64·e` modulo `2^64 - 2^32 + 1`.
    pub(super) fn folded(self) -> Self {
        self.clone().up(32) - self
    }

    pub(super) fn corrected(self, when: When, by: i128) -> Self {
        let value = Box::new(self);
        Self::Corrected { value, when, by }
    }

    pub(super) fn over(self, down: u32) -> Gives {
        Gives {
            down,
            ..self.into()
        }
    }

    pub(super) fn either<const N: usize>(self, multiples: [i128; N]) -> Gives {
        Gives::from(self).either(multiples)
    }

    pub(super) fn within(self, range: Range) -> Gives {
        Gives::from(self).within(range)
    }

    pub(super) fn narrow(self, bits: u32, signed: bool) -> Self {
        let value = Box::new(self);
        Self::Narrow {
            value,
            bits,
            signed,
        }
    }

    /// Tells `visit` of every node, operands first.
    pub(super) fn visit(&self, visit: &mut impl FnMut(&Self)) {
        match self {
            Self::Sum(a, b) | Self::Difference(a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Self::Times(_, e) | Self::Narrow { value: e, .. } => e.visit(visit),
            Self::Corrected { value, when, .. } => {
                value.visit(visit);
                if let When::Reaches(other, _) = when {
                    other.visit(visit);
                }
            }
            Self::Operand(_)
            | Self::Constant(_)
            | Self::Bits { .. }
            | Self::Floor(..)
            | Self::Quotient { .. } => {}
        }
        visit(self);
    }
}

impl Add for Expr {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::Sum(Box::new(self), Box::new(other))
    }
}

impl Sub for Expr {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::Difference(Box::new(self), Box::new(other))
    }
}

impl Mul<Expr> for u64 {
    type Output = Expr;

    fn mul(self, e: Expr) -> Expr {
        Expr::Times(self, Box::new(e))
    }
}

/// What a macro-op gives: `2^down·r = e + n` for each result `r`, its expression `e` and one of some
/// multiples `n` of p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gives {
    /// One expression for each result.
    pub results: Vec<Expr>,
    /// The exponent of the power of two by which they are divided; no division leaves a rest.
    pub down: u32,
    /// The multiples of p. Which one it is, is left to the body.
    pub either: Vec<i128>,
    /// The range of results for any operands; what the expressions have, if it is not stated.
    pub range: Option<Range>,
}

impl Gives {
    pub(super) fn either<const N: usize>(self, multiples: [i128; N]) -> Self {
        let either = multiples.to_vec();
        Self { either, ..self }
    }

    pub(super) fn within(self, range: Range) -> Self {
        let range = Some(range);
        Self { range, ..self }
    }
}

impl From<Expr> for Gives {
    fn from(result: Expr) -> Self {
        Self {
            results: vec![result],
            down: 0,
            either: vec![0],
            range: None,
        }
    }
}

impl From<[Expr; 2]> for Gives {
    fn from(results: [Expr; 2]) -> Self {
        let [low, _] = &results;
        Self {
            results: results.to_vec(),
            ..Self::from(low.clone())
        }
    }
}

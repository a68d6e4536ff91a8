//! What macro-ops give, as integer expressions over their operands.

use std::ops::{Add, Mul, Sub};

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
    /// `⌊w / 2^from⌋`, modulo `2^width` where a width is given.
    Bits {
        /// `w`.
        of: Word,
        /// The lowest bit.
        from: u32,
        /// How many; all above for none.
        width: Option<u32>,
    },
    /// `factor·w mod 2^bits`: how often p is added to a word, or subtracted, so that `2^bits`
    /// divides the sum.
    Quotient {
        /// `w`.
        of: Word,
        /// `-p^-1` or `p^-1`, modulo `2^bits`.
        factor: u64,
        /// The bits.
        bits: u32,
    },
    /// A value with one of two multiples of p added.
    Corrected {
        /// The value.
        value: Box<Expr>,
        /// From where on it is the second.
        from: i128,
        /// The multiples.
        by: [i128; 2],
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
    /// The sum of the products of so many pairs of operands, each with the next.
    Dot(usize),
    /// `⌊x / 2^32⌋ + x mod 2^32` for the product x of two operands.
    Folded(usize, usize),
}

impl Word {
    /// The pairs of operands that are multiplied.
    pub(super) fn factors(self) -> Vec<[usize; 2]> {
        match self {
            Self::Operand(_) => Vec::new(),
            Self::Product(a, b) | Self::Doubled(a, b) | Self::Folded(a, b) => vec![[a, b]],
            Self::Dot(products) => (0..products).map(|n| [2 * n, 2 * n + 1]).collect(),
        }
    }
}

/// The operand of that number.
pub(super) const fn x(n: usize) -> Expr {
    Expr::Operand(n)
}

/// Some bits of a word.
pub(super) const fn bits(of: Word, from: u32, width: u32) -> Expr {
    let width = Some(width);
    Expr::Bits { of, from, width }
}

/// `⌊w / 2^k⌋`.
pub(super) const fn floor(of: Word, from: u32) -> Expr {
    let width = None;
    Expr::Bits { of, from, width }
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

    /// Less p, from a bound on.
    pub(super) fn less(self, p: i128, from: i128) -> Self {
        let (value, by) = (Box::new(self), [0, -p]);
        Self::Corrected { value, from, by }
    }

    /// Plus p, where it is negative.
    pub(super) fn plus_if_negative(self, p: i128) -> Self {
        let (value, by) = (Box::new(self), [p, 0]);
        Self::Corrected { value, from: 0, by }
    }

    /// Its coefficients, if it is a constant and multiples of so many operands.
    pub(super) fn coefficients(&self, operands: usize) -> Option<Vec<i128>> {
        let both = |a: &Self, b: &Self, sign: i128| {
            let (a, b) = (a.coefficients(operands)?, b.coefficients(operands)?);
            Some(a.iter().zip(b).map(|(a, b)| a + sign * b).collect())
        };
        match self {
            Self::Operand(n) => Some((0..operands).map(|m| i128::from(m == *n)).collect()),
            Self::Constant(_) => Some(vec![0; operands]),
            Self::Sum(a, b) => both(a, b, 1),
            Self::Difference(a, b) => both(a, b, -1),
            Self::Times(k, of) => {
                let of = of.coefficients(operands)?;
                Some(of.iter().map(|c| i128::from(*k) * c).collect())
            }
            Self::Bits { .. } | Self::Quotient { .. } | Self::Corrected { .. } => None,
        }
    }

    /// Whether products of several pairs of operands are summed.
    pub(super) fn sums_products(&self) -> bool {
        let mut sums = false;
        self.visit(&mut |e| {
            sums |= matches!(
                e,
                Self::Bits {
                    of: Word::Dot(_),
                    ..
                }
            );
        });
        sums
    }

    /// Tells `visit` of every node, operands first.
    pub(super) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        match self {
            Self::Sum(a, b) | Self::Difference(a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Self::Times(_, e) | Self::Corrected { value: e, .. } => e.visit(visit),
            Self::Operand(_) | Self::Constant(_) | Self::Bits { .. } | Self::Quotient { .. } => {}
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

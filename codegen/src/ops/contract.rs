//! A row, and the contract that it is over a field.

use super::{Expr, Gives, MacroOp, Range, Reading, columns, limbs, montgomery, redc, words};
use crate::params::{Family, Field};

/// What a macro-op is over the fields of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// How words of operands stand for integers.
    pub reads: Reading,
    /// How words of results do.
    pub writes: Reading,
    /// Preconditions; all must hold.
    pub needs: Vec<Need>,
    /// The results.
    pub gives: Gives,
    /// What is given, in words.
    pub text: &'static str,
    /// Results together stand for the first and `2^radix` times the second.
    pub radix: u32,
    /// Operands that strategy `eager` canonicalises where the proof set is silent: those of whose
    /// ranges a need asks more than that they are words.
    pub canonical: &'static [usize],
    /// Bits in which no sum of the row wraps.
    pub width: u32,
    /// How its bodies are proved.
    pub proof: Proof,
}

/// What a solver is told of the products in a lemma. Products of two unknowns are free words to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Nothing.
    Direct,
    /// A product of 64-bit words may be collected from those of half words; then it is folded.
    Folded,
    /// A product is reduced as Montgomery does.
    Montgomery,
    /// Products of 64-bit words are sums of those of half words.
    OfHalves,
    /// So many low bits of products are zero.
    Even(u32),
}

/// One precondition of a macro-op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The left side.
    pub left: NeedLeft,
    /// Strict upper bound of the left side.
    pub bound: i128,
    /// In words, for example `a + b < 2^64 + p`.
    pub text: &'static str,
}

/// The left side of a [`Need`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NeedLeft {
    /// `Σ coefficients[i]·operand[i]`.
    Linear(Vec<i128>),
    /// The product of the first operand and the last.
    Product,
}

/// The contract of one macro-op over one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The field.
    pub field: &'static Field,
    /// The macro-op.
    pub op: MacroOp,
    /// Its row.
    pub row: Row,
}

/// A precondition that the operands' ranges do not imply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The precondition.
    pub need: Need,
    /// The greatest value of its left side.
    pub reached: i128,
    /// Operand values that reach it.
    pub witness: Vec<i128>,
}

impl Row {
    /// A row without preconditions, which gives words as it takes them.
    pub(super) fn new(reads: Reading, gives: impl Into<Gives>, text: &'static str) -> Self {
        Self {
            reads,
            writes: reads,
            needs: Vec::new(),
            gives: gives.into(),
            text,
            radix: 32,
            canonical: &[],
            width: 72,
            proof: Proof::Direct,
        }
    }
}

impl Need {
    /// `Σ coefficients[i]·operand[i] < bound`.
    pub(super) fn linear(coefficients: &[i128], bound: i128, text: &'static str) -> Self {
        Self {
            left: NeedLeft::Linear(coefficients.to_vec()),
            bound,
            text,
        }
    }

    /// That the product of the first operand and the last is below a bound.
    pub(super) fn product(bound: i128, text: &'static str) -> Self {
        Self {
            left: NeedLeft::Product,
            bound,
            text,
        }
    }

    /// The greatest value of the left side over the ranges, and operands that reach it.
    #[must_use]
    pub fn reached(&self, ranges: &[Range]) -> (i128, Vec<i128>) {
        match &self.left {
            NeedLeft::Linear(c) => {
                let extreme = |(&c, x): (&i128, &Range)| if c >= 0 { x.hi } else { x.lo };
                (
                    Range::linear(c, ranges).hi,
                    c.iter().zip(ranges).map(extreme).collect(),
                )
            }
            NeedLeft::Product => {
                let (a, b) = (ranges[0].hi, ranges[ranges.len() - 1].hi);
                (a.saturating_mul(b), ranges.iter().map(|x| x.hi).collect())
            }
        }
    }
}

impl Contract {
    /// The contract of `op` over `field`; `None` if the field has no such macro-op.
    #[must_use]
    pub fn of(field: &'static Field, op: MacroOp) -> Option<Self> {
        let row = match field.family {
            Family::Goldilocks => words::row(op, field)
                .or_else(|| columns::row(op, field))
                .or_else(|| redc::row(op, field))
                .or_else(|| limbs::row(op)),
            Family::Montgomery31 => montgomery::row(op, field),
        };
        row.map(|row| Self { field, op, row })
    }

    /// The first precondition that some operands within `ranges` break.
    #[must_use]
    pub fn unmet(&self, ranges: &[Range]) -> Option<Unmet> {
        self.row.needs.iter().find_map(|need| {
            let (reached, witness) = need.reached(ranges);
            (reached >= need.bound).then(|| Unmet {
                need: need.clone(),
                reached,
                witness,
            })
        })
    }

    /// Whether every unsigned word is an operand that it takes.
    #[must_use]
    pub fn takes_any_word(&self) -> bool {
        self.row.needs.is_empty() && self.row.reads == Reading::Unsigned
    }

    /// Whether the ranges of the results are the same for all operands.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        let gives = &self.row.gives;
        let mut fixed = true;
        for result in &gives.results {
            result.visit(&mut |e| {
                fixed &= match e {
                    Expr::Operand(_) | Expr::Floor(..) => false,
                    Expr::Bits { of, .. } => self.is_any(*of),
                    _ => true,
                }
            });
        }
        fixed || gives.range.is_some()
    }
}

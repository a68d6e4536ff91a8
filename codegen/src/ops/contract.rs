//! A row, and the contract that it is over a field.

use super::{
    Expr, MacroOp, Range, Reading, Word, columns, halves, limbs, montgomery, radix32, radix48,
    radix52, radix64, redc, signed, words,
};
use crate::params::{Family, Field};
use std::fmt;

/// What a macro-op is over a field: `2^down·r = e + n` for each result `r`, its expression `e` and
/// one of some multiples `n` of p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// How words of operands stand for integers.
    pub reads: Reading,
    /// How words of results do.
    pub writes: Reading,
    /// Preconditions; all must hold.
    pub needs: Vec<Need>,
    /// An expression for each result.
    pub results: Vec<Expr>,
    /// The exponent of the power of two by which they are divided, without a rest.
    pub down: u32,
    /// The multiples of p. Which one it is, is left to the body.
    pub either: Vec<i128>,
    /// The range of results for any operands; what the expressions have, if it is not stated.
    pub range: Option<Range>,
    /// Where two results have one expression, for what they stand for together: the ranges of both.
    pub parts: Vec<Range>,
    /// What is given, in words.
    pub text: &'static str,
    /// Results together stand for the first and `2^radix` times the second.
    pub radix: u32,
    /// Operands that strategy `eager` canonicalises at a site about which the proof set is silent.
    pub canonical: &'static [usize],
    /// Bits in which no sum of the row wraps.
    pub width: u32,
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

/// The two sides of a [`Need`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Whether the bound is a lower one.
    pub least: bool,
    /// The left side.
    pub left: Hex,
    /// The bound.
    pub bound: Hex,
}

/// An integer, written in hexadecimal digits behind its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex(pub i128);

/// The left side of a [`Need`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NeedLeft {
    /// `Σ coefficients[i]·operand[i]`.
    Linear(Vec<i128>),
    /// The product of the last two operands; of a single one, its square.
    Product,
    /// The magnitude of a product, or of a sum of products.
    Magnitude(Word),
    /// 1 if `2^52` may divide that product, else 0.
    Carry,
}

/// The product of the last two of so many operands; of a single one, its square.
pub(super) const fn last_two(operands: usize) -> Word {
    Word::Product(operands.saturating_sub(2), operands - 1)
}

/// Whether `2^52` divides no product of these factors, by the first alone: it is one number, and what is
/// left of the other has less than as many factors of two as are missing.
fn carries([a, b]: [Range; 2]) -> bool {
    let missing = 52u32.saturating_sub(a.lo.trailing_zeros());
    a.lo == a.hi && a.lo != 0 && (b.lo - 1) >> missing == b.hi >> missing
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

/// Columns that a row adds to what `new` says.
impl Row {
    /// Results that are exactly these, of any operands, in words as those of operands.
    pub(super) fn new<const N: usize>(
        reads: Reading,
        results: [Expr; N],
        text: &'static str,
    ) -> Self {
        Self {
            reads,
            writes: reads,
            needs: Vec::new(),
            results: results.into(),
            down: 0,
            either: vec![0],
            range: None,
            parts: Vec::new(),
            text,
            radix: 32,
            canonical: &[],
            width: 72,
        }
    }

    /// `Σ coefficients[i]·operand[i] < bound`.
    pub(super) fn need(self, coefficients: &[i128], bound: i128, text: &'static str) -> Self {
        self.needs(NeedLeft::Linear(coefficients.to_vec()), bound, text)
    }

    pub(super) fn needs(mut self, left: NeedLeft, bound: i128, text: &'static str) -> Self {
        self.needs.push(Need { left, bound, text });
        self
    }

    pub(super) fn writes(self, writes: Reading) -> Self {
        Self { writes, ..self }
    }

    pub(super) fn over(self, down: u32) -> Self {
        Self { down, ..self }
    }

    pub(super) fn either(self, multiples: &[i128]) -> Self {
        let either = multiples.to_vec();
        Self { either, ..self }
    }

    pub(super) fn within(self, range: Range) -> Self {
        let range = Some(range);
        Self { range, ..self }
    }

    pub(super) fn parts(self, ranges: [Range; 2]) -> Self {
        let parts = ranges.into();
        Self { parts, ..self }
    }

    pub(super) fn canonical(self, canonical: &'static [usize]) -> Self {
        Self { canonical, ..self }
    }

    /// Whether a need bounds the result itself, or its negative: then the range that the result has tells what is
    /// reached. Exact sums need no more than to fit their words.
    #[must_use]
    pub fn bounds_result(&self, need: &Need) -> bool {
        let (NeedLeft::Linear(bounded), [result]) = (&need.left, &self.results[..]) else {
            return false;
        };
        let exact = self.down == 0 && self.either == [0] && self.range.is_none();
        let coefficients = result.coefficients(bounded.len()).filter(|_| exact);
        coefficients.is_some_and(|result| {
            let is = |sign: i128| result.iter().map(|c| sign * c).eq(bounded.iter().copied());
            is(1) || is(-1)
        })
    }

    pub(super) fn width(self, width: u32) -> Self {
        Self { width, ..self }
    }
}

impl Need {
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
                let (a, b) = match last_two(ranges.len()) {
                    Word::Product(a, b) => (ranges[a].hi, ranges[b].hi),
                    _ => unreachable!("a product"),
                };
                (a.saturating_mul(b), ranges.iter().map(|x| x.hi).collect())
            }
            NeedLeft::Magnitude(word) => {
                let ends = |x: Range| [x.lo, x.hi];
                // Of each product the greatest, or the least.
                let witness = |sign: i128| {
                    let mut witness: Vec<i128> = ranges.iter().map(|x| x.hi).collect();
                    for [a, b] in word.factors() {
                        let corners = ends(ranges[a]).map(|x| ends(ranges[b]).map(|y| [x, y]));
                        let corners = corners.as_flattened().iter();
                        let corner = corners.max_by_key(|[x, y]| sign * x.saturating_mul(*y));
                        [witness[a], witness[b]] = *corner.expect("four");
                    }
                    (word.value(&witness).abs(), witness)
                };
                [1, -1].map(witness).into_iter().max().expect("two")
            }
            NeedLeft::Carry => {
                let factors = [ranges[ranges.len() - 2], ranges[ranges.len() - 1]];
                let carries = carries(factors) || carries([factors[1], factors[0]]);
                let witness = ranges.iter().map(|x| x.lo).collect();
                (i128::from(!carries), witness)
            }
        }
    }

    /// How a value of the left side compares with the bound, as the text has both: a lower bound is kept as an
    /// upper one of the opposite.
    #[must_use]
    pub fn compared(&self, reached: i128) -> Compared {
        let says = |sign: char| self.text.contains(sign);
        let (least, left, bound) = if says('≥') {
            (true, -reached, 1 - self.bound)
        } else if says('>') {
            (true, -reached, -self.bound)
        } else if says('≤') {
            (false, reached, self.bound - 1)
        } else {
            (false, reached, self.bound)
        };
        let [left, bound] = [left, bound].map(Hex);
        Compared { least, left, bound }
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{:#x}", self.0.unsigned_abs())
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
                .or_else(|| halves::row(op, field))
                .or_else(|| radix48::row(op, field))
                .or_else(|| limbs::row(op)),
            Family::Montgomery31 => montgomery::row(op, field).or_else(|| signed::row(op, field)),
            Family::Montgomery52 => radix52::row(op, field),
            Family::Montgomery64 => radix32::row(op, field),
            Family::Montgomery128 => radix64::row(op, field),
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

    /// Whether the ranges of the results are the same for all operands.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        let mut depends = false;
        for result in &self.row.results {
            result.visit(&mut |e| {
                depends |= match e {
                    Expr::Bits { of, .. } => !self.is_any(*of),
                    e => matches!(e, Expr::Operand(_)),
                }
            });
        }
        !depends || self.row.range.is_some() || !self.row.parts.is_empty()
    }

    /// Whether a word is a product that may have 128 bits, more than ranges are made of: bits of it
    /// may be any.
    pub(super) fn is_any(&self, word: Word) -> bool {
        !matches!(word, Word::Operand(_)) && !self.row.reads.multiplies_52()
    }
}

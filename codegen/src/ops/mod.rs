//! Macro-ops: one row each, and what reads the rows.
//!
//! A macro-op is one step of the arithmetic program, one template per ISA. Its row says what it
//! needs of its operands and what it gives, as integer expressions over them. All else follows from
//! the row: exact ranges (the prover's transfer function), results for concrete words,
//! the bit-vector term that a template's body is proved to satisfy (lemmas), and what the results
//! stand for modulo p (linear forms).
//!
//! Rows are in `words`, `columns`, `redc`, `halves`, `limbs` and `radix48` for the family `goldilocks`, in `montgomery`
//! and `signed` for `montgomery31`, in `radix52` for `montgomery52`, in `radix32` and `radix52` for
//! `montgomery64`, and in `radix64` and these two for `montgomery128`.

mod columns;
mod contract;
mod expr;
mod form;
mod halves;
mod interval;
mod limbs;
mod montgomery;
mod promise;
mod radix32;
mod radix48;
mod radix52;
mod radix64;
mod range;
mod reading;
mod redc;
mod signed;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use contract::{Compared, Contract, Need, NeedLeft, Row, Unmet};
pub use expr::{Expr, Word};
pub use form::Form;
pub(crate) use range::Bound;
pub use range::Range;
pub use reading::Reading;

use std::fmt;

use crate::names::Part;
use crate::params::{Balance, Offset};

/// An arithmetic macro-op: one step of the arithmetic program, one template per ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MacroOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// The same residue, reduced by at most one `p`.
    Canonicalise,
    /// The same residue, below p and a little.
    Reduce,
    /// The same residue, less p once for each 2^31 in the word.
    Fold,
    /// `a · b` exactly.
    Product,
    /// `x / 2`.
    Halve,
    /// `x / 2^k`.
    Div2Exp(u32),
    /// `a · b`.
    Mul,
    /// `x²`.
    Square,
    /// `a + b` exactly: words hold signed integers, and the sum fits.
    Plus,
    /// `a - b` exactly.
    Minus,
    /// `2^k·x` exactly.
    ShiftLeft(u32),
    /// A part plus the same part of a pair.
    Offset(Offset, Part),
    /// A word into columns.
    Split,
    /// Columns into a word.
    Pack,
    /// `a · b`, left in columns.
    MulColumns,
    /// The two halves of `a · b`.
    MulWide,
    /// `-x / 2^64`: what the low half of a product takes from the high one.
    Share,
    /// `a · b / 2^64`, left in columns.
    MulColumnsRedc,
    /// Columns into a word of signed halves.
    PackHalves,
    /// `x² / 2^64` of signed halves, in such.
    SquareHalves,
    /// `a · b / 2^64` of signed halves, in such.
    MulHalves,
    /// `a · b / 2^64` of signed halves, left in columns.
    MulColumnsHalves,
    /// `x / 2^k` on columns.
    Div2ExpColumns(u32),
    /// What `x / 2^k` cuts off, `2^(32-k)` times, and what it leaves.
    Cut(u32),
    /// `x / 2^k` on columns of either sign.
    Div2ExpSigned(u32),
    /// `a + b` exactly, in half a word.
    PlusNarrow,
    /// `a - b` exactly, in half a word.
    MinusNarrow,
    /// `2^k·x` exactly, in half a word.
    ShiftLeftNarrow(u32),
    /// A word into parts of radix 2^48.
    SplitRadix48,
    /// Parts of radix 2^48 into a word.
    PackRadix48,
    /// The same element in parts of about 48 and 16 bits.
    CarryRadix48,
    /// `x / 2^k` on parts of radix 2^48.
    Div2ExpRadix48(u32),
    /// The two halves of `a · b`, from products of halves.
    MulQuarters,
    /// The two halves of `x²`, from products of halves.
    SquareQuarters,
    /// `x / R` for the halves of a product, or of a sum of them.
    Redc,
    /// `a · b / 2^64`, left in parts of radix 2^48.
    MulRadix48,
    /// The same element in limbs of about 32 bits.
    Carry,
    /// The same element in shifted limbs of about 32 bits.
    CarryUp,
    /// A limb, 10 bits up.
    Preshift,
    /// `x²` of shifted limbs, in limbs, balanced.
    SquareLimbs(Balance),
    /// `x·y` of shifted limbs, in limbs; balanced if another product follows.
    MulLimbs(Option<Balance>),
    /// `x²` of shifted limbs, in shifted limbs, balanced.
    SquareUp(Balance),
    /// `x·y` of shifted limbs, in shifted limbs, balanced.
    MulUp(Balance),
    /// `x·y` of shifted limbs, in limbs.
    MulChained,
    /// `c + a·b / R` for the radix R of Montgomery forms, a multiple of p added.
    MulAdd,
    /// The same where the product is below R.
    MulAddShort,
    /// `c + a·b` exactly: it fits.
    AddProduct,
    /// A sum and the halves of a product, each added to one of its own.
    Accumulate,
    /// `a + x / 2^k`.
    AddDiv2Exp(u32),
    /// `a - x / 2^k`.
    SubDiv2Exp(u32),
    /// `a · b` between -p and p.
    MulSigned,
    /// The same, where products are longer than words.
    MulLong,
    /// `x²` in the same way.
    SquareLong,
    /// The sum of so many products, reduced once, between -p and p.
    Dot(u32),
    /// The same residue, p added if it is negative.
    CanonicaliseSigned,
    /// `x / 2^k` between -p and p.
    Div2ExpBalanced(u32),
    /// `x / 2^k` above -p, of any word, where `2^k` does not divide p - 1.
    Div2ExpWord(u32),
    /// `a + x` for `a` below p, and `x` between -p and p.
    AddSigned,
    /// `a - x` for the same.
    SubSigned,
    /// `n·x` for a small number n.
    Times(u32),
    /// The sum of so many words, as a word.
    Sum(u32),
    /// A word that is the same in all states. A named constant in place of code.
    Constant(u64),
    /// The second result of the operation that defines the operand. No code of its own.
    Second,
}

/// The operands of [`MacroOp::Dot`] of most products.
const FACTORS: &[&str] = &[
    "a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5", "b5", "a6", "b6", "a7", "b7",
    "a8", "b8",
];

/// The operands of [`MacroOp::Sum`] of most words.
const SUMMANDS: &[&str] = &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"];

/// How templates spell a macro-op: its name, its operands, and how many results it has.
struct Signature(&'static str, &'static [&'static str], usize);

impl MacroOp {
    /// Products that [`MacroOp::Dot`] may have.
    pub const DOTS: std::ops::RangeInclusive<u32> = 2..=FACTORS.len() as u32 / 2;

    /// The sum of so many Montgomery products.
    #[must_use]
    pub const fn sum_of_products(products: usize) -> Self {
        match products {
            1 => Self::MulSigned,
            several => Self::Dot(several as u32),
        }
    }

    /// Words that [`MacroOp::Sum`] may have: fewer are added two by two in as many instructions.
    pub const SUMS: std::ops::RangeInclusive<u32> = 6..=SUMMANDS.len() as u32;

    const fn signature(&self) -> Signature {
        const ELEMENT: &[&str] = &["low", "high"];
        const ELEMENTS: &[&str] = &["al", "ah", "bl", "bh"];
        match self {
            Self::Add => Signature("add", &["a", "b"], 1),
            Self::Sub => Signature("sub", &["a", "b"], 1),
            Self::Canonicalise => Signature("canonicalise", &["x"], 1),
            Self::Reduce => Signature("reduce", &["x"], 1),
            Self::Fold => Signature("fold", &["x"], 1),
            Self::Product => Signature("product", &["a", "b"], 1),
            Self::Halve => Signature("halve", &["x"], 1),
            Self::Div2Exp(_) => Signature("div2exp", &["x"], 1),
            Self::Mul => Signature("mul", &["a", "b"], 1),
            Self::Square => Signature("square", &["x"], 1),
            Self::Plus => Signature("plus", &["a", "b"], 1),
            Self::Minus => Signature("minus", &["a", "b"], 1),
            Self::ShiftLeft(_) => Signature("shift-left", &["x"], 1),
            Self::Offset(..) => Signature("offset", &["x"], 1),
            Self::Split => Signature("split", &["x"], 2),
            Self::Pack => Signature("pack", ELEMENT, 1),
            Self::MulColumns => Signature("mul-columns", &["a", "b"], 2),
            Self::MulWide => Signature("mul-wide", &["a", "b"], 2),
            Self::Share => Signature("share", &["x"], 1),
            Self::MulColumnsRedc => Signature("mul-columns-redc", &["a", "b"], 2),
            Self::PackHalves => Signature("pack-halves", ELEMENT, 1),
            Self::SquareHalves => Signature("square-halves", &["x"], 1),
            Self::MulHalves => Signature("mul-halves", &["a", "b"], 1),
            Self::MulColumnsHalves => Signature("mul-columns-halves", &["a", "b"], 2),
            Self::Div2ExpColumns(_) => Signature("div2exp-columns", ELEMENT, 2),
            Self::Cut(_) => Signature("cut", &["x"], 2),
            Self::Div2ExpSigned(_) => Signature("div2exp-signed", ELEMENT, 2),
            Self::PlusNarrow => Signature("plus-narrow", &["a", "b"], 1),
            Self::MinusNarrow => Signature("minus-narrow", &["a", "b"], 1),
            Self::ShiftLeftNarrow(_) => Signature("shift-left-narrow", &["x"], 1),
            Self::SplitRadix48 => Signature("split-radix48", &["x"], 2),
            Self::PackRadix48 => Signature("pack-radix48", ELEMENT, 1),
            Self::CarryRadix48 => Signature("carry-radix48", ELEMENT, 2),
            Self::Div2ExpRadix48(_) => Signature("div2exp-radix48", ELEMENT, 2),
            Self::MulQuarters => Signature("mul-quarters", &["a", "b"], 2),
            Self::SquareQuarters => Signature("square-quarters", &["x"], 2),
            Self::Redc => Signature("redc", ELEMENT, 1),
            Self::MulRadix48 => Signature("mul-radix48", &["a", "b"], 2),
            Self::Carry => Signature("carry", ELEMENT, 2),
            Self::CarryUp => Signature("carry-up", ELEMENT, 2),
            Self::Preshift => Signature("preshift", &["x"], 1),
            Self::SquareLimbs(_) => Signature("square-limbs", ELEMENT, 2),
            Self::MulLimbs(_) => Signature("mul-limbs", ELEMENTS, 2),
            Self::SquareUp(_) => Signature("square-up", ELEMENT, 2),
            Self::MulUp(_) => Signature("mul-up", ELEMENTS, 2),
            Self::MulChained => Signature("mul-chained", ELEMENTS, 2),
            Self::MulAdd => Signature("mul-add", &["c", "a", "b"], 1),
            Self::MulAddShort => Signature("mul-add-short", &["c", "a", "b"], 1),
            Self::AddProduct => Signature("add-product", &["c", "a", "b"], 1),
            Self::Accumulate => Signature("accumulate", &["low", "high", "a", "b"], 2),
            Self::AddDiv2Exp(_) => Signature("add-div2exp", &["a", "x"], 1),
            Self::SubDiv2Exp(_) => Signature("sub-div2exp", &["a", "x"], 1),
            Self::MulSigned => Signature("mul-signed", &["a", "b"], 1),
            Self::MulLong => Signature("mul-long", &["a", "b"], 1),
            Self::SquareLong => Signature("square-long", &["x"], 1),
            Self::Dot(products) => {
                let operands = FACTORS.split_at(2 * *products as usize).0;
                Signature("dot", operands, 1)
            }
            Self::CanonicaliseSigned => Signature("canonicalise-signed", &["x"], 1),
            Self::Div2ExpBalanced(_) => Signature("div2exp-balanced", &["x"], 1),
            Self::Div2ExpWord(_) => Signature("div2exp-word", &["x"], 1),
            Self::AddSigned => Signature("add-signed", &["a", "x"], 1),
            Self::SubSigned => Signature("sub-signed", &["a", "x"], 1),
            Self::Times(_) => Signature("times", &["x"], 1),
            Self::Sum(words) => Signature("sum", SUMMANDS.split_at(*words as usize).0, 1),
            Self::Constant(_) => Signature("constant", &[], 1),
            Self::Second => Signature("second", &["x"], 1),
        }
    }

    /// Every macro-op that has a template, with the parameters for which its templates are proved.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let simple = [
            Self::Add,
            Self::Sub,
            Self::Canonicalise,
            Self::Reduce,
            Self::Fold,
            Self::Product,
            Self::Halve,
            Self::Mul,
            Self::Square,
            Self::Plus,
            Self::Minus,
            Self::Split,
            Self::Pack,
            Self::MulColumns,
            Self::MulWide,
            Self::Share,
            Self::MulColumnsRedc,
            Self::PackHalves,
            Self::SquareHalves,
            Self::MulHalves,
            Self::MulColumnsHalves,
            Self::PlusNarrow,
            Self::MinusNarrow,
            Self::SplitRadix48,
            Self::PackRadix48,
            Self::CarryRadix48,
            Self::MulQuarters,
            Self::SquareQuarters,
            Self::Redc,
            Self::MulRadix48,
            Self::Carry,
            Self::CarryUp,
            Self::Preshift,
            Self::MulAdd,
            Self::MulAddShort,
            Self::AddProduct,
            Self::Accumulate,
            Self::MulLimbs(None),
            Self::MulLimbs(Some(Balance::Cube)),
            Self::SquareLimbs(Balance::Square),
            Self::SquareLimbs(Balance::Fourth),
            Self::SquareUp(Balance::Square),
            Self::SquareUp(Balance::Fourth),
            Self::MulUp(Balance::Cube),
            Self::MulChained,
            Self::MulSigned,
            Self::MulLong,
            Self::SquareLong,
            Self::CanonicaliseSigned,
            Self::AddSigned,
            Self::SubSigned,
        ];
        let offsets = Offset::ALL.into_iter();
        let offsets = offsets.flat_map(|o| Part::BOTH.map(|part| Self::Offset(o, part)));
        let divisions = [
            Self::Div2Exp,
            Self::Div2ExpColumns,
            Self::Cut,
            Self::Div2ExpSigned,
            Self::Div2ExpRadix48,
            Self::Div2ExpBalanced,
            Self::Div2ExpWord,
            Self::AddDiv2Exp,
            Self::SubDiv2Exp,
            Self::Times,
        ];
        let divisions = divisions.into_iter().flat_map(|op| (1..=32).map(op));
        let shifts = [Self::ShiftLeft, Self::ShiftLeftNarrow];
        let shifts = shifts.into_iter().flat_map(|op| (1..=16).map(op));
        let dots = Self::DOTS.map(Self::Dot);
        let sums = Self::SUMS.map(Self::Sum);
        let rows = simple.into_iter().chain(offsets).chain(shifts);
        rows.chain(dots).chain(sums).chain(divisions).collect()
    }

    /// Name of the template under `templates/<isa>/<layout>/<family>/`.
    #[must_use]
    pub fn template(&self) -> &'static str {
        self.signature().0
    }

    /// Names of the operands, as templates spell them.
    #[must_use]
    pub fn operands(&self) -> &'static [&'static str] {
        self.signature().1
    }

    /// Number of results.
    #[must_use]
    pub fn results(&self) -> usize {
        self.signature().2
    }

    /// Names of the results, as templates spell them.
    #[must_use]
    pub fn result_names(&self) -> &'static [&'static str] {
        if self.results() == 2 {
            &["rl", "rh"]
        } else {
            &["r"]
        }
    }

    /// What tells it from others with the same template, as certificates write it.
    #[must_use]
    pub fn parameter(&self) -> Option<String> {
        match self {
            Self::Offset(offset, part) => Some(format!("{offset}.{}", part.name())),
            Self::MulLimbs(balance) => balance.map(|b| b.to_string()),
            Self::SquareLimbs(balance) | Self::SquareUp(balance) | Self::MulUp(balance) => {
                Some(balance.to_string())
            }
            Self::Constant(word) => Some(word.to_string()),
            _ => self.immediate().map(|k| k.to_string()),
        }
    }

    /// The named constants that the template takes: what it calls them, and their names.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, &'static str)> {
        let balance = match self {
            Self::Offset(offset, part) => return vec![("constant", offset.constant(*part))],
            Self::SquareUp(balance) | Self::MulUp(balance) => {
                let high = balance.constant(Part::High);
                return vec![("both", balance.both()), ("high", high)];
            }
            Self::SquareLimbs(balance) => Some(*balance),
            Self::MulLimbs(balance) => *balance,
            _ => return Vec::new(),
        };
        let of = |part| balance.map_or("ZERO", |balance| balance.constant(part));
        vec![("low", of(Part::Low)), ("high", of(Part::High))]
    }

    /// The immediate that the template sees as `k`, if it takes one.
    #[must_use]
    pub fn immediate(&self) -> Option<u32> {
        match self {
            Self::Div2Exp(k)
            | Self::ShiftLeft(k)
            | Self::ShiftLeftNarrow(k)
            | Self::Div2ExpRadix48(k)
            | Self::Div2ExpColumns(k)
            | Self::Cut(k)
            | Self::Div2ExpSigned(k)
            | Self::Div2ExpBalanced(k)
            | Self::Div2ExpWord(k)
            | Self::AddDiv2Exp(k)
            | Self::SubDiv2Exp(k)
            | Self::Dot(k)
            | Self::Sum(k)
            | Self::Times(k) => Some(*k),
            _ => None,
        }
    }
}

impl fmt::Display for MacroOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.template())?;
        self.parameter().map_or(Ok(()), |k| write!(f, "({k})"))
    }
}

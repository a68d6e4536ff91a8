//! Macro-op contracts: what each arithmetic macro-op needs of its operands and what it gives.
//!
//! A contract is written once. It is read in three ways: on ranges (the prover's transfer
//! function), on concrete words (self-check), and as a bit-vector term (the lemma that a
//! template body of some ISA is proved to satisfy, for all inputs).

use super::limbs::{self, Reading};
use super::range::Range;
use super::{columns, redc};
use crate::names::Part;
use crate::params::Field;
use crate::params::{Balance, Offset};
use std::fmt;

/// An arithmetic macro-op: one step of the arithmetic program, one template per ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MacroOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// The same residue, reduced by at most one `p`.
    Canonicalise,
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
    /// A part plus the same part of a pair that stands for zero.
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
    /// `x / 2^k` on columns.
    Div2ExpColumns(u32),
    /// `x / 2^k` on columns of either sign.
    Div2ExpSigned(u32),
    /// The same element in limbs of about 32 bits.
    Carry,
    /// A limb, 10 bits up.
    Preshift,
    /// `x²` of shifted limbs, in limbs, balanced.
    SquareLimbs(Balance),
    /// `x·y` of shifted limbs, in limbs; balanced if another product follows.
    MulLimbs(Option<Balance>),
    /// The second result of the operation that defines the operand. No code of its own.
    Second,
}

impl MacroOp {
    /// Name of the template under `templates/<isa>/`.
    #[must_use]
    pub fn template(&self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Canonicalise => "canonicalise",
            Self::Halve => "halve",
            Self::Div2Exp(_) => "div2exp",
            Self::Mul => "mul",
            Self::Square => "square",
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::ShiftLeft(_) => "shift-left",
            Self::Offset(..) => "offset",
            Self::Split => "split",
            Self::Pack => "pack",
            Self::MulColumns => "mul-columns",
            Self::MulWide => "mul-wide",
            Self::Share => "share",
            Self::MulColumnsRedc => "mul-columns-redc",
            Self::Div2ExpColumns(_) => "div2exp-columns",
            Self::Div2ExpSigned(_) => "div2exp-signed",
            Self::Carry => "carry",
            Self::Preshift => "preshift",
            Self::SquareLimbs(_) => "square-limbs",
            Self::MulLimbs(_) => "mul-limbs",
            Self::Second => "second",
        }
    }

    /// Number of results.
    #[must_use]
    pub fn results(&self) -> usize {
        match self {
            Self::Split
            | Self::MulColumns
            | Self::MulWide
            | Self::MulColumnsRedc
            | Self::Div2ExpColumns(_)
            | Self::Div2ExpSigned(_)
            | Self::Carry
            | Self::SquareLimbs(_)
            | Self::MulLimbs(_) => 2,
            _ => 1,
        }
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
            Self::SquareLimbs(balance) => Some(balance.to_string()),
            _ => self.immediate().map(|k| k.to_string()),
        }
    }

    /// The named constants that the template takes: what it calls them, and their names.
    #[must_use]
    pub fn constants(&self) -> Vec<(&'static str, &'static str)> {
        let balance = match self {
            Self::Offset(offset, part) => return vec![("constant", offset.constant(*part))],
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
            | Self::Div2ExpColumns(k)
            | Self::Div2ExpSigned(k) => Some(*k),
            _ => None,
        }
    }

    /// Names of the operands, as templates spell them.
    #[must_use]
    pub fn operands(&self) -> &'static [&'static str] {
        match self {
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Plus
            | Self::Minus
            | Self::MulColumns
            | Self::MulWide
            | Self::MulColumnsRedc => &["a", "b"],
            Self::Pack
            | Self::Div2ExpColumns(_)
            | Self::Div2ExpSigned(_)
            | Self::Carry
            | Self::SquareLimbs(_) => &["low", "high"],
            Self::MulLimbs(_) => &["al", "ah", "bl", "bh"],
            _ => &["x"],
        }
    }
}

impl fmt::Display for MacroOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.template())?;
        self.parameter().map_or(Ok(()), |k| write!(f, "({k})"))
    }
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
    /// The product of two operands.
    Product,
}

/// What a macro-op gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gives {
    /// `r = e`, `e = Σ coefficients[i]·operand[i]`.
    Exact(Vec<i128>),
    /// `r = e - p·[e ≥ threshold]`.
    SubtractOnce(Vec<i128>, i128),
    /// `r = e + p·[e < 0]`.
    AddOnce(Vec<i128>),
    /// `r = (x + p·[x odd]) / 2`.
    Halve,
    /// `2^k·r ≡ x (mod p)` and `r < p`.
    Divide(u32),
    /// `r ≡ a·b (mod p)`, any 64-bit word. For `p = 2^64 - 2^32 + 1`.
    Product,
    /// `2^32·r ≡ a·b (mod p)` and `r < p`. For 31-bit `p`.
    MontgomeryProduct,
    /// `r = x + n`.
    Moved(i128),
    /// The low and the high half of a word.
    Split,
    /// `r ≡ low + 2^32·high (mod p)`, any word.
    Packed,
    /// Two columns that stand for `a·b`; [`super::columns`] has the formula.
    ProductColumns,
    /// The low and the high half of a product.
    Halves,
    /// `2^64·r ≡ -x (mod p)`, `r < p`; `redc.rs` has the formula.
    Share,
    /// Two columns that stand for `a·b / 2^64`; `redc.rs` has the formula.
    ReducedColumns,
    /// Two columns that stand for `(low + 2^32·high) / 2^k`; [`super::columns`] has the formula.
    DividedColumns(u32),
    /// Two limbs that stand for `low + 2^32·high`; [`super::limbs`] has the formula.
    Carried,
    /// `r = x`, ten bits up.
    Shifted,
    /// Two limbs that stand for a product, with these added; [`super::limbs`] has the formula.
    ProductLimbs([i128; 2]),
}

/// The contract of one macro-op over one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The field.
    pub field: &'static Field,
    /// The macro-op.
    pub op: MacroOp,
    /// Preconditions; all must hold.
    pub needs: Vec<Need>,
    /// The result.
    pub gives: Gives,
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

impl Need {
    /// `Σ coefficients[i]·operand[i] < bound`.
    pub(super) fn linear(coefficients: &[i128], bound: i128, text: &'static str) -> Self {
        Self {
            left: NeedLeft::Linear(coefficients.to_vec()),
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
        let p = i128::from(field.modulus);
        let word = 1i128 << field.word_bits();
        let (needs, gives) = match (field.is_montgomery(), op) {
            (false, MacroOp::Add) => (
                vec![Need::linear(&[1, 1], word + p, "a + b < 2^64 + p")],
                Gives::SubtractOnce(vec![1, 1], word),
            ),
            (true, MacroOp::Add) => (
                vec![Need::linear(&[1, 1], word, "a + b < 2^32")],
                Gives::Exact(vec![1, 1]),
            ),
            (false, MacroOp::Sub) => (
                vec![Need::linear(&[-1, 1], p + 1, "b - a ≤ p")],
                Gives::AddOnce(vec![1, -1]),
            ),
            (true, MacroOp::Sub) => (
                vec![
                    Need::linear(&[-1, 1], p + 1, "b - a ≤ p"),
                    Need::linear(&[1, -1], word - p, "a - b < 2^32 - p"),
                ],
                Gives::AddOnce(vec![1, -1]),
            ),
            (_, MacroOp::Canonicalise) => (vec![], Gives::SubtractOnce(vec![1], p)),
            (false, MacroOp::Halve) => (vec![], Gives::Halve),
            (false, MacroOp::Div2Exp(k @ 1..=32)) => (vec![], Gives::Divide(k)),
            (true, MacroOp::Div2Exp(k @ 2..=31)) => (vec![], Gives::Divide(k)),
            (true, MacroOp::Div2Exp(1)) => {
                (vec![Need::linear(&[1], 2 * p, "x < 2p")], Gives::Divide(1))
            }
            (false, MacroOp::Mul | MacroOp::Square) => (vec![], Gives::Product),
            (true, MacroOp::Mul | MacroOp::Square) => {
                let text = if op == MacroOp::Mul {
                    "a·b < 2^32·p"
                } else {
                    "x·x < 2^32·p"
                };
                (
                    vec![Need {
                        left: NeedLeft::Product,
                        bound: word * p,
                        text,
                    }],
                    Gives::MontgomeryProduct,
                )
            }
            _ => columns::contract(field, op)
                .or_else(|| limbs::contract(field, op))
                .or_else(|| redc::contract(field, op))?,
        };
        Some(Self {
            field,
            op,
            needs,
            gives,
        })
    }

    /// The first precondition that some operands within `ranges` break.
    #[must_use]
    pub fn unmet(&self, ranges: &[Range]) -> Option<Unmet> {
        self.needs.iter().find_map(|need| {
            let (reached, witness) = need.reached(ranges);
            (reached >= need.bound).then(|| Unmet {
                need: need.clone(),
                reached,
                witness,
            })
        })
    }

    /// How words of the operands stand for integers, and words of the results.
    #[must_use]
    pub fn readings(&self) -> (Reading, Reading) {
        limbs::readings(self.op)
    }

    /// The exact ranges of the results for operands within `ranges` that meet the preconditions.
    #[must_use]
    pub fn result_ranges(&self, ranges: &[Range]) -> Vec<Range> {
        let p = i128::from(self.field.modulus);
        let range = match &self.gives {
            Gives::Exact(c) => Range::linear(c, ranges),
            Gives::SubtractOnce(c, threshold) => {
                let e = Range::linear(c, ranges);
                if e.hi < *threshold {
                    e
                } else if e.lo >= *threshold {
                    Range::new(e.lo - p, e.hi - p)
                } else {
                    let kept = Range::new(e.lo, threshold - 1);
                    kept.join(&Range::new(threshold - p, e.hi - p))
                }
            }
            Gives::AddOnce(c) => {
                let e = Range::linear(c, ranges);
                if e.lo >= 0 {
                    e
                } else if e.hi < 0 {
                    Range::new(e.lo + p, e.hi + p)
                } else {
                    Range::new(0, e.hi).join(&Range::new(e.lo + p, p - 1))
                }
            }
            Gives::Halve => Range::new(ranges[0].lo / 2, (ranges[0].hi + p) / 2),
            Gives::Divide(_) | Gives::MontgomeryProduct => Range::below(self.field.modulus),
            Gives::Product => Range::word(self.field.word_bits()),
            Gives::Carried | Gives::Shifted | Gives::ProductLimbs(_) => {
                return limbs::ranges(&self.gives, ranges);
            }
            Gives::Halves | Gives::Share | Gives::ReducedColumns => {
                return redc::ranges(self.field, &self.gives);
            }
            _ => return columns::ranges(&self.gives, ranges),
        };
        vec![range]
    }

    /// The exact range of the first result.
    #[must_use]
    pub fn result_range(&self, ranges: &[Range]) -> Range {
        self.result_ranges(ranges)[0]
    }

    /// What is given, in words.
    #[must_use]
    pub fn gives_text(&self) -> &'static str {
        match (&self.gives, self.op) {
            (Gives::Exact(_), MacroOp::Minus) => "a - b exactly",
            (Gives::Exact(_), MacroOp::ShiftLeft(_)) => "2^k·x exactly",
            (Gives::Exact(_), _) => "a + b exactly",
            (Gives::SubtractOnce(..), MacroOp::Canonicalise) => "x, less p if x ≥ p",
            (Gives::SubtractOnce(..), _) => "a + b, less p if it reaches 2^64",
            (Gives::AddOnce(_), _) => "a - b, plus p if it is negative",
            (Gives::Halve, _) => "(x + p·[x odd]) / 2",
            (Gives::Divide(_), _) => "x / 2^k mod p, below p",
            (Gives::Product, _) => "a product mod p in any word",
            (Gives::MontgomeryProduct, _) => "a Montgomery product, below p",
            (Gives::Carried, _) => "the same element in limbs of about 32 bits",
            (Gives::Shifted, _) => "x, 10 bits up",
            (Gives::ProductLimbs(_), _) => "a product mod p as low + 2^32·high",
            (gives, _) => redc::text(gives).unwrap_or_else(|| columns::text(gives)),
        }
    }

    /// Whether the range of the result is the same for all operands.
    #[must_use]
    pub fn is_unconditional(&self) -> bool {
        matches!(
            self.gives,
            Gives::Divide(_)
                | Gives::Product
                | Gives::MontgomeryProduct
                | Gives::Packed
                | Gives::ProductColumns
                | Gives::Halves
                | Gives::Share
                | Gives::ReducedColumns
        )
    }
}

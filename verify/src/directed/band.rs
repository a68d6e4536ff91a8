//! Edges of macro-ops on parts of elements: where a carry is lost, a word is not canonical, a part
//! is as large as it gets.

use codegen::arith::Operation;
use codegen::ops::MacroOp;

pub(super) const EPSILON: u64 = 0xffff_ffff;
pub(super) const P: u64 = EPSILON.wrapping_neg();
const SIGN: u64 = 1 << 63;
/// How near to an edge is near.
const NEAR: u64 = 1 << 12;

/// An edge of a macro-op over Goldilocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Band {
    /// `pack`: the exact sum has just reached 2^64.
    Carry,
    /// `pack`: the exact sum is just below 2^64.
    NoCarry,
    /// `pack`: the exact sum has just reached p.
    AtP,
    /// `pack`: the exact sum is just below p.
    BelowP,
    /// A product: the first subtraction of its reduction borrows.
    Borrow,
    /// A product: the last addition of its reduction carries, and little is left.
    Wrap,
    /// A product: the word that comes out is not canonical.
    NotCanonical,
    /// A product: a word that goes in is not canonical.
    Operand,
    /// The high half is near the least one.
    NearLeast,
    /// The high half is near the greatest one.
    NearMost,
    /// A product in parts: the low part is as small as it gets.
    LowLeast,
    /// A product in parts: the low part is as large as it gets.
    LowMost,
    /// A product in parts: the high part is as small as it gets.
    HighLeast,
    /// A product in parts: the high part is as large as it gets.
    HighMost,
}

impl Band {
    /// The edges that a macro-op has.
    pub(super) fn of(op: MacroOp) -> &'static [Self] {
        match op {
            MacroOp::Pack | MacroOp::PackRadix48 => {
                &[Self::Carry, Self::NoCarry, Self::AtP, Self::BelowP]
            }
            MacroOp::Mul | MacroOp::Square => {
                &[Self::Borrow, Self::Wrap, Self::NotCanonical, Self::Operand]
            }
            MacroOp::PackHalves => &[Self::Carry, Self::NoCarry],
            MacroOp::SquareHalves | MacroOp::MulHalves => &[Self::NearLeast, Self::NearMost],
            MacroOp::MulWide | MacroOp::MulQuarters | MacroOp::SquareQuarters => &[Self::Operand],
            MacroOp::MulColumnsHalves => &[
                Self::LowLeast,
                Self::LowMost,
                Self::HighLeast,
                Self::HighMost,
            ],
            MacroOp::MulColumns | MacroOp::MulColumnsRedc | MacroOp::MulRadix48 => &[
                Self::Operand,
                Self::LowLeast,
                Self::LowMost,
                Self::HighLeast,
                Self::HighMost,
            ],
            _ => &[],
        }
    }

    /// In reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Carry => "sum just reaches 2^64",
            Self::NoCarry => "sum just below 2^64",
            Self::AtP => "sum just reaches p",
            Self::BelowP => "sum just below p",
            Self::Borrow => "reduction borrows",
            Self::Wrap => "reduction carries to a small word",
            Self::NotCanonical => "word not canonical",
            Self::Operand => "operand not canonical",
            Self::NearLeast => "high half near the least",
            Self::NearMost => "high half near the greatest",
            Self::LowLeast => "low part least",
            Self::LowMost => "low part greatest",
            Self::HighLeast => "high part least",
            Self::HighMost => "high part greatest",
        }
    }

    /// A residue of which `pack`, or what is like it, makes a sum in the band: sums lie between 2^62 and 2^64 + 2^62.
    pub(super) fn packed(self, op: MacroOp, near: u64) -> Option<u64> {
        let near = near % NEAR;
        // In signed halves sums are more by what flips the signs.
        let less = match op {
            MacroOp::PackHalves => SIGN + (1 << 31),
            _ => 0,
        };
        let residue = match self {
            Self::Carry => Some(EPSILON + near),
            Self::NoCarry => Some(EPSILON - 1 - near),
            Self::AtP => Some(near),
            Self::BelowP => Some(P - 1 - near),
            _ => None,
        };
        residue.map(|residue| {
            if residue < less {
                residue + P - less
            } else {
                residue - less
            }
        })
    }

    /// Whether the values of one execution of the operation's block are there.
    pub(super) fn hit(self, operation: &Operation, values: &[u64]) -> bool {
        let operands = &operation.operands;
        let a = values[operands[0].index()];
        let b = values[operands[operands.len() - 1].index()];
        let product = u128::from(a) * u128::from(b);
        let (low, high) = (product as u64, (product >> 64) as u64);
        let (t, borrow) = low.overflowing_sub(high >> 32);
        let t = if borrow { t.wrapping_sub(EPSILON) } else { t };
        let (word, carry) = t.overflowing_add((high & EPSILON) * EPSILON);
        let radix = match operation.op {
            MacroOp::PackRadix48 => 48,
            _ => 32,
        };
        // Where a sign is flipped, the sum is as well.
        let a = match operation.op {
            MacroOp::PackHalves => a ^ SIGN,
            _ => a,
        };
        let sum = || {
            let top = u128::from(b >> (64 - radix)) * u128::from(EPSILON);
            u128::from(a) + u128::from(b << radix >> radix << radix) + top
        };
        let within = |from: u128| (from..from + u128::from(NEAR)).contains(&sum());
        let part = |n: usize| values[operation.result.index() + n].cast_signed();
        // One part is a sum, the other a difference; in radix 2^48 both are differences.
        let most = EPSILON.cast_signed();
        let sums = (0, 2 * most, most >> 3);
        let differences = |most: i64| (-2 * most, most, most >> 3);
        // What is added to one part of halves is taken from the other.
        let half = 1 << 31;
        let halves = [
            (2 - half, 3 * half, most >> 3),
            (-half / 2, 5 * half / 2, most >> 3),
        ];
        let (low_part, high_part) = match operation.op {
            MacroOp::MulColumnsRedc => (sums, differences(most)),
            MacroOp::MulColumnsHalves => halves.into(),
            MacroOp::MulRadix48 => (differences(0xffff << 32), differences(0xffff)),
            _ => (differences(most), sums),
        };
        let high_half = || ((values[operation.result.index()] >> 32) as u32).cast_signed();
        let least = |part, (lo, _, near): (i64, i64, i64)| part < lo + near;
        let greatest = |part, (_, hi, near): (i64, i64, i64)| part > hi - near;
        match self {
            Self::Carry => within(1 << 64),
            Self::NoCarry => within((1 << 64) - u128::from(NEAR)),
            Self::AtP => within(P.into()),
            Self::BelowP => within(u128::from(P - NEAR)),
            Self::Borrow => borrow,
            Self::Wrap => carry && word < 1 << 32,
            Self::NotCanonical => !carry && word >= P,
            Self::Operand => a.max(b) >= P,
            Self::NearLeast => high_half() < i32::MIN + (1 << 16),
            Self::NearMost => high_half() > i32::MAX - (1 << 16),
            Self::LowLeast => least(part(0), low_part),
            Self::LowMost => greatest(part(0), low_part),
            Self::HighLeast => least(part(1), high_part),
            Self::HighMost => greatest(part(1), high_part),
        }
    }
}

//! Results for concrete words.

use super::{Contract, Expr, When, Word};

impl Contract {
    /// The results for concrete operands, as machine words.
    ///
    /// Where the contract leaves the multiple of p open, the first that brings the result into its
    /// range is taken. Operands that break a precondition give what a machine word would hold: the promised
    /// integer modulo `2^word`.
    #[must_use]
    pub fn apply_all(&self, operands: &[u64]) -> Vec<u64> {
        let (row, gives) = (&self.row, &self.row.gives);
        let x: Vec<i128> = operands.iter().map(|&x| row.reads.integer(x)).collect();
        let mask = u64::MAX >> (64 - self.field.word_bits());
        let word = |e: &Expr| {
            let value = e.value(&x);
            let mut candidates = gives.either.iter().map(|n| (value + n) >> gives.down);
            let fits = |r: &i128| {
                gives
                    .range
                    .is_none_or(|range| (range.lo..=range.hi).contains(r))
            };
            let result = candidates.find(fits).unwrap_or(value >> gives.down);
            row.writes.word(result) & mask
        };
        gives.results.iter().map(word).collect()
    }

    /// The first result; see [`Contract::apply_all`].
    #[must_use]
    pub fn apply(&self, operands: &[u64]) -> u64 {
        self.apply_all(operands)[0]
    }
}

impl Expr {
    /// The integer for concrete operands.
    pub(super) fn value(&self, x: &[i128]) -> i128 {
        match self {
            Self::Operand(n) => x[*n],
            Self::Constant(c) => *c,
            Self::Sum(a, b) => a.value(x) + b.value(x),
            Self::Difference(a, b) => a.value(x) - b.value(x),
            Self::Times(c, e) => i128::from(*c) * e.value(x),
            // A product of two words may have 128 bits, which are those of an unsigned integer.
            Self::Bits { of, from, width } => {
                ((of.value(x) as u128 >> from) & (u128::MAX >> (128 - width))) as i128
            }
            Self::Floor(of, k) => of.value(x) >> k,
            Self::Quotient { of, factor, bits } => {
                let multiple = (of.value(x) as u128).wrapping_mul(u128::from(*factor));
                (multiple & (u128::MAX >> (128 - bits))) as i128
            }
            Self::Corrected { value, when, by } => {
                let value = value.value(x);
                let wanted = match when {
                    When::AtLeast(bound) => value >= *bound,
                    When::Negative => value < 0,
                    When::Odd => value & 1 == 1,
                    When::Reaches(other, bound) => other.value(x) >= *bound,
                };
                if wanted { value + by } else { value }
            }
            Self::Narrow { value, .. } => value.value(x),
        }
    }
}

impl Word {
    fn value(self, x: &[i128]) -> i128 {
        match self {
            Self::Operand(n) => x[n],
            Self::Product(a, b) => x[a].wrapping_mul(x[b]),
            Self::Doubled(a, b) => x[a].wrapping_mul(2 * x[b]),
        }
    }
}

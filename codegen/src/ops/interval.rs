//! The exact ranges of results, for operands within ranges.

use super::{Contract, Expr, Range, Reading, When, Word};

impl Contract {
    /// The exact ranges of the results for operands within `ranges` that meet the preconditions.
    #[must_use]
    pub fn result_ranges(&self, ranges: &[Range]) -> Vec<Range> {
        let gives = &self.row.gives;
        let of = |e: &Expr| {
            gives.range.unwrap_or_else(|| {
                let Range { lo, hi } = self.range(e, ranges);
                Range::new(lo >> gives.down, hi >> gives.down)
            })
        };
        gives.results.iter().map(of).collect()
    }

    /// The exact range of the first result.
    #[must_use]
    pub fn result_range(&self, ranges: &[Range]) -> Range {
        self.result_ranges(ranges)[0]
    }

    /// Whether a word is a product that may have 128 bits, more than ranges are made of: bits of it
    /// may be any.
    pub(super) fn is_any(&self, word: Word) -> bool {
        !matches!(word, Word::Operand(_)) && self.row.reads != Reading::Shifted
    }

    /// The exact range of an expression whose parts are independent of each other.
    pub(super) fn range(&self, e: &Expr, x: &[Range]) -> Range {
        match e {
            Expr::Operand(n) => x[*n],
            Expr::Constant(c) => Range::new(*c, *c),
            Expr::Sum(a, b) => Range::linear(&[1, 1], &[self.range(a, x), self.range(b, x)]),
            Expr::Difference(a, b) => {
                Range::linear(&[1, -1], &[self.range(a, x), self.range(b, x)])
            }
            Expr::Times(c, e) => Range::linear(&[i128::from(*c)], &[self.range(e, x)]),
            Expr::Bits { of, width, .. } if self.is_any(*of) => Range::word(*width),
            Expr::Bits { of, from, width } => {
                let Range { lo, hi } = self.whole(*of, x);
                let (lo, hi) = (lo >> from, hi >> from);
                if lo >> width == hi >> width {
                    let mask = (1 << width) - 1;
                    Range::new(lo & mask, hi & mask)
                } else {
                    Range::word(*width)
                }
            }
            Expr::Floor(of, k) => {
                let Range { lo, hi } = self.whole(*of, x);
                Range::new(lo >> k, hi >> k)
            }
            Expr::Quotient { bits, .. } => Range::word(*bits),
            Expr::Corrected { value, when, by } => corrected(self.range(value, x), when, *by),
            Expr::Narrow { value, .. } => self.range(value, x),
        }
    }

    fn whole(&self, word: Word, x: &[Range]) -> Range {
        let (a, b, twice) = match word {
            Word::Operand(n) => return x[n],
            Word::Product(a, b) => (a, b, 1),
            Word::Doubled(a, b) => (a, b, 2),
        };
        // No word stands for more; where a need was broken, the range may say otherwise.
        let most = self.row.reads.range(self.field.word_bits());
        let [a, b] = [(a, 1), (b, twice)].map(|(n, twice)| {
            let factor = [x[n].lo, x[n].hi].map(|x| (twice * x).clamp(most.lo, most.hi));
            Range::new(factor[0], factor[1])
        });
        Range::new(a.lo * b.lo, a.hi * b.hi)
    }
}

/// Where `e` ends up if it gets `by` somewhere.
fn corrected(e: Range, when: &When, by: i128) -> Range {
    let moved = |e: Range| Range::new(e.lo + by, e.hi + by);
    let (at, upper) = match when {
        When::AtLeast(bound) => (*bound, true),
        When::Negative => (0, false),
        When::Odd | When::Reaches(..) => return e.join(&moved(e)),
    };
    let below = (e.lo < at).then(|| Range::new(e.lo, e.hi.min(at - 1)));
    let above = (e.hi >= at).then(|| Range::new(e.lo.max(at), e.hi));
    let (below, above) = if upper {
        (below, above.map(moved))
    } else {
        (below.map(moved), above)
    };
    match (below, above) {
        (Some(below), Some(above)) => below.join(&above),
        (one, other) => one.or(other).expect("a range is not empty"),
    }
}

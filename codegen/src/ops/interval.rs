//! Ranges of results, for operands within ranges: exact where the parts of an expression are
//! independent of each other, wider where they are not, as where one operand is in both.

use super::{Contract, Expr, Range, Word};

impl Contract {
    /// Ranges in which the results lie, for operands within `ranges` that meet the preconditions.
    #[must_use]
    pub fn result_ranges(&self, ranges: &[Range]) -> Vec<Range> {
        let row = &self.row;
        if !row.parts.is_empty() {
            return row.parts.clone();
        }
        let of = |e: &Expr| {
            let e = self.range(e, ranges);
            let cases = row.either.iter();
            // The sum has no rest, so where its least has one, the quotient is greater. Of several, only one
            // has none.
            let up = |n: i128| match row.either.len() {
                1 => -(-n >> row.down),
                _ => n >> row.down,
            };
            let cases = cases.map(|n| Range::new(up(e.lo + n), (e.hi + n) >> row.down));
            cases.reduce(|all, case| all.join(&case)).expect("a case")
        };
        let of = |e| row.range.unwrap_or_else(|| of(e));
        row.results.iter().map(of).collect()
    }

    /// The range in which the first result lies.
    pub fn result_range(&self, ranges: &[Range]) -> Range {
        self.result_ranges(ranges)[0]
    }

    pub(super) fn range(&self, e: &Expr, x: &[Range]) -> Range {
        match e {
            Expr::Operand(n) => x[*n],
            Expr::Constant(c) => Range::new(*c, *c),
            Expr::Sum(a, b) => Range::linear(&[1, 1], &[a, b].map(|e| self.range(e, x))),
            Expr::Difference(a, b) => Range::linear(&[1, -1], &[a, b].map(|e| self.range(e, x))),
            Expr::Times(c, e) => Range::linear(&[i128::from(*c)], &[self.range(e, x)]),
            Expr::Bits {
                of,
                width: Some(width),
                ..
            } if self.is_any(*of) => Range::word(*width),
            Expr::Bits { of, from, width } => {
                let Range { lo, hi } = self.whole(*of, x);
                let (lo, hi) = (lo >> from, hi >> from);
                match width {
                    None => Range::new(lo, hi),
                    Some(width) if lo >> width == hi >> width => {
                        let above = lo >> width << width;
                        Range::new(lo - above, hi - above)
                    }
                    Some(width) => Range::word(*width),
                }
            }
            Expr::Quotient { bits, .. } => Range::word(*bits),
            Expr::Corrected { value, from, by } => corrected(self.range(value, x), *from, *by),
        }
    }

    fn whole(&self, word: Word, x: &[Range]) -> Range {
        let (a, b, twice) = match word {
            Word::Operand(n) => return x[n],
            Word::Product(a, b) => (a, b, 1),
            Word::Doubled(a, b) => (a, b, 2),
            Word::Folded(a, b) => {
                let Range { lo, hi } = self.whole(Word::Product(a, b), x);
                return Range::linear(&[1, 1], &[Range::new(lo >> 32, hi >> 32), Range::word(32)]);
            }
            Word::Dot(products) => {
                let factors = word.factors().into_iter();
                let ranges = factors.map(|[a, b]| self.whole(Word::Product(a, b), x));
                let ranges: Vec<Range> = ranges.collect();
                return Range::linear(&vec![1; products], &ranges);
            }
        };
        // No word stands for more; where a need was broken, the range may say otherwise.
        let most = self.row.reads.range(self.field.word_bits());
        let within = |x: i128| x.clamp(most.lo, most.hi);
        let ends = |x: Range| [x.lo, x.hi];
        let products = ends(x[a]).map(|a| ends(x[b]).map(|b| within(a) * within(twice * b)));
        let products = products.as_flattened();
        let (lo, hi) = (products.iter().min(), products.iter().max());
        Range::new(*lo.expect("four"), *hi.expect("four"))
    }
}

/// Where `e` ends up if it gets one of `by`, the second from a bound on.
fn corrected(e: Range, from: i128, by: [i128; 2]) -> Range {
    let moved = |lo: i128, hi: i128, by: i128| Range::new(lo + by, hi + by);
    match (e.lo < from, e.hi >= from) {
        (true, true) => moved(e.lo, from - 1, by[0]).join(&moved(from, e.hi, by[1])),
        (true, false) => moved(e.lo, e.hi, by[0]),
        _ => moved(e.lo, e.hi, by[1]),
    }
}

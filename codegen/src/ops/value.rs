//! Results for concrete words.

use super::{Contract, Expr, Word};

impl Contract {
    /// The results for concrete operands, as machine words.
    ///
    /// Where the contract leaves the multiple of p open, the first is taken that the division and
    /// the range allow; where it says of two results what they stand for together, the first is as
    /// small as it gets and not negative. Operands that break a precondition give what a machine
    /// word would hold: the promised integer modulo `2^word`.
    #[must_use]
    pub fn apply_all(&self, operands: &[u64]) -> Vec<u64> {
        let (row, bits) = (&self.row, self.field.word_bits());
        let x = operands.iter().map(|&x| row.reads.integer(x, bits));
        let x: Vec<i128> = x.collect();
        let fits = |e: &i128| {
            let r = e >> row.down;
            let stated = match row.parts[..] {
                [_, high] => Some((r >> row.radix, high)),
                _ => row.range.map(|range| (r, range)),
            };
            let within = stated.is_none_or(|(r, range)| range.lo <= r && r <= range.hi);
            within && r << row.down == *e
        };
        let integer = |e: &Expr| {
            let e = e.value(&x);
            let mut cases = row.either.iter().map(|n| e + n);
            cases.find(fits).unwrap_or(e) >> row.down
        };
        let mut integers: Vec<i128> = row.results.iter().map(integer).collect();
        if !row.parts.is_empty() {
            let whole = integers[0];
            integers = vec![whole & ((1 << row.radix) - 1), whole >> row.radix];
        }
        let word = |r| row.writes.word(r) & (u64::MAX >> (64 - bits));
        integers.into_iter().map(word).collect()
    }
}

impl Expr {
    /// The integer for concrete operands.
    fn value(&self, x: &[i128]) -> i128 {
        // A product of two words may have 128 bits, which are those of an unsigned integer.
        let low = |value: u128, width: u32| (value & (u128::MAX >> (128 - width))) as i128;
        match self {
            Self::Operand(n) => x[*n],
            Self::Constant(c) => *c,
            Self::Sum(a, b) => a.value(x) + b.value(x),
            Self::Difference(a, b) => a.value(x) - b.value(x),
            Self::Times(c, e) => i128::from(*c) * e.value(x),
            Self::Bits { of, from, width } => match width {
                Some(width) => low(of.value(x) as u128 >> from, *width),
                None => of.value(x) >> from,
            },
            Self::Quotient { of, factor, bits } => {
                low((of.value(x) as u128).wrapping_mul((*factor).into()), *bits)
            }
            Self::Corrected { value, from, by } => {
                let value = value.value(x);
                value + by[usize::from(value >= *from)]
            }
        }
    }
}

impl Word {
    /// The integer for operands that stand for these.
    #[must_use]
    pub fn value(self, x: &[i128]) -> i128 {
        match self {
            Self::Operand(n) => x[n],
            Self::Product(a, b) => x[a].wrapping_mul(x[b]),
            Self::Doubled(a, b) => x[a].wrapping_mul(2 * x[b]),
            Self::Folded(a, b) => {
                let product = Self::Product(a, b).value(x);
                (product >> 32) + (product & ((1 << 32) - 1))
            }
            Self::Dot(_) => {
                let products = self.factors().into_iter();
                products.map(|[a, b]| x[a].wrapping_mul(x[b])).sum()
            }
        }
    }
}

//! Circulant matrices as sums of products with smaller ones.
//!
//! A circulant matrix multiplies polynomials modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`: with halves `a`
//! and `b` of the operands it is a product of their sum, which is circulant again, and one of their difference. Each
//! result is half a sum of both, or of their difference. So that nothing has to be halved, entries that are half the
//! matrix apart and differ by an odd number are made even by one, and what that leaves is added at the end:
//!
//! ```text
//! u = (A + B - e)/2·(a + b)     v = (A - B ∓ e)/2·(a - b)     y₀ = u + v + e·a     y₁ = u - v + e·b
//! ```
//!
//! Half a Karatsuba step has sums of halves only, and the entries of one half: with `B` the results are `B·(a + b)` and
//! `(A - B)·a`, or `(A - B)·b`. Or a number is taken from all entries, and that multiple of the sum of all operands is
//! added.

use std::collections::{BTreeSet, HashMap};

use super::{Pattern, Sums, Term, digits};

/// A matrix of small numbers, by rows.
type Matrix = [Vec<i64>];

/// Products with values of their own, by matrix: what is taken apart has the same parts again and again.
pub(super) type Known = HashMap<Vec<Vec<i64>>, Sums>;

/// The numbers that are on the cyclic diagonals of a square matrix; none if on one of them most are not the same.
fn circulant(rows: &Matrix) -> Option<Vec<i64>> {
    let n = rows.len();
    if rows[0].len() != n || n == 1 {
        return None;
    }
    let diagonal = |k: usize| {
        let on: Vec<i64> = (0..n).map(|i| rows[i][(i + k) % n]).collect();
        let is_most = |x: &&i64| 2 * on.iter().filter(|y| y == x).count() > n;
        on.iter().find(is_most).copied()
    };
    (0..n).map(diagonal).collect()
}

/// The matrix that has them there; if `negated`, what is past the end has the other sign.
fn matrix(first: &[i64], negated: bool) -> Vec<Vec<i64>> {
    let n = first.len();
    let entry = |i: usize, j: usize| match first[(n + j - i) % n] {
        x if negated && j < i => -x,
        x => x,
    };
    let row = |i| (0..n).map(|j| entry(i, j)).collect();
    (0..n).map(row).collect()
}

/// How often a sum and a difference are taken in place of `a` and `b` times their terms, the fewest digits first.
fn halves(a: i64, b: i64) -> Vec<[i64; 2]> {
    let half = |a: i64, b: i64| [(a + b) / 2, (a - b) / 2];
    if (a + b) % 2 == 0 {
        return vec![half(a, b)];
    }
    let mut halves = [
        half(a - 1, b),
        half(a + 1, b),
        half(a, b - 1),
        half(a, b + 1),
    ];
    halves.sort_by_key(|halves| halves.map(|x| digits(0, x).len()).iter().sum::<usize>());
    halves.to_vec()
}

fn cheapest(ways: impl Iterator<Item = Sums>) -> Option<Sums> {
    ways.min_by_key(Sums::cost)
}

impl Sums {
    /// None yet, of so many inputs.
    pub(super) fn none(inputs: usize) -> Self {
        let (shared, rows) = (Vec::new(), Vec::new());
        Self {
            inputs,
            shared,
            rows,
        }
    }

    /// What multiplies by a matrix: taken apart where that costs less by a fifth, since results wait longer for each
    /// other then.
    pub(super) fn of(rows: &Matrix) -> Self {
        let x: Vec<usize> = (0..rows[0].len()).collect();
        let none = Self::none(x.len());
        let whole = none.whole(&x, rows);
        let apart = none.apart(&x, rows, &mut Known::new());
        let apart = apart.filter(|apart| 5 * apart.cost() <= 4 * whole.cost());
        apart.unwrap_or(whole)
    }

    /// The same, and as its rows the products of a matrix and some values, of which nothing else is made yet.
    fn product(mut self, x: &[usize], rows: &Matrix, known: &mut Known) -> Self {
        if !known.contains_key(rows) {
            let (none, own) = (Self::none(x.len()), Vec::from_iter(0..x.len()));
            let ways = [none.whole(&own, rows)].into_iter();
            let ways = ways.chain(none.apart(&own, rows, known));
            known.insert(rows.to_vec(), cheapest(ways).expect("one way"));
        }
        let (product, before) = (&known[rows], self.inputs + self.shared.len());
        let value = |own: usize| match own.checked_sub(x.len()) {
            Some(shared) => before + shared,
            None => x[own],
        };
        self.shared.extend(product.shared.iter().map(|p| Pattern {
            first: value(p.first),
            second: value(p.second),
            ..*p
        }));
        let term = |term: &Term| Term {
            value: value(term.value),
            ..*term
        };
        let rows = product.rows.iter();
        self.rows = rows.map(|row| row.iter().map(term).collect()).collect();
        self
    }

    /// The same, where the matrix can be taken apart.
    pub(super) fn apart(&self, x: &[usize], rows: &Matrix, known: &mut Known) -> Option<Self> {
        let first = circulant(rows)?;
        let numbers: BTreeSet<i64> = first.iter().copied().collect();
        let without = numbers.into_iter().map(|n| self.without(n, x, rows));
        let is_even = x.len().is_multiple_of(2);
        cheapest(without.chain(is_even.then(|| self.split(x, rows, &first, known))))
    }

    /// The same, where it is not, but for half a Karatsuba step.
    fn whole(&self, x: &[usize], rows: &Matrix) -> Self {
        let halves = circulant(rows).filter(|_| x.len().is_multiple_of(2));
        let halves = halves.map(|_| [0, x.len() / 2].map(|from| self.half_split(x, rows, from)));
        let all = [self.direct(x, rows)]
            .into_iter()
            .chain(halves.into_iter().flatten());
        cheapest(all).expect("one way")
    }

    fn direct(&self, x: &[usize], rows: &Matrix) -> Self {
        let mut sums = self.clone();
        let terms = |row: &Vec<i64>| {
            let entries = row.iter().zip(x);
            entries.flat_map(|(entry, x)| digits(*x, *entry)).collect()
        };
        sums.rows = rows.iter().map(terms).collect();
        sums.share();
        sums
    }

    /// With sums of halves, which are multiplied by the columns from that one on.
    fn half_split(&self, x: &[usize], rows: &Matrix, from: usize) -> Self {
        let (mut sums, half) = (self.clone(), x.len() / 2);
        let pairs = x[..half].iter().zip(&x[half..]);
        let pairs: Vec<usize> = pairs.map(|(a, b)| sums.value(*a, *b, false)).collect();
        let row = |(i, row): (usize, &Vec<i64>)| {
            let block = &rows[i % half][from..from + half];
            let others = row.iter().zip(block.iter().cycle());
            let others = others.map(|(entry, made)| entry - made);
            block.iter().copied().chain(others).collect()
        };
        let rows: Vec<Vec<i64>> = rows.iter().enumerate().map(row).collect();
        sums.direct(&[&pairs, x].concat(), &rows)
    }

    /// With that multiple of the sum of all.
    fn without(&self, number: i64, x: &[usize], rows: &Matrix) -> Self {
        let mut sums = self.clone();
        let others = x[1..].iter();
        let all = others.fold(x[0], |sum, x| sums.value(sum, *x, false));
        let x = [x, &[all]].concat();
        let less = |row: &Vec<i64>| {
            let entries = row.iter().map(|entry| entry - number);
            entries.chain([number]).collect()
        };
        sums.direct(&x, &rows.iter().map(less).collect::<Vec<_>>())
    }

    /// With sums and differences of halves.
    fn split(&self, x: &[usize], rows: &Matrix, first: &[i64], known: &mut Known) -> Self {
        let (a, b) = first.split_at(first.len() / 2);
        let ways: Vec<_> = a.iter().zip(b).map(|(a, b)| halves(*a, *b)).collect();
        let mut chosen: Vec<[i64; 2]> = ways.iter().map(|ways| ways[0]).collect();
        let mut best = self.split_by(x, rows, &chosen, known);
        for (k, ways) in ways.iter().enumerate() {
            for way in &ways[1..] {
                let mut other = chosen.clone();
                other[k] = *way;
                let sums = self.split_by(x, rows, &other, known);
                if sums.cost() < best.cost() {
                    (best, chosen) = (sums, other);
                }
            }
        }
        best
    }

    fn split_by(
        &self,
        x: &[usize],
        rows: &Matrix,
        factors: &[[i64; 2]],
        known: &mut Known,
    ) -> Self {
        let mut sums = self.clone();
        let n = factors.len();
        let (a, b) = x.split_at(n);
        let products = [false, true].map(|is_difference| {
            let factors = factors.iter().map(|both| both[usize::from(is_difference)]);
            let matrix = matrix(&factors.collect::<Vec<_>>(), is_difference);
            if matrix[0].iter().all(|factor| *factor == 0) {
                return (matrix, Vec::new());
            }
            let pairs = a.iter().zip(b);
            let y = pairs.map(|(a, b)| sums.value(*a, *b, is_difference));
            let y: Vec<usize> = y.collect();
            sums = std::mem::replace(&mut sums, Self::none(0)).product(&y, &matrix, known);
            (matrix, sums.named())
        });
        let row = |(i, row): (usize, &Vec<i64>)| {
            let mut terms = Vec::new();
            for (is_difference, (_, products)) in [false, true].into_iter().zip(&products) {
                terms.extend(products.get(i % n).map(|product| Term {
                    negative: product.negative != (is_difference && i >= n),
                    ..*product
                }));
            }
            for (j, entry) in row.iter().enumerate() {
                let [sum, difference] = [0, 1].map(|part: usize| products[part].0[i % n][j % n]);
                let made = match (i < n) == (j < n) {
                    true => sum + difference,
                    false => sum - difference,
                };
                terms.extend(digits(x[j], entry - made));
            }
            terms
        };
        sums.rows = rows.iter().enumerate().map(row).collect();
        sums.share();
        sums
    }

    /// The sum or the difference of two values.
    fn value(&mut self, first: usize, second: usize, is_difference: bool) -> usize {
        self.shared_as(Pattern {
            apart: 0,
            first,
            second,
            is_difference,
        })
    }

    fn shared_as(&mut self, pattern: Pattern) -> usize {
        let known = self.shared.iter().position(|other| *other == pattern);
        let at = known.unwrap_or_else(|| {
            self.shared.push(pattern);
            self.shared.len() - 1
        });
        self.inputs + at
    }

    /// A name for each row, and for what its first terms are together.
    fn named(&mut self) -> Vec<Term> {
        let rows = std::mem::take(&mut self.rows);
        let named = rows.into_iter().map(|mut row| {
            row.sort();
            let whole = row.into_iter().reduce(|sum, term| Term {
                value: self.shared_as(Pattern {
                    apart: term.shift - sum.shift,
                    first: sum.value,
                    second: term.value,
                    is_difference: sum.negative != term.negative,
                }),
                ..sum
            });
            whole.expect("a row of a matrix that is not zero")
        });
        named.collect()
    }
}

//! Sums that are not reduced before they are whole.

use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::lower::ring::Ring;
use crate::lower::wide::Lowering;
use crate::ops::MacroOp;
use crate::params::Field;

/// Sums of small multiples that are made side by side: as each waits for its last product, a core is busy with the
/// others. Of sums that are two, by halves, there are a quarter, so that registers hold what they take.
const TOGETHER: usize = 16;

/// The least size of a product that is taken apart.
const HALVED: usize = 8;

/// The greatest sum of small entries in a row: of an S-box's operand, below `2^41` then, the prover can show that its
/// products carry.
pub(super) const MOST: u64 = 1_000;

/// An element, and what it is at most. The prover does not rely on that.
#[derive(Clone, Copy)]
pub(super) struct Bounded(pub(super) Value, pub(super) u64);

/// The sum of low halves of products and that of high ones, and what they are together at most.
#[derive(Clone, Copy)]
pub(super) struct Halves([Value; 2], u128);

/// A block of elements of which sums are not reduced.
pub(super) struct Sums<'a>(pub(super) &'a Lowering<'a>, pub(super) Builder);

/// Whether a sum of so many times its elements needs no reduction.
pub(super) fn is_small(factors: &[u64]) -> bool {
    factors.iter().fold(0, |sum: u64, f| sum.saturating_add(*f)) <= MOST
}

impl Ring for Sums<'_> {
    type Element = Bounded;

    const SPLIT: usize = 4;

    const SPLIT_BY_ROOT: usize = 8;

    fn field(&self) -> &'static Field {
        self.0.words
    }

    fn add(&mut self, name: &str, a: Bounded, b: Bounded) -> Bounded {
        Bounded(self.1.push(name, MacroOp::Plus, &[a.0, b.0]), a.1 + b.1)
    }

    fn subtract(&mut self, name: &str, a: Bounded, b: Bounded) -> Bounded {
        let p = self.0.words.modulus;
        // Above zero.
        let more = (b.1 / p + 1) * p;
        let more = Bounded(self.1.word(more), more);
        let sum = self.add(&format!("{name}.more"), a, more);
        self.less(name, sum, b)
    }

    fn dot(&mut self, name: &str, elements: &[Bounded], factors: &[u64]) -> Bounded {
        match (elements, factors) {
            ([x], [factor]) => {
                let product = self.0.scaled(&mut self.1, name, 0, x.0, *factor);
                Bounded(product, self.reduced())
            }
            _ => self.multiplied(name, elements, &[factors.to_vec()])[0],
        }
    }

    fn multiplied(&mut self, name: &str, elements: &[Bounded], rows: &[Vec<u64>]) -> Vec<Bounded> {
        let mut products = Vec::new();
        if rows.iter().all(|row| is_small(row)) {
            let rows: Vec<_> = rows.iter().map(|row| (0, row.clone())).collect();
            for rows in rows.chunks(TOGETHER) {
                let name = format!("{name}[{}]", products.len());
                products.extend(self.small_sums(&name, elements, rows));
            }
            return products;
        }
        for rows in rows.chunks(TOGETHER / 4) {
            let words: Vec<Vec<u64>> = rows.iter().map(|row| self.0.montgomery(row)).collect();
            let name = format!("{name}[{}]", products.len());
            let sums = self.summed(&name, elements, &words).into_iter();
            let wholes = sums.enumerate();
            products.extend(wholes.map(|(n, sum)| self.whole(&format!("{name}.{n}"), sum)));
        }
        products
    }
}

impl Sums<'_> {
    /// The sum of all, by halves.
    pub(super) fn total(&mut self, name: &str, elements: &[Bounded]) -> Bounded {
        let (mut sums, mut level) = (elements.to_vec(), 0);
        while sums.len() > 1 {
            let pairs = sums.chunks(2).enumerate();
            let next = pairs.map(|(n, pair)| match pair {
                [a, b] => self.add(&format!("{name}.{level}[{n}]"), *a, *b),
                rest => rest[0],
            });
            sums = next.collect();
            level += 1;
        }
        sums[0]
    }

    /// What products leave, and S-boxes, is at most p and this much.
    pub(super) fn reduced(&self) -> u64 {
        self.0.words.modulus / 16 * 17
    }

    /// For each row of numbers the sums of products with them.
    pub(super) fn summed(
        &mut self,
        name: &str,
        elements: &[Bounded],
        rows: &[Vec<u64>],
    ) -> Vec<Halves> {
        let zero = self.1.word(0);
        let mut sums = vec![Halves([zero; 2], 0); rows.len()];
        for (i, x) in elements.iter().enumerate() {
            let sums = rows.iter().zip(&mut sums).enumerate();
            for (n, (row, sum)) in sums.filter(|(_, (row, _))| row[i] > 0) {
                *sum = self.accumulate(&format!("{name}.{n}[{i}]"), *sum, *x, row[i]);
            }
        }
        sums
    }

    /// The sum and one more product.
    pub(super) fn accumulate(&mut self, name: &str, sum: Halves, x: Bounded, word: u64) -> Halves {
        let Halves([low, high], most) = sum;
        let operands = [low, high, x.0, self.1.word(word)];
        let halves = self.1.pair(name, MacroOp::Accumulate, &operands);
        Halves(halves, most + u128::from(x.1) * u128::from(word))
    }

    /// What such sums are together, reduced.
    pub(super) fn whole(&mut self, name: &str, Halves(sums, most): Halves) -> Bounded {
        let whole = self.1.push(name, MacroOp::Redc, &sums);
        Bounded(whole, (most >> 52) as u64 + self.0.words.modulus + 1)
    }

    /// The product of polynomials modulo `X^n - 1`, by small coefficients. Coefficients that are half of them apart and
    /// differ by an odd number are made even by one, which is added at the end.
    pub(super) fn product(
        &mut self,
        name: &str,
        elements: &[Bounded],
        factors: &[u64],
    ) -> Vec<Bounded> {
        let n = elements.len();
        if n < HALVED || !n.is_multiple_of(2) {
            let row = |i| (0..n).map(|j| factors[(n + i - j) % n]).collect();
            let rows: Vec<(u64, Vec<u64>)> = (0..n).map(|i| (0, row(i))).collect();
            return self.small_sums(name, elements, &rows);
        }
        let (mut even, mut more) = (factors.to_vec(), Vec::new());
        for k in (0..n / 2).filter(|k| (factors[*k] + factors[k + n / 2]) % 2 == 1) {
            let greater = if factors[k] > factors[k + n / 2] {
                k
            } else {
                k + n / 2
            };
            even[greater] -= 1;
            more.push(greater);
        }
        let (low, high) = even.split_at(n / 2);
        let pairs = low.iter().zip(high);
        let plus: Vec<u64> = pairs.clone().map(|(a, b)| (a + b) / 2).collect();
        let minus: Vec<i64> = pairs.map(|(a, b)| (*a as i64 - *b as i64) / 2).collect();
        let products = self.by_halves(name, elements, &plus, &minus).into_iter();
        let whole = |(i, product)| {
            more.iter().fold(product, |sum, k| {
                let j = (n + i - k) % n;
                self.add(&format!("{name}.more[{i}][{j}]"), sum, elements[j])
            })
        };
        products.enumerate().map(whole).collect()
    }

    /// The sum and the difference of the products of half the size: modulo `X^(n/2) - 1` by some coefficients, and
    /// modulo `X^(n/2) + 1` by others. Differences of elements are made in both directions, so that all numbers are
    /// positive.
    fn by_halves(
        &mut self,
        name: &str,
        elements: &[Bounded],
        plus: &[u64],
        minus: &[i64],
    ) -> Vec<Bounded> {
        let (n, p) = (plus.len(), self.0.words.modulus);
        let (a, b) = elements.split_at(n);
        let most = b.iter().map(|x| x.1).max().unwrap_or_default();
        let more = Bounded(self.1.word(most), most);
        let twice = Bounded(self.1.word(2 * most), 2 * most);
        let (mut sums, mut differences) = (Vec::new(), Vec::new());
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            sums.push(self.add(&format!("{name}.sum[{j}]"), *a, *b));
            let a = self.add(&format!("{name}.more[{j}]"), *a, more);
            let difference = self.less(&format!("{name}.difference[{j}]"), a, *b);
            let opposite = self.less(&format!("{name}.opposite[{j}]"), twice, difference);
            differences.extend([difference, opposite]);
        }
        let plus = self.product(&format!("{name}.plus"), &sums, plus);
        // What is added to a difference has to go, modulo p.
        let added = minus.iter().fold(0, |sum, k| sum + k.unsigned_abs() * most);
        let start = self.0.words.neg(added % p);
        let row = |i: usize| {
            let mut row = vec![0; 2 * n];
            for j in 0..n {
                let factor = minus[(n + i - j) % n];
                // Past the end the sign is the other one.
                let opposite = (factor < 0) != (j > i);
                row[2 * j + usize::from(opposite)] = factor.unsigned_abs();
            }
            (start, row)
        };
        let rows: Vec<(u64, Vec<u64>)> = (0..n).map(row).collect();
        let minus = self.small_sums(&format!("{name}.minus"), &differences, &rows);
        let greatest = minus.iter().map(|minus| minus.1).max();
        let over = greatest.map_or(0, |most| (most / p + 1) * p);
        let over = Bounded(self.1.word(over), over);
        let both = plus
            .iter()
            .zip(&minus)
            .enumerate()
            .map(|(i, (plus, minus))| {
                let low = self.add(&format!("{name}[{i}]"), *plus, *minus);
                let less = self.less(&format!("{name}.less[{i}]"), over, *minus);
                [low, self.add(&format!("{name}[{}]", n + i), *plus, less)]
            });
        let both: Vec<[Bounded; 2]> = both.collect();
        let halves = [0, 1].map(|half| both.iter().map(move |both| both[half]));
        halves.into_iter().flatten().collect()
    }

    /// A difference that is positive.
    fn less(&mut self, name: &str, a: Bounded, b: Bounded) -> Bounded {
        Bounded(self.1.push(name, MacroOp::Minus, &[a.0, b.0]), a.1)
    }

    /// Sums of multiples by small numbers, exactly, each with a number more.
    pub(super) fn small_sums(
        &mut self,
        name: &str,
        elements: &[Bounded],
        rows: &[(u64, Vec<u64>)],
    ) -> Vec<Bounded> {
        let b = &mut self.1;
        let mut sums = vec![None; rows.len()];
        for (i, x) in elements.iter().enumerate() {
            for (n, ((start, row), sum)) in rows.iter().zip(&mut sums).enumerate() {
                let name = format!("{name}.{n}[{i}]");
                *sum = match (*sum, row[i]) {
                    (sum, 0) => sum,
                    (None, 1) if *start == 0 => Some(x.0),
                    (sum, factor) => {
                        let sum = sum.unwrap_or_else(|| b.word(*start));
                        Some(match factor {
                            1 => b.push(&name, MacroOp::Plus, &[sum, x.0]),
                            _ => {
                                let factor = b.word(factor);
                                b.push(&name, MacroOp::AddProduct, &[sum, x.0, factor])
                            }
                        })
                    }
                };
            }
        }
        let sums = sums.into_iter().zip(rows).map(|(sum, (start, row))| {
            let products = row.iter().zip(elements).map(|(factor, x)| factor * x.1);
            let sum = sum.unwrap_or_else(|| b.word(*start));
            Bounded(sum, start + products.sum::<u64>())
        });
        sums.collect()
    }
}

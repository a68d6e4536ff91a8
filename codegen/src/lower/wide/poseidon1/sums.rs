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

/// The greatest sum of small entries in a row: of an S-box's operand, below `2^41` then, the prover can show that its
/// products carry.
const MOST: u64 = 1_000;

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

    /// Twice the product of polynomials modulo `X^n - 1`, by small coefficients: with both halves of them added, and
    /// subtracted. Differences of elements are made in both directions, so that all numbers are positive.
    pub(super) fn twice_the_product(
        &mut self,
        name: &str,
        state: &[Bounded],
        factors: &[u64],
    ) -> Vec<Bounded> {
        let (n, p) = (state.len() / 2, self.0.words.modulus);
        let (a, b) = state.split_at(n);
        let more = Bounded(self.1.word(self.reduced()), self.reduced());
        let twice = Bounded(self.1.word(2 * more.1), 2 * more.1);
        let mut elements = Vec::new();
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            let sum = self.add(&format!("{name}.sum[{j}]"), *a, *b);
            let a = self.add(&format!("{name}.more[{j}]"), *a, more);
            let difference = self.less(&format!("{name}.difference[{j}]"), a, *b);
            let opposite = self.less(&format!("{name}.opposite[{j}]"), twice, difference);
            elements.extend([sum, difference, opposite]);
        }
        // What is added to a difference has to go, modulo p.
        let difference = |k: usize| factors[k].abs_diff(factors[k + n]);
        let added = (0..n).fold(0, |sum, k| sum + difference(k) * more.1);
        let start = self.0.words.neg(added);
        let rows = (0..n).flat_map(|i| {
            let (mut plus, mut minus) = (vec![0; 3 * n], vec![0; 3 * n]);
            for j in 0..n {
                let k = (n + i - j) % n;
                plus[3 * j] = factors[k] + factors[k + n];
                // Past the end the sign is the other one.
                let opposite = (factors[k] < factors[k + n]) != (j > i);
                minus[3 * j + 1 + usize::from(opposite)] = difference(k);
            }
            [(0, plus), (start, minus)]
        });
        let sums = self.small_sums(name, &elements, &rows.collect::<Vec<_>>());
        let greatest = sums.iter().skip(1).step_by(2).map(|minus| minus.1).max();
        let over = greatest.map_or(0, |most| (most / p + 1) * p);
        let over = Bounded(self.1.word(over), over);
        let both = sums.chunks(2).enumerate().map(|(i, sums)| {
            let low = self.add(&format!("{name}[{i}]"), sums[0], sums[1]);
            let less = self.less(&format!("{name}.less[{i}]"), over, sums[1]);
            [low, self.add(&format!("{name}[{}]", n + i), sums[0], less)]
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
        let most = rows.iter().map(|(start, row)| {
            let products = row.iter().zip(elements).map(|(factor, x)| factor * x.1);
            start + products.sum::<u64>()
        });
        let sums = sums.into_iter().zip(most);
        let whole = |(sum, most): (Option<Value>, u64)| {
            Bounded(sum.expect("no row of an MDS matrix is zero"), most)
        };
        sums.map(whole).collect()
    }
}

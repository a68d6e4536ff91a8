//! Poseidon1 in `radix52`: sums of products that are not reduced before they are whole.
//!
//! Entries of a matrix that are small numbers make sums that S-boxes take as they are. Otherwise the halves of products
//! are summed, and both sums are reduced together.
//!
//! A circulant matrix of small entries multiplies polynomials modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`:
//! two products of half the size. Their sums and differences are twice what they should be. Halves of entries would
//! not be small, so words stand for such a [`Multiple`] of elements that S-boxes make up for it.

use super::{Block, Builder, Layers, Lowering, MacroOp, Value};
use crate::arith::{Basis, Multiple};
use crate::ir::BlockKind;
use crate::lower::Unsuited;
use crate::lower::ring::Ring;
use crate::names::Strategy;
use crate::ops::Range;
use crate::params::{Companion, Field, Linear, Mds};

/// Sums that are made side by side: as each waits for its last product, a core is busy with the others.
const TOGETHER: usize = 16;

/// The greatest sum of small entries in a row: of an S-box's operand, below `2^41` then, the prover can show that its
/// products carry.
const MOST: u64 = 1_000;

/// The least size of a matrix that is split.
const SPLIT: usize = 12;

/// What such a matrix leaves is at most so many times p.
const MOST_SPLIT: u64 = 1_400;

/// An element, and what it is at most. The prover does not rely on that.
#[derive(Clone, Copy)]
struct Bounded(Value, u64);

/// The sum of low halves of products and that of high ones, and what they are together at most.
#[derive(Clone, Copy)]
struct Halves([Value; 2], u128);

/// A block of elements of which sums are not reduced.
struct Sums<'a>(&'a Lowering<'a>, Builder);

impl Lowering<'_> {
    /// What words stand for a multiple of, where a matrix of small entries is split: the first one with which the
    /// products of an S-box carry, whatever a layer leaves.
    pub(super) fn multiple(&self, strategy: Strategy) -> Option<Multiple> {
        let Linear::Poseidon1(mds) = &self.instance.linear else {
            return None;
        };
        let (width, small) = (mds.rows.len(), is_small(&mds.rows[0]));
        let split = mds.is_circulant() && small && width >= SPLIT && width.is_multiple_of(2);
        if strategy != Strategy::Radix52 || !split {
            return None;
        }
        let most = |times: u64| Range::new(1, (times * self.words.modulus).into());
        Multiple::all(self.instance).find(|multiple| {
            let other = Self {
                multiple: Some(*multiple),
                entries: Vec::new(),
                pairs: Vec::new(),
                ..*self
            };
            let sbox = other.external_sbox();
            let (_, broken) = sbox.ranges(self.words, &[most(MOST_SPLIT), most(4)]);
            broken.is_empty()
        })
    }

    pub(super) fn poseidon1(&self, mds: &Mds, strategy: Strategy) -> Result<Layers, Unsuited> {
        if strategy != Strategy::Radix52 {
            return Err(Unsuited::Poseidon1(strategy));
        }
        // Words stand for multiples of which the S-box gives half.
        let mut partial = mds.clone();
        if self.multiple.is_some() {
            let firsts = partial.rows.iter_mut().map(|row| &mut row[0]);
            firsts.for_each(|first| *first = self.words.add(*first, *first));
        }
        let companion = Companion::of(self.instance.field, &partial);
        let companion = companion.ok_or(Unsuited::Partial(strategy))?;
        Ok(Layers {
            linear: self.mds(mds),
            internal: [
                self.partial_round(&companion),
                self.enter_partial(mds, &companion),
                self.leave_partial(&companion),
            ],
            basis: Basis {
                companion: Some(companion),
                multiple: self.multiple,
                ..Basis::default()
            },
        })
    }

    /// A block, its elements as S-boxes leave them or partial rounds keep them, and the constant.
    fn sums(&self, constant: bool) -> (Sums<'_>, Vec<Bounded>, Value) {
        let (b, state) = self.state(constant);
        let constant = Value(state.len() as u32);
        let sums = Sums(self, b);
        let reduced = sums.reduced();
        let state = state.into_iter().map(|x| Bounded(x, reduced));
        (sums, state.collect(), constant)
    }

    fn mds(&self, mds: &Mds) -> Block {
        let (mut sums, state, _) = self.sums(false);
        let first: Vec<u64> = mds.rows.iter().map(|row| row[0]).collect();
        let name = "external.mds";
        let outputs = match self.multiple {
            Some(_) => sums.twice_the_product(name, &state, &first),
            None if mds.is_circulant() && !is_small(&first) => {
                sums.ring_product(name, &state, &first, 1)
            }
            None => sums.multiplied(name, &state, &mds.rows),
        };
        let outputs = outputs.into_iter().map(|x| x.0);
        sums.1.finish(BlockKind::ExternalLinear, outputs.collect())
    }

    /// What the S-box is in comes last: the other sums do not wait for it.
    fn partial_round(&self, companion: &Companion) -> Block {
        let (mut sums, s, constant) = self.sums(true);
        let others = &s[1..];
        let words = |factors: &[u64]| -> Vec<u64> {
            let factors = factors.iter();
            factors
                .map(|factor| self.words.to_montgomery(*factor))
                .collect()
        };
        let rows: [&[u64]; 2] = [&companion.next, &companion.first[1..]];
        // What was made last comes last.
        let backwards = |row: &[u64]| -> Vec<u64> { words(row).into_iter().rev().collect() };
        let oldest: Vec<Bounded> = others.iter().rev().copied().collect();
        let sums_of = sums.summed("internal.sum", &oldest, &rows.map(backwards));
        let next = sums.whole("internal.next", sums_of[0]);
        let z = self.sbox(&mut sums.1, "internal", s[0].0, constant);
        let z = Bounded(z, sums.reduced());
        let next = sums.add("internal.next.whole", next, z);
        let name = "internal.first";
        let first = match companion.first[0] {
            // The other sum does not wait for the S-box.
            small if is_small(&[small]) => {
                let others = sums.whole(name, sums_of[1]);
                sums.small_sums(name, &[others, z], &[(0, vec![1, small])])[0]
            }
            factor => {
                let word = words(&[factor])[0];
                let sum = sums.accumulate(name, sums_of[1], z, word);
                sums.whole(name, sum)
            }
        };
        let outputs = [&[first, next], &others[..others.len() - 1]].concat();
        let outputs = outputs.into_iter().map(|x| x.0);
        sums.1.finish(BlockKind::InternalRound, outputs.collect())
    }

    /// With the linear layer before.
    fn enter_partial(&self, mds: &Mds, companion: &Companion) -> Block {
        let (mut sums, state, _) = self.sums(false);
        let [first, rest] = companion.after(self.words, mds);
        let twice = |row: &[u64]| match self.multiple {
            Some(_) => row.iter().map(|x| self.words.add(*x, *x)).collect(),
            None => row.to_vec(),
        };
        let [first, rest] = [first, rest]
            .map(|rows| -> Vec<Vec<u64>> { rows.iter().map(|row| twice(row)).collect() });
        let mut outputs = sums.multiplied("linear.enter.first", &state, &first);
        outputs.extend(sums.multiplied("linear.enter", &state, &rest));
        let outputs = outputs.into_iter().map(|x| x.0);
        sums.1.finish(BlockKind::LinearEnter, outputs.collect())
    }

    fn leave_partial(&self, companion: &Companion) -> Block {
        let (mut sums, state, _) = self.sums(false);
        let kind = BlockKind::InternalLeave;
        let others = sums.multiplied(kind.name(), &state[1..], &companion.back);
        let others = others.into_iter().map(|x| x.0);
        sums.1
            .finish(kind, [state[0].0].into_iter().chain(others).collect())
    }
}

/// Whether a sum of so many times its elements needs no reduction.
fn is_small(factors: &[u64]) -> bool {
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
        let word = self.1.word(more);
        let sum = self
            .1
            .push(&format!("{name}.more"), MacroOp::Plus, &[a.0, word]);
        Bounded(self.1.push(name, MacroOp::Minus, &[sum, b.0]), a.1 + more)
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
            let words = rows.iter().map(|row| {
                let words = row.iter().map(|factor| self.0.words.to_montgomery(*factor));
                words.collect()
            });
            let words: Vec<Vec<u64>> = words.collect();
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
    fn reduced(&self) -> u64 {
        self.0.words.modulus / 16 * 17
    }

    /// For each row of numbers the sums of products with them.
    fn summed(&mut self, name: &str, elements: &[Bounded], rows: &[Vec<u64>]) -> Vec<Halves> {
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
    fn accumulate(&mut self, name: &str, sum: Halves, x: Bounded, word: u64) -> Halves {
        let Halves([low, high], most) = sum;
        let operands = [low, high, x.0, self.1.word(word)];
        let halves = self.1.pair(name, MacroOp::Accumulate, &operands);
        Halves(halves, most + u128::from(x.1) * u128::from(word))
    }

    /// What such sums are together, reduced.
    fn whole(&mut self, name: &str, Halves(sums, most): Halves) -> Bounded {
        let whole = self.1.push(name, MacroOp::Redc, &sums);
        Bounded(whole, (most >> 52) as u64 + self.0.words.modulus + 1)
    }

    /// Twice the product of polynomials modulo `X^n - 1`, by small coefficients: with both halves of them added, and
    /// subtracted. Differences of elements are made in both directions, so that all numbers are positive.
    fn twice_the_product(
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
    fn small_sums(
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

#[cfg(test)]
mod tests {
    use crate::arith::Program;
    use crate::ir::{self, BlockKind};
    use crate::lower::{Claims, Unsuited, lower};
    use crate::names::Strategy;
    use crate::ops::MacroOp;
    use crate::params::{Field, Instance, Linear, Mds, instance};
    use crate::prove::prove;

    fn poseidon1(field: &str, first: &[u64]) -> Instance {
        let field = Field::by_name(field).unwrap();
        Instance {
            linear: Linear::Poseidon1(Mds::circulant(first)),
            ..instance("plonky3", field, first.len()).unwrap()
        }
    }

    fn by(instance: &Instance, strategy: Strategy) -> Result<Program, Unsuited> {
        lower(&ir::Program::build(instance), strategy, &Claims::new(&[]))
    }

    /// Plonky3's matrix of small entries, and one of great ones.
    fn instances() -> [Instance; 2] {
        let small = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
        let great: Vec<u64> = (0..24)
            .map(|i| (i * i * i + 7) * 0x2d0a_aaab % 0x7800_0001)
            .collect();
        [
            poseidon1("koala-bear", &small),
            poseidon1("baby-bear", &great),
        ]
    }

    #[test]
    fn sums_of_products_are_the_same_permutation() {
        for instance in instances() {
            let [words, other] =
                [Strategy::Eager, Strategy::Radix52].map(|s| by(&instance, s).unwrap());
            for word in [0, 1, 0x1234_5678, instance.field.modulus - 1] {
                let state = vec![word; instance.width];
                assert_eq!(other.permute(&state), words.permute(&state));
            }
            prove(other, &Claims::new(&[])).unwrap();
        }
    }

    #[test]
    fn products_are_few() {
        let products = instances().map(|instance| {
            let program = by(&instance, Strategy::Radix52).unwrap();
            [BlockKind::ExternalLinear, BlockKind::InternalRound].map(|kind| {
                let block = &program.blocks[program.block(kind).unwrap()];
                let products = [MacroOp::AddProduct, MacroOp::Accumulate];
                products.map(|op| block.operations.iter().filter(|o| o.op == op).count())
            })
        });
        // Of small entries there are twice 64 products of sums and of differences, but for those by 1. Of great ones
        // there are polynomials modulo X^3 - 1, X^3 + 1, X^6 + 1, X^6 - i and X^6 + i.
        let of_great = 9 + 9 + 36 + 36 + 36;
        assert_eq!(
            products,
            [[[2 * 64 - 8, 0], [1, 30]], [[0, of_great], [0, 47]]]
        );
    }

    #[test]
    fn other_strategies_of_these_words_are_refused() {
        for strategy in [Strategy::Radix32, Strategy::Rescaled52] {
            let refused = by(&instances()[0], strategy).unwrap_err();
            assert_eq!(refused, Unsuited::Poseidon1(strategy));
        }
    }
}

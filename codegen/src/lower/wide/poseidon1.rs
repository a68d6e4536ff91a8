//! Poseidon1 in `radix52`: sums of products that are not reduced before they are whole.
//!
//! Entries of a matrix that are small numbers make sums that S-boxes take as they are. Otherwise the halves of products
//! are summed, and both sums are reduced together.
//!
//! A circulant matrix of small entries multiplies polynomials modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`:
//! two products of half the size. Their sums and differences are twice what they should be. Halves of entries would
//! not be small, so words stand for such a [`Multiple`] of elements that S-boxes make up for it.

mod sums;

use super::{Block, Layers, Lowering, Value};
use crate::arith::{Basis, Multiple};
use crate::ir::BlockKind;
use crate::lower::Unsuited;
use crate::lower::ring::Ring;
use crate::names::Strategy;
use crate::ops::Range;
use crate::params::{Companion, Linear, Mds};
use sums::{Bounded, Sums, is_small};

/// The least size of a matrix that is split.
const SPLIT: usize = 12;

/// What such a matrix leaves is at most so many times p.
const MOST_SPLIT: u64 = 1_400;

impl Lowering<'_> {
    /// What words stand for a multiple of, where a matrix of small entries is split: the first one with which the
    /// products of an S-box carry, whatever a layer leaves.
    pub(super) fn multiple(&self, strategy: Strategy) -> Option<Multiple> {
        let Linear::Poseidon1(mds) = &self.instance.linear else {
            return None;
        };
        let (width, row) = (mds.rows.len(), &mds.rows[0]);
        let split =
            mds.is_circulant() && is_small(row) && width >= SPLIT && width.is_multiple_of(2);
        // Of sums and of differences.
        let pairs = row.iter().zip(&row[width / 2..]);
        let most = pairs.fold(0, |sum, (a, b)| sum + 2 * a.max(b));
        if strategy != Strategy::Radix52 || !split || 2 * 17 * most > 16 * MOST_SPLIT {
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
        let companion = Companion::of(self.instance.field, &self.doubled(mds, 1));
        let companion = companion.ok_or(Unsuited::Partial(strategy))?;
        Ok(Layers {
            linear: self.mds(mds),
            internal: [
                self.partial_round(&companion),
                self.enter_partial(mds, &companion),
                self.leave_partial(&companion),
            ],
            normalise: None,
            basis: Basis {
                companion: Some(companion),
                multiple: self.multiple,
                ..Basis::default()
            },
        })
    }

    /// The matrix that makes words of words, where some elements come from S-boxes, the first ones: of what words stand
    /// for a multiple of, S-boxes give half.
    fn doubled(&self, mds: &Mds, from_sboxes: usize) -> Mds {
        let mut mds = mds.clone();
        if self.multiple.is_some() {
            let entries = mds.rows.iter_mut().flat_map(|row| &mut row[..from_sboxes]);
            entries.for_each(|entry| *entry = self.words.add(*entry, *entry));
        }
        mds
    }

    /// Residues as Montgomery forms.
    fn montgomery(&self, residues: &[u64]) -> Vec<u64> {
        let words = residues.iter().map(|x| self.words.to_montgomery(*x));
        words.collect()
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
        let rows: [&[u64]; 2] = [&companion.next, &companion.first[1..]];
        // What was made last comes last.
        let backwards = |row: &[u64]| self.montgomery(row).into_iter().rev().collect();
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
                let word = self.words.to_montgomery(factor);
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
        let rows = companion.after(self.words, &self.doubled(mds, state.len()));
        // The first row is the matrix's, and its entries may be small.
        let (first, others) = rows.split_at(1);
        let mut outputs = sums.multiplied("linear.enter.first", &state, first);
        outputs.extend(sums.multiplied("linear.enter", &state, others));
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

    /// Entries that are small, but whose sums and differences would be more than an S-box takes.
    #[test]
    fn matrices_that_would_leave_too_much_are_not_split() {
        let first = [70, 61, 51, 1, 99, 17, 2, 150, 101, 63, 15, 2, 67, 22, 13, 3];
        let program = by(&poseidon1("koala-bear", &first), Strategy::Radix52).unwrap();
        assert_eq!(program.basis.multiple, None);
        prove(program, &Claims::new(&[])).unwrap();
    }

    /// Over BabyBear four times x³ would make a product that `2^52` divides.
    #[test]
    fn words_stand_for_multiples_with_which_products_carry() {
        let [small, _] = instances();
        let shifts = [(small.field.name, 3), ("baby-bear", 7)].map(|(field, alpha)| {
            let instance = Instance {
                field: Field::by_name(field).unwrap(),
                alpha,
                ..small.clone()
            };
            let program = by(&instance, Strategy::Radix52).unwrap();
            program.basis.multiple.map(|multiple| multiple.shift)
        });
        assert_eq!(shifts, [Some(0), Some(5)]);
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

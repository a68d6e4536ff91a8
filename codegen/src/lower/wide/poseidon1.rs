//! Poseidon1 in `radix52`: sums of products that are not reduced before they are whole.
//!
//! Entries of a matrix that are small numbers make sums that S-boxes take as they are. Otherwise the halves of products
//! are summed, and both sums are reduced together.
//!
//! A circulant matrix of small entries multiplies polynomials modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`:
//! two products of half the size. What they leave grows by that, as differences of elements are made positive; so
//! matrices of greater entries are not taken apart.
//!
//! Partial rounds are on the values of a [spectrum](Spectrum) where the field has one, else in the
//! [companion](Companion) basis.

mod sums;
mod values;

use super::{Block, Layers, Lowering, Value};
use crate::arith::Basis;
use crate::ir::BlockKind;
use crate::lower::Unsuited;
use crate::lower::ring::Ring;
use crate::names::Strategy;
use crate::params::{Companion, Mds, Spectrum};
use sums::{Bounded, MOST, Sums, is_small};

impl Lowering<'_> {
    pub(super) fn poseidon1(&self, mds: &Mds, strategy: Strategy) -> Result<Layers, Unsuited> {
        if strategy != Strategy::Radix52 {
            return Err(Unsuited::Poseidon1(strategy));
        }
        let mut basis = Basis::default();
        let internal = match Spectrum::of(self.instance.field, mds) {
            Some(spectrum) => {
                let blocks = self.on_values(&spectrum);
                basis.spectrum = Some(spectrum);
                blocks
            }
            None => {
                let companion = Companion::of(self.instance.field, mds);
                let companion = companion.ok_or(Unsuited::Partial(strategy))?;
                let blocks = [
                    self.partial_round(&companion),
                    self.enter_partial(mds, &companion),
                    self.leave_partial(&companion),
                ];
                basis.companion = Some(companion);
                blocks
            }
        };
        Ok(Layers {
            linear: self.mds(mds),
            internal,
            normalise: None,
            basis,
        })
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

    /// Taken apart if what that leaves is what S-boxes take.
    fn mds(&self, mds: &Mds) -> Block {
        let first: Vec<u64> = mds.rows.iter().map(|row| row[0]).collect();
        let name = "external.mds";
        let apart = mds.is_circulant().then(|| {
            self.layer(|sums, state| match is_small(&first) {
                true => sums.product(name, state, &first),
                false => sums.ring_product(name, state, &first, 1),
            })
        });
        let whole = || self.layer(|sums, state| sums.multiplied(name, state, &mds.rows));
        let (block, _) = apart.filter(|(_, fits)| *fits).unwrap_or_else(whole);
        block
    }

    /// The layer of full rounds, and whether the prover can show that products of what it leaves carry.
    fn layer(&self, of: impl FnOnce(&mut Sums<'_>, &[Bounded]) -> Vec<Bounded>) -> (Block, bool) {
        let (mut sums, state, _) = self.sums(false);
        let outputs = of(&mut sums, &state);
        let fits = outputs.iter().all(|x| x.1 <= MOST * sums.reduced());
        let outputs = outputs.iter().map(|x| x.0).collect();
        (sums.1.finish(BlockKind::ExternalLinear, outputs), fits)
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
        let rows = companion.after(self.words, mds);
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
        let layer = &program.blocks[program.block(BlockKind::ExternalLinear).unwrap()];
        let products = layer
            .operations
            .iter()
            .filter(|o| o.op == MacroOp::AddProduct);
        assert_eq!(products.count(), 16 * 15, "each entry but the one");
        prove(program, &Claims::new(&[])).unwrap();
    }

    /// Both halves are the same, so differences of elements are multiplied by nothing.
    #[test]
    fn rows_may_be_zero() {
        let first = [5, 1, 2, 3, 1, 1, 1, 2, 5, 1, 2, 3, 1, 1, 1, 2];
        let program = by(&poseidon1("koala-bear", &first), Strategy::Radix52).unwrap();
        prove(program, &Claims::new(&[])).unwrap();
    }

    /// Plonky3's matrix of small entries, and great ones over a field with as many roots of 1, and with fewer.
    fn instances() -> [Instance; 3] {
        let small = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
        let great: Vec<u64> = (0..24)
            .map(|i| (i * i * i + 7) * 0x2d0a_aaab % 0x7800_0001)
            .collect();
        [
            poseidon1("koala-bear", &small),
            poseidon1("baby-bear", &great),
            poseidon1("koala-bear", &great),
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
                let products = [MacroOp::AddProduct, MacroOp::Accumulate, MacroOp::MulAdd];
                products.map(|op| block.operations.iter().filter(|o| o.op == op).count())
            })
        });
        // Of small entries there are polynomials modulo X^8 + 1, X^4 + 1 and X^4 - 1, but for products by 0 and 1. Of
        // great ones there are polynomials modulo X^3 - 1, X^3 + 1, X^6 + 1, X^6 - i and X^6 + i, and the multiples
        // by i. In partial rounds there are products by numbers, two for the change, and those of the S-box.
        let of_great = 9 + 9 + 36 + 36 + 36;
        assert_eq!(
            products,
            [
                [[64 + 16 + 16 - 24, 0, 0], [0, 0, 16 + 2 + 2]],
                [[0, of_great, 12], [0, 0, 24 + 2 + 4]],
                [[0, of_great, 12], [0, 0, 24 + 2 + 2]]
            ]
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

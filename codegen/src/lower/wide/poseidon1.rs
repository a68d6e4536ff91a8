//! Poseidon1 in `radix52`: sums of products that are not reduced before they are whole.
//!
//! Entries of a matrix that are small numbers make sums that S-boxes take as they are. Otherwise a Montgomery form `f` is
//! `low + PART·high` with both parts below [`PART`], so that a sum of 24 products of reduced elements and parts is
//! below `2^52`. There are two such sums, and each is reduced by a product with an odd number, 1 or `PART`. They start
//! with p, as what a product takes must not be zero.

use super::{Block, Builder, Layers, Lowering, MacroOp, Value};
use crate::arith::Basis;
use crate::ir::BlockKind;
use crate::lower::Unsuited;
use crate::lower::ring::Ring;
use crate::names::Strategy;
use crate::params::{Companion, Field, Mds};

/// The least odd number whose square is above `2^31`.
const PART: u64 = 46_341;
const _: () = assert!(PART * PART > 1 << 31);

/// The greatest sum of small entries in a row: of an S-box's operand, below `2^41` then, the prover can show that its
/// products carry.
const MOST: u64 = 1_000;

/// An element, and what it is at most. The prover does not rely on that.
#[derive(Clone, Copy)]
struct Bounded(Value, u64);

/// A block of elements of which sums are not reduced.
struct Sums<'a>(&'a Lowering<'a>, Builder);

impl Lowering<'_> {
    pub(super) fn poseidon1(&self, mds: &Mds, strategy: Strategy) -> Result<Layers, Unsuited> {
        if strategy != Strategy::Radix52 {
            return Err(Unsuited::Poseidon1(strategy));
        }
        let companion = Companion::of(self.instance.field, mds);
        let companion = companion.ok_or(Unsuited::Partial(strategy))?;
        Ok(Layers {
            linear: self.mds(mds),
            internal: [
                self.partial_round(&companion),
                self.rest_multiplied(BlockKind::InternalEnter, &companion.into),
                self.rest_multiplied(BlockKind::InternalLeave, &companion.back),
            ],
            basis: Basis {
                companion: Some(companion),
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
        let outputs = match mds.is_circulant() && !is_small(&first) {
            true => sums.ring_product("external.mds", &state, &first, 1),
            false => sums.multiplied("external.mds", &state, &mds.rows),
        };
        let outputs = outputs.into_iter().map(|x| x.0);
        sums.1.finish(BlockKind::ExternalLinear, outputs.collect())
    }

    /// What the S-box is in comes last: the other sums do not wait for it.
    fn partial_round(&self, companion: &Companion) -> Block {
        let (mut sums, s, constant) = self.sums(true);
        let others = &s[1..];
        let rest = sums.dot("internal.next", others, &companion.next);
        let z = self.sbox(&mut sums.1, "internal", s[0].0, constant);
        let z = Bounded(z, sums.reduced());
        let next = sums.add("internal.next.whole", rest, z);
        let next = sums.brought_back("internal.next.reduced", next);
        let (states, factors) = ([others, &[z]].concat(), &companion.first);
        let factors = [&factors[1..], &factors[..1]].concat();
        let first = sums.dot("internal.first", &states, &factors);
        let outputs = [&[first, next], &others[..others.len() - 1]].concat();
        let outputs = outputs.into_iter().map(|x| x.0);
        sums.1.finish(BlockKind::InternalRound, outputs.collect())
    }

    fn rest_multiplied(&self, kind: BlockKind, rows: &[Vec<u64>]) -> Block {
        let (mut sums, mut state, _) = self.sums(false);
        let name = kind.name();
        if kind == BlockKind::InternalEnter {
            // What a linear layer leaves is not reduced.
            for (i, x) in state.iter_mut().enumerate().skip(1) {
                *x = sums.brought_back(&format!("{name}.in[{i}]"), *x);
            }
        }
        let mut outputs = vec![state[0].0];
        for (i, x) in sums
            .multiplied(name, &state[1..], rows)
            .into_iter()
            .enumerate()
        {
            outputs.push(sums.brought_back(&format!("{name}.reduced[{i}]"), x).0);
        }
        sums.1.finish(kind, outputs)
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
        if is_small(factors) {
            return self.small_dot(name, elements, factors);
        }
        let words = factors
            .iter()
            .map(|factor| self.0.words.to_montgomery(*factor));
        let words: Vec<u64> = words.collect();
        if let ([x], [_]) = (elements, factors) {
            let product = self.0.scaled(&mut self.1, name, 0, x.0, factors[0]);
            return Bounded(product, self.reduced());
        }
        let greatest = elements.iter().map(|x| x.1).max().unwrap_or_default();
        let parts: u64 = words
            .iter()
            .map(|word| (word % PART).max(word / PART))
            .sum();
        let fits = u128::from(greatest) * u128::from(parts) < 1 << 52;
        let elements: Vec<Bounded> = elements
            .iter()
            .map(|x| {
                if fits {
                    *x
                } else {
                    self.brought_back(&format!("{name}.in"), *x)
                }
            })
            .collect();
        let low = self.part(&format!("{name}.low"), &elements, &words, |word| {
            word % PART
        });
        let high = self.part(&format!("{name}.high"), &elements, &words, |word| {
            word / PART
        });
        let [one, two, part] = [1, 2, PART].map(|word| self.1.word(word));
        let low = self.1.push(
            &format!("{name}.low.reduced"),
            MacroOp::MulAdd,
            &[two, low, one],
        );
        let sum = self.1.push(
            &format!("{name}.high.reduced"),
            MacroOp::MulAdd,
            &[low, high, part],
        );
        Bounded(sum, 2 * self.reduced())
    }
}

impl Sums<'_> {
    /// What products leave, and S-boxes, is at most p and this much.
    fn reduced(&self) -> u64 {
        self.0.words.modulus / 16 * 17
    }

    /// The same residue, p or hardly more at most; made once.
    fn brought_back(&mut self, name: &str, x: Bounded) -> Bounded {
        let (b, one) = (&mut self.1, super::odd(self.0.words, 1));
        let operands = [b.word(1), x.0, b.word(one)];
        let made = b.applied(MacroOp::MulAdd, &operands);
        let made = made.unwrap_or_else(|| b.push(name, MacroOp::MulAdd, &operands));
        Bounded(made, self.reduced())
    }

    /// A sum of products with one part of each number, and p.
    fn part(
        &mut self,
        name: &str,
        elements: &[Bounded],
        words: &[u64],
        part: impl Fn(u64) -> u64,
    ) -> Value {
        let b = &mut self.1;
        let start = b.word(self.0.words.modulus);
        let terms = elements.iter().zip(words.iter().map(|word| part(*word)));
        let terms = terms.enumerate().filter(|(_, (_, factor))| *factor > 0);
        terms.fold(start, |sum, (i, (x, factor))| {
            let operands = [sum, x.0, b.word(factor)];
            b.push(&format!("{name}[{i}]"), MacroOp::AddProduct, &operands)
        })
    }

    /// The sum of multiples by small numbers, exactly.
    fn small_dot(&mut self, name: &str, elements: &[Bounded], factors: &[u64]) -> Bounded {
        let b = &mut self.1;
        let terms = elements
            .iter()
            .zip(factors)
            .filter(|(_, factor)| **factor > 0);
        let mut sum = None;
        let mut most = 0;
        for (i, (x, factor)) in terms.enumerate() {
            let name = format!("{name}[{i}]");
            most += factor * x.1;
            sum = Some(match (sum, factor) {
                (None, 1) => x.0,
                (Some(sum), 1) => b.push(&name, MacroOp::Plus, &[sum, x.0]),
                (sum, factor) => {
                    let sum = sum.unwrap_or_else(|| b.word(0));
                    let factor = b.word(*factor);
                    b.push(&name, MacroOp::AddProduct, &[sum, x.0, factor])
                }
            });
        }
        Bounded(sum.expect("no row of an MDS matrix is zero"), most)
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
                let products = block.operations.iter();
                products.filter(|o| o.op == MacroOp::AddProduct).count()
            })
        });
        // Of small entries twelve are not 1. Of great ones there are two parts, and polynomials modulo X^3 - 1,
        // X^3 + 1, X^6 + 1, X^6 - i and X^6 + i.
        let of_great = 2 * (9 + 9 + 36 + 36 + 36);
        assert_eq!(products, [[16 * 12, 2 * 31], [of_great, 2 * 47]]);
    }

    #[test]
    fn other_strategies_of_these_words_are_refused() {
        for strategy in [Strategy::Radix32, Strategy::Rescaled52] {
            let refused = by(&instances()[0], strategy).unwrap_err();
            assert_eq!(refused, Unsuited::Poseidon1(strategy));
        }
    }
}

//! Multiples by entries of a diagonal: small ones are not reduced, and what grows by that is, now and then.

use super::{Block, Builder, Lowering, Value};
use crate::arith::Pair;
use crate::ir::BlockKind;
use crate::ops::MacroOp;
use crate::params::Rational;

/// The greatest entry that counts as small: elements grow by it from round to round.
const MOST_EXACT: u64 = 16;

impl Lowering<'_> {
    /// `sum + d·x` for an entry of a diagonal, or its square, and the sum with 1 more: by shifts where it is
    /// a power of two that divides p - 1.
    pub(super) fn add_entry(
        &self,
        b: &mut Builder,
        name: &str,
        [sum, more]: [Value; 2],
        x: Value,
        d: &Rational,
    ) -> Value {
        let op = match d {
            Rational {
                numerator: 1,
                shift: 0,
                negative: false,
            } if !self.lazy => MacroOp::Plus,
            Rational {
                numerator: 1,
                shift: shift @ 1..,
                negative,
            } if *shift <= self.words.two_adicity() => match negative {
                false => MacroOp::AddDiv2Exp(*shift),
                true => MacroOp::SubDiv2Exp(*shift),
            },
            Rational {
                numerator: n,
                shift: 0,
                negative: false,
            } if self.lazy && (1..=MOST_EXACT).contains(n) => {
                let x = self.reduced(b, name, x);
                let multiple = b.times(name, x, *n);
                return b.push(name, MacroOp::Plus, &[sum, multiple]);
            }
            d if self.is_exact(d) => {
                let factor = b.word(d.numerator);
                return b.push(name, MacroOp::AddProduct, &[sum, x, factor]);
            }
            _ => {
                let x = self.reduced(b, name, x);
                return self.add_scaled(b, name, more, x, d.residue(self.words));
            }
        };
        b.push(name, op, &[sum, x])
    }

    /// Whether multiples by this entry, or square of one, are added as they are.
    fn is_exact(&self, d: &Rational) -> bool {
        !self.lazy && !d.negative && d.shift == 0 && (2..=MOST_EXACT).contains(&d.numerator)
    }

    /// Whether internal rounds multiply an element by such a number, its own or in a pair. The first one is what an
    /// S-box gives.
    fn grows(&self, i: usize) -> bool {
        let is_in = |pair: &&Pair| pair.sum == i || pair.difference == i;
        match self.pairs.iter().find(is_in) {
            Some(pair) => self.is_exact(&self.square(pair)),
            None => i > 0 && self.is_exact(&self.entries[i]),
        }
    }

    /// The square of a pair's entry.
    pub(super) fn square(&self, pair: &Pair) -> Rational {
        let d = &self.entries[pair.sum];
        Rational::new(false, d.numerator * d.numerator, 2 * d.shift)
    }

    /// An element, reduced if it grows.
    pub(super) fn shrunk(&self, b: &mut Builder, name: &str, i: usize, x: Value) -> Value {
        match self.grows(i) {
            true => self.scaled(b, &format!("{name}[{i}]"), 0, x, 1),
            false => x,
        }
    }

    /// What grows is reduced between internal rounds, if anything does.
    pub(super) fn internal_normalise(&self) -> Option<Block> {
        let (mut b, mut outputs) = self.state(false);
        if !(0..outputs.len()).any(|i| self.grows(i)) {
            return None;
        }
        for (i, x) in outputs.iter_mut().enumerate() {
            *x = self.shrunk(&mut b, "internal.normalise", i, *x);
        }
        Some(b.finish(BlockKind::InternalNormalise, outputs))
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::Program;
    use crate::ir::{self, BlockKind};
    use crate::lower::{Claims, even_runs, lower};
    use crate::names::Strategy;
    use crate::ops::MacroOp;
    use crate::params::{Field, instance};
    use crate::prove::prove;

    /// Entries that are added exactly, and the runs of internal rounds that this leaves.
    #[test]
    fn what_grows_is_reduced_as_seldom_as_ranges_allow() {
        let all = [
            ("koala-bear", 16),
            ("koala-bear", 24),
            ("baby-bear", 16),
            ("baby-bear", 24),
        ];
        let found = all.map(|(field, width)| {
            let field = Field::by_name(field).unwrap();
            let instance = instance("plonky3", field, width).unwrap();
            let program = ir::Program::build(&instance);
            let program = lower(&program, Strategy::Radix52, &Claims::new(&[])).unwrap();
            let round = &program.blocks[program.block(BlockKind::InternalRound).unwrap()];
            let operations = round.operations.iter();
            let exact = operations.filter(|o| o.op == MacroOp::AddProduct).count();
            let runs: Vec<usize> = program.runs().map(ExactSizeIterator::len).collect();
            let longer = even_runs(instance.internal_rounds, runs.len() - 1);
            let flow = Program::in_order(&program.instance, &program.blocks, &longer);
            let other = Program { flow, ..program };
            prove(other, &Claims::new(&[])).unwrap_err();
            (exact, runs)
        });
        insta::assert_debug_snapshot!(found);
    }
}

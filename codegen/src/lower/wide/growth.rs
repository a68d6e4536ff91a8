//! Strategy `rescaled52`: `radix52` for a scaled internal layer whose entries are small numbers. [`Growth`] says how
//! elements are kept.
//!
//! An element takes two instructions of IFMA in an internal round then, and a product below `2^52`, in place of three
//! to six; in return two words of each round, which are the same in all states, bring back what elements should have
//! been divided by. The first element, which the S-box waits for, takes no longer than otherwise. On general registers
//! `radix52` is faster: there a product costs more than a shift.

use super::{Block, Builder, Growth, Input, Lowering, MacroOp, Value};
use crate::ir::BlockKind;
use crate::params::Rational;

impl Lowering<'_> {
    /// What elements are kept divided by, if the layer allows for it. The product of an entry and of the greatest
    /// element that an external layer makes, a sum of at most `row` reduced ones, has to be below `2^52`, and the
    /// S-box must not cancel in the first element.
    pub(super) fn growth(&self, row: u64) -> Option<Growth> {
        let words = self.words;
        let scale = self.instance.scale().filter(|_| self.pairs.is_empty())?;
        let greatest = u128::from(words.modulus) * u128::from(row) * 9 / 8;
        let is_small = |d: &Rational| {
            let fits = u128::from(d.numerator) * greatest < 1 << 52;
            fits && d.numerator > 0 && d.shift == 0 && !d.negative
        };
        let diagonal = &self.instance.internal()?.diagonal;
        let allows = diagonal[0] != Rational::integer(-1) && diagonal[1..].iter().all(is_small);
        allows.then(|| {
            let scale = scale.residue(words);
            let mut growth = Growth {
                ratio: words.mul(scale, words.pow(2, 52)),
                factors: Vec::new(),
            };
            let factors = (0..self.instance.internal_rounds).map(|round| {
                let divisor = growth.divisor(words, round);
                let inverse = words.inv(divisor).expect("no scale is zero");
                [inverse, words.mul(scale, divisor)].map(|residue| super::odd(words, residue))
            });
            growth.factors = factors.collect();
            growth
        })
    }

    /// A round, and what leads into the first and out of the last.
    pub(super) fn growing_rounds(&self, growth: &Growth) -> [Block; 3] {
        let (b, first) = self.state(false);
        let enter = b.finish(BlockKind::InternalEnter, first);
        let (mut b, mut outputs) = self.state(false);
        let divisor = growth.divisor(self.words, self.instance.internal_rounds);
        for (i, x) in outputs.iter_mut().enumerate().skip(1) {
            *x = self.scaled(&mut b, &format!("internal.leave[{i}]"), 0, *x, divisor);
        }
        let leave = b.finish(BlockKind::InternalLeave, outputs);
        [self.growing_round(), enter, leave]
    }

    fn growing_round(&self) -> Block {
        let width = self.instance.width;
        let inputs = (0..width).map(Input::Inner).chain([Input::InnerConstant]);
        let inputs = inputs.chain([0, 1].map(Input::Factor)).collect();
        let mut b = Builder::on(self.words, inputs);
        let values: Vec<Value> = (0..width as u32 + 3).map(Value).collect();
        let (s, [constant, of_sbox, of_sum]) = values.split_at(width) else {
            unreachable!("three follow the state")
        };
        let layer = self.instance.internal().expect("an internal layer");
        let tail = b.sum("internal.sum", &s[1..]);
        let two = b.word(2);
        let of_tail = b.push(
            "internal.diag[0].sum",
            MacroOp::MulAdd,
            &[two, tail, *of_sum],
        );
        let z = self.sbox(&mut b, "internal", s[0], *constant);
        let scale = self.instance.scale().expect("a scaled layer");
        let own = scale.residue(self.words);
        let own = self.words.mul(
            own,
            self.words.add(1, layer.diagonal[0].residue(self.words)),
        );
        let mut outputs = vec![self.add_scaled(&mut b, "internal.diag[0]", of_tail, z, own)];
        let one = b.word(1);
        let kept = b.push("internal.sbox.kept", MacroOp::MulAdd, &[one, z, *of_sbox]);
        let total = b.push("internal.total", MacroOp::Plus, &[tail, kept]);
        let reduced = "internal.total.reduced";
        let total = b.push(reduced, MacroOp::MulAddShort, &[two, total, one]);
        for (i, (x, d)) in s.iter().zip(&layer.diagonal).enumerate().skip(1) {
            let entry = b.word(d.numerator);
            let name = format!("internal.diag[{i}]");
            outputs.push(b.push(&name, MacroOp::MulAddShort, &[total, *x, entry]));
        }
        b.finish(BlockKind::InternalRound, outputs)
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::Program;
    use crate::ir;
    use crate::lower::{Claims, Unsuited, lower};
    use crate::names::Strategy;
    use crate::params::{Field, Instance, InternalLayer, Linear, Rational, instance};
    use crate::prove::prove;

    fn scaled(field: &str, diagonal: Vec<Rational>) -> Instance {
        let field = Field::by_name(field).unwrap();
        let mut instance = instance("plonky3", field, 16).unwrap();
        let Linear::Poseidon2 { internal, .. } = &mut instance.linear else {
            panic!("the set is one of Poseidon2");
        };
        let scale = Rational::new(false, 1, 32);
        *internal = InternalLayer { scale, diagonal };
        instance.parameter_set = "own".to_owned();
        instance
    }

    /// SP1's.
    fn powers() -> Vec<Rational> {
        let powers = (0..15).map(|k| Rational::integer(1 << (k + i64::from(k == 14))));
        [Rational::integer(-2)].into_iter().chain(powers).collect()
    }

    fn by(instance: &Instance, strategy: Strategy) -> Result<Program, Unsuited> {
        lower(&ir::Program::build(instance), strategy, &Claims::new(&[]))
    }

    #[test]
    fn rescaled_elements_are_the_same_permutation() {
        let mut diagonals = [powers(), powers()];
        diagonals[1][0] = Rational::integer(5);
        for (field, diagonal) in ["koala-bear", "baby-bear"].into_iter().zip(diagonals) {
            let instance = scaled(field, diagonal);
            let [words, other] =
                [Strategy::Eager, Strategy::Rescaled52].map(|s| by(&instance, s).unwrap());
            for word in [0, 1, 0x1234_5678, instance.field.modulus - 1] {
                let state = vec![word; 16];
                assert_eq!(other.permute(&state), words.permute(&state), "{field}");
            }
            prove(other, &Claims::new(&[])).unwrap();
        }
    }

    #[test]
    fn another_factor_is_refused_by_prover_and_checker() {
        let program = by(&scaled("koala-bear", powers()), Strategy::Rescaled52).unwrap();
        let proved = prove(program.clone(), &Claims::new(&[])).unwrap();
        let certificate = proved.certificate("rescaled52");
        checker::check(&certificate).unwrap();
        let factors = program.basis.growth.clone().unwrap().factors;
        for (round, n) in [(0, 0), (0, 1), (7, 0), (19, 1)] {
            let mut other = program.clone();
            let growth = other.basis.growth.as_mut().unwrap();
            growth.factors[round][n] = factors[(round + 1) % factors.len()][n];
            let [right, wrong] = [factors[round][n], growth.factors[round][n]];
            prove(other, &Claims::new(&[])).unwrap_err();
            // The same residue, but even.
            let even = right + program.words.modulus;
            for other in [wrong, even] {
                let text = certificate.replacen(&format!(" {right}"), &format!(" {other}"), 1);
                checker::check(&text).unwrap_err();
            }
        }
    }

    #[test]
    fn other_layers_are_refused() {
        let mut half = powers();
        half[3] = Rational::new(false, 1, 1);
        let mut great = powers();
        great[3] = Rational::integer(1 << 16);
        let mut cancels = powers();
        cancels[0] = Rational::integer(-1);
        let field = Field::by_name("koala-bear").unwrap();
        let plonky3 = instance("plonky3", field, 16).unwrap();
        for instance in [
            plonky3,
            scaled("koala-bear", half),
            scaled("koala-bear", great),
            scaled("koala-bear", cancels),
        ] {
            let refused = by(&instance, Strategy::Rescaled52).unwrap_err();
            assert!(matches!(refused, Unsuited::Scale(Strategy::Rescaled52, _)));
        }
    }
}

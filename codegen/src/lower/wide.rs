//! Strategies `radix52`, `rescaled52`, `radix32` and `radix64`: an element of a 31-bit field is one word of 64 bits in
//! Montgomery form, and sums never wrap.
//!
//! In `radix52` the radix is `2^52`, and nothing but [`MulAdd`](MacroOp::MulAdd) reduces: after a product an
//! element is below `2p` and a little, an external linear layer multiplies that by 35 at width 16 and by 49 at
//! width 24, and products take anything below `2^52`.
//!
//! A product holds a carry that is there unless `2^52` divides it. All elements are positive, ranges show
//! that, and so one odd factor is enough: constants are odd, and the square of `x` is `x·(x + p)`, of which
//! one is. What is left is `y·x` for a power `y` of `x`, and the prover tries each `x` that it could divide.
//! It would divide x⁶·x over BabyBear for `x = 2^37`, if x⁶ were not p more.
//!
//! An internal round reduces the tail of the sum, by a product with 1, while the S-box is at work. What
//! is added there is 3p: then both the total and the tail less the S-box are positive, and the total is
//! what the multiples of the diagonal are added to. In a scaled layer the product is that of the total and
//! the factor. Entries that are powers of two are divided by with shifts, which leave the multiplier to others.
//! Multiples by small numbers are added as they are, and what grows by that is reduced between internal rounds,
//! as seldom as ranges allow. All else costs a product.
//!
//! In `radix32` the radix is that of memory, and products fit a word where both factors have been reduced by
//! [`Reduce`](MacroOp::Reduce), or one is a product of such. So that is done to the sum of an element and a round
//! constant, to the tail, and to what is multiplied by an entry that is no power of two. In an S-box, products up to
//! x³ take [`Mul`](MacroOp::Mul), and longer ones [`MulAdd`](MacroOp::MulAdd), which leaves more than c - p of c and
//! takes any product that fits.
//!
//! In `radix64` the radix is that of memory, too. An S-box reduces the sum of an element and a round constant, so that
//! its square fits a word. The product of that and a third word is two words, and is reduced by the square of the
//! radix. Products by constants are reduced in the same way, and take anything below `2^52`.
//!
//! Pairs of opposite entries are kept as [`Pair`] says, with `q' = m`.
//!
//! Strategy `rescaled52` has [other internal rounds](growth) than `radix52`, and `radix52` those of
//! [Poseidon1](poseidon1), too.

mod boundary;
mod entries;
mod growth;
mod poseidon1;

use super::parts::Builder;
use super::{Unsuited, in_longest_runs};
use crate::arith::{Basis, Block, Growth, Operation, Pair, Program};
use crate::ir::{self, BlockKind, FieldOp, Input, Value};
use crate::names::Strategy;
use crate::ops::{Contract, MacroOp};
use crate::params::{Field, Instance, Linear, Rational};
use std::collections::BTreeMap;

/// How many elements, as an S-box of `radix32` leaves them, may be summed and still be reduced at once: Plonky3's
/// external layer at width 24.
pub(super) const MOST: u64 = 49;

/// Lowers a field-level program.
///
/// # Errors
/// If the field has no words for it.
pub(super) fn lower(program: &ir::Program, strategy: Strategy) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    let unsuited = Unsuited::Field(strategy, instance.field.name);
    let words = instance.field.wide(strategy).ok_or(unsuited)?;
    if strategy == Strategy::Radix64 && !matches!(instance.alpha, 3 | 7) {
        return Err(Unsuited::LongSbox(strategy, instance.alpha));
    }
    let lowering = Lowering {
        instance,
        words,
        lazy: strategy == Strategy::Radix32,
        long: strategy == Strategy::Radix64,
        folds: greatest_row(&program.blocks[0]).is_some_and(|row| folds(words, row)),
        entries: instance.entries(),
        pairs: Pair::all(instance),
    };
    let layers = match &instance.linear {
        Linear::Poseidon1(mds) => lowering.poseidon1(mds, strategy)?,
        Linear::Poseidon2 { .. } => lowering.poseidon2(&program.blocks[0], strategy)?,
    };
    let Layers {
        linear,
        internal: [internal, internal_enter, internal_leave],
        normalise,
        basis,
    } = layers;
    let grows = normalise.is_some();
    let mut blocks = vec![
        linear,
        lowering.external_sbox(),
        internal,
        lowering.enter(),
        lowering.leave(),
        internal_enter,
        internal_leave,
    ];
    // In words of the radix in memory, constants are what they are there.
    blocks.extend((!lowering.long).then(|| lowering.constant()));
    blocks.extend(normalise);
    let blocks: Vec<Block> = blocks.into_iter().map(|block| block.pruned().0).collect();
    let lowered = Program {
        flow: Program::in_order(instance, &blocks, &[instance.internal_rounds]),
        instance: instance.clone(),
        blocks,
        parts: 1,
        radix: 0,
        words,
        basis,
        across: None,
    };
    let in_runs = match grows {
        true => in_longest_runs(lowered).ok(),
        false => Some(lowered),
    };
    in_runs.filter(fits).ok_or(Unsuited::Words(strategy))
}

/// Whether every operand is an integer that its operation reads.
fn fits(program: &Program) -> bool {
    let inputs = program.input_ranges();
    let mut blocks = program.blocks.iter().zip(&inputs);
    blocks.all(|(block, inputs)| {
        let words = program.words_of(block.kind);
        let (ranges, broken) = block.ranges(words, inputs);
        let is_read = |operation: &Operation| {
            Contract::of(words, operation.op).is_none_or(|contract| {
                let read = contract.row.reads.range(words.word_bits());
                let mut operands = operation.operands.iter();
                operands.all(|operand| read.contains(&ranges[operand.index()]))
            })
        };
        broken.is_empty() && block.operations.iter().all(is_read)
    })
}

/// The external linear layer; an internal round, with what leads into the first and out of the last; what is done
/// between some of them, where elements grow; and what basis these have.
struct Layers {
    linear: Block,
    internal: [Block; 3],
    normalise: Option<Block>,
    basis: Basis,
}

/// The greatest sum of a row's entries, where the layer is made of sums alone.
fn greatest_row(external: &ir::Block) -> Option<u64> {
    let mut sums = vec![1; external.inputs.len()];
    for operation in &external.operations {
        let FieldOp::Add(x, y) = operation.op else {
            return None;
        };
        sums.push(sums[x.index()] + sums[y.index()]);
    }
    external.outputs.iter().map(|v| sums[v.index()]).max()
}

/// Whether sums of so many elements are below 2^32 when they are folded, so that squares fit a word. Of such words an
/// S-box by long products leaves p and 2^32 at most, which is less than 3·2^31.
fn folds(words: &Field, row: u64) -> bool {
    (1 << 31) + 3 * row * ((1 << 31) - words.modulus) < 1 << 32
}

/// The Montgomery form of a residue, with p added if that makes it odd.
fn odd(words: &Field, residue: u64) -> u64 {
    let word = words.to_montgomery(residue);
    word + (1 - word % 2) * words.modulus
}

struct Lowering<'a> {
    instance: &'a Instance,
    words: &'static Field,
    /// Whether what leads into products is reduced, and nothing else.
    lazy: bool,
    /// Whether products are reduced by the square of the radix.
    long: bool,
    /// Whether what leads into an S-box is then folded.
    folds: bool,
    entries: Vec<Rational>,
    pairs: Vec<Pair>,
}

impl Lowering<'_> {
    fn poseidon2(&self, external: &ir::Block, strategy: Strategy) -> Result<Layers, Unsuited> {
        let row = greatest_row(external).ok_or(Unsuited::External(strategy))?;
        if !self.carries() && row > MOST {
            return Err(Unsuited::Row(strategy, row));
        }
        let growth = match strategy {
            Strategy::Rescaled52 => Some(self.growth(row).ok_or(Unsuited::Scale(strategy, row))?),
            _ => None,
        };
        let internal = match &growth {
            Some(growth) => self.growing_rounds(growth),
            None => [
                self.internal_round(),
                self.internal_enter(row),
                self.internal_leave(),
            ],
        };
        Ok(Layers {
            linear: self.external_linear(external),
            internal,
            normalise: match &growth {
                None => self.internal_normalise(),
                Some(_) => None,
            },
            basis: Basis {
                growth,
                ..self.pairs.clone().into()
            },
        })
    }

    /// A builder on the state, and its elements.
    fn state(&self, constant: bool) -> (Builder, Vec<Value>) {
        let width = self.instance.width;
        let constant = constant.then_some(Input::InnerConstant);
        let inputs = (0..width).map(Input::Inner).chain(constant);
        let b = Builder::on(self.words, inputs.collect());
        (b, (0..width as u32).map(Value).collect())
    }

    /// Whether the sum that a product is added to holds a carry: in `radix52` and `rescaled52`.
    fn carries(&self) -> bool {
        !self.lazy && !self.long
    }

    /// What a product starts with that is at least `multiple·p`: with the carry, or with what is subtracted.
    fn start(&self, b: &mut Builder, multiple: u64) -> Value {
        let p = self.words.modulus;
        b.word(match self.carries() {
            true => multiple * p + 1,
            false => (multiple + 1) * p,
        })
    }

    /// The same residue, in `radix32` as products take it.
    fn reduced(&self, b: &mut Builder, name: &str, x: Value) -> Value {
        match self.lazy {
            false => x,
            true => b.push(&format!("{name}.reduced"), MacroOp::Reduce, &[x]),
        }
    }

    /// `sum - 1 + factor·x` for a residue; in `radix32` and `radix64` the sum and what is above -p.
    fn add_scaled(&self, b: &mut Builder, name: &str, sum: Value, x: Value, factor: u64) -> Value {
        let form = self.words.to_montgomery(factor);
        let factor = b.word(match (self.lazy, self.long) {
            (true, _) => form,
            (_, true) => self.words.to_montgomery(form),
            _ => odd(self.words, factor),
        });
        b.push(name, MacroOp::MulAdd, &[sum, x, factor])
    }

    /// `multiple·p + factor·x` for a residue.
    fn scaled(&self, b: &mut Builder, name: &str, multiple: u64, x: Value, factor: u64) -> Value {
        let start = self.start(b, multiple);
        self.add_scaled(b, name, start, x, factor)
    }

    /// `3p` and the scale's multiple of the total. What follows waits for that, and a division takes less time
    /// than a product.
    fn scaled_total(&self, b: &mut Builder, name: &str, total: Value, scale: Rational) -> Value {
        let (residue, half) = (scale.residue(self.words), self.words.modulus.div_ceil(2));
        let is_it = |k: &u32| self.words.pow(half, u64::from(*k)) == residue;
        match self.words.odd_divisions().find(is_it) {
            Some(k) => {
                let start = b.word(3 * self.words.modulus);
                b.push(name, MacroOp::AddDiv2Exp(k), &[start, total])
            }
            None => {
                let total = self.reduced(b, name, total);
                self.scaled(b, name, 3, total, residue)
            }
        }
    }

    /// The S-box of the sum of an element and a constant. Products by `x` itself have it last in their
    /// operands, so that the multiple of `x` that reduces them is the same.
    fn sbox(&self, b: &mut Builder, site: &str, state: Value, constant: Value) -> Value {
        let rc = format!("{site}.rc");
        let x = b.push(&rc, MacroOp::Plus, &[state, constant]);
        if self.long {
            return self.long_sbox(b, site, x);
        }
        let x = self.reduced(b, &rc, x);
        let mut powers = BTreeMap::from([(1, x)]);
        let steps = ir::binary_powers(self.instance.alpha);
        for (power, [first, last]) in steps {
            let name = format!("{site}.sbox.x{power}");
            let [mut factor, x] = [powers[&first], powers[&last]];
            if self.lazy && power <= 3 {
                powers.insert(power, b.push(&name, MacroOp::Mul, &[factor, x]));
                continue;
            }
            let mut multiple = 0;
            if first == last && !self.lazy {
                factor = self.moved(b, &format!("{name}.p"), x);
                multiple = u64::from(first > 1);
            }
            let start = self.start(b, multiple);
            powers.insert(power, b.push(&name, MacroOp::MulAdd, &[start, factor, x]));
        }
        powers[&self.instance.alpha]
    }

    /// The S-box by products of three, of which two are the same.
    fn long_sbox(&self, b: &mut Builder, site: &str, x: Value) -> Value {
        let op = match self.folds {
            true => MacroOp::Fold,
            false => MacroOp::Reduce,
        };
        let x = b.push(&format!("{site}.rc.reduced"), op, &[x]);
        let (mut power, mut value) = (1, x);
        while power < self.instance.alpha {
            let name = format!("{site}.sbox.x{}", 2 * power);
            let square = b.push(&name, MacroOp::Product, &[value, value]);
            power = 2 * power + 1;
            let start = self.start(b, 0);
            let name = format!("{site}.sbox.x{power}");
            value = b.push(&name, MacroOp::MulAdd, &[start, square, x]);
        }
        value
    }

    /// 3p more than what is left of the tail of the sum. In `radix32` a half of it is reduced at a time where
    /// the whole might be too long.
    fn tail(&self, b: &mut Builder, tail: &[Value]) -> Value {
        let name = "internal.sum";
        if !self.lazy {
            let tail = b.sum(name, tail);
            return self.scaled(b, &format!("{name}.reduced"), 3, tail, 1);
        }
        let halves = if self.instance.width > 16 { 2 } else { 1 };
        let mut sum = b.word(3 * self.words.modulus);
        for half in tail.chunks(tail.len().div_ceil(halves)) {
            let half = b.sum(name, half);
            let half = self.reduced(b, name, half);
            sum = b.push(&format!("{name}.more"), MacroOp::Plus, &[half, sum]);
        }
        sum
    }

    /// `x + p`, which is odd where `x` is not.
    fn moved(&self, b: &mut Builder, name: &str, x: Value) -> Value {
        let p = b.word(self.words.modulus);
        b.push(name, MacroOp::Plus, &[x, p])
    }

    fn external_linear(&self, source: &ir::Block) -> Block {
        let (mut b, mut elements) = self.state(false);
        for operation in &source.operations {
            let FieldOp::Add(x, y) = operation.op else {
                unreachable!("the external linear layer adds");
            };
            let operands = [x, y].map(|x| elements[x.index()]);
            elements.push(b.push(&operation.name, MacroOp::Plus, &operands));
        }
        let outputs = source.outputs.iter().map(|v| elements[v.index()]);
        b.finish(BlockKind::ExternalLinear, outputs.collect())
    }

    fn external_sbox(&self) -> Block {
        let inputs = vec![Input::Inner(0), Input::InnerConstant];
        let mut b = Builder::on(self.words, inputs);
        let z = self.sbox(&mut b, "external[*]", Value(0), Value(1));
        b.finish(BlockKind::ExternalSbox, vec![z])
    }

    fn internal_round(&self) -> Block {
        let (mut b, s) = self.state(true);
        let is_difference = |i| self.pairs.iter().any(|pair| pair.difference == i);
        let summed: Vec<Value> = (1..s.len())
            .filter(|&i| !is_difference(i))
            .map(|i| s[i])
            .collect();
        let scale = self.instance.scale();
        let tail = match scale {
            None => self.tail(&mut b, &summed),
            Some(_) => b.sum("internal.sum", &summed),
        };
        let z = self.sbox(&mut b, "internal", s[0], Value(s.len() as u32));
        let mut total = b.push("internal.total", MacroOp::Plus, &[tail, z]);
        if let Some(scale) = scale {
            total = self.scaled_total(&mut b, "internal.scale", total, scale);
        }
        let more = match self.carries() {
            false => total,
            true => {
                let one = b.word(1);
                b.push("internal.total.carry", MacroOp::Plus, &[total, one])
            }
        };
        let mut outputs = s.clone();
        let paired = |i| self.pairs.iter().any(|p| p.sum == i || p.difference == i);
        let entries = self.entries.iter().enumerate();
        for (i, d) in entries.filter(|(i, _)| !paired(*i)) {
            let site = format!("internal.diag[{i}]");
            let x = if i == 0 { z } else { s[i] };
            outputs[i] = if i == 0 && *d == Rational::integer(-2) && scale.is_none() {
                b.push(&site, MacroOp::Minus, &[tail, z])
            } else {
                self.add_entry(&mut b, &site, [total, more], x, d)
            };
        }
        if !self.pairs.is_empty() {
            let twice = b.push("internal.twice", MacroOp::Plus, &[total, total]);
            let more = match self.carries() {
                false => twice,
                true => b.push("internal.twice.carry", MacroOp::Plus, &[total, more]),
            };
            for pair in &self.pairs {
                let square = self.square(pair);
                let site = format!("internal.pair[{}]", pair.sum);
                let x = s[pair.difference];
                outputs[pair.sum] = self.add_entry(&mut b, &site, [twice, more], x, &square);
                outputs[pair.difference] = s[pair.sum];
            }
        }
        b.finish(BlockKind::InternalRound, outputs)
    }
}

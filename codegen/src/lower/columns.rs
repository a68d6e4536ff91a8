//! Strategies `columns`, `redc`, `halves`, `limbs`, `accumulated` and `beside`: an element is `low + 2^32·high` in two
//! signed words; of `radix48` it is `low + 2^48·high`.
//!
//! The linear layers are additions and shifts that never carry from one column into the other and
//! are never reduced; ranges prove that they fit their words. An S-box takes one word, made by
//! `pack`, and leaves its last product in columns as it falls out of the multiplier. What differs
//! where the columns are [`limbs`](super::limbs) is said there.
//!
//! Products. Strategy `redc` reduces them from below: a product of two words in two words needs but
//! one subtraction of what its low half stands for, divided by `2^64`. That is an instruction or two
//! less than folding the high half, with one flag to correct in place of two; `ops/redc.rs` has the
//! arithmetic. The factors `2^-64` of all products of an S-box multiply to one, so that nothing else
//! differs: neither linear layers, nor constants, nor the words of the state.
//!
//! Halves. Vectors multiply halves of words, and signed ones as well. Strategy `halves` has factors of an S-box in
//! words whose halves are signed, as `ops/halves.rs` says; their products are reduced from below, too. Elements are
//! normalised by sums and shifts, as side by side.
//!
//! Signs. A column may be negative; `pack` and the division by a power of two ask for
//! non-negative ones, so a pair that stands for zero ([`Offset`]) is added before. Round constants
//! hold that pair already (block `constant`, executed once when they are set up).
//!
//! Growth. In an internal round element `i` becomes `S + d_i·x_i` with `S < 2^32` in both
//! columns: it grows by at most `|d_i|`. After as many rounds as ranges allow, the elements with
//! `|d_i| > 1` are packed and split again; the runs between are as even as they can be.
//!
//! Side by side. In `beside` both columns of an element are in one vector. What is the same in both is one sum of
//! vectors, and to normalise takes sums and shifts, too. A partial round adds what the S-box gives last: the sums of
//! the other elements are made while it is not there yet.
//!
//! Large entries. A number that is no small one, `c` of a scaled layer included, is multiplied by with a
//! word that is the same in all states, of the element as one word; what comes out is in columns as it
//! falls out of the multiplier.
//!
//! Pairs. Two elements with opposite entries `±n/2^s` are kept as their sum and `2^s` times their
//! difference, as [`Pair`] says: one grows by `n` with twice `S`, the other is `n` times the first.
//! Both of a pair of fractions are kept non-negative, since each is divided in turn. What leaves
//! the basis is halved, and normalised before if it grows, so that it is as small as other elements.

mod basis;
mod doublings;
mod linear;
mod products;

use super::parts::{Builder, Element};
use super::{Unsuited, in_longest_runs};
use crate::arith::{Across, Block, Pair, Program};
use crate::ir::{self, BlockKind, Input, Value};
use crate::names::{Part, Strategy};
use crate::ops::MacroOp;
use crate::params::{Instance, Linear, Mds, Offset, Rational};

/// Lowers a field-level program by one of these strategies.
///
/// # Errors
/// If the strategy's products do not make the S-box, or columns overflow however often they are
/// normalised; no Poseidon2 diagonal in use does that.
pub(super) fn lower(program: &ir::Program, strategy: Strategy) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    let alpha = instance.alpha;
    let pairs = match strategy {
        Strategy::Redc | Strategy::Halves | Strategy::Radix48 | Strategy::Beside
            if instance.field.pow(2, 64 * (alpha - 1)) != 1 =>
        {
            return Err(Unsuited::RedcSbox(strategy, alpha));
        }
        Strategy::Limbs | Strategy::Accumulated if alpha != 7 => {
            return Err(Unsuited::LimbsSbox(strategy, alpha));
        }
        Strategy::Limbs => Vec::new(),
        _ => Pair::of_columns(instance),
    };
    let lowering = Lowering {
        instance,
        entries: instance.entries(),
        strategy,
        pairs: &pairs,
    };
    let [external_linear, _, internal_round] = &program.blocks;
    let mut blocks = vec![
        lowering.external_linear(external_linear),
        lowering.external_sbox(),
        match &instance.linear {
            Linear::Poseidon2 { .. } => lowering.internal_round(),
            Linear::Poseidon1(mds) => lowering.partial_round(internal_round, mds),
        },
        lowering.enter(),
        lowering.leave(),
    ];
    if lowering.carries() || instance.internal().is_some() {
        blocks.push(lowering.internal_enter());
    }
    blocks.push(lowering.internal_normalise());
    if !pairs.is_empty() {
        blocks.push(lowering.internal_leave());
    }
    blocks.push(lowering.constant());
    let lowered = Program {
        instance: instance.clone(),
        blocks,
        parts: 2,
        radix: lowering.radix(),
        words: instance.field,
        flow: Vec::new(),
        basis: pairs.into(),
        across: None,
    };
    let mut lowered = in_longest_runs(lowered)?;
    lowered.across = (strategy == Strategy::Beside).then(|| Across::beside(&lowered));
    Ok(lowered)
}

struct Lowering<'a> {
    instance: &'a Instance,
    /// The diagonal, with the factor of the whole layer.
    entries: Vec<Rational>,
    strategy: Strategy,
    pairs: &'a [Pair],
}

impl Lowering<'_> {
    fn on_limbs(&self) -> bool {
        matches!(self.strategy, Strategy::Limbs | Strategy::Accumulated)
    }

    /// Whether elements are carried between sums, whatever the signs of their parts.
    fn carries(&self) -> bool {
        self.on_limbs() || self.strategy == Strategy::Radix48
    }

    /// What the high part weighs.
    fn radix(&self) -> u32 {
        match self.strategy {
            Strategy::Radix48 => 48,
            _ => 32,
        }
    }

    /// What makes parts of either sign non-negative where one word is made of them.
    fn wide(&self) -> Offset {
        match self.strategy {
            Strategy::Radix48 => Offset::Radix48,
            _ => Offset::Wide,
        }
    }

    /// A builder on some inputs.
    fn on(&self, inputs: Vec<Input>) -> Builder {
        Builder::on(self.instance.field, inputs).in_radix(self.radix())
    }

    /// A builder on the state, and its elements.
    fn state(&self, constant: bool) -> (Builder, Vec<Element>) {
        let width = self.instance.width;
        let b = Builder::new(self.instance.field, width, constant).in_radix(self.radix());
        let elements = (0..width).map(|i| b.element(i)).collect();
        (b, elements)
    }

    /// The diagonal without its first entry.
    fn tail(&self) -> impl Iterator<Item = (usize, &Rational)> {
        self.entries.iter().enumerate().skip(1)
    }

    /// Of the tail, the elements that are in a pair or not.
    fn paired(&self, paired: bool) -> impl Iterator<Item = (usize, &Rational)> {
        let is_paired = |i| self.pairs.iter().any(|p| p.sum == i || p.difference == i);
        self.tail().filter(move |(i, _)| is_paired(*i) == paired)
    }

    /// An element in columns of 32 bits, or limbs of about as many.
    fn normalised(&self, b: &mut Builder, name: &str, x: Element) -> Element {
        self.normalised_as(b, name, x, true)
    }

    /// The same, not negative where that is asked for.
    fn normalised_as(&self, b: &mut Builder, name: &str, x: Element, positive: bool) -> Element {
        if self.carries() {
            return b.carry(&format!("{name}.carry"), x);
        }
        let x = self.offset(b, &format!("{name}.offset"), x, self.wide());
        if matches!(self.strategy, Strategy::Beside | Strategy::Halves) {
            return b.carry_down(name, x, positive);
        }
        let x = b.pack(&format!("{name}.pack"), x);
        b.split(&format!("{name}.split"), x)
    }

    /// An element and what stands for zero. Side by side that is a vector of two words.
    fn offset(&self, b: &mut Builder, name: &str, x: Element, offset: Offset) -> Element {
        match self.strategy {
            Strategy::Beside => {
                let words = Part::BOTH.map(|part| b.word(offset.value(part).cast_unsigned()));
                b.plus(name, x, words)
            }
            _ => b.offset(name, x, offset),
        }
    }

    /// Whether a multiple by it is made of shifts and sums, and so larger each round.
    fn grows(&self, d: &Rational) -> bool {
        d.is_small(self.instance.field) && d.grows()
    }

    /// `x / 2^k`.
    fn divided(&self, b: &mut Builder, site: &str, x: Element, k: u32) -> Element {
        let op = match self.strategy {
            Strategy::Radix48 if k > 16 => {
                let x = self.divided(b, site, x, k - 16);
                return self.divided(b, &format!("{site}.again"), x, 16);
            }
            Strategy::Beside => return b.divided_beside(&format!("{site}.div2exp"), x, k),
            Strategy::Radix48 => MacroOp::Div2ExpRadix48(k),
            _ if self.on_limbs() => MacroOp::Div2ExpSigned(k),
            _ => MacroOp::Div2ExpColumns(k),
        };
        b.pair_of(&format!("{site}.div2exp"), op, &[x])
    }

    /// What elements that are divided are added to: it keeps them non-negative where that is asked
    /// for.
    fn raised(&self, b: &mut Builder, name: &str, x: Element, paired: bool) -> Element {
        if !self.carries() && self.paired(paired).any(|(_, d)| d.shift > 0) {
            self.offset(b, name, x, Offset::Narrow)
        } else {
            x
        }
    }

    /// State words into parts.
    fn enter(&self) -> Block {
        let width = self.instance.width;
        let mut b = self.on((0..width).map(Input::State).collect());
        let split = |i| b.split(&format!("enter.split[{i}]"), Value(i as u32));
        let outputs = (0..width).flat_map(split).collect();
        b.finish(BlockKind::Enter, outputs)
    }

    fn leave(&self) -> Block {
        let (mut b, s) = self.state(false);
        let packed = s.into_iter().enumerate().map(|(i, x)| {
            let x = self.offset(&mut b, &format!("leave.offset[{i}]"), x, self.wide());
            b.pack(&format!("leave.pack[{i}]"), x)
        });
        let outputs = packed.collect();
        b.finish(BlockKind::Leave, outputs)
    }

    fn external_sbox(&self) -> Block {
        let mut b = Builder::new(self.instance.field, 1, true).in_radix(self.radix());
        let (state, constant) = (b.element(0), b.element(1));
        let z = self.sbox(&mut b, "external[*]", state, constant);
        b.finish(BlockKind::ExternalSbox, z.to_vec())
    }

    /// A partial round of Poseidon1.
    fn partial_round(&self, source: &ir::Block, mds: &Mds) -> Block {
        let (mut b, mut elements) = self.state(true);
        let (width, constant) = (elements.len(), b.element(elements.len()));
        let mut z = self.sbox(&mut b, "internal", elements[0], constant);
        if self.on_limbs() {
            // Else it would decide how long a run is.
            z = b.carry("internal.sbox.carry", z);
        }
        // What the source has before its linear layer ends in the S-box.
        let before = 1 + ir::powers(self.instance.alpha).len();
        let linear = &source.operations[before..];
        let made = match self.strategy {
            Strategy::Beside => [b.word(0); 2],
            _ => z,
        };
        elements.resize(width + 1 + before, made);
        let mut outputs = self.linear(&mut b, source, linear, elements);
        if self.strategy == Strategy::Beside {
            self.add_column(&mut b, &mut outputs, mds, z);
        }
        b.finish(BlockKind::InternalRound, outputs.concat())
    }

    fn internal_round(&self) -> Block {
        let (mut b, s) = self.state(true);
        let constant = b.element(s.len());
        let z = self.sbox(&mut b, "internal", s[0], constant);
        let is_difference = |i| self.pairs.iter().any(|pair| pair.difference == i);
        let summed = (1..s.len()).filter(|&i| !is_difference(i));
        let summed: Vec<Element> = summed.map(|i| s[i]).collect();
        let tail = b.sum_of("internal.sum", &summed);
        let mut total = b.plus(&format!("internal.sum[{}]", summed.len() - 1), tail, z);
        let scale = self.instance.scale();
        if let Some(scale) = scale {
            let scale = scale.residue(self.instance.field);
            total = self.multiplied(&mut b, "internal.scale", total, scale);
        }
        // What is divided is added to it raised.
        let positive = self.strategy == Strategy::Beside;
        let total = self.normalised_as(&mut b, "internal.total", total, positive);
        let raised = self.raised(&mut b, "internal.total.raised", total, false);
        let mut outputs = s.clone();
        let first = std::iter::once((0, &self.entries[0]));
        for (i, d) in first.chain(self.paired(false)) {
            let site = format!("internal.diag[{i}]");
            if i == 0 && *d == Rational::integer(-2) && scale.is_none() {
                outputs[i] = b.minus(&format!("{site}.0"), tail, z);
                continue;
            }
            let mut x = if i == 0 { z } else { s[i] };
            if !d.is_small(self.instance.field) {
                let residue = d.residue(self.instance.field);
                x = self.multiplied(&mut b, &site, x, residue);
                outputs[i] = b.plus(&site, total, x);
                continue;
            }
            let mut sum = total;
            if d.shift > 0 {
                if i == 0 && !self.carries() {
                    x = self.offset(&mut b, &format!("{site}.offset"), x, Offset::Narrow);
                }
                x = self.divided(&mut b, &site, x, d.shift);
                sum = raised;
            }
            outputs[i] = b.accumulate(&site, Some(sum), x, d.numerator, d.negative);
        }
        if !self.pairs.is_empty() {
            let twice = b.shifted("internal.twice", total, 1);
            let raised = self.raised(&mut b, "internal.twice.raised", twice, true);
            for &Pair {
                sum,
                difference,
                shift,
                ..
            } in self.pairs
            {
                let n = self.entries[sum].numerator;
                let site = format!("internal.pair[{sum}]");
                let (x, base) = match shift {
                    0 => (s[difference], twice),
                    _ => (
                        self.divided(&mut b, &site, s[difference], 2 * shift),
                        raised,
                    ),
                };
                outputs[sum] = b.accumulate(&site, Some(base), x, n, false);
                let site = format!("{site}.multiple");
                outputs[difference] = b.accumulate(&site, None, s[sum], n, false);
            }
        }
        b.finish(BlockKind::InternalRound, outputs.concat())
    }

    /// Elements that grow in internal rounds, those of Poseidon1 all.
    fn growing(&self) -> Vec<usize> {
        match &self.instance.linear {
            Linear::Poseidon2 { .. } => {
                let growing = self.tail().filter(|(_, d)| self.grows(d));
                growing.map(|(i, _)| i).collect()
            }
            Linear::Poseidon1(_) => (1..self.instance.width).collect(),
        }
    }

    /// Elements that internal rounds multiply are brought back to 32 bits a column.
    fn internal_normalise(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for i in self.growing() {
            outputs[i] = if self.on_limbs() {
                b.carry(&format!("internal-normalise.carry[{i}]"), outputs[i])
            } else {
                self.normalised(&mut b, &format!("internal.normalise[{i}]"), outputs[i])
            };
        }
        b.finish(BlockKind::InternalNormalise, outputs.concat())
    }

    /// A round constant in columns, with the pair that makes sums with it non-negative.
    fn constant(&self) -> Block {
        let mut b = self.on(vec![Input::Constant]);
        let x = b.split("constant.split", Value(0));
        let offset = if self.on_limbs() {
            Offset::Limb
        } else if self.strategy == Strategy::Halves {
            Offset::Halves
        } else {
            self.wide()
        };
        let x = b.offset("constant.offset", x, offset);
        b.finish(BlockKind::Constant, x.to_vec())
    }
}

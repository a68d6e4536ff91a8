//! Strategies `columns`, `redc` and `limbs`: an element is `low + 2^32·high` in two signed words.
//!
//! The linear layers are additions and shifts that never carry from one column into the other and
//! are never reduced; ranges prove that they fit their words. An S-box takes one word, made by
//! `pack`, and leaves its last product in columns as it falls out of the multiplier. What differs
//! where the columns are [`limbs`](super::limbs) is said there.
//!
//! Products. Strategy `redc` reduces them from below: a product of two words in two words needs but
//! one subtraction of what its low half stands for, divided by `2^64`. That is an instruction or two
//! less than folding the high half, with one flag to mend in place of two; `ops/redc.rs` has the
//! arithmetic. The factors `2^-64` of all products of an S-box multiply to one, so that nothing else
//! differs: neither linear layers, nor constants, nor the words of the state.
//!
//! Signs. A column may be negative; `pack` and the division by a power of two ask for
//! non-negative ones, so a pair that stands for zero ([`Offset`]) is added before. Round constants
//! hold that pair already (block `constant`, executed once when they are set up).
//!
//! Growth. In an internal round element `i` becomes `S + d_i·x_i` with `S < 2^32` in both
//! columns: it grows by at most `|d_i|`. After as many rounds as ranges allow, the elements with
//! `|d_i| > 1` are packed and split again; the runs between are as even as they can be.
//!
//! Pairs. Two elements with opposite entries `±n/2^s` are kept as their sum and `2^s` times their
//! difference, as [`Pair`] says: one grows by `n` with twice `S`, the other is `n` times the first.
//! Both of a pair of fractions are kept non-negative, since each is divided in turn. What leaves
//! the basis is halved, and normalised before if it grows, so that it is as small as other elements.

use super::Unsuited;
use super::parts::{Builder, Element, Products, enter, external_linear, leave, longest_runs};
use crate::arith::{Block, MacroOp, Pair, Program};
use crate::ir::{self, BlockKind, Input, Value};
use crate::params::{Instance, Offset, Rational};

/// Lowers a field-level program, with products that are reduced in some way.
///
/// # Errors
/// If products of that kind do not make the S-box, or columns overflow however often they are
/// normalised; no Poseidon2 diagonal in use does that.
pub(super) fn lower(program: &ir::Program, products: Products) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    let alpha = instance.alpha;
    let pairs = match products {
        Products::Redc if instance.field.pow(2, 64 * (alpha - 1)) != 1 => {
            return Err(Unsuited::RedcSbox(alpha));
        }
        Products::Limbs if alpha != 7 => return Err(Unsuited::LimbsSbox(alpha)),
        Products::Limbs => Vec::new(),
        Products::Folded | Products::Redc => Pair::all(instance),
    };
    let lowering = Lowering {
        instance,
        products,
        pairs: &pairs,
    };
    let mut blocks = vec![
        external_linear(&program.blocks[0]),
        lowering.external_sbox(),
        lowering.internal_round(),
        enter(instance.width),
        leave(instance.width),
        lowering.internal_enter(),
        lowering.internal_normalise(),
    ];
    if !pairs.is_empty() {
        blocks.push(lowering.internal_leave());
    }
    blocks.push(lowering.constant());
    let mut lowered = Program {
        instance: instance.clone(),
        blocks,
        parts: 2,
        flow: Vec::new(),
        pairs,
    };
    longest_runs(&mut lowered)?;
    Ok(lowered)
}

struct Lowering<'a> {
    instance: &'a Instance,
    products: Products,
    pairs: &'a [Pair],
}

impl Lowering<'_> {
    fn on_limbs(&self) -> bool {
        self.products == Products::Limbs
    }

    /// A builder on the state, and its elements.
    fn state(&self, constant: bool) -> (Builder, Vec<Element>) {
        let width = self.instance.width;
        let b = Builder::new(width, constant);
        let elements = (0..width).map(|i| b.element(i)).collect();
        (b, elements)
    }

    /// The diagonal without its first entry.
    fn tail(&self) -> impl Iterator<Item = (usize, &Rational)> {
        self.instance.diagonal.iter().enumerate().skip(1)
    }

    /// Of the tail, the elements that are in a pair or not.
    fn paired(&self, paired: bool) -> impl Iterator<Item = (usize, &Rational)> {
        let is_paired = |i| self.pairs.iter().any(|p| p.sum == i || p.difference == i);
        self.tail().filter(move |(i, _)| is_paired(*i) == paired)
    }

    /// The S-box of the sum of an element and a constant.
    fn sbox(&self, b: &mut Builder, site: &str, state: Element, constant: Element) -> Element {
        let (rc, sbox) = (format!("{site}.rc"), format!("{site}.sbox"));
        let x = b.plus(&rc, state, constant);
        if self.on_limbs() {
            let x = b.carry(&format!("{rc}.carry"), x);
            return b.sbox_limbs(&sbox, x);
        }
        let x = b.pack(&format!("{rc}.pack"), x);
        b.sbox(&sbox, x, self.instance.alpha, self.products)
    }

    /// An element in columns of 32 bits, or limbs of about as many.
    fn normalised(&self, b: &mut Builder, name: &str, x: Element) -> Element {
        if self.on_limbs() {
            return b.carry(&format!("{name}.carry"), x);
        }
        let x = b.offset(&format!("{name}.offset"), x, Offset::Wide);
        let x = b.pack(&format!("{name}.pack"), x);
        b.split(&format!("{name}.split"), x)
    }

    /// `x / 2^k`.
    fn divided(&self, b: &mut Builder, site: &str, x: Element, k: u32) -> Element {
        let op = match self.products {
            Products::Limbs => MacroOp::Div2ExpSigned(k),
            Products::Folded | Products::Redc => MacroOp::Div2ExpColumns(k),
        };
        b.pair_of(&format!("{site}.div2exp"), op, &[x])
    }

    /// What elements that are divided are added to: it keeps them non-negative where that is asked
    /// for.
    fn raised(&self, b: &mut Builder, name: &str, x: Element, paired: bool) -> Element {
        if !self.on_limbs() && self.paired(paired).any(|(_, d)| d.shift > 0) {
            b.offset(name, x, Offset::Narrow)
        } else {
            x
        }
    }

    fn external_sbox(&self) -> Block {
        let mut b = Builder::new(1, true);
        let (state, constant) = (b.element(0), b.element(1));
        let z = self.sbox(&mut b, "external[*]", state, constant);
        b.finish(BlockKind::ExternalSbox, &[z])
    }

    fn internal_round(&self) -> Block {
        let (mut b, s) = self.state(true);
        let constant = b.element(s.len());
        let z = self.sbox(&mut b, "internal", s[0], constant);
        let is_difference = |i| self.pairs.iter().any(|pair| pair.difference == i);
        let summed = (1..s.len()).filter(|&i| !is_difference(i));
        let summed: Vec<Element> = summed.map(|i| s[i]).collect();
        let tail = b.sum_of("internal.sum", &summed);
        let total = b.plus(&format!("internal.sum[{}]", summed.len() - 1), tail, z);
        let total = self.normalised(&mut b, "internal.total", total);
        let raised = self.raised(&mut b, "internal.total.raised", total, false);
        let mut outputs = s.clone();
        let first = std::iter::once((0, &self.instance.diagonal[0]));
        for (i, d) in first.chain(self.paired(false)) {
            let site = format!("internal.diag[{i}]");
            if i == 0 && *d == Rational::integer(-2) {
                outputs[i] = b.minus(&format!("{site}.0"), tail, z);
                continue;
            }
            let mut x = if i == 0 { z } else { s[i] };
            let mut sum = total;
            if d.shift > 0 {
                if i == 0 && !self.on_limbs() {
                    x = b.offset(&format!("{site}.offset"), x, Offset::Narrow);
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
            } in self.pairs
            {
                let n = self.instance.diagonal[sum].numerator;
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
        b.finish(BlockKind::InternalRound, &outputs)
    }

    /// Into the basis of internal rounds; elements that they divide become non-negative, and stay
    /// so. Limbs are carried.
    fn internal_enter(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for pair in self.pairs {
            let site = format!("internal.enter.pair[{}]", pair.sum);
            let (x, y) = (outputs[pair.sum], outputs[pair.difference]);
            outputs[pair.sum] = b.plus(&format!("{site}.sum"), x, y);
            let difference = b.minus(&format!("{site}.difference"), x, y);
            outputs[pair.difference] = match pair.shift {
                0 => difference,
                k => b.shifted(&format!("{site}.difference"), difference, k),
            };
        }
        for (i, d) in self.tail() {
            if self.on_limbs() {
                outputs[i] = b.carry(&format!("internal-enter.carry[{i}]"), outputs[i]);
            } else if d.shift > 0 {
                let scaled = self.pairs.iter().any(|pair| pair.difference == i);
                let offset = if scaled { Offset::Wide } else { Offset::Narrow };
                outputs[i] = b.offset(&format!("internal.enter[{i}]"), outputs[i], offset);
            }
        }
        b.finish(BlockKind::InternalEnter, &outputs)
    }

    /// Back from the basis of internal rounds.
    fn internal_leave(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for pair in self.pairs {
            let site = format!("internal.leave[{}]", pair.sum);
            let mut halved = |part: &str, i: usize, k: u32| {
                let site = format!("{site}.{part}");
                let mut x = outputs[i];
                if pair.shift == 0 {
                    x = self.normalised(&mut b, &site, x);
                }
                self.divided(&mut b, &site, x, k)
            };
            let sum = halved("sum", pair.sum, 1);
            let difference = halved("difference", pair.difference, pair.shift + 1);
            outputs[pair.sum] = b.plus(&format!("{site}.plus"), sum, difference);
            outputs[pair.difference] = b.minus(&format!("{site}.minus"), sum, difference);
        }
        b.finish(BlockKind::InternalLeave, &outputs)
    }

    /// Elements that internal rounds multiply are brought back to 32 bits a column.
    fn internal_normalise(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for (i, _) in self.tail().filter(|(_, d)| d.grows()) {
            outputs[i] = if self.on_limbs() {
                b.carry(&format!("internal-normalise.carry[{i}]"), outputs[i])
            } else {
                self.normalised(&mut b, &format!("internal.normalise[{i}]"), outputs[i])
            };
        }
        b.finish(BlockKind::InternalNormalise, &outputs)
    }

    /// A round constant in columns, with the pair that makes sums with it non-negative.
    fn constant(&self) -> Block {
        let mut b = Builder::on(vec![Input::Constant]);
        let x = b.split("constant.split", Value(0));
        let offset = if self.on_limbs() {
            Offset::Limb
        } else {
            Offset::Wide
        };
        let x = b.offset("constant.offset", x, offset);
        b.finish(BlockKind::Constant, &[x])
    }
}

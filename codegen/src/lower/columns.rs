//! Strategy `columns`: an element is `low + 2^32·high` in two signed words.
//!
//! The linear layers are additions and shifts that never carry from one column into the other and
//! are never reduced; ranges prove that they fit their words. An S-box takes one word, made by
//! `pack`, and leaves its last product in columns as it falls out of the multiplier.
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
use super::parts::{Builder, Element, Products, enter, external_linear, leave, longest_runs, tail};
use crate::arith::{Block, MacroOp, Pair, Program};
use crate::ir::{self, BlockKind, Value};
use crate::params::Offset;
use crate::params::{Instance, Rational};

/// Lowers a field-level program, with products that are reduced in some way.
///
/// # Errors
/// If columns overflow however often they are normalised; no Poseidon2 diagonal in use does that.
pub(super) fn lower(program: &ir::Program, products: Products) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    let pairs = Pair::all(instance);
    let mut blocks = vec![
        external_linear(&program.blocks[0]),
        external_sbox(instance, products),
        internal_round(instance, &pairs, products),
        enter(instance.width),
        leave(instance.width),
        internal_enter(instance, &pairs),
        internal_normalise(instance),
    ];
    if !pairs.is_empty() {
        blocks.push(internal_leave(instance, &pairs));
    }
    blocks.push(constant());
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

fn external_sbox(instance: &Instance, products: Products) -> Block {
    let mut b = Builder::new(1, true);
    let (state, constant) = (b.element(0), b.element(1));
    let x = b.plus("external[*].rc", state, constant);
    let x = b.pack("external[*].rc.pack", x);
    let z = b.sbox("external[*].sbox", x, instance.alpha, products);
    b.finish(BlockKind::ExternalSbox, &[z])
}

fn internal_round(instance: &Instance, pairs: &[Pair], products: Products) -> Block {
    let width = instance.width;
    let mut b = Builder::new(width, true);
    let s: Vec<Element> = (0..width).map(|i| b.element(i)).collect();
    let constant = b.element(width);
    let x = b.plus("internal.rc", s[0], constant);
    let x = b.pack("internal.rc.pack", x);
    let z = b.sbox("internal.sbox", x, instance.alpha, products);
    let differences = || pairs.iter().map(|pair| pair.difference);
    let summed = (1..width).filter(|i| differences().all(|d| d != *i));
    let summed: Vec<Element> = summed.map(|i| s[i]).collect();
    let tail = b.sum_of("internal.sum", &summed);
    let total = b.plus(&format!("internal.sum[{}]", summed.len() - 1), tail, z);
    let total = b.offset("internal.total.offset", total, Offset::Wide);
    let total = b.pack("internal.total.pack", total);
    let total = b.split("internal.total.split", total);
    let divides = |pair: bool| {
        let mut diagonal = tail_of(instance, pairs, pair);
        diagonal.any(|(_, d)| d.shift > 0)
    };
    let raise = |b: &mut Builder, name: &str, total: Element, divides: bool| {
        if divides {
            b.offset(name, total, Offset::Narrow)
        } else {
            total
        }
    };
    let raised = raise(&mut b, "internal.total.raised", total, divides(false));
    let mut outputs = s.clone();
    let first = std::iter::once((0, &instance.diagonal[0]));
    for (i, d) in first.chain(tail_of(instance, pairs, false)) {
        let site = format!("internal.diag[{i}]");
        outputs[i] = if i == 0 && *d == Rational::integer(-2) {
            b.minus(&format!("{site}.0"), tail, z)
        } else {
            let mut x = if i == 0 { z } else { s[i] };
            if d.shift > 0 {
                if i == 0 {
                    x = b.offset(&format!("{site}.offset"), x, Offset::Narrow);
                }
                let op = MacroOp::Div2ExpColumns(d.shift);
                x = b.pair(&format!("{site}.div2exp"), op, &[x.low, x.high]);
            }
            let sum = if d.shift > 0 { raised } else { total };
            b.accumulate(&site, sum, x, d)
        };
    }
    if !pairs.is_empty() {
        let twice = b.shifted("internal.twice", total, 1);
        let raised = raise(&mut b, "internal.twice.raised", twice, divides(true));
        for pair in pairs {
            let d = &instance.diagonal[pair.sum];
            let (sum, difference) = (pair.sum, pair.difference);
            let site = format!("internal.pair[{sum}]");
            let mut x = s[difference];
            if d.shift > 0 {
                let op = MacroOp::Div2ExpColumns(2 * d.shift);
                x = b.pair(&format!("{site}.div2exp"), op, &[x.low, x.high]);
            }
            let base = if d.shift > 0 { raised } else { twice };
            outputs[sum] = b.accumulate(&site, base, x, d);
            outputs[difference] = b.multiple(&format!("{site}.multiple"), s[sum], d.numerator);
        }
    }
    b.finish(BlockKind::InternalRound, &outputs)
}

/// The diagonal without its first entry, of the elements that are in a pair or not.
fn tail_of<'a>(
    instance: &'a Instance,
    pairs: &'a [Pair],
    paired: bool,
) -> impl Iterator<Item = (usize, &'a Rational)> {
    let is_paired = |i: usize| pairs.iter().any(|p| p.sum == i || p.difference == i);
    tail(instance).filter(move |(i, _)| is_paired(*i) == paired)
}

/// Into the basis of internal rounds; elements that they divide become non-negative, and stay so.
fn internal_enter(instance: &Instance, pairs: &[Pair]) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for pair in pairs {
        let site = format!("internal.enter.pair[{}]", pair.sum);
        let (x, y) = (outputs[pair.sum], outputs[pair.difference]);
        outputs[pair.sum] = b.plus(&format!("{site}.sum"), x, y);
        let difference = b.minus(&format!("{site}.difference"), x, y);
        outputs[pair.difference] = match pair.shift {
            0 => difference,
            k => b.shifted(&format!("{site}.difference"), difference, k),
        };
    }
    for (i, _) in tail(instance).filter(|(_, d)| d.shift > 0) {
        let name = format!("internal.enter[{i}]");
        let scaled = pairs.iter().any(|pair| pair.difference == i);
        let offset = if scaled { Offset::Wide } else { Offset::Narrow };
        outputs[i] = b.offset(&name, outputs[i], offset);
    }
    b.finish(BlockKind::InternalEnter, &outputs)
}

/// Back from the basis of internal rounds.
fn internal_leave(instance: &Instance, pairs: &[Pair]) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for pair in pairs {
        let site = format!("internal.leave[{}]", pair.sum);
        let mut halved = |part: &str, i: usize, k: u32| {
            let site = format!("{site}.{part}");
            let mut x = outputs[i];
            if pair.shift == 0 {
                x = normalised(&mut b, &site, x);
            }
            let op = MacroOp::Div2ExpColumns(k);
            b.pair(&format!("{site}.div2exp"), op, &[x.low, x.high])
        };
        let sum = halved("sum", pair.sum, 1);
        let difference = halved("difference", pair.difference, pair.shift + 1);
        outputs[pair.sum] = b.plus(&format!("{site}.plus"), sum, difference);
        outputs[pair.difference] = b.minus(&format!("{site}.minus"), sum, difference);
    }
    b.finish(BlockKind::InternalLeave, &outputs)
}

/// Elements that internal rounds multiply are brought back to 32 bits a column.
fn internal_normalise(instance: &Instance) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| d.grows()) {
        let name = format!("internal.normalise[{i}]");
        outputs[i] = normalised(&mut b, &name, outputs[i]);
    }
    b.finish(BlockKind::InternalNormalise, &outputs)
}

/// An element in columns of 32 bits.
fn normalised(b: &mut Builder, name: &str, x: Element) -> Element {
    let x = b.offset(&format!("{name}.offset"), x, Offset::Wide);
    let x = b.pack(&format!("{name}.pack"), x);
    b.split(&format!("{name}.split"), x)
}

/// A round constant in columns, with the pair that makes sums with it non-negative.
fn constant() -> Block {
    let mut b = Builder::of_constant();
    let x = b.split("constant.split", Value(0));
    let x = b.offset("constant.offset", x, Offset::Wide);
    b.finish(BlockKind::Constant, &[x])
}

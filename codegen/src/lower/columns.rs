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

use super::parts::{Builder, Element, NoRuns, enter, external_linear, leave, longest_runs, tail};
use crate::arith::{Block, MacroOp, Offset, Program};
use crate::ir::{self, BlockKind, Value};
use crate::params::{Instance, Rational};

/// Lowers a field-level program.
///
/// # Errors
/// If columns overflow however often they are normalised; no Poseidon2 diagonal in use does that.
pub fn lower(program: &ir::Program) -> Result<Program, NoRuns> {
    let instance = &program.instance;
    let mut lowered = Program {
        instance: instance.clone(),
        blocks: vec![
            external_linear(&program.blocks[0]),
            external_sbox(instance),
            internal_round(instance),
            enter(instance.width),
            leave(instance.width),
            internal_enter(instance),
            internal_normalise(instance),
            constant(),
        ],
        parts: 2,
        runs: Vec::new(),
    };
    longest_runs(&mut lowered)?;
    Ok(lowered)
}

fn external_sbox(instance: &Instance) -> Block {
    let mut b = Builder::new(1, true);
    let (state, constant) = (b.element(0), b.element(1));
    let x = b.plus("external[*].rc", state, constant);
    let x = b.pack("external[*].rc.pack", x);
    let z = b.sbox("external[*].sbox", x, instance.alpha);
    b.finish(BlockKind::ExternalSbox, &[z])
}

fn internal_round(instance: &Instance) -> Block {
    let width = instance.width;
    let mut b = Builder::new(width, true);
    let s: Vec<Element> = (0..width).map(|i| b.element(i)).collect();
    let constant = b.element(width);
    let x = b.plus("internal.rc", s[0], constant);
    let x = b.pack("internal.rc.pack", x);
    let z = b.sbox("internal.sbox", x, instance.alpha);
    let tail = b.sum_of_tail(&s);
    let total = b.plus(&format!("internal.sum[{}]", width - 2), tail, z);
    let total = b.offset("internal.total.offset", total, Offset::Wide);
    let total = b.pack("internal.total.pack", total);
    let total = b.split("internal.total.split", total);
    let divides = instance.diagonal.iter().any(|d| d.shift > 0);
    let raised = if divides {
        b.offset("internal.total.raised", total, Offset::Narrow)
    } else {
        total
    };
    let mut outputs = Vec::with_capacity(width);
    for (i, d) in instance.diagonal.iter().enumerate() {
        let site = format!("internal.diag[{i}]");
        let output = if i == 0 && *d == Rational::integer(-2) {
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
        outputs.push(output);
    }
    b.finish(BlockKind::InternalRound, &outputs)
}

/// Elements that internal rounds divide become non-negative, and stay so.
fn internal_enter(instance: &Instance) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| d.shift > 0) {
        let name = format!("internal.enter[{i}]");
        outputs[i] = b.offset(&name, outputs[i], Offset::Narrow);
    }
    b.finish(BlockKind::InternalEnter, &outputs)
}

/// Elements that internal rounds multiply are brought back to 32 bits a column.
fn internal_normalise(instance: &Instance) -> Block {
    let mut b = Builder::new(instance.width, false);
    let mut outputs: Vec<Element> = (0..instance.width).map(|i| b.element(i)).collect();
    for (i, _) in tail(instance).filter(|(_, d)| d.grows()) {
        let name = format!("internal.normalise[{i}]");
        let x = b.offset(&format!("{name}.offset"), outputs[i], Offset::Wide);
        let x = b.pack(&format!("{name}.pack"), x);
        outputs[i] = b.split(&format!("{name}.split"), x);
    }
    b.finish(BlockKind::InternalNormalise, &outputs)
}

/// A round constant in columns, with the pair that makes sums with it non-negative.
fn constant() -> Block {
    let mut b = Builder::of_constant();
    let x = b.split("constant.split", Value(0));
    let x = b.offset("constant.offset", x, Offset::Wide);
    b.finish(BlockKind::Constant, &[x])
}

//! From an instance to its field-level program.

use super::{Block, BlockKind, FieldOp, Input, Operation, Program, Value};
use crate::params::{Instance, Rational};
use std::collections::BTreeMap;

impl Program {
    /// Builds the permutation of an instance.
    #[must_use]
    pub fn build(instance: &Instance) -> Self {
        Self {
            instance: instance.clone(),
            blocks: [
                external_linear(instance.width),
                external_sbox(instance.alpha),
                internal_round(instance),
            ],
        }
    }
}

/// The powers that lead to `x^alpha`, as [`binary_powers`] has them; `x⁷` as `(x²·x)·(x²)²`, which is
/// sooner there.
pub fn powers(alpha: u64) -> Vec<(u64, [u64; 2])> {
    if alpha == 7 {
        return vec![(2, [1, 1]), (3, [2, 1]), (4, [2, 2]), (7, [3, 4])];
    }
    binary_powers(alpha)
}

/// The powers that lead to `x^alpha`, each with the two that it is the product of: squarings and
/// products by `x`, left to right.
pub fn binary_powers(alpha: u64) -> Vec<(u64, [u64; 2])> {
    let mut powers = Vec::new();
    for bit in (0..alpha.ilog2()).rev() {
        let done = alpha >> (bit + 1);
        powers.push((2 * done, [done, done]));
        if alpha >> bit & 1 == 1 {
            powers.push((2 * done + 1, [2 * done, 1]));
        }
    }
    powers
}

struct Builder {
    inputs: Vec<Input>,
    operations: Vec<Operation>,
}

impl Builder {
    fn new(inputs: Vec<Input>) -> Self {
        Self {
            inputs,
            operations: Vec::new(),
        }
    }

    fn push(&mut self, name: impl Into<String>, op: FieldOp) -> Value {
        let result = Value((self.inputs.len() + self.operations.len()) as u32);
        self.operations.push(Operation {
            name: name.into(),
            op,
            result,
        });
        result
    }

    fn add(&mut self, name: impl Into<String>, a: Value, b: Value) -> Value {
        self.push(name, FieldOp::Add(a, b))
    }

    fn sub(&mut self, name: impl Into<String>, a: Value, b: Value) -> Value {
        self.push(name, FieldOp::Sub(a, b))
    }

    fn sbox(&mut self, name: &str, x: Value, alpha: u64) -> Value {
        let mut values = BTreeMap::from([(1, x)]);
        for (power, factors) in powers(alpha) {
            let [x, y] = factors.map(|factor| values[&factor]);
            let op = match x == y {
                true => FieldOp::Square(x),
                false => FieldOp::Mul(x, y),
            };
            values.insert(power, self.push(format!("{name}.x{power}"), op));
        }
        values[&alpha]
    }

    fn finish(self, kind: BlockKind, outputs: Vec<Value>) -> Block {
        Block {
            kind,
            inputs: self.inputs,
            operations: self.operations,
            outputs,
        }
    }
}

/// M4 = circ(2, 3, 1, 1) on each block of four with 11 additions, then to each element the sum of
/// the elements at its position over all blocks (eprint 2023/323, section 5.1).
fn external_linear(width: usize) -> Block {
    let mut b = Builder::new((0..width).map(Input::State).collect());
    let mut y = Vec::with_capacity(width);
    for k in 0..width / 4 {
        let x = [0, 1, 2, 3].map(|i| Value((4 * k + i) as u32));
        let site = |t: &str| format!("external[*].mds.block[{k}].{t}");
        let t01 = b.add(site("t01"), x[0], x[1]);
        let t23 = b.add(site("t23"), x[2], x[3]);
        let t0123 = b.add(site("t0123"), t01, t23);
        let t01123 = b.add(site("t01123"), t0123, x[1]);
        let t01233 = b.add(site("t01233"), t0123, x[3]);
        let y0 = b.add(site("y0"), t01123, t01);
        let y1 = b.add(site("y1.0"), t01123, x[2]);
        let y1 = b.add(site("y1.1"), y1, x[2]);
        let y2 = b.add(site("y2"), t01233, t23);
        let y3 = b.add(site("y3.0"), t01233, x[0]);
        let y3 = b.add(site("y3.1"), y3, x[0]);
        y.extend([y0, y1, y2, y3]);
    }
    if width == 4 {
        return b.finish(BlockKind::ExternalLinear, y);
    }
    let sums: Vec<Value> = (0..4)
        .map(|j| {
            (1..width / 4).fold(y[j], |sum, k| {
                b.add(
                    format!("external[*].mds.sum[{j}].{}", k - 1),
                    sum,
                    y[4 * k + j],
                )
            })
        })
        .collect();
    let outputs = (0..width)
        .map(|i| b.add(format!("external[*].mds.out[{i}]"), y[i], sums[i % 4]))
        .collect();
    b.finish(BlockKind::ExternalLinear, outputs)
}

fn external_sbox(alpha: u64) -> Block {
    let mut b = Builder::new(vec![Input::State(0), Input::Constant]);
    let x = b.add("external[*].rc", Value(0), Value(1));
    let y = b.sbox("external[*].sbox", x, alpha);
    b.finish(BlockKind::ExternalSbox, vec![y])
}

/// `1·1ᵀ + diag V` with one running sum. Element 0 is `Σ_{i>0} s[i] + (V₀ + 1)·s[0]`, so that
/// `V₀ = -2` costs a single subtraction.
fn internal_round(instance: &Instance) -> Block {
    let width = instance.width;
    let state = (0..width).map(Input::State);
    let mut b = Builder::new(state.chain([Input::Constant]).collect());
    let s: Vec<Value> = (0..=width as u32).map(Value).collect();
    let x = b.add("internal.rc", s[0], s[width]);
    let v = b.sbox("internal.sbox", x, instance.alpha);
    let tail = (2..width).fold(s[1], |sum, i| {
        b.add(format!("internal.sum[{}]", i - 2), sum, s[i])
    });
    let sum = b.add(format!("internal.sum[{}]", width - 2), tail, v);
    let mut outputs = Vec::with_capacity(width);
    for (i, d) in instance.diagonal.iter().enumerate() {
        let site = format!("internal.diag[{i}]");
        let output = if i == 0 {
            if *d == Rational::integer(-2) {
                b.sub(format!("{site}.0"), tail, v)
            } else {
                scaled(&mut b, &site, sum, v, d)
            }
        } else {
            scaled(&mut b, &site, sum, s[i], d)
        };
        outputs.push(output);
    }
    b.finish(BlockKind::InternalRound, outputs)
}

/// `sum + d·x`.
fn scaled(b: &mut Builder, site: &str, sum: Value, x: Value, d: &Rational) -> Value {
    let x = if d.shift == 0 {
        x
    } else {
        b.push(format!("{site}.div2exp"), FieldOp::Div2Exp(x, d.shift))
    };
    (0..d.numerator).fold(sum, |acc, n| {
        let name = format!("{site}.{n}");
        if d.negative {
            b.sub(name, acc, x)
        } else {
            b.add(name, acc, x)
        }
    })
}

//! From an instance to its field-level program.

mod dense;
mod external;

use super::{Block, BlockKind, FieldOp, Input, Operation, Program, Value};
use crate::params::{Field, Instance, InternalLayer, Linear, Rational};
use dense::Plan;
pub use dense::{signed_digits, small};
use std::collections::BTreeMap;

impl Program {
    /// Builds the permutation of an instance.
    #[must_use]
    pub fn build(instance: &Instance) -> Self {
        let [external_linear, internal_round] = match &instance.linear {
            Linear::Poseidon2 { external, internal } => [
                external::linear(instance, external),
                internal_round(instance, internal),
            ],
            Linear::Poseidon1(mds) => {
                let matrix = Plan::of(instance.field, &mds.rows);
                [
                    full_linear(instance, &matrix),
                    partial_round(instance, &matrix),
                ]
            }
        };
        Self {
            instance: instance.clone(),
            blocks: [
                external_linear,
                external_sbox(instance.alpha),
                internal_round,
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

    /// A residue, defined once in a block.
    fn word(&mut self, residue: u64) -> Value {
        let op = FieldOp::Constant(residue);
        let defined = self.operations.iter().find(|o| o.op == op);
        match defined.map(|o| o.result) {
            Some(value) => value,
            None => self.push(format!("constant[{residue}]"), op),
        }
    }

    /// `residue·x`.
    fn product(&mut self, name: impl Into<String>, x: Value, residue: u64) -> Value {
        let factor = self.word(residue);
        self.push(name, FieldOp::Mul(x, factor))
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

fn external_sbox(alpha: u64) -> Block {
    let mut b = Builder::new(vec![Input::State(0), Input::Constant]);
    let x = b.add("external[*].rc", Value(0), Value(1));
    let y = b.sbox("external[*].sbox", x, alpha);
    b.finish(BlockKind::ExternalSbox, vec![y])
}

/// Poseidon1's matrix in full rounds.
fn full_linear(instance: &Instance, matrix: &Plan) -> Block {
    let mut b = Builder::new((0..instance.width).map(Input::State).collect());
    let s: Vec<Value> = (0..instance.width as u32).map(Value).collect();
    let outputs = matrix.multiply(&mut b, "external[*].mds", &s);
    b.finish(BlockKind::ExternalLinear, outputs)
}

/// A partial round of Poseidon1, whose constants are those of element 0 alone.
fn partial_round(instance: &Instance, matrix: &Plan) -> Block {
    let width = instance.width;
    let state = (0..width).map(Input::State);
    let mut b = Builder::new(state.chain([Input::Constant]).collect());
    let mut s: Vec<Value> = (0..=width as u32).map(Value).collect();
    let x = b.add("internal.rc", s[0], s[width]);
    s[0] = b.sbox("internal.sbox", x, instance.alpha);
    let outputs = matrix.multiply(&mut b, "internal.mds", &s[..width]);
    b.finish(BlockKind::InternalRound, outputs)
}

/// `c·(1·1ᵀ + diag V)` with one running sum. With `c = 1`, element 0 is `Σ_{i>0} s[i] + (V₀ + 1)·s[0]`,
/// so that `V₀ = -2` costs a single subtraction.
fn internal_round(instance: &Instance, layer: &InternalLayer) -> Block {
    let (width, field) = (instance.width, instance.field);
    let state = (0..width).map(Input::State);
    let mut b = Builder::new(state.chain([Input::Constant]).collect());
    let s: Vec<Value> = (0..=width as u32).map(Value).collect();
    let x = b.add("internal.rc", s[0], s[width]);
    let v = b.sbox("internal.sbox", x, instance.alpha);
    let tail = (2..width).fold(s[1], |sum, i| {
        b.add(format!("internal.sum[{}]", i - 2), sum, s[i])
    });
    let sum = b.add(format!("internal.sum[{}]", width - 2), tail, v);
    let is_scaled = layer.scale != Rational::ONE;
    let total = match is_scaled {
        true => b.product("internal.scale", sum, layer.scale.residue(field)),
        false => sum,
    };
    let mut outputs = Vec::with_capacity(width);
    for (i, d) in instance.entries().iter().enumerate() {
        let site = format!("internal.diag[{i}]");
        let output = if i == 0 {
            if *d == Rational::integer(-2) && !is_scaled {
                b.sub(format!("{site}.0"), tail, v)
            } else {
                scaled(&mut b, field, &site, total, v, d)
            }
        } else {
            scaled(&mut b, field, &site, total, s[i], d)
        };
        outputs.push(output);
    }
    b.finish(BlockKind::InternalRound, outputs)
}

/// Multiples up to this are sums.
const SUMMED: u64 = 4;

/// `sum + d·x`.
fn scaled(b: &mut Builder, field: &Field, site: &str, sum: Value, x: Value, d: &Rational) -> Value {
    if d.numerator > SUMMED || !d.is_small(field) {
        let x = b.product(format!("{site}.product"), x, d.residue(field));
        return b.add(format!("{site}.0"), sum, x);
    }
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

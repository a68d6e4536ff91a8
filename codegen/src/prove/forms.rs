//! What each value *is*: linear forms over the block's inputs and powers of such forms.
//!
//! This is the half of the proof that ranges do not see: the matrix read off the arithmetic
//! program is compared, entry by entry modulo p, with the specified one, and the exponent of
//! every product is tracked. A 31-bit field's words are Montgomery forms throughout; a Montgomery
//! product is the product of what they stand for, so forms are the same as for plain residues.

use crate::arith::{Block, MacroOp, Operation};
use crate::ir::{BlockKind, Input, Part, Value};
use crate::params::{Field, Instance, M4};
use std::collections::BTreeMap;
use std::fmt;

/// What a linear form is taken over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A block input.
    Input(Input),
    /// A power of a linear form.
    Power(Box<Linear>, u64),
    /// The second result of the operation that defines a value: any integer. The first result is
    /// followed as what both stand for, less `2^32` times this.
    Second(Value),
    /// The constant 1.
    One,
}

/// A linear form: coefficients in `1 ..= p - 1`, zero ones left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Linear(BTreeMap<Atom, u64>);

impl Linear {
    /// The form that is just this atom.
    #[must_use]
    pub fn atom(atom: Atom) -> Self {
        Self(BTreeMap::from([(atom, 1)]))
    }

    /// `self + c·other`.
    #[must_use]
    pub fn plus(&self, field: &Field, c: u64, other: &Self) -> Self {
        let mut sum = self.0.clone();
        for (atom, &k) in &other.0 {
            let entry = sum.entry(atom.clone()).or_insert(0);
            *entry = field.add(*entry, field.mul(c, k));
        }
        sum.retain(|_, k| *k != 0);
        Self(sum)
    }

    /// Base and exponent, if the form is one power with coefficient 1; else itself to the first.
    fn as_power(&self) -> (Self, u64) {
        match self.0.iter().next() {
            Some((Atom::Power(base, e), 1)) if self.0.len() == 1 => ((**base).clone(), *e),
            _ => (self.clone(), 1),
        }
    }

    /// The residue for given residues of the inputs; for forms that [`specified`] gives.
    #[must_use]
    pub fn eval(&self, field: &Field, input: &dyn Fn(Input) -> u64) -> u64 {
        self.0.iter().fold(0, |sum, (atom, &k)| {
            let x = match atom {
                Atom::Input(i) => input(*i),
                Atom::Power(base, e) => field.pow(base.eval(field, input), *e),
                Atom::One => 1,
                Atom::Second(_) => unreachable!("no specified form has a part of its own"),
            };
            field.add(sum, field.mul(k, x))
        })
    }

    /// `base^exponent` as a form.
    #[must_use]
    pub fn power(base: Self, exponent: u64) -> Self {
        if exponent == 1 {
            base
        } else {
            Self::atom(Atom::Power(Box::new(base), exponent))
        }
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        for (n, (atom, k)) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str(" + ")?;
            }
            if *k != 1 {
                write!(f, "{k}·")?;
            }
            match atom {
                Atom::Input(input) => write!(f, "{input}")?,
                Atom::Power(base, e) => write!(f, "({base})^{e}")?,
                Atom::Second(value) => write!(f, "second({value})")?,
                Atom::One => f.write_str("1")?,
            }
        }
        Ok(())
    }
}

/// A value whose form cannot be the specified one, or cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Output `index` computes another function.
    Output {
        /// The state element.
        index: usize,
        /// What the arithmetic program computes.
        found: String,
        /// What the instance asks for.
        wanted: String,
    },
    /// A product of two different forms, which Poseidon2 nowhere has.
    Product {
        /// Name of the operation.
        name: String,
    },
}

/// The form of every value of a block.
///
/// # Errors
/// A product of two powers of different forms.
pub fn forms(field: &Field, block: &Block) -> Result<Vec<Linear>, Mismatch> {
    let mut forms: Vec<Linear> = block
        .inputs
        .iter()
        .map(|&input| {
            let whole = |whole| {
                let high = Linear::atom(Atom::Input(high_of(input)));
                Linear::atom(Atom::Input(whole)).plus(field, minus_radix(field), &high)
            };
            match input {
                Input::StatePart(i, Part::Low) => whole(Input::State(i)),
                Input::ConstantPart(Part::Low) => whole(Input::Constant),
                other => Linear::atom(Atom::Input(other)),
            }
        })
        .collect();
    for operation in &block.operations {
        let x = |n: usize| &forms[operation.operands[n].index()];
        let last = operation.operands.len() - 1;
        let form = match operation.op {
            MacroOp::Add | MacroOp::Plus => x(0).plus(field, 1, x(1)),
            MacroOp::Sub | MacroOp::Minus => x(0).plus(field, field.modulus - 1, x(1)),
            MacroOp::ShiftLeft(k) => Linear::default().plus(field, field.pow(2, k.into()), x(0)),
            MacroOp::Offset(offset, part) => x(0).plus(
                field,
                residue(field, offset.value(part)),
                &Linear::atom(Atom::One),
            ),
            MacroOp::Split => less_second(field, operation, x(0)),
            MacroOp::Pack => whole(field, x(0), x(1)),
            MacroOp::Carry => less_second(field, operation, &whole(field, x(0), x(1))),
            MacroOp::Preshift | MacroOp::Canonicalise => x(0).clone(),
            MacroOp::SquareLimbs(_) => {
                let x = whole(field, x(0), x(1));
                less_second(field, operation, &product(operation, &x, &x)?)
            }
            MacroOp::MulLimbs(_) => {
                let (x, y) = (whole(field, x(0), x(1)), whole(field, x(2), x(3)));
                less_second(field, operation, &product(operation, &x, &y)?)
            }
            MacroOp::Div2ExpColumns(k) | MacroOp::Div2ExpSigned(k) => {
                let x = whole(field, x(0), x(1));
                let divided = Linear::default().plus(field, inverse_power(field, k), &x);
                less_second(field, operation, &divided)
            }
            MacroOp::Second => Linear::atom(Atom::Second(operation.operands[0])),
            MacroOp::Halve => Linear::default().plus(field, inverse_power(field, 1), x(0)),
            MacroOp::Div2Exp(k) => Linear::default().plus(field, inverse_power(field, k), x(0)),
            MacroOp::Mul | MacroOp::Square | MacroOp::MulColumns => {
                let power = product(operation, x(0), x(last))?;
                match operation.op {
                    MacroOp::MulColumns => less_second(field, operation, &power),
                    _ => power,
                }
            }
        };
        forms.push(form);
    }
    Ok(forms)
}

/// The product of two powers of one form.
fn product(operation: &Operation, x: &Linear, y: &Linear) -> Result<Linear, Mismatch> {
    let ((a, e), (b, f)) = (x.as_power(), y.as_power());
    if a == b {
        Ok(Linear::power(a, e + f))
    } else {
        Err(Mismatch::Product {
            name: operation.name.clone(),
        })
    }
}

fn residue(field: &Field, value: i64) -> u64 {
    let magnitude = field.reduce(value.unsigned_abs().into());
    if value < 0 {
        field.sub(0, magnitude)
    } else {
        magnitude
    }
}

/// `-2^32 mod p`.
fn minus_radix(field: &Field) -> u64 {
    field.modulus - (1 << 32)
}

/// `low + 2^32·high`.
fn whole(field: &Field, low: &Linear, high: &Linear) -> Linear {
    low.plus(field, 1 << 32, high)
}

/// The first of two results that together stand for `form`.
fn less_second(field: &Field, operation: &Operation, form: &Linear) -> Linear {
    let second = Linear::atom(Atom::Second(operation.result));
    form.plus(field, minus_radix(field), &second)
}

fn high_of(input: Input) -> Input {
    match input {
        Input::StatePart(i, _) => Input::StatePart(i, Part::High),
        _ => Input::ConstantPart(Part::High),
    }
}

fn inverse_power(field: &Field, k: u32) -> u64 {
    field.pow(field.modulus.div_ceil(2), u64::from(k))
}

/// The forms that the instance asks of a block's outputs.
#[must_use]
pub fn specified(instance: &Instance, kind: BlockKind) -> Vec<Linear> {
    let field = instance.field;
    let state = |i| Linear::atom(Atom::Input(Input::State(i)));
    let constant = Linear::atom(Atom::Input(Input::Constant));
    let sbox = || Linear::power(state(0).plus(field, 1, &constant), instance.alpha);
    match kind {
        BlockKind::ExternalSbox => vec![sbox()],
        BlockKind::Enter
        | BlockKind::Leave
        | BlockKind::InternalEnter
        | BlockKind::InternalNormalise => (0..instance.width).map(state).collect(),
        BlockKind::Constant => vec![constant],
        BlockKind::ExternalLinear => (0..instance.width)
            .map(|i| {
                (0..instance.width).fold(Linear::default(), |row, j| {
                    let within = if i / 4 == j / 4 && instance.width > 4 {
                        2
                    } else {
                        1
                    };
                    row.plus(field, within * M4[i % 4][j % 4], &state(j))
                })
            })
            .collect(),
        BlockKind::InternalRound => {
            let input = |i| if i == 0 { sbox() } else { state(i) };
            let sum =
                (0..instance.width).fold(Linear::default(), |sum, i| sum.plus(field, 1, &input(i)));
            let diagonal = instance.diagonal.iter().enumerate();
            diagonal
                .map(|(i, d)| sum.plus(field, d.residue(field), &input(i)))
                .collect()
        }
    }
}

/// Checks that a block computes what the instance specifies.
///
/// # Errors
/// The first output that does not, or a product that cannot be followed.
pub(super) fn check(instance: &Instance, block: &Block) -> Result<(), Mismatch> {
    let forms = forms(instance.field, block)?;
    let wanted = specified(instance, block.kind);
    let mut outputs = block.outputs.iter().map(|v| &forms[v.index()]);
    let parts = block.outputs.len() / wanted.len();
    for (index, wanted) in wanted.iter().enumerate() {
        let found = match (outputs.next(), parts) {
            (Some(low), 2) => outputs.next().map(|high| whole(instance.field, low, high)),
            (found, _) => found.cloned(),
        };
        if found.as_ref() != Some(wanted) {
            return Err(Mismatch::Output {
                index,
                found: found.map_or_else(|| "nothing".to_owned(), |form| form.to_string()),
                wanted: wanted.to_string(),
            });
        }
    }
    Ok(())
}

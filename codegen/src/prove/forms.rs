//! What each value *is*: linear forms over the block's inputs and powers of such forms.
//!
//! This is the half of the proof that ranges do not see: the matrix read off the arithmetic
//! program is compared, entry by entry modulo p, with the specified one, and the exponent of
//! every product is tracked. A 31-bit field's words are Montgomery forms throughout; a Montgomery
//! product is the product of what they stand for, so forms are the same as for plain residues.

use crate::arith::{Basis, Block, Operation, Program};
use crate::ir::{BlockKind, Input, Value};
use crate::names::Part;
use crate::ops::{Contract, MacroOp};
use crate::params::Field;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What a linear form is taken over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A block input.
    Input(Input),
    /// A power of a linear form.
    Power(Box<Linear>, u64),
    /// The second result of the operation that defines a value: any integer. The first result is
    /// followed as what both stand for, less `2^32` times this, or `2^64` times where they are
    /// halves of a product.
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

    /// The number, if the form is a multiple of 1.
    fn as_number(&self) -> Option<u64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((Atom::One, k)) if self.0.len() == 1 => Some(*k),
            _ => None,
        }
    }

    /// Base, exponent and coefficient, if the form is a multiple of one power; else what it is a multiple of, to
    /// the first.
    fn as_power(&self, field: &Field) -> (Self, u64, u64) {
        match self.0.iter().next() {
            Some((Atom::Power(base, e), k)) if self.0.len() == 1 => ((**base).clone(), *e, *k),
            Some((_, &k)) => {
                let unit = field.inv(k).expect("no coefficient is zero");
                (Self::default().plus(field, unit, self), 1, k)
            }
            None => (self.clone(), 1, 1),
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

/// What is known of a block that was checked: its values' forms, and those that are asked of its outputs.
#[derive(Debug)]
pub(super) struct Known<'a> {
    block: &'a Block,
    forms: Vec<Arc<Linear>>,
    wanted: Arc<[Linear]>,
}

/// The form of every value of a block in an execution. What is made as in a block of another program has its form.
///
/// # Errors
/// A product of two powers of different forms.
fn forms(
    program: &Program,
    block: &Block,
    round: usize,
    known: Option<&Known<'_>>,
) -> Result<Vec<Arc<Linear>>, Mismatch> {
    let field = program.words_of(block.kind);
    let atom = |input| Linear::atom(Atom::Input(input));
    let times = |k, input| Linear::default().plus(field, k, &atom(input));
    let one = Linear::atom(Atom::One);
    let input = |&input: &Input| {
        // The low part is the element less what the high one counts for.
        let (whole, high) = match input {
            Input::StatePart(i, Part::Low) => (Input::State(i), Input::StatePart(i, Part::High)),
            Input::ConstantPart(Part::Low) => {
                let constant = atom(Input::Constant).plus(field, added(program), &one);
                let high = atom(Input::ConstantPart(Part::High));
                return constant.plus(field, field.neg(1 << program.radix), &high);
            }
            Input::Inner(i) => return atom(Input::State(i)),
            Input::InnerConstant => return atom(Input::Constant),
            Input::Factor(n) => {
                let growth = program.basis.growth.as_ref().expect("rounds have factors");
                let number = field.from_montgomery(growth.factors[round][n]);
                return Linear::default().plus(field, number, &Linear::atom(Atom::One));
            }
            _ => {
                let k = rescaled(program.words_in(input), field);
                return times(k, input);
            }
        };
        atom(whole).plus(field, field.neg(1 << program.radix), &atom(high))
    };
    let known = known.filter(|known| known.block.inputs == block.inputs);
    let mut forms: Vec<Arc<Linear>> = match known {
        Some(known) => known.forms[..block.inputs.len()].to_vec(),
        None => block.inputs.iter().map(input).map(Arc::new).collect(),
    };
    for (at, operation) in block.operations.iter().enumerate() {
        let made = known.and_then(|known| {
            let other = known.block.operations.get(at)?;
            let alike = (other.op, &other.operands) == (operation.op, &operation.operands);
            let same = |v: &Value| Arc::ptr_eq(&forms[v.index()], &known.forms[v.index()]);
            let same = alike && operation.operands.iter().all(same);
            same.then(|| known.forms[forms.len()].clone())
        });
        let x = |n: usize| &*forms[operation.operands[n].index()];
        let form = match made {
            Some(form) => form,
            None if operation.op == MacroOp::Second => {
                Arc::new(Linear::atom(Atom::Second(operation.operands[0])))
            }
            None => Arc::new(of_results(field, operation, &x)?),
        };
        forms.push(form);
    }
    Ok(forms)
}

/// What constants in parts stand for besides themselves: what is added to them.
fn added(program: &Program) -> u64 {
    let field = program.instance.field;
    let blocks = program.blocks.iter();
    let constant = blocks.filter(|block| block.kind == BlockKind::Constant);
    let operations = constant.flat_map(|block| &block.operations);
    operations.fold(0, |sum, operation| match operation.op {
        MacroOp::Offset(offset, part) => {
            let weight = field.pow(2, u64::from(program.radix) * part as u64);
            let by = i128::from(offset.value(part)).rem_euclid(field.modulus.into()) as u64;
            field.add(sum, field.mul(weight, by))
        }
        _ => sum,
    })
}

/// What a word stands for in the words of `to`, where in those of `from` it stands for 1.
fn rescaled(from: &Field, to: &Field) -> u64 {
    to.from_montgomery(from.to_montgomery(1))
}

/// What an operation's results stand for together, less what the second counts for.
fn of_results<'a>(
    field: &'static Field,
    operation: &Operation,
    x: &impl Fn(usize) -> &'a Linear,
) -> Result<Linear, Mismatch> {
    let contract = Contract::of(field, operation.op).expect("macro-op of the field");
    let means = contract.form().expect("the tests derive that of every row");
    let sum = |coefficients: &[u64]| {
        let terms = coefficients.iter().enumerate();
        terms.fold(Linear::default(), |sum, (n, &k)| sum.plus(field, k, x(n)))
    };
    let constant = Linear::atom(Atom::One);
    let mut form = sum(&means.linear).plus(field, means.constant, &constant);
    for [left, right] in &means.products {
        let (left, right) = (sum(left), sum(right));
        form = match (left.as_number(), right.as_number()) {
            (Some(k), _) => form.plus(field, k, &right),
            (_, Some(k)) => form.plus(field, k, &left),
            // Of two multiples of powers of one form.
            (None, None) => {
                let ((a, e, k), (b, f, l)) = (left.as_power(field), right.as_power(field));
                if a != b {
                    let name = operation.name.clone();
                    return Err(Mismatch::Product { name });
                }
                form.plus(field, field.mul(k, l), &Linear::power(a, e + f))
            }
        };
    }
    if operation.op.results() > 1 {
        let second = Linear::atom(Atom::Second(operation.result));
        form = form.plus(field, field.neg(means.second), &second);
    }
    Ok(form)
}

/// The forms that the instance asks of a block's outputs, in the basis of the program's internal
/// rounds where they are between two of them; of the internal round with that number.
#[must_use]
pub fn specified(program: &Program, kind: BlockKind, round: usize) -> Vec<Linear> {
    let instance = &program.instance;
    let field = instance.field;
    let state = |i| Linear::atom(Atom::Input(Input::State(i)));
    let constant = Linear::atom(Atom::Input(Input::Constant));
    let sbox = |x: Linear| Linear::power(x.plus(field, 1, &constant), instance.alpha);
    match kind {
        BlockKind::ExternalSbox => vec![sbox(state(0))],
        BlockKind::Enter | BlockKind::Leave | BlockKind::InternalNormalise => {
            (0..instance.width).map(state).collect()
        }
        BlockKind::InternalEnter => {
            let enter = |basis: &Basis, field: &Field, state: &mut [u64]| {
                basis.enter(field, 0, state);
            };
            rows(program, enter, &state)
        }
        BlockKind::LinearEnter => {
            let both = |basis: &Basis, field: &Field, state: &mut [u64]| {
                instance.linear.in_external_round(field, state);
                basis.enter(field, 0, state);
            };
            rows(program, both, &state)
        }
        BlockKind::InternalLeave => {
            let leave = |basis: &Basis, field: &Field, state: &mut [u64]| {
                basis.leave(field, instance.internal_rounds, state);
            };
            rows(program, leave, &state)
        }
        BlockKind::Constant => {
            let one = Linear::atom(Atom::One);
            vec![constant.plus(field, added(program), &one)]
        }
        BlockKind::ExternalLinear => {
            let layer = |_: &Basis, field: &Field, state: &mut [u64]| {
                instance.linear.in_external_round(field, state);
            };
            rows(program, layer, &state)
        }
        BlockKind::InternalRound => {
            let left = |basis: &Basis, field: &Field, state: &mut [u64]| {
                basis.leave(field, round, state);
            };
            let mut state = rows(program, left, &state);
            state[0] = sbox(state[0].clone());
            let rest = |basis: &Basis, field: &Field, state: &mut [u64]| {
                instance.linear.in_internal_round(field, state);
                basis.enter(field, round + 1, state);
            };
            rows(program, rest, &|i| state[i].clone())
        }
    }
}

/// What a linear function of states of residues makes of elements.
fn rows(
    program: &Program,
    function: impl Fn(&Basis, &Field, &mut [u64]),
    element: &dyn Fn(usize) -> Linear,
) -> Vec<Linear> {
    let (field, width) = (program.instance.field, program.instance.width);
    let mut rows = vec![Linear::default(); width];
    for i in 0..width {
        let mut column = vec![0; width];
        column[i] = 1;
        function(&program.basis, field, &mut column);
        for (row, k) in rows.iter_mut().zip(column) {
            *row = row.plus(field, k, &element(i));
        }
    }
    rows
}

/// Whether two programs have to compute the same in blocks that are the same.
pub(super) fn asks_the_same(a: &Program, b: &Program) -> bool {
    let state = |program: &Program| (program.words, program.radix);
    a.instance == b.instance && state(a) == state(b) && a.basis == b.basis
}

/// Checks that a block computes what the instance specifies, beside one of a program that
/// [asks the same](asks_the_same); where internal rounds have factors, with those of each.
///
/// # Errors
/// The first output that does not, or a product that cannot be followed.
pub(super) fn check<'a>(
    program: &Program,
    block: &'a Block,
    known: Option<&Known<'_>>,
) -> Result<Known<'a>, Mismatch> {
    let has_factors = block.inputs.iter().any(|i| matches!(i, Input::Factor(_)));
    let rounds = if has_factors {
        program.instance.internal_rounds
    } else {
        1
    };
    for round in 1..rounds {
        check_round(program, block, round, None)?;
    }
    check_round(program, block, 0, known)
}

/// The same in one execution.
fn check_round<'a>(
    program: &Program,
    block: &'a Block,
    round: usize,
    known: Option<&Known<'_>>,
) -> Result<Known<'a>, Mismatch> {
    let instance = &program.instance;
    let forms = forms(program, block, round, known)?;
    let wanted = match known {
        Some(known) => known.wanted.clone(),
        None => specified(program, block.kind, round).into(),
    };
    let (words, places) = (program.words_of(block.kind), block.places());
    let parts = block.outputs.len() / wanted.len();
    let outputs = block.outputs.chunks(parts).zip(places.chunks(parts));
    for (index, ((output, place), wanted)) in outputs.zip(&*wanted).enumerate() {
        let part = |n: usize| &*forms[output[n].index()];
        let found = match output {
            [_, _] => part(0).plus(instance.field, 1 << program.radix, part(1)),
            _ => {
                let k = rescaled(words, program.words_in(place[0]));
                Linear::default().plus(words, k, part(0))
            }
        };
        if found != *wanted {
            return Err(Mismatch::Output {
                index,
                found: found.to_string(),
                wanted: wanted.to_string(),
            });
        }
    }
    Ok(Known {
        block,
        forms,
        wanted,
    })
}

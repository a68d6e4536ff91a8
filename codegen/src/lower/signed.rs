//! Strategy `signed`: an element of a 31-bit field is one word, as in memory, and sums are reduced as
//! soon as they are made, by three instructions; what leads into a product or out of it may be negative.
//!
//! A round constant is kept less p, so that an element and a constant are between -p and p, as a product
//! takes them. Products in an S-box are as their factors are; only the last is canonicalised.
//!
//! Internal rounds divide by powers of two with shifts. The quotient is between -p and p, and is reduced
//! together with the sum that it is added to. Where the layer is scaled, divisions are by so much that the
//! quotient is hardly above zero: then its sum with an element needs one correction, not either of two.
//! Pairs of opposite entries are kept as [`Pair`] says, with
//! `q' = m`.
//!
//! Poseidon1's matrices are [sums of products](dense).

mod dense;
mod loose;
mod poseidon1;
mod scaled;
mod values;

use super::Unsuited;
use super::parts::Builder;
use super::reduced::Reduced;
use crate::arith::{Basis, Block, Pair, Program};
use crate::ir::{self, BlockKind, FieldOp, Input, Value};
use crate::names::Strategy;
use crate::ops::{Contract, MacroOp};
use crate::params::{Field, Instance, Linear, Rational};

/// Multiples up to this are sums.
const SUMMED: u64 = 4;

/// Lowers a field-level program, for `signed` or `long`.
///
/// # Errors
/// If the field has other words.
pub(super) fn lower(program: &ir::Program, strategy: Strategy) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    if !instance.field.is_montgomery() {
        return Err(Unsuited::Field(strategy, instance.field.name));
    }
    let lowering = Lowering {
        strategy,
        instance,
        field: instance.field,
        entries: instance.entries(),
        pairs: Pair::all(instance),
    };
    let mut basis = Basis::default();
    let (linear, [internal, enter, leave]) = match &instance.linear {
        Linear::Poseidon1(mds) => (lowering.mds(mds), lowering.partial(mds, &mut basis)?),
        Linear::Poseidon2 { .. } => {
            basis.pairs.clone_from(&lowering.pairs);
            let internal = [
                lowering.internal_round(),
                lowering.internal_enter(),
                lowering.internal_leave(),
            ];
            (lowering.external_linear(&program.blocks[0]), internal)
        }
    };
    let blocks = vec![
        linear,
        lowering.external_sbox(),
        internal,
        lowering.moved(BlockKind::Enter, Input::State),
        lowering.moved(BlockKind::Leave, Input::Inner),
        enter,
        leave,
        lowering.constant(),
    ];
    Ok(loose::loosened(Program {
        flow: Program::in_order(instance, &blocks, &[instance.internal_rounds]),
        instance: instance.clone(),
        blocks,
        parts: 1,
        radix: 0,
        words: instance.field,
        basis,
        across: None,
    }))
}

/// Division by this power of two or a greater one leaves so little of a word that what is cut off of it may
/// be subtracted from an element without a sum that overflows.
const MARGIN: u32 = 16;

/// What is added to a sum, or subtracted where it says so.
enum Term {
    /// So many times an element.
    Times(u64, Value, bool),
    /// An element between -p and p.
    Signed(Value, bool),
    /// An element that is divided so when it is added: above -p, and below 0 but for [`MARGIN`]. Registers do
    /// not hold as many as a scaled layer has.
    Down(MacroOp, Value),
}

struct Lowering<'a> {
    strategy: Strategy,
    instance: &'a Instance,
    field: &'static Field,
    /// The diagonal, with the factor of the whole layer.
    entries: Vec<Rational>,
    pairs: Vec<Pair>,
}

/// Operations of the strategy, each of which gives an element below p, if it does not say otherwise.
impl Builder {
    fn subtracted(&mut self, name: &str, a: Value, b: Value) -> Value {
        self.push(name, MacroOp::Sub, &[a, b])
    }

    /// `factor·x` for a residue and an element between -p and p.
    pub(super) fn multiple(&mut self, name: &str, field: &Field, x: Value, factor: u64) -> Value {
        let factor = self.word(field.to_montgomery(factor));
        self.scaled(name, x, factor)
    }

    fn add_term(&mut self, name: &str, sum: Value, term: &Term) -> Value {
        match *term {
            Term::Down(op, x) => {
                let x = self.push(&format!("{name}.term"), op, &[x]);
                let sum = self.push(name, MacroOp::Plus, &[sum, x]);
                self.positive(&format!("{name}.reduced"), sum)
            }
            Term::Signed(x, false) => self.push(name, MacroOp::AddSigned, &[sum, x]),
            Term::Signed(x, true) => self.push(name, MacroOp::SubSigned, &[sum, x]),
            Term::Times(times, x, negative) => (0..times).fold(sum, |sum, n| {
                let name = format!("{name}.{n}");
                match negative {
                    false => self.added(&name, sum, x),
                    true => self.subtracted(&name, sum, x),
                }
            }),
        }
    }
}

impl Lowering<'_> {
    /// A builder on the state, and its elements.
    fn state(&self, constant: bool) -> (Builder, Vec<Value>) {
        let width = self.instance.width;
        let constant = constant.then_some(Input::InnerConstant);
        let inputs = (0..width).map(Input::Inner).chain(constant);
        let b = Builder::on(self.field, inputs.collect());
        (b, (0..width as u32).map(Value).collect())
    }

    /// What is to be added for an entry of a diagonal, or its square, and an element.
    fn term(&self, b: &mut Builder, name: &str, x: Value, d: &Rational) -> Term {
        if let Some(op) = self.division(d.residue(self.field)) {
            return Term::Down(op, x);
        }
        let most = self.field.two_adicity();
        let Rational {
            numerator,
            shift,
            negative,
        } = *d;
        let mut divided = |name: &str, x, k| b.push(name, MacroOp::Div2ExpBalanced(k), &[x]);
        match (numerator, shift) {
            (..=SUMMED, 0) => Term::Times(numerator, x, negative),
            (1, shift) if shift <= most => Term::Signed(divided(name, x, shift), negative),
            (1, shift) if shift <= 2 * most => {
                let x = divided(&format!("{name}.first"), x, most);
                Term::Signed(divided(name, x, shift - most), negative)
            }
            (numerator, 0) if self.has_times(numerator) => {
                let op = MacroOp::Times(numerator as u32);
                Term::Times(1, b.push(name, op, &[x]), negative)
            }
            _ => Term::Times(
                1,
                b.multiple(name, self.field, x, d.residue(self.field)),
                false,
            ),
        }
    }

    /// Whether there is a macro-op that multiplies by a number.
    fn has_times(&self, numerator: u64) -> bool {
        let op = u32::try_from(numerator).map(MacroOp::Times);
        op.is_ok_and(|op| Contract::of(self.field, op).is_some())
    }

    /// The S-box of the sum of an element and a constant.
    fn sbox(&self, b: &mut Builder, site: &str, state: Value, constant: Value) -> Value {
        let x = b.push(&format!("{site}.rc"), MacroOp::Plus, &[state, constant]);
        b.power(&format!("{site}.sbox"), x, self.instance.alpha)
    }

    /// The state as it is, from memory into the kernel's own variable or back: what is in memory need not
    /// be aligned.
    fn moved(&self, kind: BlockKind, place: fn(usize) -> Input) -> Block {
        let width = self.instance.width;
        let b = Builder::on(self.field, (0..width).map(place).collect());
        b.finish(kind, (0..width as u32).map(Value).collect())
    }

    fn external_linear(&self, source: &ir::Block) -> Block {
        let (mut b, mut elements) = self.state(false);
        for operation in &source.operations {
            let (name, of) = (&operation.name, |x: Value| elements[x.index()]);
            let element = match operation.op {
                FieldOp::Add(x, y) => b.added(name, of(x), of(y)),
                FieldOp::Sub(x, y) => b.subtracted(name, of(x), of(y)),
                FieldOp::Constant(residue) => b.word(self.field.to_montgomery(residue)),
                FieldOp::Mul(x, y) => b.scaled(name, of(x), of(y)),
                _ => unreachable!("the external linear layer is linear"),
            };
            elements.push(element);
        }
        let outputs = source.outputs.iter().map(|v| elements[v.index()]);
        b.finish(BlockKind::ExternalLinear, outputs.collect())
    }

    fn external_sbox(&self) -> Block {
        let inputs = vec![Input::Inner(0), Input::InnerConstant];
        let mut b = Builder::on(self.field, inputs);
        let z = self.sbox(&mut b, "external[*]", Value(0), Value(1));
        b.finish(BlockKind::ExternalSbox, vec![z])
    }

    /// What does not wait for the S-box is beside it: the terms that are added to the sum of all, and the
    /// sum of the others.
    fn internal_round(&self) -> Block {
        let (mut b, s) = self.state(true);
        let z = self.sbox(&mut b, "internal", s[0], Value(s.len() as u32));
        let entries = self.entries.iter().enumerate().skip(1);
        let entries = entries.filter(|(i, _)| !self.is_difference(*i));
        let terms: Vec<(usize, Option<&Pair>, Term)> = entries
            .map(
                |(i, d)| match self.pairs.iter().find(|pair| pair.sum == i) {
                    Some(pair) => {
                        let square = Rational::new(false, d.numerator * d.numerator, 2 * d.shift);
                        let (name, x) = (format!("internal.pair[{i}].term"), s[pair.difference]);
                        (i, Some(pair), self.term(&mut b, &name, x, &square))
                    }
                    None => {
                        let name = format!("internal.diag[{i}].term");
                        (i, None, self.term(&mut b, &name, s[i], d))
                    }
                },
            )
            .collect();
        let summed: Vec<Value> = terms.iter().map(|(i, ..)| s[*i]).collect();
        let (total, rest) = self.sums(&mut b, &summed, z);
        let mut outputs = s.clone();
        outputs[0] = match (rest, self.entries[0]) {
            (Some(rest), _) => rest,
            (None, d) => {
                let term = self.term(&mut b, "internal.diag[0].term", z, &d);
                b.add_term("internal.diag[0]", total, &term)
            }
        };
        let twice = match self.pairs.is_empty() {
            true => total,
            false => b.added("internal.twice", total, total),
        };
        for (i, pair, term) in &terms {
            outputs[*i] = match pair {
                Some(pair) => {
                    outputs[pair.difference] = s[*i];
                    b.add_term(&format!("internal.pair[{i}]"), twice, term)
                }
                None => b.add_term(&format!("internal.diag[{i}]"), total, term),
            };
        }
        b.finish(BlockKind::InternalRound, outputs)
    }

    fn is_difference(&self, i: usize) -> bool {
        self.pairs.iter().any(|pair| pair.difference == i)
    }

    /// Into the basis of internal rounds.
    fn internal_enter(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for pair in &self.pairs {
            let site = format!("internal.enter.pair[{}]", pair.sum);
            let (x, y) = (outputs[pair.sum], outputs[pair.difference]);
            let scale = pair.scale(self.field);
            outputs[pair.sum] = b.added(&format!("{site}.sum"), x, y);
            let difference = b.push(&format!("{site}.minus"), MacroOp::Minus, &[x, y]);
            let name = format!("{site}.difference");
            outputs[pair.difference] = b.multiple(&name, self.field, difference, scale);
        }
        b.finish(BlockKind::InternalEnter, outputs)
    }

    /// Back from the basis of internal rounds.
    fn internal_leave(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        let half = self.field.modulus.div_ceil(2);
        for pair in &self.pairs {
            let site = format!("internal.leave.pair[{}]", pair.sum);
            let inverse = self.field.inv(pair.scale(self.field));
            let inverse = self.field.mul(half, inverse.expect("no entry is zero"));
            let (m, q) = (outputs[pair.sum], outputs[pair.difference]);
            let sum = b.push(&format!("{site}.half"), MacroOp::Div2ExpBalanced(1), &[m]);
            let sum = b.positive(&format!("{site}.sum"), sum);
            let difference = b.multiple(&format!("{site}.difference"), self.field, q, inverse);
            outputs[pair.sum] = b.added(&format!("{site}.plus"), sum, difference);
            outputs[pair.difference] = b.subtracted(&format!("{site}.minus"), sum, difference);
        }
        b.finish(BlockKind::InternalLeave, outputs)
    }

    /// A round constant less p.
    fn constant(&self) -> Block {
        let mut b = Builder::on(self.field, vec![Input::Constant]);
        let p = b.word(self.field.modulus);
        let x = b.push("constant.minus", MacroOp::Minus, &[Value(0), p]);
        b.finish(BlockKind::Constant, vec![x])
    }
}

//! What a program computes, and that nothing in it overflows: for all states and constants.
//!
//! It is executed once on values that carry what is known of them: a range, and a linear form over
//! states, constants and powers. Where two values have the same form, they are congruent modulo p.

mod carry;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use reference::{Layer, Permutation};

use crate::certificate::{Operation, Program};
use crate::flow::{Constant, Domain};
use crate::row::{Range, Reading};
use crate::{Refused, Step, refuse};
use carry::{Carries, Made};

/// What linear forms are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    One,
    State(usize),
    Constant(Constant),
    /// A second result, which may be any integer.
    Second(usize),
    /// The power of a form that was multiplied by itself.
    Power(usize, u64),
}

/// Coefficients that are not zero.
type Form = BTreeMap<Atom, u64>;

#[derive(Clone)]
struct Value {
    /// Its number among those that were made.
    number: usize,
    range: Range,
    writes: Reading,
    form: Rc<Form>,
}

impl Value {
    /// Whether a word of so many bits is the same integer in a reading: where its sign is not set, signed or not.
    fn is_read(&self, reading: Reading, bits: u32) -> bool {
        let most = match reading {
            Reading::Below52 => 52,
            _ => bits - 1,
        };
        let small = 0 <= self.range.0 && self.range.1 < 1 << most;
        let odd = |reading| matches!(reading, Reading::Shifted | Reading::Halves);
        let plain = ![self.writes, reading].into_iter().any(odd);
        self.writes == reading || plain && small
    }
}

/// Steps of a program: coefficients of operands, and some for each macro-op. Of ours, none takes a fifth of that.
const STEPS: usize = 16_000_000;

/// The ranges that operands had, by macro-op and the bits of its words: a block of constants may have others.
type Ranges = BTreeMap<(String, u32), BTreeSet<Vec<Range>>>;

struct Prover<'a> {
    program: &'a Program,
    /// Forms that were multiplied by themselves, scaled to lead with one.
    bases: BTreeMap<Form, usize>,
    seconds: usize,
    /// Steps that may still be taken.
    left: usize,
    ranges: Ranges,
    /// How each value was made.
    made: Vec<Made<'a>>,
    carries: Carries,
}

fn atom(atom: Atom) -> Form {
    Form::from([(atom, 1)])
}

fn combine(permutation: &Permutation, sum: &mut Form, k: u64, form: &Form) {
    for (atom, l) in form {
        let entry = sum.entry(*atom).or_default();
        *entry = permutation.add(*entry, permutation.mul(k, *l));
        if *entry == 0 {
            sum.remove(atom);
        }
    }
}

impl Program {
    /// Checks that each macro-op's needs hold, and that the permutation is the one stated.
    ///
    /// # Errors
    /// The line of what does not hold.
    pub fn prove(&self) -> Result<(), Refused> {
        self.execute().map(drop)
    }

    /// The ranges that operands have, of each macro-op, for a program that is proved.
    pub(crate) fn ranges(&self) -> Ranges {
        self.execute()
            .map_or_else(|_| Ranges::new(), |prover| prover.ranges)
    }

    fn execute(&self) -> Result<Prover<'_>, Refused> {
        let mut prover = Prover {
            program: self,
            bases: BTreeMap::new(),
            seconds: 0,
            left: STEPS,
            ranges: BTreeMap::new(),
            made: Vec::new(),
            carries: Carries::default(),
        };
        let (bits, word) = if self.field.montgomery_bits > 0 {
            // Words of 31-bit fields are canonical where kernels take and give them.
            (32, self.field.modulus - 1)
        } else {
            (64, u64::MAX)
        };
        let boundary = (0, word.into());
        let states = (0..self.permutation.width()).map(|i| Value {
            number: prover.number(None),
            range: boundary,
            writes: Reading::Unsigned,
            form: atom(Atom::State(i)).into(),
        });
        let states: Vec<Value> = states.collect();
        let wanted = prover.paper(states.iter().map(|state| (*state.form).clone()).collect());
        let results = self.permute(&mut prover, states)?;
        for (i, (result, wanted)) in results.iter().zip(wanted).enumerate() {
            if *result.form != wanted {
                return refuse(
                    1,
                    format!("element {i} is not what the permutation makes of it"),
                );
            }
            let inside = boundary.0 <= result.range.0 && result.range.1 <= boundary.1;
            if !inside || !result.is_read(Reading::Unsigned, bits) {
                let ((least, most), writes) = (result.range, result.writes);
                return Err(Refused::whole(format!(
                    "element {i} ends up between {least} and {most}, as {writes:?} words"
                )));
            }
        }
        Ok(prover)
    }
}

impl<'a> Prover<'a> {
    /// The number of a value that is made so.
    fn number(&mut self, made: Made<'a>) -> usize {
        self.made.push(made);
        self.made.len() - 1
    }

    /// The permutation as the paper writes it, on forms.
    fn paper(&mut self, mut state: Vec<Form>) -> Vec<Form> {
        let permutation = &self.program.permutation;
        for layer in permutation.layers() {
            match layer {
                Layer::ExternalLinear | Layer::InternalLinear => {
                    let mut next = vec![Form::new(); state.len()];
                    for (i, form) in state.iter().enumerate() {
                        let mut column = vec![0; state.len()];
                        column[i] = 1;
                        permutation.apply(layer, &mut column);
                        let rows = next.iter_mut().zip(column);
                        rows.for_each(|(sum, k)| combine(permutation, sum, k, form));
                    }
                    state = next;
                }
                Layer::ExternalConstants(round) => {
                    for (element, form) in state.iter_mut().enumerate() {
                        let constant = Atom::Constant(Constant::External(round, element));
                        combine(permutation, form, 1, &atom(constant));
                    }
                }
                Layer::InternalConstant(round) => {
                    let constant = Atom::Constant(Constant::Internal(round));
                    combine(permutation, &mut state[0], 1, &atom(constant));
                }
                Layer::ExternalSbox => state.iter_mut().for_each(|form| *form = self.sbox(form)),
                Layer::InternalSbox => state[0] = self.sbox(&state[0]),
            }
        }
        state
    }

    fn sbox(&mut self, form: &Form) -> Form {
        let permutation = &self.program.permutation;
        let (base, exponent, k) = self.power(form);
        Form::from([(
            Atom::Power(base, exponent * permutation.alpha),
            permutation.pow(k, permutation.alpha),
        )])
    }

    /// A form as a multiple of a power of a base: the base, the exponent, the factor.
    fn power(&mut self, form: &Form) -> (usize, u64, u64) {
        let permutation = &self.program.permutation;
        let mut atoms = form.iter();
        let first = atoms.next();
        if let (Some((Atom::Power(base, exponent), k)), None) = (first, atoms.next()) {
            return (*base, *exponent, *k);
        }
        let k = first.map_or(0, |(_, k)| *k);
        let mut scaled = Form::new();
        combine(
            permutation,
            &mut scaled,
            permutation.pow(k, permutation.modulus - 2),
            form,
        );
        let next = self.bases.len();
        (*self.bases.entry(scaled).or_insert(next), 1, k)
    }

    fn product(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let permutation = &self.program.permutation;
        for (number, other) in [(a, b), (b, a)] {
            let mut atoms = number.iter();
            let mut multiple = Form::new();
            match (atoms.next(), atoms.next()) {
                (None, _) => return Some(multiple),
                (Some((Atom::One, k)), None) => {
                    combine(permutation, &mut multiple, *k, other);
                    return Some(multiple);
                }
                _ => {}
            }
        }
        let ((base, e, k), (other, f, l)) = (self.power(a), self.power(b));
        let exponent = e.checked_add(f).filter(|sum| *sum <= permutation.alpha)?;
        (base == other).then(|| Form::from([(Atom::Power(base, exponent), permutation.mul(k, l))]))
    }

    fn sum(&self, coefficients: &[u64], operands: &[Value]) -> Form {
        let mut sum = Form::new();
        let terms = coefficients.iter().zip(operands);
        for (k, operand) in terms.filter(|(k, _)| **k != 0) {
            combine(&self.program.permutation, &mut sum, *k, &operand.form);
        }
        sum
    }
}

impl<'a> Domain<'a> for Prover<'a> {
    type Value = Value;

    fn constant(&mut self, place: Constant) -> Step<Vec<Value>> {
        let constant = Value {
            number: self.number(None),
            range: (0, i128::from(self.program.field.modulus) - 1),
            writes: Reading::Unsigned,
            form: atom(Atom::Constant(place)).into(),
        };
        let mut parts = self.program.run(self, "constant", vec![constant])?;
        if self.program.wide.is_some() {
            // Words of 32 bits in memory, and of 64 where they are read, which a sign would not survive.
            for part in &mut parts {
                if part.writes != Reading::Unsigned && part.range.0 < 0 {
                    return Err(Refused::whole("a prepared constant may be negative"));
                }
                part.writes = Reading::Unsigned;
            }
        }
        Ok(parts)
    }

    fn number(&mut self, word: u64) -> Value {
        let permutation = &self.program.permutation;
        let half = permutation.modulus.div_ceil(2);
        let unit = permutation.pow(half, self.program.field.montgomery_bits.into());
        let residue = permutation.mul(word % permutation.modulus, unit);
        Value {
            number: self.number(None),
            range: (word.into(), word.into()),
            writes: Reading::Unsigned,
            form: Form::from([(Atom::One, residue)]).into(),
        }
    }

    fn apply(&mut self, operation: &'a Operation, operands: &[Value]) -> Step<Vec<Value>> {
        let Operation {
            line,
            op,
            row,
            meaning,
            ..
        } = operation;
        let program = self.program;
        let permutation = &program.permutation;
        let steps = operands.iter().map(|operand| 1 + operand.form.len());
        let Some(left) = self.left.checked_sub(8 + steps.sum::<usize>()) else {
            return refuse(
                *line,
                format!("`{op}` is more than {STEPS} steps from the start"),
            );
        };
        self.left = left;
        let ranges: Vec<Range> = operands.iter().map(|operand| operand.range).collect();
        let reads = |x: &Value| x.is_read(row.reads, row.bits);
        if !operands.iter().all(reads) {
            return refuse(*line, format!("`{op}` misreads an operand"));
        }
        if row.unmet(&ranges).is_some() {
            return refuse(*line, format!("`{op}` does not take values in {ranges:?}"));
        }
        let numbers: Vec<usize> = operands.iter().map(|operand| operand.number).collect();
        if row.carries {
            let factor = |n: usize| (numbers[n], ranges[n]);
            let last = row.operands - 1;
            if !self
                .carries
                .hold(&self.made, [factor(last - 1), factor(last)])
            {
                return refuse(
                    *line,
                    format!("`{op}` may take factors of a multiple of 2^52"),
                );
            }
        }
        let seen = self.ranges.entry((op.clone(), row.bits)).or_default();
        seen.insert(ranges.clone());
        let mut whole = self.sum(&meaning.linear, operands);
        if meaning.constant != 0 {
            combine(permutation, &mut whole, meaning.constant, &atom(Atom::One));
        }
        for [a, b] in &meaning.products {
            let (a, b) = (self.sum(a, operands), self.sum(b, operands));
            let Some(product) = self.product(&a, &b) else {
                return refuse(*line, format!("`{op}` is no step of the S-box"));
            };
            combine(permutation, &mut whole, 1, &product);
        }
        let mut forms = vec![whole];
        if row.results.len() > 1 {
            let second = atom(Atom::Second(self.seconds));
            self.seconds += 1;
            combine(
                permutation,
                &mut forms[0],
                permutation.modulus - meaning.second,
                &second,
            );
            forms.push(second);
        }
        let results = row.ranges(&ranges).into_iter().zip(forms).enumerate();
        let results = results.map(|(n, (range, form))| Value {
            // Of two results, the second is made by no one else.
            number: self.number((n == 0).then(|| (operation, numbers.clone()))),
            range,
            writes: row.writes,
            form: form.into(),
        });
        Ok(results.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_a_power_is_of_the_product() {
        let text = include_str!("../../../generated/proofs/plonky3/goldilocks/w8_eager.cert");
        let program = Program::read(text).expect("a certificate");
        let mut prover = program.execute().expect("it holds");
        let once = prover.sbox(&atom(Atom::State(0)));
        let twice = prover.sbox(&once);
        let power = |form: &Form| form.keys().next().copied();
        let Some(Atom::Power(base, 7)) = power(&once) else {
            panic!("{once:?}");
        };
        assert_eq!(power(&twice), Some(Atom::Power(base, 49)));
    }
}

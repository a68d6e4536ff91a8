//! Terms compiled for fast evaluation: every shared node is computed once.

use std::collections::HashMap;

use super::{Op, Term};

/// Where a step finds its operand.
type Slot = u32;

#[derive(Clone, Copy, Debug)]
enum Code {
    Const(u128),
    Not(Slot),
    Add(Slot, Slot),
    Sub(Slot, Slot),
    And(Slot, Slot),
    Or(Slot, Slot),
    Xor(Slot, Slot),
    Mul(Slot, Slot),
    Shl(Slot, u32),
    Lshr(Slot, u32),
    Ashr(Slot, u32, u32),
    Copy(Slot),
    SignExtend(Slot, u32),
    Concat(Slot, Slot, u32),
    Ult(Slot, Slot),
    Slt(Slot, Slot, u32),
    Eq(Slot, Slot),
    Ite(Slot, Slot, Slot),
}

/// Terms over some variables, ready to be evaluated many times.
#[derive(Clone, Debug)]
pub struct Tape {
    variables: usize,
    steps: Vec<(Code, u128)>,
    outputs: Vec<Slot>,
}

struct Compiler {
    variables: usize,
    steps: Vec<(Code, u128)>,
    /// Keeps the term alive with its slot, so that its address stays its own.
    known: HashMap<usize, (Term, Slot)>,
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Compiler {
    fn slot(&mut self, term: &Term) -> Slot {
        if let Op::Var(index) = term.node().op {
            return index as Slot;
        }
        if let Some((_, slot)) = self.known.get(&term.id()) {
            return *slot;
        }
        let mut s = |t: &Term| self.slot(t);
        let code = match &term.node().op {
            Op::Var(_) => unreachable!("variables have slots of their own"),
            Op::Const(value) => Code::Const(*value),
            Op::Not(a) => Code::Not(s(a)),
            Op::Add(a, b) => Code::Add(s(a), s(b)),
            Op::Sub(a, b) => Code::Sub(s(a), s(b)),
            Op::And(a, b) => Code::And(s(a), s(b)),
            Op::Or(a, b) => Code::Or(s(a), s(b)),
            Op::Xor(a, b) => Code::Xor(s(a), s(b)),
            Op::Shl(a, by) => Code::Shl(s(a), *by),
            Op::Lshr(a, by) => Code::Lshr(s(a), *by),
            Op::Ashr(a, by) => Code::Ashr(s(a), *by, 128 - a.width()),
            Op::Resize(a) => Code::Copy(s(a)),
            Op::SignExtend(a) => Code::SignExtend(s(a), 128 - a.width()),
            Op::Concat(high, low) => Code::Concat(s(high), s(low), low.width()),
            Op::WideningMul(a, b) => Code::Mul(s(a), s(b)),
            Op::Ult(a, b) => Code::Ult(s(a), s(b)),
            Op::Slt(a, b) => Code::Slt(s(a), s(b), 128 - a.width()),
            Op::Eq(a, b) => Code::Eq(s(a), s(b)),
            Op::Ite(c, yes, no) => Code::Ite(s(c), s(yes), s(no)),
        };
        let slot = (self.variables + self.steps.len()) as Slot;
        self.steps.push((code, mask(term.width())));
        self.known.insert(term.id(), (term.clone(), slot));
        slot
    }
}

impl Tape {
    /// Compiles `terms` over variables `0 .. variables`.
    #[must_use]
    pub fn new(terms: &[Term], variables: usize) -> Self {
        let mut compiler = Compiler {
            variables,
            steps: Vec::new(),
            known: HashMap::new(),
        };
        let outputs = terms.iter().map(|term| compiler.slot(term)).collect();
        Self {
            variables,
            steps: compiler.steps,
            outputs,
        }
    }

    /// The values of the terms. Every variable must fit its width.
    ///
    /// # Panics
    /// If the number of variables is not the one compiled for.
    #[must_use]
    pub fn eval(&self, variables: &[u128]) -> Vec<u128> {
        assert_eq!(variables.len(), self.variables, "one value per variable");
        let mut slots = Vec::with_capacity(self.variables + self.steps.len());
        slots.extend_from_slice(variables);
        for &(code, mask) in &self.steps {
            let v = |slot: Slot| slots[slot as usize];
            let signed = |slot: Slot, unused: u32| (v(slot) << unused) as i128 >> unused;
            let value = match code {
                Code::Const(value) => value,
                Code::Not(a) => !v(a),
                Code::Add(a, b) => v(a).wrapping_add(v(b)),
                Code::Sub(a, b) => v(a).wrapping_sub(v(b)),
                Code::And(a, b) => v(a) & v(b),
                Code::Or(a, b) => v(a) | v(b),
                Code::Xor(a, b) => v(a) ^ v(b),
                Code::Mul(a, b) => v(a).wrapping_mul(v(b)),
                Code::Shl(a, by) => v(a) << by,
                Code::Lshr(a, by) => v(a) >> by,
                Code::Ashr(a, by, unused) => (signed(a, unused) >> by) as u128,
                Code::Copy(a) => v(a),
                Code::SignExtend(a, unused) => signed(a, unused) as u128,
                Code::Concat(high, low, by) => v(high) << by | v(low),
                Code::Ult(a, b) => u128::from(v(a) < v(b)),
                Code::Slt(a, b, unused) => u128::from(signed(a, unused) < signed(b, unused)),
                Code::Eq(a, b) => u128::from(v(a) == v(b)),
                Code::Ite(c, yes, no) => v(if v(c) == 1 { yes } else { no }),
            };
            slots.push(value & mask);
        }
        self.outputs
            .iter()
            .map(|&slot| slots[slot as usize])
            .collect()
    }
}

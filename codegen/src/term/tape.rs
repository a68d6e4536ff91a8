//! Terms compiled for fast evaluation: every shared node is computed once.

use std::collections::HashMap;

use super::{Op, Term, mask};

/// Where a step finds an operand, and its width.
#[derive(Clone, Copy, Debug)]
struct Slot {
    index: usize,
    width: u32,
}

/// Terms over some variables, ready to be evaluated many times.
#[derive(Clone, Debug)]
pub struct Tape {
    variables: usize,
    /// What computes the slots after the variables', and their widths.
    steps: Vec<(Op<Slot>, u32)>,
    outputs: Vec<Slot>,
}

impl Tape {
    /// Compiles `terms` over variables `0 .. variables`.
    #[must_use]
    pub fn new(terms: &[Term], variables: usize) -> Self {
        let mut tape = Self {
            variables,
            steps: Vec::new(),
            outputs: Vec::new(),
        };
        // Nodes by address: `terms` keep them alive.
        let mut known = HashMap::new();
        let outputs = terms.iter().map(|term| tape.slot(&mut known, term));
        tape.outputs = outputs.collect();
        tape
    }

    fn slot(&mut self, known: &mut HashMap<usize, Slot>, term: &Term) -> Slot {
        if let Some(slot) = known.get(&term.id()) {
            return *slot;
        }
        let width = term.width();
        let index = match term.op() {
            Op::Var(index) => *index,
            op => {
                let step = op.map(|operand| self.slot(known, operand));
                self.steps.push((step, width));
                self.variables + self.steps.len() - 1
            }
        };
        let slot = Slot { index, width };
        known.insert(term.id(), slot);
        slot
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
        for (op, width) in &self.steps {
            let v = |slot: &Slot| slots[slot.index];
            let signed = |slot: &Slot| {
                let unused = 128 - slot.width;
                (v(slot) << unused) as i128 >> unused
            };
            let value = match op {
                Op::Var(index) => slots[*index],
                Op::Const(value) => *value,
                Op::Not(a) => !v(a),
                Op::Add(a, b) => v(a).wrapping_add(v(b)),
                Op::Sub(a, b) => v(a).wrapping_sub(v(b)),
                Op::And(a, b) => v(a) & v(b),
                Op::Or(a, b) => v(a) | v(b),
                Op::Xor(a, b) => v(a) ^ v(b),
                Op::WideningMul(a, b) => v(a).wrapping_mul(v(b)),
                Op::Shl(a, by) => v(a) << by,
                Op::Lshr(a, by) => v(a) >> by,
                Op::Ashr(a, by) => (signed(a) >> by) as u128,
                Op::Resize(a) => v(a),
                Op::SignExtend(a) => signed(a) as u128,
                Op::Concat(high, low) => v(high) << low.width | v(low),
                Op::Ult(a, b) => u128::from(v(a) < v(b)),
                Op::Slt(a, b) => u128::from(signed(a) < signed(b)),
                Op::Eq(a, b) => u128::from(v(a) == v(b)),
                Op::Ite(c, yes, no) => v(if v(c) == 1 { yes } else { no }),
            };
            slots.push(value & mask(*width));
        }
        let value = |slot: &Slot| slots[slot.index];
        self.outputs.iter().map(value).collect()
    }
}

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
        let variables: Vec<[u128; 1]> = variables.iter().map(|word| [*word]).collect();
        self.eval_each(&variables).into_iter().flatten().collect()
    }

    /// The values of the terms in each of some cases: many take little longer than one.
    ///
    /// # Panics
    /// If the number of variables is not the one compiled for.
    #[must_use]
    pub fn eval_each<const N: usize>(&self, variables: &[[u128; N]]) -> Vec<[u128; N]> {
        assert_eq!(variables.len(), self.variables, "one value per variable");
        let mut slots = Vec::with_capacity(self.variables + self.steps.len());
        slots.extend_from_slice(variables);
        for (op, width) in &self.steps {
            slots.push(step(op, &slots, mask(*width)));
        }
        let value = |slot: &Slot| slots[slot.index];
        self.outputs.iter().map(value).collect()
    }
}

/// What an operation gives in each case, but for bits that are not in `mask`.
fn step<const N: usize>(op: &Op<Slot>, slots: &[[u128; N]], mask: u128) -> [u128; N] {
    let v = |slot: &Slot| &slots[slot.index];
    let signed = |word: u128, slot: &Slot| {
        let unused = 128 - slot.width;
        (word << unused) as i128 >> unused
    };
    let mut values = [0; N];
    macro_rules! each {
        ($of:expr) => {
            values.iter_mut().for_each(|value| *value = $of & mask)
        };
        ($a:ident: $x:ident => $of:expr) => {
            for (value, &$x) in values.iter_mut().zip(v($a)) {
                *value = $of & mask;
            }
        };
        ($a:ident: $x:ident, $b:ident: $y:ident => $of:expr) => {
            for ((value, &$x), &$y) in values.iter_mut().zip(v($a)).zip(v($b)) {
                *value = $of & mask;
            }
        };
    }
    match op {
        Op::Var(index) => values = slots[*index],
        Op::Const(word) => each!(*word),
        Op::Not(a) => each!(a: x => !x),
        Op::Add(a, b) => each!(a: x, b: y => x.wrapping_add(y)),
        Op::Sub(a, b) => each!(a: x, b: y => x.wrapping_sub(y)),
        Op::And(a, b) => each!(a: x, b: y => x & y),
        Op::Or(a, b) => each!(a: x, b: y => x | y),
        Op::Xor(a, b) => each!(a: x, b: y => x ^ y),
        Op::WideningMul(a, b) => each!(a: x, b: y => x.wrapping_mul(y)),
        Op::Shl(a, by) => each!(a: x => x << by),
        Op::Lshr(a, by) => each!(a: x => x >> by),
        Op::Ashr(a, by) => each!(a: x => (signed(x, a) >> by) as u128),
        Op::Resize(a) => each!(a: x => x),
        Op::SignExtend(a) => each!(a: x => signed(x, a) as u128),
        Op::Concat(high, low) => each!(high: x, low: y => x << low.width | y),
        Op::Ult(a, b) => each!(a: x, b: y => u128::from(x < y)),
        Op::Slt(a, b) => each!(a: x, b: y => u128::from(signed(x, a) < signed(y, b))),
        Op::Eq(a, b) => each!(a: x, b: y => u128::from(x == y)),
        Op::Ite(c, yes, no) => {
            let cases = v(c).iter().zip(v(yes)).zip(v(no));
            for (value, ((&c, &yes), &no)) in values.iter_mut().zip(cases) {
                *value = if c == 1 { yes } else { no } & mask;
            }
        }
    }
    values
}

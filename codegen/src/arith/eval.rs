//! Arithmetic programs on concrete words, straight from the contracts.

use super::{Block, Contract, Gives, MacroOp, Program, columns, limbs, redc};
use crate::params::Field;

impl Contract {
    /// The results for concrete operands, as machine words.
    ///
    /// Where the contract leaves the representative open (a product is *some* word of the right
    /// residue), the one that reduction by folding gives is returned. Operands that break a
    /// precondition give what a machine word would hold: the promised integer modulo 2^word.
    #[must_use]
    pub fn apply_all(&self, operands: &[u64]) -> Vec<u64> {
        let p = i128::from(self.field.modulus);
        let (read, write) = self.readings();
        let integers: Vec<i128> = operands.iter().map(|&x| read.integer(x)).collect();
        let linear = |c: &[i128]| -> i128 { c.iter().zip(&integers).map(|(c, x)| c * x).sum() };
        let mask = (1i128 << self.field.word_bits) - 1;
        let value = match &self.gives {
            Gives::Exact(c) => linear(c),
            Gives::SubtractOnce(c, threshold) => {
                let e = linear(c);
                if e >= *threshold { e - p } else { e }
            }
            Gives::AddOnce(c) => {
                let e = linear(c);
                if e < 0 { e + p } else { e }
            }
            Gives::Halve => {
                let x = i128::from(operands[0]);
                (x + (x & 1) * p) / 2
            }
            Gives::Divide(k) => {
                let residue = self.field.reduce(u128::from(operands[0]));
                let half = self.field.modulus.div_ceil(2);
                i128::from(self.field.mul(residue, self.field.pow(half, u64::from(*k))))
            }
            Gives::Product => i128::from(fold(self.field, operands)),
            Gives::MontgomeryProduct => {
                let product = self.field.mul(operands[0], operands[operands.len() - 1]);
                i128::from(self.field.from_montgomery(product))
            }
            gives => {
                let values = match gives {
                    Gives::Carried | Gives::Shifted | Gives::ProductLimbs(_) => {
                        limbs::apply(gives, &integers)
                    }
                    Gives::Halves | Gives::Share | Gives::ReducedColumns => {
                        redc::apply(self.field, gives, operands)
                    }
                    _ => columns::apply(self.field, gives, &integers),
                };
                return values.into_iter().map(|x| write.word(x)).collect();
            }
        };
        vec![(value & mask) as u64]
    }

    /// The first result; see [`Contract::apply_all`].
    #[must_use]
    pub fn apply(&self, operands: &[u64]) -> u64 {
        self.apply_all(operands)[0]
    }
}

/// The representative of `a·b` that `lo - h + (2^32 - 1)·m` with one correction each way gives.
fn fold(field: &Field, operands: &[u64]) -> u64 {
    let product = u128::from(operands[0]) * u128::from(operands[operands.len() - 1]);
    let (lo, hi) = (product as u64, (product >> 64) as u64);
    let epsilon = field.modulus.wrapping_neg();
    let (t, borrow) = lo.overflowing_sub(hi >> 32);
    let t = if borrow { t.wrapping_sub(epsilon) } else { t };
    let (r, carry) = t.overflowing_add((hi & epsilon) * epsilon);
    if carry { r.wrapping_add(epsilon) } else { r }
}

impl Block {
    /// Every value of the block for the given inputs.
    #[must_use]
    pub fn trace(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        let mut values = inputs.to_vec();
        let mut second = None;
        for operation in &self.operations {
            let operands: Vec<u64> = operation
                .operands
                .iter()
                .map(|v| values[v.index()])
                .collect();
            values.push(
                second
                    .take()
                    .filter(|_| operation.op == MacroOp::Second)
                    .unwrap_or_else(|| {
                        let contract =
                            Contract::of(field, operation.op).expect("macro-op of the field");
                        let mut results = contract.apply_all(&operands).into_iter();
                        let first = results.next().expect("at least one result");
                        second = results.next();
                        first
                    }),
            );
        }
        values
    }

    /// The new state elements for the given inputs.
    #[must_use]
    pub fn eval(&self, field: &'static Field, inputs: &[u64]) -> Vec<u64> {
        let values = self.trace(field, inputs);
        self.outputs.iter().map(|v| values[v.index()]).collect()
    }
}

impl Program {
    /// Permutes a state of kernel words, with round constants of the instance.
    #[must_use]
    pub fn permute(&self, state: &[u64]) -> Vec<u64> {
        let field = self.instance.field;
        let constant = |c| self.prepared(c);
        self.execute(state.to_vec(), constant, |block, inputs| {
            self.blocks[block].eval(field, inputs)
        })
    }

    /// A round constant in the words that blocks read.
    #[must_use]
    pub fn prepared(&self, residue: u64) -> Vec<u64> {
        let field = self.instance.field;
        let word = field.to_montgomery(residue);
        self.block(crate::ir::BlockKind::Constant)
            .map_or_else(|| vec![word], |b| self.blocks[b].eval(field, &[word]))
    }
}

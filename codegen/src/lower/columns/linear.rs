//! Linear layers: of the external rounds, and of Poseidon1's partial ones.

use std::collections::BTreeMap;

use super::Lowering;
use super::doublings::Doublings;
use crate::arith::Block;
use crate::ir::{self, BlockKind, FieldOp, Value};
use crate::lower::parts::{Builder, Element};
use crate::ops::MacroOp;
use crate::params::Mds;

impl Lowering<'_> {
    pub(super) fn external_linear(&self, source: &ir::Block) -> Block {
        let (mut b, elements) = self.state(false);
        let outputs = self.linear(&mut b, source, &source.operations, elements);
        b.finish(BlockKind::ExternalLinear, outputs.concat())
    }

    /// The outputs of a block, made of its last operations, which are linear, and of the elements before them.
    /// Each field addition becomes two, one for each column.
    pub(super) fn linear(
        &self,
        b: &mut Builder,
        source: &ir::Block,
        operations: &[ir::Operation],
        mut elements: Vec<Element>,
    ) -> Vec<Element> {
        let mut factors = BTreeMap::new();
        let mut doublings = Doublings::default();
        let zero = b.defined(MacroOp::Constant(0)).map(|zero| [zero; 2]);
        for operation in operations {
            if let (FieldOp::Add(x, y), Some(zero)) = (operation.op, zero)
                && x == y
                && elements[x.index()] == zero
            {
                elements.push(zero);
                continue;
            }
            let mut of = |b: &mut Builder, x: Value| doublings.made(b, x, &mut elements);
            let element = match operation.op {
                FieldOp::Add(x, y) if x == y => doublings.doubled(operation, x, &elements),
                FieldOp::Add(x, y) => match [of(b, x), of(b, y)] {
                    [x, other] | [other, x] if zero == Some(other) => x,
                    [x, y] => b.plus(&operation.name, x, y),
                },
                FieldOp::Sub(x, y) => match [of(b, x), of(b, y)] {
                    [x, y] if zero == Some(y) => x,
                    [x, y] => b.minus(&operation.name, x, y),
                },
                FieldOp::Constant(0) => [b.word(0); 2],
                // Factors are words, which only products ask for.
                FieldOp::Constant(residue) => {
                    factors.insert(operation.result, residue);
                    [Value(0); 2]
                }
                FieldOp::Mul(x, y) if factors.contains_key(&y) => {
                    let x = of(b, x);
                    self.multiplied(b, &operation.name, x, factors[&y])
                }
                _ => unreachable!("a linear layer is linear"),
            };
            elements.push(element);
        }
        let outputs = source.outputs.iter();
        outputs
            .map(|&output| doublings.made(b, output, &mut elements))
            .collect()
    }

    /// Adds the products of element 0 to the sums of the others.
    pub(super) fn add_column(&self, b: &mut Builder, sums: &mut [Element], mds: &Mds, z: Element) {
        let mut shifts = BTreeMap::new();
        for (i, (sum, row)) in sums.iter_mut().zip(&mds.rows).enumerate() {
            let site = format!("internal.mds.first[{i}]");
            let Some(entry) = ir::small(self.instance.field, row[0]) else {
                let product = self.multiplied(b, &site, z, row[0]);
                *sum = b.plus(&site, *sum, product);
                continue;
            };
            if i == 1 {
                // Element 0 has doublings of its own: every round waits for them.
                shifts.clear();
            }
            for (k, is_negative) in ir::signed_digits(entry) {
                let name = format!("{site}.{k}");
                let term = *shifts.entry(k).or_insert_with(|| match k {
                    0 => z,
                    _ => b.shifted(&name, z, k),
                });
                *sum = match is_negative {
                    true => b.minus(&name, *sum, term),
                    false => b.plus(&name, *sum, term),
                };
            }
        }
    }
}

//! Linear layers: of the external rounds, and of Poseidon1's partial ones.

use std::collections::BTreeMap;

use super::Lowering;
use super::doublings::Doublings;
use crate::arith::Block;
use crate::ir::{self, BlockKind, FieldOp, Value};
use crate::lower::parts::{Builder, Element};

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
        for operation in operations {
            let mut of = |b: &mut Builder, x: Value| doublings.made(b, x, &mut elements);
            let element = match operation.op {
                FieldOp::Add(x, y) if x == y => doublings.doubled(operation, x, &elements),
                FieldOp::Add(x, y) => {
                    let [x, y] = [of(b, x), of(b, y)];
                    b.plus(&operation.name, x, y)
                }
                FieldOp::Sub(x, y) => {
                    let [x, y] = [of(b, x), of(b, y)];
                    b.minus(&operation.name, x, y)
                }
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
}

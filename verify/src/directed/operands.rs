//! Vectors that meet the additions, subtractions and halvings of a program whose elements are words
//! with operands that are trouble together, on either side of each bound.

use codegen::arith::Operation;
use codegen::ir::{BlockKind, Value};
use codegen::ops::MacroOp;

use super::aim::{Aim, Start};
use super::machine::Visit;
use super::place::Place;
use super::{Edge, VECTORS, choice};
use crate::corpus::values::Fill;

impl Aim<'_> {
    /// The edges of all such operations.
    pub(super) fn operands(&self, place: &Place<'_>) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (index, block) in self.program.blocks.iter().enumerate() {
            for operation in &block.operations {
                let linear = matches!(
                    operation.op,
                    MacroOp::Add
                        | MacroOp::Sub
                        | MacroOp::Halve
                        | MacroOp::Div2Exp(_)
                        | MacroOp::AddSigned
                        | MacroOp::SubSigned
                        | MacroOp::Times(_)
                );
                // One operand that is always the same leaves nothing to choose.
                let fixed = |v: &Value| block.definition(*v).is_some_and(|o| o.word().is_some());
                if linear && !operation.operands.iter().any(fixed) {
                    edges.push(self.chosen(place, index, operation, edges.len() as u64));
                }
            }
        }
        edges
    }

    fn chosen(&self, place: &Place<'_>, index: usize, operation: &Operation, seed: u64) -> Edge {
        let field = &self.instance.field;
        let width = self.program.instance.width;
        let mut fill = Fill::new(seed);
        let rounds = place.rounds(self.program.blocks[index].kind);
        let forms = self.forms(index, &operation.operands);
        let vector = |turn: usize| {
            let (round, element) = (turn % rounds.len(), 0);
            let visit = Visit {
                block: index,
                round,
                element,
            };
            let residues = (0..width).map(|_| field.encode(fill.dangerous_residue(field)));
            let mut state: Vec<u64> = residues.collect();
            let mut target = |constant| choice::partner(field, constant, turn, &mut fill);
            let (first, start) = if let Some(forms) = &forms {
                let targets = choice::pair(field, turn, &mut fill);
                let start = self.bent(place, visit, forms, targets, state, &mut fill);
                (targets.0, start)
            } else {
                if self.program.blocks[index].kind == BlockKind::ExternalSbox {
                    for (i, word) in state.iter_mut().enumerate() {
                        *word = target(place.external(round, i));
                    }
                } else {
                    state[0] = target(place.internal(round));
                }
                let layer = rounds[round];
                (state[0], Start { layer, state })
            };
            let operand = operation.operands[0].index();
            place.traced(self.input(place, &start), |at, values| {
                at == visit && values[operand] % field.modulus == first
            })
        };
        Edge {
            site: operation.name.clone(),
            band: "operands that are trouble together",
            argument: None,
            vectors: (0..VECTORS).map(vector).collect(),
        }
    }
}

//! Vectors directed at the edges of programs that reduce what leads into products, and keep products in a word.
//!
//! There is no carry and no borrow. A quotient may be one too great or too small next to a multiple of p, a word that
//! leaves may be p or more, and a product of the greatest factors comes nearest to a word's end.

use codegen::arith::Operation;
use codegen::ir::BlockKind;
use codegen::ops::{MacroOp, Range};
use codegen::params::Field;

use super::aim::{Aim, Start};
use super::machine::{Visit, prepared};
use super::place::Place;
use super::{Edge, RARE, VECTORS, Vector, choice};
use crate::corpus::values::Fill;

/// Words among which one is searched whose powers are great.
const TRIES: usize = 1 << 12;
/// How near to a multiple of p is near.
const NEAR: u64 = 1 << 12;

/// An edge of a macro-op.
#[derive(Clone, Copy, Debug)]
enum Band {
    /// What is reduced has just reached a multiple of p.
    Reaches,
    /// What is reduced is just below one.
    Below,
    /// A product is at least so great: three quarters of the greatest one.
    Greatest(u128),
}

impl Band {
    /// The edges that an operation has, by the ranges of its block's values.
    fn of(operation: &Operation, ranges: &[Range], field: &Field) -> Vec<Self> {
        match operation.op {
            MacroOp::Reduce | MacroOp::Canonicalise => vec![Self::Reaches, Self::Below],
            // A product of two words is near the end of none.
            MacroOp::MulAdd if field.reduction_bits() == 64 => Vec::new(),
            MacroOp::Mul | MacroOp::MulAdd | MacroOp::MulAddShort => {
                let [a, b] = last_two(operation).map(|v| ranges[v].hi.unsigned_abs());
                vec![Self::Greatest(a * b / 4 * 3)]
            }
            _ => Vec::new(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Reaches => "just reaches a multiple of p",
            Self::Below => "just below a multiple of p",
            Self::Greatest(_) => "a great product",
        }
    }

    /// A residue for an operand that goes there.
    fn target(self, p: u64, near: u64) -> u64 {
        match self {
            Self::Reaches => near % NEAR,
            Self::Below | Self::Greatest(_) => p - 1 - near % NEAR,
        }
    }

    /// Whether the values of one execution of the operation's block are there.
    fn hit(self, p: u64, operation: &Operation, values: &[u64]) -> bool {
        let [a, b] = last_two(operation).map(|v| values[v]);
        match self {
            // Nothing is subtracted from what is less than p.
            Self::Reaches => b >= p && b % p < NEAR,
            Self::Below => b % p >= p - NEAR,
            Self::Greatest(least) => u128::from(a) * u128::from(b) >= least,
        }
    }
}

/// The last two operands, as values' indices; of a single one, that one twice.
fn last_two(operation: &Operation) -> [usize; 2] {
    let operands = &operation.operands;
    let last = operands.len() - 1;
    [last.saturating_sub(1), last].map(|n| operands[n].index())
}

impl Aim<'_> {
    /// The edges of a program whose elements are reduced before products.
    pub(super) fn reduced(&self, place: &Place<'_>) -> Vec<Edge> {
        let mut fill = Fill::new(self.program.instance.width as u64);
        let inputs = self.program.input_ranges();
        let mut edges = Vec::new();
        for (index, block) in self.program.blocks.iter().enumerate() {
            if block.kind == BlockKind::Constant {
                continue;
            }
            let (ranges, _) = block.ranges(self.field, &inputs[index]);
            for operation in &block.operations {
                for band in Band::of(operation, &ranges, self.field) {
                    let vectors = self.led(place, index, operation, band, &mut fill);
                    edges.push(Edge {
                        site: operation.name.clone(),
                        band: band.name(),
                        argument: None,
                        vectors,
                    });
                }
            }
        }
        edges
    }

    /// Vectors for one edge of one operation, evenly over its executions.
    fn led(
        &self,
        place: &Place<'_>,
        index: usize,
        operation: &Operation,
        band: Band,
        fill: &mut Fill,
    ) -> Vec<Vector> {
        let kind = self.program.blocks[index].kind;
        let (width, p) = (self.program.instance.width, self.field.modulus);
        let sboxes = kind == BlockKind::ExternalSbox;
        let elements = if sboxes { width } else { 1 };
        let executions = self.program.executions(kind) / elements;
        // Of a product by a constant that is the other factor.
        let aimed = operation.operands[operation.operands.len().saturating_sub(2)];
        let forms = self.forms(index, &[aimed]);
        let vector = |turn: usize| {
            let visit = Visit {
                block: index,
                round: turn % executions,
                element: turn % elements,
            };
            let mut target = band.target(p, fill.bits());
            let mut state = choice::residues(&self.instance.field, width, fill);
            let start = if let Some(forms) = &forms {
                self.bent(place, visit, forms, (target, target), state, fill)
            } else {
                let layer = place.rounds(kind)[visit.round];
                let constant = place.constant(kind, visit);
                for _ in 0..TRIES {
                    state[visit.element] = self.field.sub(target, constant);
                    let mut inputs = state.clone();
                    if sboxes {
                        inputs = vec![state[visit.element]];
                    }
                    inputs.extend(prepared(self.program, constant));
                    // The words of sums are not these, but their residues lead there.
                    let values = place.machine.trace(index, &inputs);
                    if !matches!(band, Band::Greatest(_)) || band.hit(p, operation, &values) {
                        break;
                    }
                    target = p - 1 - fill.below(p >> 4);
                }
                Start { layer, state }
            };
            place.traced(self.input(place, &start), |at, values| {
                at == visit && band.hit(p, operation, values)
            })
        };
        let wanted = if executions > 2 { VECTORS } else { RARE };
        (0..wanted).map(vector).collect()
    }
}

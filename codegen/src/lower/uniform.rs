//! Strategy `uniform`: the words of `signed`, with the same operations for every element, so that one state fits across
//! the lanes of a few vectors.
//!
//! Element 0 has a way of its own in internal rounds: each of them waits for its S-box, and a product takes general
//! registers two thirds of the time that it takes vectors. What the others need, their products with the diagonal and
//! their sum, is made meanwhile.

mod pieces;
mod poseidon1;

use super::Unsuited;
use super::parts::Builder;
use super::reduced::Reduced;
use crate::arith::{Across, Basis, Block, LANES, Move, PieceId, Pieces, Program};
use crate::ir::{self, BlockKind, Input, Value};
use crate::names::Strategy;
use crate::ops::MacroOp;
use crate::params::{ExternalLayer, Field, Instance, InternalLayer, Linear, Rational};
use pieces::Rows;

/// Lowers a field-level program.
///
/// # Errors
/// If the field has other words, the state does not fill vectors, or the external layer of Poseidon2 is not
/// Plonky3's.
pub(super) fn lower(program: &ir::Program) -> Result<Program, Unsuited> {
    let instance = &program.instance;
    let (field, strategy) = (instance.field, Strategy::Uniform);
    if !field.is_montgomery() {
        return Err(Unsuited::Field(strategy, field.name));
    }
    if !instance.width.is_multiple_of(LANES) {
        return Err(Unsuited::Width(strategy, instance.width));
    }
    let lowering = Lowering { instance, field };
    let [(linear, in_linear), (round, in_round)] = match &instance.linear {
        Linear::Poseidon1(mds) => [lowering.mds(mds), lowering.partial_round(mds)],
        Linear::Poseidon2 { external, .. } if *external != ExternalLayer::PLONKY3 => {
            return Err(Unsuited::M4(strategy));
        }
        Linear::Poseidon2 { internal, .. } => [
            lowering.external_linear(),
            lowering.internal_round(internal),
        ],
    };
    let blocks = vec![linear, lowering.external_sbox(), round];
    Ok(Program {
        flow: Program::in_order(instance, &blocks, &[instance.internal_rounds]),
        instance: instance.clone(),
        blocks,
        parts: 1,
        radix: 0,
        words: field,
        basis: Basis::default(),
        across: Some(Across(vec![in_linear, in_round])),
    })
}

struct Lowering<'a> {
    instance: &'a Instance,
    field: &'static Field,
}

/// The S-box of an element and a round constant. The constant is taken less p, as a product takes their sum.
fn sbox<R: Reduced>(
    b: &mut R,
    site: &str,
    [state, constant, p]: [R::Word; 3],
    alpha: u64,
) -> R::Word {
    let constant = b.apply(&format!("{site}.rc.minus"), MacroOp::Minus, &[constant, p]);
    let x = b.apply(&format!("{site}.rc"), MacroOp::Plus, &[state, constant]);
    b.power(&format!("{site}.sbox"), x, alpha)
}

impl Reduced for Rows {
    type Word = PieceId;

    fn apply(&mut self, name: &str, op: MacroOp, operands: &[PieceId]) -> PieceId {
        self.operation(name, op, operands)
    }
}

impl Lowering<'_> {
    fn vectors(&self) -> usize {
        self.instance.width / LANES
    }

    fn external_sbox(&self) -> Block {
        let mut b = Builder::on(self.field, vec![Input::State(0), Input::Constant]);
        let p = b.word(self.field.modulus);
        let operands = [Value(0), Value(1), p];
        let z = sbox(&mut b, "external[*]", operands, self.instance.alpha);
        b.finish(BlockKind::ExternalSbox, vec![z])
    }

    /// M4, which is `circ(2, 3, 1, 1)`, adds to the sum of its block each element once and the next one twice.
    fn external_linear(&self) -> (Block, Pieces) {
        let mut b = Rows::new(self.field, self.instance.width, false);
        let multiplied: Vec<PieceId> = (0..self.vectors())
            .map(|n| {
                let site = |name: &str| format!("external[*].mds.row[{n}].{name}");
                let x = b.row(n);
                let pairs = b.moved(Move::Pairs, x);
                let sum = b.added(&site("pairs"), x, pairs);
                let other = b.moved(Move::Neighbours, sum);
                let sum = b.added(&site("sum"), sum, other);
                let next = b.moved(Move::Next, x);
                let twice = b.added(&site("twice"), next, next);
                let own = b.added(&site("own"), x, twice);
                b.added(&site("m4"), sum, own)
            })
            .collect();
        let sum = b.total("external[*].mds.sum", &multiplied);
        let other = b.moved(Move::Blocks, sum);
        let sum = b.added("external[*].mds.blocks", sum, other);
        let rows = multiplied.iter().enumerate();
        let rows = rows.map(|(n, x)| b.added(&format!("external[*].mds.out[{n}]"), *x, sum));
        let rows = rows.collect();
        b.finish(BlockKind::ExternalLinear, None, rows)
    }

    fn internal_round(&self, layer: &InternalLayer) -> (Block, Pieces) {
        let field = self.field;
        let word = |d: &Rational| field.to_montgomery(d.residue(field));
        let mut b = Rows::new(field, self.instance.width, true);
        let rows: Vec<PieceId> = (0..self.vectors()).map(|n| b.row(n)).collect();
        let operands = [b.first(), b.constant(), b.word(field.modulus)];
        let z = sbox(&mut b, "internal", operands, self.instance.alpha);
        // In lane 0 of the first vector is nothing.
        let mut summed = rows.clone();
        let zeros = b.words([0; LANES]);
        summed[0] = b.with_first([rows[0], zeros]);
        let mut sum = b.total("internal.sum", &summed);
        for way in [Move::Blocks, Move::Pairs, Move::Neighbours] {
            let other = b.moved(way, sum);
            sum = b.added(&format!("internal.sum.{way}"), sum, other);
        }
        let tail = b.first_of(sum);
        let mut total = b.added("internal.total", tail, z);
        let entries = self.instance.entries();
        let is_plain = layer.scale == Rational::ONE;
        if !is_plain {
            let scale = b.word(word(&layer.scale));
            total = b.scaled("internal.total.scaled", total, scale);
        }
        let first = match is_plain && entries[0] == Rational::integer(-2) {
            true => b.apply("internal.diag[0]", MacroOp::Sub, &[tail, z]),
            false => {
                let factor = b.word(word(&entries[0]));
                let product = b.scaled("internal.diag[0].product", z, factor);
                b.added("internal.diag[0]", total, product)
            }
        };
        let total = b.broadcast(total);
        let rows = rows.iter().zip(entries.chunks(LANES)).enumerate();
        let rows = rows.map(|(n, (x, entries))| {
            let mut factors = [0; LANES];
            let own = factors.iter_mut().zip(entries).skip(usize::from(n == 0));
            own.for_each(|(factor, d)| *factor = word(d));
            let factors = b.words(factors);
            let product = b.scaled(&format!("internal.product[{n}]"), *x, factors);
            b.added(&format!("internal.diag.row[{n}]"), product, total)
        });
        let rows = rows.collect();
        b.finish(BlockKind::InternalRound, Some(first), rows)
    }
}

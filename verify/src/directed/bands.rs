//! Vectors directed at the edges of macro-ops where elements have parts.
//!
//! There is no canonicalisation to miss; what matters is decided by the residue that `pack` is
//! given, and by the word that the S-box gets of it. For the S-box's products, words are searched
//! whose powers hit an edge; among uniform ones the rarest would take 2^32 tries, so words with
//! few bits are searched as well. Each edge has some, but for those that are proved to have none. The
//! columns of all elements are as large as they get together where all S-boxes of a round get such words.

use std::collections::BTreeMap;

use codegen::arith::{Block, Operation};
use codegen::ir::{BlockKind, Value};
use codegen::ops::MacroOp;

use super::aim::{Aim, Start};
use super::band::Band;
use super::machine::{Visit, prepared};
use super::place::Place;
use super::solve::is_product;
use super::{Edge, RARE, VECTORS, Vector, choice};
use crate::corpus::values::Fill;

/// Uniform words among those searched; more, up to the most, where some edge has no word yet.
const UNIFORM: usize = 1 << 16;
const MOST: usize = 1 << 22;
/// What all parts of a round's linear layer are as large as they get for.
const EXTREMES: [Band; 4] = [
    Band::LowLeast,
    Band::LowMost,
    Band::HighLeast,
    Band::HighMost,
];
/// The site that vectors for the linear layer are counted for.
const LINEAR: &str = "external[*].mds";

/// Why no word leads to an edge.
const RESIDUES: &str = "what is reduced from below is a residue, by the proof beside `is_residue`";

/// S-box words, by the number of the product and its edge, without those that no word leads to.
type Found = BTreeMap<(usize, Band), Vec<u64>>;

impl Aim<'_> {
    /// The edges of a program whose elements have parts.
    pub(super) fn bands(&self, place: &Place<'_>) -> Vec<Edge> {
        let found = self.search(place);
        let mut fill = Fill::new(self.program.instance.width as u64);
        let mut edges = Vec::new();
        for (index, block) in self.program.blocks.iter().enumerate() {
            let mut product = 0;
            for operation in &block.operations {
                let by_constant = is_by_constant(block, operation);
                for band in Band::of(operation.op) {
                    // How large its parts get is the constant's affair.
                    if by_constant && *band != Band::Operand {
                        continue;
                    }
                    let words = found.get(&(product, *band)).map_or(&[][..], |list| list);
                    let vectors = self.shot(place, index, operation, *band, words, &mut fill);
                    let none = Self::is_out_of_reach(block, operation, *band);
                    edges.push(Edge {
                        argument: none.then(|| RESIDUES.to_owned()),
                        ..edge(&operation.name, *band, vectors)
                    });
                }
                product += usize::from(is_product(self.field, operation.op));
            }
        }
        let (_, products) = self.sbox();
        let Some(last) = products.len().checked_sub(1) else {
            return edges;
        };
        for band in EXTREMES {
            // None: the strategy's products are no columns.
            if let Some(words) = found.get(&(last, band)) {
                let vectors = self.extremes(place, products[last], band, words, &mut fill);
                edges.push(edge(LINEAR, band, vectors));
            }
        }
        edges
    }

    /// The S-box of external rounds, and its products.
    fn sbox(&self) -> (usize, Vec<&Operation>) {
        let index = self.program.block(BlockKind::ExternalSbox);
        let index = index.expect("every program has one");
        let products = self.program.blocks[index].operations.iter();
        let products = products.filter(|o| is_product(self.field, o.op));
        (index, products.collect())
    }

    /// Whether it is proved that no word leads to an edge: operands are residues whatever the S-box gets.
    fn is_out_of_reach(block: &Block, operation: &Operation, band: Band) -> bool {
        let mut operands = operation.operands.iter();
        band == Band::Operand && operands.all(|operand| Self::is_residue(block, *operand))
    }

    /// Whether a value is a product that was reduced from below: that is a residue, whatever words a and b are.
    ///
    /// It is `a·b / 2^64` less something, and p more where that is negative. So `p + r` would be at most the high
    /// half of `a·b`: with `E = 2^32 - 1`, `a = 2^64 - u` and `b = 2^64 - v` that is `p + E - u - v`, with u and v
    /// from 1 to E. But `p + r` stands for `(E - u)·(E - v) / E`, as `2^64` is E modulo p, and both sides of
    /// `E·r = (E - u)·(E - v)` are below p: so r is `E - u - v + u·v / E`, which is more.
    fn is_residue(block: &Block, value: Value) -> bool {
        let of = |value: Value| block.definition(value);
        of(value).is_some_and(|operation| match operation.op {
            MacroOp::Redc => true,
            MacroOp::Sub => of(operation.operands[1]).is_some_and(|less| less.op == MacroOp::Share),
            _ => false,
        })
    }

    /// Searches for words that lead to edges in the S-box.
    fn search(&self, place: &Place<'_>) -> Found {
        let (index, products) = self.sbox();
        let p = self.field.modulus;
        let mut fill = Fill::new(p);
        let few_bits = (1..1 << 10_u32).flat_map(|s: u64| (0..64).map(move |k| s.rotate_left(k)));
        let low: Vec<u64> = (0..1 << 10).map(|_| fill.below(0xffff_ffff)).collect();
        let uniform = (0..MOST).map(|n| (n < UNIFORM, fill.bits()));
        let zero = prepared(self.program, 0);
        let radix = self.program.radix;
        let mut found = Found::new();
        for (n, operation) in products.iter().enumerate() {
            let block = &self.program.blocks[index];
            let bands = Band::of(operation.op).iter();
            let bands = bands.filter(|band| !Self::is_out_of_reach(block, operation, **band));
            found.extend(bands.map(|band| ((n, *band), Vec::new())));
        }
        let always = few_bits.chain(low).map(|word| (true, word));
        for (always, word) in always.chain(uniform) {
            if !always && found.values().all(|words| !words.is_empty()) {
                break;
            }
            let residue = word % p;
            let parts = [residue & ((1 << radix) - 1), residue >> radix];
            let inputs = [&parts, zero.as_slice()].concat();
            let values = place.machine.trace(index, &inputs);
            for ((n, band), list) in &mut found {
                let wanted = list.len() < VECTORS && band.hit(products[*n], &values);
                if wanted && !list.contains(&residue) {
                    list.push(residue);
                }
            }
        }
        found
    }

    /// Vectors for one edge of one operation, evenly over its executions.
    fn shot(
        &self,
        place: &Place<'_>,
        index: usize,
        operation: &Operation,
        band: Band,
        words: &[u64],
        fill: &mut Fill,
    ) -> Vec<Vector> {
        let kind = self.program.blocks[index].kind;
        let width = self.program.instance.width;
        let sboxes = kind == BlockKind::ExternalSbox;
        let elements = if sboxes { width } else { 1 };
        let executions = self.program.executions(kind) / elements;
        let pack = matches!(
            operation.op,
            MacroOp::Pack | MacroOp::PackHalves | MacroOp::PackRadix48
        );
        // What is packed for a product by a constant is another word than its residue where it just reaches p.
        let (aimed, band_of_pack) = match is_by_constant(&self.program.blocks[index], operation) {
            true => (Some(operation.operands[0]), Band::AtP),
            false => (pack.then_some(operation.result), band),
        };
        let wanted = match executions {
            0 => 0,
            _ if aimed.is_none() && words.is_empty() => 0,
            1 | 2 => RARE,
            _ => VECTORS,
        };
        let forms = aimed.and_then(|value| self.forms(index, &[value]));
        let vector = |turn: usize| {
            let target = match band_of_pack.packed(operation.op, fill.bits()) {
                Some(residue) => residue,
                None => words[turn % words.len()],
            };
            let visit = Visit {
                block: index,
                round: turn % executions,
                element: turn % elements,
            };
            let mut state = choice::residues(&self.instance.field, width, fill);
            let start = if let Some(forms) = &forms {
                self.bent(place, visit, forms, (target, target), state, fill)
            } else {
                let layer = place.rounds(kind)[visit.round];
                let constant = place.constant(kind, visit);
                state[visit.element] = self.field.sub(target, constant);
                Start { layer, state }
            };
            place.traced(self.input(place, &start), |at, values| {
                at == visit && band.hit(operation, values)
            })
        };
        (0..wanted).map(vector).collect()
    }

    /// Vectors for the parts of all elements before an external linear layer as large as they get.
    fn extremes(
        &self,
        place: &Place<'_>,
        operation: &Operation,
        band: Band,
        words: &[u64],
        fill: &mut Fill,
    ) -> Vec<Vector> {
        let (index, _) = self.sbox();
        let width = self.program.instance.width;
        let wanted = if words.is_empty() { 0 } else { VECTORS };
        let vector = |turn: usize| {
            let external = &place.layers[1];
            let round = turn % external.len();
            let element = |i: usize| {
                let word = words[fill.index(words.len())];
                self.field.sub(word, place.external(round, i))
            };
            let start = Start {
                layer: external[round],
                state: (0..width).map(element).collect(),
            };
            let mut elements = 0;
            place.traced(self.input(place, &start), |at, values| {
                let there = at.block == index && at.round == round;
                elements += usize::from(there && band.hit(operation, values));
                elements == width
            })
        };
        (0..wanted).map(vector).collect()
    }
}

/// Whether a factor is the same in all states.
fn is_by_constant(block: &Block, operation: &Operation) -> bool {
    let mut operands = operation.operands.iter();
    operands.any(|operand| {
        block
            .definition(*operand)
            .is_some_and(|o| o.word().is_some())
    })
}

fn edge(site: &str, band: Band, vectors: Vec<Vector>) -> Edge {
    Edge {
        site: site.to_owned(),
        band: band.name(),
        argument: None,
        vectors,
    }
}

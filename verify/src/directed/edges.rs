//! Vectors directed at the edges of macro-ops where elements have parts.
//!
//! There is no canonicalisation to miss; what matters is decided by the residue that `pack` is
//! given, and by the word that the S-box gets of it. For the S-box's products, words are searched
//! whose powers hit an edge; among uniform ones the rarest would take 2^32 tries, so words with
//! few bits are searched as well. The columns of all elements are as large as they get together
//! where all S-boxes of a round get such words.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen::arith::{Block, MacroOp, Operation, Program};
use codegen::ir::BlockKind;

use super::band::Band;
use super::machine::{Machine, Visit, Words};
use super::place::Place;
use super::{Count, Directed, VECTORS, choice, is_product, solve};
use crate::corpus::Table;
use crate::corpus::values::Fill;
use crate::oracle::Instance;

/// Uniform words among those searched.
const UNIFORM: usize = 1 << 16;
/// Vectors for each edge of operations that are executed once or twice.
const RARE: usize = VECTORS / 4;
/// What all parts of a round's linear layer are as large as they get for.
const EXTREMES: [Band; 4] = [
    Band::LowLeast,
    Band::LowMost,
    Band::HighLeast,
    Band::HighMost,
];
/// The site that vectors for the linear layer are counted for.
const LINEAR: &str = "external[*].mds";

/// S-box words, by the number of the product and its edge.
type Found = BTreeMap<(usize, Band), Vec<u64>>;

struct Range<'a> {
    program: &'a Program,
    instance: &'a Instance,
    machine: Machine,
    place: Place,
    found: Found,
}

/// Vectors for the edges of a program whose elements have parts.
pub(super) fn vectors(program: &Program, instance: &Instance) -> Vec<Directed> {
    let machine = Machine::new(instance.field, program);
    let found = search(program, instance, &machine);
    let range = Range {
        program,
        instance,
        machine,
        place: Place::new(instance, Table::standard(instance)),
        found,
    };
    let mut fill = Fill::new(program.instance.width as u64);
    let mut all = Vec::new();
    for (index, block) in program.blocks.iter().enumerate() {
        let mut product = 0;
        for operation in &block.operations {
            for band in Band::of(operation.op) {
                range.shoot(index, operation, product, *band, &mut fill, &mut all);
            }
            product += usize::from(is_product(operation.op));
        }
    }
    range.extremes(&mut fill, &mut all);
    all
}

/// Counts vectors by operation and edge.
pub(super) fn count(program: &Program, vectors: &[Directed]) -> Vec<Count> {
    let operations = program.blocks.iter().flat_map(|block| &block.operations);
    let sites = operations
        .clone()
        .flat_map(|o| Band::of(o.op).iter().map(|band| (o.name.as_str(), *band)));
    let has_extremes = operations
        .clone()
        .any(|o| Band::of(o.op).contains(&EXTREMES[0]));
    let linear = EXTREMES.iter().filter(|_| has_extremes);
    let linear = linear.map(|band| (LINEAR, *band));
    let count =
        |(site, band): (&str, Band)| {
            let own = vectors
                .iter()
                .filter(|v| v.site == site && v.band == band.name());
            Count {
                site: format!("{site}, {}", band.name()),
                vectors: own.clone().count(),
                hits: own.clone().filter(|v| v.hits).count(),
                argument: own.clone().next().is_none().then(|| {
                    format!("no word of {UNIFORM} uniform and all with few bits leads there")
                }),
            }
        };
    sites.chain(linear).map(count).collect()
}

fn sbox(program: &Program) -> (usize, &Block) {
    let index = program
        .block(BlockKind::ExternalSbox)
        .expect("every program has one");
    (index, &program.blocks[index])
}

/// Searches for words that lead to edges in the S-box.
fn search(program: &Program, instance: &Instance, machine: &Machine) -> Found {
    let (index, block) = sbox(program);
    let mut fill = Fill::new(instance.field.modulus);
    let few_bits = (1..1 << 10_u32).flat_map(|s: u64| (0..64).map(move |k| s.rotate_left(k)));
    let low = (0..1 << 10)
        .map(|_| fill.below(0xffff_ffff))
        .collect::<Vec<_>>();
    let uniform = (0..UNIFORM).map(|_| fill.bits()).collect::<Vec<_>>();
    let zero = machine.prepared(0);
    let mut found = Found::new();
    for word in few_bits.chain(low).chain(uniform) {
        let residue = word % instance.field.modulus;
        let inputs = [&[residue & 0xffff_ffff, residue >> 32], zero.as_slice()].concat();
        let values = machine.trace(index, &inputs);
        let products = block.operations.iter().filter(|o| is_product(o.op));
        for (n, operation) in products.enumerate() {
            for band in Band::of(operation.op) {
                let list = found.entry((n, *band)).or_default();
                if list.len() < VECTORS && band.hit(operation, &values) && !list.contains(&residue)
                {
                    list.push(residue);
                }
            }
        }
    }
    found
}

impl Range<'_> {
    /// Vectors for one edge of one operation, evenly over its executions.
    fn shoot(
        &self,
        index: usize,
        operation: &Operation,
        product: usize,
        band: Band,
        fill: &mut Fill,
        all: &mut Vec<Directed>,
    ) {
        let block = &self.program.blocks[index];
        let executions = match block.kind {
            BlockKind::ExternalSbox => self.place.words.external.len(),
            kind => self.program.executions(kind),
        };
        let pack = operation.op == MacroOp::Pack;
        let words = self
            .found
            .get(&(product, band))
            .map_or(&[][..], |list| list);
        if executions == 0 || !pack && words.is_empty() {
            return;
        }
        let wanted = if executions > 2 { VECTORS } else { RARE };
        for turn in 0..wanted {
            let target = match band.packed(fill.bits()) {
                Some(residue) => residue,
                None => words[turn % words.len()],
            };
            let element = match block.kind {
                BlockKind::ExternalSbox => turn % self.program.instance.width,
                _ => 0,
            };
            let visit = Visit {
                block: index,
                round: turn % executions,
                element,
            };
            let form = if pack {
                self.form(block, operation)
            } else {
                None
            };
            let (layer, state) = self.before(visit, form, target, fill);
            let hit = |at: Visit, values: &[u64]| at == visit && band.hit(operation, values);
            all.push(self.traced(&operation.name, band, visit.round, (layer, state), hit));
        }
    }

    /// What is packed, as a form over the state before the linear layer or at the block's start.
    fn form(&self, block: &Block, operation: &Operation) -> Option<Vec<u64>> {
        let forms = solve::forms(self.instance, &self.program.pairs, block);
        forms[operation.result.index()].clone()
    }

    fn residues(&self, fill: &mut Fill) -> Vec<u64> {
        let style = fill.below(5);
        let residue = |_| choice::residue(&self.instance.field, style, fill);
        (0..self.program.instance.width).map(residue).collect()
    }

    /// A layer, and a state before it for which the block packs the target.
    fn before(
        &self,
        visit: Visit,
        form: Option<Vec<u64>>,
        target: u64,
        fill: &mut Fill,
    ) -> (usize, Vec<u64>) {
        let p2 = &self.instance.permutation;
        let [_, external, internal] = &self.place.layers;
        let mut state = self.residues(fill);
        let kind = self.program.blocks[visit.block].kind;
        let Some(form) = form else {
            let (layer, element, constant) = match kind {
                BlockKind::ExternalSbox => {
                    let row = &self.place.words.external[visit.round];
                    (external[visit.round], visit.element, row[visit.element])
                }
                _ => (
                    internal[visit.round],
                    0,
                    self.place.words.internal[visit.round],
                ),
            };
            state[element] = p2.add(target, p2.modulus - constant);
            return (layer, state);
        };
        let layer = match kind {
            // Past the constant and the S-box.
            BlockKind::InternalRound => internal[visit.round] + 2,
            BlockKind::InternalNormalise => {
                let mut runs = self.program.runs();
                let before = runs.nth(visit.round).expect("normalised after a run");
                internal[before.end]
            }
            // Past the last linear layer.
            BlockKind::InternalLeave => internal[internal.len() - 1] + 3,
            _ => self.place.inverse.layers().len(),
        };
        solve::bend(p2, &mut state, &[&form], (target, target), fill);
        (layer, state)
    }

    /// The parts of all elements before an external linear layer as large as they get.
    fn extremes(&self, fill: &mut Fill, all: &mut Vec<Directed>) {
        let (index, block) = sbox(self.program);
        let mut products = block.operations.iter().filter(|o| is_product(o.op));
        let last = products.clone().count() - 1;
        let Some(operation) = products.next_back() else {
            return;
        };
        let p2 = &self.instance.permutation;
        let width = self.program.instance.width;
        for band in EXTREMES {
            let Some(words) = self
                .found
                .get(&(last, band))
                .filter(|list| !list.is_empty())
            else {
                continue;
            };
            for turn in 0..VECTORS {
                let round = turn % self.place.words.external.len();
                let constants = &self.place.words.external[round];
                let state = constants.iter().map(|c| {
                    let word = words[fill.index(words.len())];
                    p2.add(word, p2.modulus - c)
                });
                let start = (self.place.layers[1][round], state.collect());
                let mut elements = 0;
                let hit = |at: Visit, values: &[u64]| {
                    let there = at.block == index && at.round == round;
                    elements += usize::from(there && band.hit(operation, values));
                    elements == width
                };
                all.push(self.traced(LINEAR, band, round, start, hit));
            }
        }
    }

    /// A vector, with what the trace of the whole permutation says of it.
    fn traced(
        &self,
        site: &str,
        band: Band,
        round: usize,
        (layer, mut state): (usize, Vec<u64>),
        mut hit: impl FnMut(Visit, &[u64]) -> bool,
    ) -> Directed {
        self.place.inverse.input_for(layer, &mut state);
        let mut hits = false;
        let words: &Words = &self.place.words;
        self.machine
            .run(words, &state, |visit, values| hits |= hit(visit, values));
        Directed {
            site: site.to_owned(),
            band: band.name(),
            round,
            table: Arc::clone(&self.place.table),
            state,
            hits,
        }
    }
}

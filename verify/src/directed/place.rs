//! Tables of constants, and the way backwards through their permutations.

use std::sync::Arc;

use codegen::arith::Program;
use codegen::ir::BlockKind;

use super::machine::{Machine, Visit};
use crate::corpus::Table;
use crate::corpus::values::Fill;
use crate::oracle::{Field, Instance, Inverse, Layer};

/// A table of constants with the way backwards through its permutation.
pub(super) struct Place<'a> {
    pub(super) table: Arc<Table>,
    pub(super) machine: Machine<'a>,
    field: Field,
    pub(super) inverse: Inverse,
    /// Layer numbers: of each external linear layer, external round and internal round.
    pub(super) layers: [Vec<usize>; 3],
    /// That past the linear layer of the last internal round.
    after_internal: usize,
}

/// Constants whose other word, c + p, fits a word of Goldilocks: what a constructor that does not
/// canonicalise may leave in its table.
pub(super) fn low_constants(instance: &Instance) -> Table {
    let mut fill = Fill::new(instance.field.modulus);
    let half = instance.field.band() / 2;
    Table::filled(instance, "low", || half + fill.below(half))
}

impl<'a> Place<'a> {
    pub(super) fn new(program: &'a Program, instance: &Instance, table: Table) -> Self {
        let inverse = Inverse::new(&table.permutation(instance)).expect("layers are bijections");
        let numbers = |wanted: fn(&Layer) -> bool| {
            let layers = inverse.layers().iter().enumerate();
            layers
                .filter(|(_, layer)| wanted(layer))
                .map(|(n, _)| n)
                .collect()
        };
        let layers: [Vec<usize>; 3] = [
            numbers(|layer| matches!(layer, Layer::ExternalLinear)),
            numbers(|layer| matches!(layer, Layer::ExternalConstants(_))),
            numbers(|layer| matches!(layer, Layer::InternalConstant(_))),
        ];
        Self {
            machine: Machine::new(program, &table, false),
            table: Arc::new(table),
            field: instance.field,
            inverse,
            after_internal: layers[2][layers[2].len() - 1] + 3,
            layers,
        }
    }

    /// Layer numbers of the states that blocks of a kind are executed on; none for others than those.
    pub(super) fn rounds(&self, kind: BlockKind) -> &[usize] {
        let [linear, external, internal] = &self.layers;
        match kind {
            BlockKind::ExternalLinear => linear,
            BlockKind::ExternalSbox => external,
            BlockKind::InternalRound => internal,
            BlockKind::InternalEnter => &internal[..1],
            BlockKind::InternalLeave => std::slice::from_ref(&self.after_internal),
            _ => &[],
        }
    }

    /// The word of the constant that an element gets in an external round.
    pub(super) fn external(&self, round: usize, element: usize) -> u64 {
        self.field.encode(self.table.external[round][element])
    }

    /// The word of the constant of an internal round.
    pub(super) fn internal(&self, round: usize) -> u64 {
        self.field.encode(self.table.internal[round])
    }

    /// The word of the constant that an element gets before its S-box.
    pub(super) fn constant(&self, kind: BlockKind, visit: Visit) -> u64 {
        match kind {
            BlockKind::ExternalSbox => self.external(visit.round, visit.element),
            _ => self.internal(visit.round),
        }
    }

    /// The residue of which the S-box makes this one.
    pub(super) fn root(&self, residue: u64) -> u64 {
        let mut element = [residue];
        self.inverse.undo(Layer::InternalSbox, &mut element);
        element[0]
    }

    /// The word of element 0 before an internal round whose S-box gives this one.
    pub(super) fn before_sbox(&self, round: usize, word: u64) -> u64 {
        let mut element = [self.root(self.field.decode(word))];
        let constant = Layer::InternalConstant(round);
        self.inverse.undo(constant, &mut element);
        self.field.encode(element[0])
    }
}

/// Constants that keep a state of zeros as it is until an internal round, whose S-box then takes
/// this residue.
pub(super) fn quiet(instance: &Instance, round: usize, before_sbox: u64) -> Table {
    let mut table = Table::standard(instance);
    table.name = format!("quiet until internal round {round}, then {before_sbox}");
    let half = table.external.len() / 2;
    let external = table.external[..half].iter_mut().flatten();
    external
        .chain(&mut table.internal[..round])
        .for_each(|c| *c = 0);
    table.internal[round] = before_sbox;
    table
}

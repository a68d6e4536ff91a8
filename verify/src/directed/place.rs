//! Tables of constants, and the way backwards through their permutations.

use std::sync::Arc;

use super::machine::Words;
use crate::corpus::Table;
use crate::corpus::values::Fill;
use crate::oracle::{Instance, Inverse, Layer};

/// A table of constants with the way backwards through its permutation.
pub(super) struct Place {
    pub(super) table: Arc<Table>,
    pub(super) words: Words,
    pub(super) inverse: Inverse,
    /// Layer numbers: of each external linear layer, external round and internal round.
    pub(super) layers: [Vec<usize>; 3],
}

/// Constants whose other word, c + p, fits a word of Goldilocks: what a constructor that does not
/// canonicalise may leave in its table.
pub(super) fn low_constants(instance: &Instance) -> Table {
    let mut fill = Fill::new(instance.field.modulus);
    let band = 0_u64
        .wrapping_sub(instance.field.modulus)
        .min(instance.field.modulus);
    Table::filled(instance, "low", || band / 2 + fill.below(band / 2))
}

impl Place {
    pub(super) fn new(instance: &Instance, table: Table) -> Self {
        let inverse = Inverse::new(&table.permutation(instance)).expect("layers are bijections");
        let numbers = |wanted: fn(&Layer) -> bool| {
            let layers = inverse.layers().iter().enumerate();
            layers
                .filter(|(_, layer)| wanted(layer))
                .map(|(n, _)| n)
                .collect()
        };
        let layers = [
            numbers(|layer| matches!(layer, Layer::ExternalLinear)),
            numbers(|layer| matches!(layer, Layer::ExternalConstants(_))),
            numbers(|layer| matches!(layer, Layer::InternalConstant(_))),
        ];
        let words = Words::of(&instance.field, &table);
        Self {
            table: Arc::new(table),
            words,
            inverse,
            layers,
        }
    }
}

/// Constants that keep a state of zeros as it is until an internal round, whose S-box then gives
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

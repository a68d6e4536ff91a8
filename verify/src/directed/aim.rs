//! Choosing states in the middle of a permutation, and the inputs that lead there.

use codegen::arith::Program;
use codegen::ir::{BlockKind, Value};
use codegen::params::Field;

use super::Vector;
use super::machine::Visit;
use super::place::Place;
use super::solve::{self, Form};
use crate::corpus::values::Fill;
use crate::oracle::Instance;

/// A program, and what its values are.
pub(super) struct Aim<'a> {
    pub(super) program: &'a Program,
    pub(super) instance: &'a Instance,
    pub(super) field: &'static Field,
    /// For each block and value its linear form, if it has one.
    forms: Vec<Vec<Option<Form>>>,
}

/// A state of words, before the layer of that number.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) layer: usize,
    pub(super) state: Vec<u64>,
}

impl<'a> Aim<'a> {
    pub(super) fn new(program: &'a Program, instance: &'a Instance) -> Self {
        let blocks = program.blocks.iter();
        Self {
            program,
            instance,
            field: program.words,
            forms: blocks.map(|block| solve::forms(program, block)).collect(),
        }
    }

    /// The forms of some values of a block, if all have one.
    pub(super) fn forms(&self, block: usize, values: &[Value]) -> Option<Vec<&Form>> {
        let forms = values.iter().map(|v| self.forms[block][v.index()].as_ref());
        forms.collect()
    }

    /// The state changed so that values of these forms are the targets when a block is visited.
    pub(super) fn bent(
        &self,
        place: &Place<'_>,
        visit: Visit,
        forms: &[&Form],
        targets: (u64, u64),
        mut state: Vec<u64>,
        fill: &mut Fill,
    ) -> Start {
        let [linear, _, internal] = &place.layers;
        let permutation = &self.instance.permutation;
        solve::bend(permutation, &mut state, forms, targets, fill);
        let layer = match self.program.blocks[visit.block].kind {
            BlockKind::ExternalLinear => linear[visit.round],
            BlockKind::InternalRound => {
                state[0] = place.before_sbox(visit.round, state[0]);
                internal[visit.round]
            }
            BlockKind::InternalNormalise => {
                let mut runs = self.program.runs();
                let before = runs.nth(visit.round).expect("normalised after a run");
                internal[before.end]
            }
            kind @ (BlockKind::InternalEnter | BlockKind::InternalLeave) => place.rounds(kind)[0],
            _ => place.inverse.layers().len(),
        };
        Start { layer, state }
    }

    /// The input that leads to a state.
    pub(super) fn input(&self, place: &Place<'_>, start: &Start) -> Vec<u64> {
        let field = &self.instance.field;
        let residues = start.state.iter().map(|word| field.decode(*word));
        let mut state: Vec<u64> = residues.collect();
        place.inverse.input_for(start.layer, &mut state);
        state.iter().map(|x| field.encode(*x)).collect()
    }
}

impl Place<'_> {
    /// A vector, with what the trace of the whole permutation says of it.
    pub(super) fn traced(&self, input: Vec<u64>, hit: impl FnMut(Visit, &[u64]) -> bool) -> Vector {
        let hits = self.machine.finds(&input, hit);
        let table = self.table.clone();
        Vector { table, input, hits }
    }
}

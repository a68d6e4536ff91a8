//! Poseidon1's layers: the matrix of full rounds, and partial rounds in their basis.

use super::Lowering;
use crate::arith::{Basis, Block};
use crate::ir::{BlockKind, Value};
use crate::lower::Unsuited;
use crate::lower::parts::Builder;
use crate::lower::reduced::Reduced;
use crate::lower::ring::Ring;
use crate::names::Strategy;
use crate::params::{Companion, Mds, Spectrum};

impl Lowering<'_> {
    /// A partial round, and what leads into its basis and back.
    pub(super) fn partial(&self, mds: &Mds, basis: &mut Basis) -> Result<[Block; 3], Unsuited> {
        if self.instance.width > 16
            && let Some(spectrum) = Spectrum::of(self.field, mds)
        {
            let blocks = [
                self.round_on_values(&spectrum),
                self.enter_values(&spectrum),
                self.leave_values(&spectrum),
            ];
            basis.spectrum = Some(spectrum);
            return Ok(blocks);
        }
        let companion = Companion::of(self.field, mds);
        let companion = companion.ok_or(Unsuited::Partial(self.strategy))?;
        let blocks = [
            self.partial_round(&companion),
            self.enter_partial(mds, &companion),
            self.rest_multiplied(BlockKind::InternalLeave, &companion.back),
        ];
        basis.companion = Some(companion);
        Ok(blocks)
    }

    /// The layer of full rounds.
    pub(super) fn mds(&self, mds: &Mds) -> Block {
        let (mut b, state) = self.state(false);
        let outputs = match mds.is_circulant() {
            true => {
                let first: Vec<u64> = mds.rows.iter().map(|row| row[0]).collect();
                b.ring_product("external.mds", &state, &first, 1)
            }
            false => b.multiplied("external.mds", &state, &mds.rows),
        };
        b.finish(BlockKind::ExternalLinear, outputs)
    }

    /// What the S-box is in comes last: the other sums do not wait for it.
    fn partial_round(&self, companion: &Companion) -> Block {
        let (mut b, s) = self.state(true);
        let others = &s[1..];
        let rest = b.dot("internal.next", others, &companion.next);
        let z = self.sbox(&mut b, "internal", s[0], Value(s.len() as u32));
        let next = b.added("internal.next.whole", rest, z);
        let (states, factors) = ([others, &[z]].concat(), &companion.first);
        let factors = [&factors[1..], &factors[..1]].concat();
        let first = b.dot("internal.first", &states, &factors);
        let outputs = [&[first, next], &others[..others.len() - 1]].concat();
        b.finish(BlockKind::InternalRound, outputs)
    }

    /// Up to width 16 the layer before is in it. At width 24 that takes fewer products, too, but more code that is
    /// executed once: on Golden Cove AVX2's kernels were 6 to 11 % slower by it.
    fn enter_partial(&self, mds: &Mds, companion: &Companion) -> Block {
        if self.instance.width > 16 {
            return self.rest_multiplied(BlockKind::InternalEnter, &companion.into);
        }
        let (mut b, state) = self.state(false);
        let rows = companion.after(self.field, mds);
        let outputs = self.dense(&mut b, "linear.enter", &state, &rows);
        b.finish(BlockKind::LinearEnter, outputs)
    }

    fn rest_multiplied(&self, kind: BlockKind, rows: &[Vec<u64>]) -> Block {
        let (mut b, state) = self.state(false);
        let outputs = self.dense(&mut b, kind.name(), &state[1..], rows);
        b.finish(kind, [&state[..1], &outputs].concat())
    }

    /// A matrix of great entries. Products of all rows are summed in the same order, so that rows can be one text, but
    /// in kernels of NEON alone: there each row has as few reductions as it needs.
    fn dense(&self, b: &mut Builder, name: &str, state: &[Value], rows: &[Vec<u64>]) -> Vec<Value> {
        match self.strategy {
            Strategy::Long => b.multiplied(name, state, rows),
            _ => {
                let rows: Vec<&[u64]> = rows.iter().map(Vec::as_slice).collect();
                b.rows(state, &rows, |row| format!("{name}[{row}]"))
            }
        }
    }
}

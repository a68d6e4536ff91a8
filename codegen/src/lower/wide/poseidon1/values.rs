//! Partial rounds on the values of a [spectrum](Spectrum).

use super::sums::Bounded;
use crate::arith::Block;
use crate::ir::BlockKind;
use crate::lower::ring::Ring;
use crate::lower::transform::Transform;
use crate::lower::wide::Lowering;
use crate::params::{Remainder, Spectrum};

impl Lowering<'_> {
    /// A partial round, what leads into the values, with the linear layer before, and the way back.
    pub(super) fn on_values(&self, spectrum: &Spectrum) -> [Block; 3] {
        [
            self.round_on_values(spectrum),
            self.enter_values(spectrum),
            self.leave_values(spectrum),
        ]
    }

    fn round_on_values(&self, spectrum: &Spectrum) -> Block {
        let (mut sums, s, constant) = self.sums(true);
        let size = spectrum.size();
        let remainders = || spectrum.remainders.iter().zip(s.chunks(size)).enumerate();
        // Where a remainder is more than a value: its last element times the trace.
        let mut traces = Vec::new();
        for (i, (Remainder { pair, .. }, kept)) in remainders() {
            if let Some([trace, _]) = pair {
                traces.push(sums.dot(&format!("internal.trace[{i}]"), &kept[2..], &[*trace]));
            }
        }
        let values = s.chunks(size).map(|kept| kept[0]);
        let twice = s
            .chunks(size)
            .flat_map(|kept| kept.get(1))
            .flat_map(|u| [*u, *u]);
        let summed: Vec<Bounded> = values.chain(twice).chain(traces.iter().copied()).collect();
        let x = sums.total("internal.sum", &summed);

        let share = spectrum.share();
        // With what the next product carries.
        let start = sums.1.word(2);
        let factor = self.words.neg(share);
        let less = self.add_scaled(&mut sums.1, "internal.less", start, x.0, factor);
        let z = self.sbox(&mut sums.1, "internal", x.0, constant);
        let change = self.add_scaled(&mut sums.1, "internal.change", less, z, share);
        let change = Bounded(change, 2 * sums.reduced());
        let mut outputs = Vec::new();
        for (i, (remainder, kept)) in remainders() {
            let name = format!("internal.value[{i}]");
            let u = sums.add(&format!("{name}.change"), kept[0], change);
            outputs.push(sums.dot(&name, &[u], &[remainder.eigenvalue]).0);
            if let Some([_, norm]) = remainder.pair {
                let name = format!("internal.norm[{i}]");
                outputs.push(sums.dot(&name, &kept[2..], &[self.words.neg(norm)]).0);
                let u = sums.add(&format!("internal.trace[{i}].change"), kept[1], change);
                outputs.push(
                    sums.add(&format!("internal.trace[{i}].sum"), u, traces[i])
                        .0,
                );
            }
        }
        sums.1.finish(BlockKind::InternalRound, outputs)
    }

    fn enter_values(&self, spectrum: &Spectrum) -> Block {
        let (mut sums, state, _) = self.sums(false);
        let (kind, size) = (BlockKind::LinearEnter, spectrum.size());
        let mut outputs = sums.kept_after(kind.name(), &state, spectrum);
        // A product carries unless a factor is zero.
        let p = Bounded(sums.1.word(self.words.modulus), self.words.modulus);
        for (i, x) in outputs
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| i % size == 2)
        {
            *x = sums.add(&format!("{}.p[{i}]", kind.name()), *x, p);
        }
        sums.1.finish(kind, outputs.iter().map(|x| x.0).collect())
    }

    fn leave_values(&self, spectrum: &Spectrum) -> Block {
        let (mut sums, kept, _) = self.sums(false);
        let kind = BlockKind::InternalLeave;
        let state = sums.state_of(kind.name(), &kept, spectrum);
        sums.1.finish(kind, state.iter().map(|x| x.0).collect())
    }
}

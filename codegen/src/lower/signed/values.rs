//! Poseidon1's partial rounds on the values of a [spectrum](Spectrum).

use super::Lowering;
use crate::arith::Block;
use crate::ir::{BlockKind, Value};
use crate::lower::parts::Builder;
use crate::lower::reduced::Reduced;
use crate::lower::transform::Transform;
use crate::ops::MacroOp;
use crate::params::{Remainder, Spectrum};

impl Lowering<'_> {
    /// The change is taken less p, so that a product takes its sum with an element.
    pub(super) fn round_on_values(&self, spectrum: &Spectrum) -> Block {
        let (mut b, s) = self.state(true);
        let size = spectrum.size();
        let remainders = || spectrum.remainders.iter().zip(s.chunks(size)).enumerate();
        // Where a remainder is more than a value: its last element times the trace, and times the norm.
        let mut pairs = Vec::new();
        for (i, (Remainder { pair, .. }, kept)) in remainders() {
            if let Some([trace, norm]) = pair {
                let mut times = |name: &str, by| {
                    b.multiple(&format!("internal.{name}[{i}]"), self.field, kept[2], by)
                };
                let [trace, norm] = [times("trace", *trace), times("norm", self.field.neg(*norm))];
                pairs.push([trace, norm]);
            }
        }
        let values = s.chunks(size).map(|kept| kept[0]);
        let mut summed: Vec<Value> = values.chain(pairs.iter().map(|pair| pair[0])).collect();
        let halves = s.chunks(size).filter_map(|kept| kept.get(1));
        let halves: Vec<Value> = halves.copied().collect();
        if !halves.is_empty() {
            let half = b.total("internal.half", &halves);
            summed.push(b.added("internal.twice", half, half));
        }
        let x = b.total("internal.sum", &summed);
        let change = self.change(&mut b, x, Value(s.len() as u32), spectrum.share());
        let p = b.word(self.field.modulus);
        let less = b.push("internal.change.minus", MacroOp::Minus, &[change, p]);
        let mut outputs = Vec::new();
        for (i, (remainder, kept)) in remainders() {
            let name = format!("internal.value[{i}]");
            let u = b.push(&format!("{name}.change"), MacroOp::Plus, &[kept[0], less]);
            outputs.push(b.multiple(&name, self.field, u, remainder.eigenvalue));
            if let Some([trace, norm]) = pairs.get(i) {
                let name = format!("internal.trace[{i}]");
                let v = b.added(&format!("{name}.sum"), kept[1], *trace);
                outputs.extend([*norm, b.added(&format!("{name}.change"), v, change)]);
            }
        }
        b.finish(BlockKind::InternalRound, outputs)
    }

    /// What a round adds to each value: the share of what the S-box makes of an element and a constant, less that of
    /// the element. All values wait for it, so nothing is multiplied by the share but what is there first.
    fn change(&self, b: &mut Builder, x: Value, constant: Value, share: u64) -> Value {
        let mut power = b.push("internal.rc", MacroOp::Plus, &[x, constant]);
        let factor = b.word(self.field.to_montgomery(share));
        let mut shared = b.push("internal.sbox.share", MacroOp::MulSigned, &[power, factor]);
        for bit in 1..=self.instance.alpha.ilog2() {
            let name = format!("internal.sbox.x{}", 1 << bit);
            power = b.push(&name, MacroOp::MulSigned, &[power, power]);
            if self.instance.alpha >> bit & 1 == 1 {
                let name = format!("{name}.share");
                shared = b.push(&name, MacroOp::MulSigned, &[shared, power]);
            }
        }
        let less = b.multiple("internal.less", self.field, x, self.field.neg(share));
        b.push("internal.change", MacroOp::AddSigned, &[less, shared])
    }

    /// With the linear layer before.
    pub(super) fn enter_values(&self, spectrum: &Spectrum) -> Block {
        let (mut b, state) = self.state(false);
        let kind = BlockKind::LinearEnter;
        let outputs = b.kept_after(kind.name(), &state, spectrum);
        b.finish(kind, outputs)
    }

    pub(super) fn leave_values(&self, spectrum: &Spectrum) -> Block {
        let (mut b, kept) = self.state(false);
        let kind = BlockKind::InternalLeave;
        let outputs = b.state_of(kind.name(), &kept, spectrum);
        b.finish(kind, outputs)
    }
}

//! Into the basis of internal rounds, and back.

use super::Lowering;
use crate::arith::Block;
use crate::ir::BlockKind;
use crate::params::Offset;

impl Lowering<'_> {
    /// Into the basis of internal rounds; elements that they divide become non-negative, and stay
    /// so. Limbs are carried.
    pub(super) fn internal_enter(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for pair in self.pairs {
            let site = format!("internal.enter.pair[{}]", pair.sum);
            let (x, y) = (outputs[pair.sum], outputs[pair.difference]);
            outputs[pair.sum] = b.plus(&format!("{site}.sum"), x, y);
            let difference = b.minus(&format!("{site}.difference"), x, y);
            outputs[pair.difference] = match pair.shift {
                0 => difference,
                k => b.shifted(&format!("{site}.difference"), difference, k),
            };
        }
        if self.carries() {
            for (i, x) in outputs.iter_mut().enumerate().skip(1) {
                *x = b.carry(&format!("internal-enter.carry[{i}]"), *x);
            }
            return b.finish(BlockKind::InternalEnter, outputs.concat());
        }
        for (i, d) in self.tail() {
            if d.shift > 0 {
                let scaled = self.pairs.iter().any(|pair| pair.difference == i);
                let offset = if scaled { Offset::Wide } else { Offset::Narrow };
                let site = format!("internal.enter[{i}]");
                outputs[i] = self.offset(&mut b, &site, outputs[i], offset);
            }
        }
        b.finish(BlockKind::InternalEnter, outputs.concat())
    }

    /// Back from the basis of internal rounds.
    pub(super) fn internal_leave(&self) -> Block {
        let (mut b, mut outputs) = self.state(false);
        for pair in self.pairs {
            let site = format!("internal.leave[{}]", pair.sum);
            let mut halved = |part: &str, i: usize, k: u32| {
                let site = format!("{site}.{part}");
                let mut x = outputs[i];
                if pair.shift == 0 {
                    x = self.normalised(&mut b, &site, x);
                }
                self.divided(&mut b, &site, x, k)
            };
            let sum = halved("sum", pair.sum, 1);
            let difference = halved("difference", pair.difference, pair.shift + 1);
            outputs[pair.sum] = b.plus(&format!("{site}.plus"), sum, difference);
            outputs[pair.difference] = b.minus(&format!("{site}.minus"), sum, difference);
        }
        b.finish(BlockKind::InternalLeave, outputs.concat())
    }
}

//! Products: what makes one word of an element's columns, and leaves the last product in columns.

use super::Lowering;
use crate::ir;
use crate::lower::parts::{Builder, Element};
use crate::names::Strategy;
use crate::ops::MacroOp;
use std::collections::BTreeMap;

impl Lowering<'_> {
    /// The S-box of the sum of an element and a constant; its last product is left in columns.
    pub(super) fn sbox(
        &self,
        b: &mut Builder,
        site: &str,
        state: Element,
        constant: Element,
    ) -> Element {
        let (rc, sbox) = (format!("{site}.rc"), format!("{site}.sbox"));
        let x = b.plus(&rc, state, constant);
        if self.on_limbs() {
            return match self.strategy {
                Strategy::Limbs => b.sbox_limbs(&rc, &sbox, x),
                _ => b.sbox_accumulated(&rc, &sbox, x),
            };
        }
        let pack = format!("{rc}.pack");
        let word = match self.strategy {
            Strategy::Halves => b.push(&pack, MacroOp::PackHalves, &x),
            _ => b.pack(&pack, x),
        };
        let mut powers = BTreeMap::from([(1, word)]);
        for (power, mut factors) in ir::powers(self.instance.alpha) {
            if self.strategy == Strategy::Halves {
                // `mul-halves` needs the packed word as its first factor.
                factors.sort_unstable();
            }
            let [x, y] = factors.map(|factor| powers[&factor]);
            let name = format!("{sbox}.x{power}");
            let is_last = power == self.instance.alpha;
            let word = match self.strategy {
                Strategy::Radix48 if is_last => {
                    return b.pair(&name, MacroOp::MulRadix48, &[x, y]);
                }
                Strategy::Radix48 => {
                    let halves = match x == y {
                        true => b.pair(&name, MacroOp::SquareQuarters, &[x]),
                        false => b.pair(&name, MacroOp::MulQuarters, &[x, y]),
                    };
                    b.push(&format!("{name}.redc"), MacroOp::Redc, &halves)
                }
                Strategy::Redc | Strategy::Beside if is_last => {
                    return b.pair(&name, MacroOp::MulColumnsRedc, &[x, y]);
                }
                Strategy::Halves if is_last => {
                    return b.pair(&name, MacroOp::MulColumnsHalves, &[x, y]);
                }
                Strategy::Halves if x == y => b.push(&name, MacroOp::SquareHalves, &[x]),
                Strategy::Halves => b.push(&name, MacroOp::MulHalves, &[x, y]),
                _ if is_last => return b.pair(&name, MacroOp::MulColumns, &[x, y]),
                Strategy::Redc | Strategy::Beside => {
                    let [low, high] = b.pair(&name, MacroOp::MulWide, &[x, y]);
                    let share = b.push(&format!("{name}.share"), MacroOp::Share, &[low]);
                    b.push(&format!("{name}.sub"), MacroOp::Sub, &[high, share])
                }
                _ if x == y => b.push(&name, MacroOp::Square, &[x]),
                _ => b.push(&name, MacroOp::Mul, &[x, y]),
            };
            powers.insert(power, word);
        }
        unreachable!("the last power is the one asked for")
    }

    /// `residue·x`, by a product with a word that is the same in all states.
    pub(super) fn multiplied(
        &self,
        b: &mut Builder,
        name: &str,
        x: Element,
        residue: u64,
    ) -> Element {
        if self.on_limbs() {
            return b.multiplied_limbs(name, x, residue);
        }
        let x = self.offset(b, &format!("{name}.offset"), x, self.wide());
        let x = b.pack(&format!("{name}.pack"), x);
        let (field, name) = (self.instance.field, format!("{name}.product"));
        let redc = match self.strategy {
            Strategy::Redc | Strategy::Beside => Some(MacroOp::MulColumnsRedc),
            Strategy::Radix48 => Some(MacroOp::MulRadix48),
            _ => None,
        };
        if let Some(op) = redc {
            let factor = b.word(field.mul(residue, field.pow(2, 64)));
            return b.pair(&name, op, &[x, factor]);
        }
        let factor = b.word(residue);
        b.pair(&name, MacroOp::MulColumns, &[x, factor])
    }
}

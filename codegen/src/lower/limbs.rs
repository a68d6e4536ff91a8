//! Strategies `limbs` and `accumulated`: columns that are multiplied by the 52-bit multiply-accumulate of AVX-512 IFMA
//! and never packed inside the permutation.
//!
//! An S-box takes limbs of at most 33 bits, which `carry` makes of anything that fits 63, and
//! multiplies without a reduction: limbs of `x²`, `x³` and `x⁴` stay below `2^42`, the greatest
//! that a product takes. What would make their low limbs negative is balanced by pairs that stand
//! for zero ([`Balance`]), at no cost; for the operand itself the pair that comes with the round
//! constant does that ([`Offset::Limb`]): with it the high limb is negative and the low one larger,
//! so both limbs that `carry` makes are non-negative.
//!
//! An internal round carries twice: once for the operand of the next S-box, which is element 0
//! with the next round constant, and once for the total. The tail grows by at most `|d_i|` a round
//! and is carried where ranges ask for it.

use super::parts::{Builder, Element};
use crate::ops::MacroOp;
use crate::params::{Balance, Offset};

impl Builder {
    fn preshift(&mut self, name: &str, x: Element) -> Element {
        self.both(&format!("{name}.up"), |_| MacroOp::Preshift, &[x])
    }

    /// `residue·x` for limbs of either sign: the pair that stands for zero makes them non-negative.
    pub(super) fn multiplied_limbs(&mut self, name: &str, x: Element, residue: u64) -> Element {
        let x = self.offset(&format!("{name}.offset"), x, Offset::Limb);
        let x = self.carry(&format!("{name}.carry"), x);
        let x = self.preshift(name, x);
        let factor = [residue & 0xffff_ffff, residue >> 32].map(|limb| self.word(limb));
        let factor = self.preshift(&format!("{name}.factor"), factor);
        self.pair_of(
            &format!("{name}.product"),
            MacroOp::MulLimbs(None),
            &[x, factor],
        )
    }

    /// `x⁷` of limbs of any size.
    pub(super) fn sbox_limbs(&mut self, sum: &str, name: &str, x: Element) -> Element {
        let [x1, x2, x3, x4, x7] = [1, 2, 3, 4, 7].map(|power| format!("{name}.x{power}"));
        let x = self.carry(&format!("{sum}.carry"), x);
        let x = self.preshift(&x1, x);
        let square = self.pair_of(&x2, MacroOp::SquareLimbs(Balance::Square), &[x]);
        let square = self.preshift(&x2, square);
        let fourth = self.pair_of(&x4, MacroOp::SquareLimbs(Balance::Fourth), &[square]);
        let cube = self.pair_of(&x3, MacroOp::MulLimbs(Some(Balance::Cube)), &[x, square]);
        let cube = self.preshift(&x3, cube);
        let fourth = self.preshift(&x4, fourth);
        self.pair_of(&x7, MacroOp::MulLimbs(None), &[cube, fourth])
    }

    /// The same, in fewer instructions that wait longer for each other.
    pub(super) fn sbox_accumulated(&mut self, sum: &str, name: &str, x: Element) -> Element {
        let [x2, x3, x4, x7] = [2, 3, 4, 7].map(|power| format!("{name}.x{power}"));
        let x = self.pair_of(&format!("{sum}.carry"), MacroOp::CarryUp, &[x]);
        let square = self.pair_of(&x2, MacroOp::SquareUp(Balance::Square), &[x]);
        let fourth = self.pair_of(&x4, MacroOp::SquareUp(Balance::Fourth), &[square]);
        let cube = self.pair_of(&x3, MacroOp::MulUp(Balance::Cube), &[x, square]);
        self.pair_of(&x7, MacroOp::MulChained, &[cube, fourth])
    }
}

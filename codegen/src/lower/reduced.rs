//! Operations of strategies `signed` and `uniform`, each of which gives an element below p.

use super::parts::Builder;
use crate::ir::{self, Value};
use crate::ops::MacroOp;
use std::collections::BTreeMap;

/// What a block is made of by such operations: single words, or vectors of them.
pub(super) trait Reduced {
    /// A word, or as many as a vector has.
    type Word: Copy;

    /// A macro-op, not reduced.
    fn apply(&mut self, name: &str, op: MacroOp, operands: &[Self::Word]) -> Self::Word;

    /// A sum.
    fn added(&mut self, name: &str, a: Self::Word, b: Self::Word) -> Self::Word {
        let sum = self.apply(name, MacroOp::Add, &[a, b]);
        self.apply(&format!("{name}.reduced"), MacroOp::Canonicalise, &[sum])
    }

    /// An element between -p and p.
    fn positive(&mut self, name: &str, x: Self::Word) -> Self::Word {
        self.apply(name, MacroOp::CanonicaliseSigned, &[x])
    }

    /// The product of an element between -p and p and a word below p.
    fn scaled(&mut self, name: &str, x: Self::Word, factor: Self::Word) -> Self::Word {
        let product = self.apply(name, MacroOp::MulSigned, &[x, factor]);
        self.positive(&format!("{name}.reduced"), product)
    }

    /// The power of an element between -p and p that an S-box takes.
    fn power(&mut self, site: &str, x: Self::Word, alpha: u64) -> Self::Word {
        let mut powers = BTreeMap::from([(1, x)]);
        for (power, factors) in ir::powers(alpha) {
            let factors = factors.map(|factor| powers[&factor]);
            let name = format!("{site}.x{power}");
            powers.insert(power, self.apply(&name, MacroOp::MulSigned, &factors));
        }
        self.positive(&format!("{site}.reduced"), powers[&alpha])
    }

    /// The sum of some elements, with as few after each other as there can be.
    fn total(&mut self, name: &str, elements: &[Self::Word]) -> Self::Word {
        match elements {
            [one] => *one,
            several => {
                let (first, second) = several.split_at(several.len() / 2);
                let first = self.total(&format!("{name}.0"), first);
                let second = self.total(&format!("{name}.1"), second);
                self.added(name, first, second)
            }
        }
    }
}

impl Reduced for Builder {
    type Word = Value;

    fn apply(&mut self, name: &str, op: MacroOp, operands: &[Value]) -> Value {
        self.push(name, op, operands)
    }
}

//! The products in a row, and what a solver is told of them.

use std::collections::BTreeSet;

use super::claim::{Claim, MORE};
use super::halves;
use super::text::{define, literal};
use crate::ops::SHIFT;
use crate::row::{Reading, Word, pairs};

/// How a product of two words of 64 bits is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// As the product of two words.
    Function,
    /// The same, of words below 2^52, which a product of words of 64 bits is as well.
    Short,
    /// As the sum of four products of half words.
    Halves,
    /// As any word.
    Any,
}

impl Claim<'_> {
    /// The products in the row.
    pub(super) fn products(&self) -> BTreeSet<Word> {
        let words = self.row.pieces().map(|(_, piece)| piece.word());
        let mut words: BTreeSet<Word> = words.collect();
        words.retain(|word| !matches!(word, Word::Operand(_)));
        if self.row.needs.iter().any(|need| need.left.is_none()) {
            words.insert(self.row.multiplied());
        }
        words
    }

    /// A product, and what is told of it.
    pub(super) fn product(&self, word: Word, whole: Whole) -> String {
        let (bits, name) = (self.shape(word).0, self.name(word));
        let (a, b) = match word {
            Word::Operand(_) => return String::new(),
            Word::Product(a, b) | Word::Doubled(a, b) => (a, b),
            Word::Dot(_) if whole == Whole::Any => {
                return format!("(declare-const {name} (_ BitVec {bits}))\n");
            }
            Word::Folded(a, b) => {
                return halves::folded(&name, &self.name(Word::Product(a, b)), whole);
            }
            Word::Dot(products) => return self.dot(&name, bits, products, whole),
        };
        match (whole, bits) {
            (Whole::Any, _) => format!("(declare-const {name} (_ BitVec {bits}))\n"),
            _ if self.row.reads == Reading::Halves => halves::product(&name, a, b),
            (Whole::Halves, 128) => halves(&name, a, b),
            (_, 104) => {
                let second = match word {
                    Word::Doubled(..) => format!("(bvadd e{b} e{b})"),
                    _ => format!("e{b}"),
                };
                let [a, b] = [format!("e{a}"), second].map(|x| format!("((_ extract 51 0) {x})"));
                let shifted = self.row.reads == Reading::Shifted;
                let text = exact(&name, 52, &a, &b, if shifted { SHIFT } else { 0 });
                match (whole, word) {
                    (Whole::Short, Word::Product(a, b)) => text + &short(&name, a, b),
                    _ => text,
                }
            }
            _ => {
                let [a, b] = [format!("e{a}"), format!("e{b}")];
                if self.row.reads != Reading::Signed {
                    return exact(&name, bits / 2, &a, &b, 0);
                }
                let plain = format!("{name}.plain");
                let signed = format!("(signed {a} {b} {plain})");
                exact(&plain, bits / 2, &a, &b, 0) + &define(&name, bits, &signed)
            }
        }
    }

    /// The sum of some products of signed words, and what is told of each.
    fn dot(&self, name: &str, bits: u32, products: usize, whole: Whole) -> String {
        let told = pairs(products).map(|(a, b)| self.product(Word::Product(a, b), whole));
        let sum = self.summed(products, |word| format!("((_ sign_extend {MORE}) {word})"));
        told.collect::<String>() + &define(name, bits, &sum)
    }

    /// The low word of that sum, which is the sum of words: what is above them does not come down. In this form it is
    /// what a body computes, term by term. In the other cvc5 did not find that in half an hour.
    pub(super) fn low_of_dot(&self, products: usize) -> String {
        self.summed(products, |word| word)
    }

    fn summed(&self, products: usize, each: impl Fn(String) -> String) -> String {
        let products = pairs(products).map(|(a, b)| each(self.name(Word::Product(a, b))));
        let sum = products.reduce(|sum, product| format!("(bvadd {sum} {product})"));
        sum.expect("a product")
    }

    /// That a product of words, as it is collected from products of half words, is not their sum.
    pub(super) fn miscollects(&self) -> Option<String> {
        if self.row.reads == Reading::Halves {
            return Some(halves::misfolds(self));
        }
        let name = self.name(self.products().pop_first()?);
        let [ll, lh, hl, hh] = PARTS.map(|part| format!("{name}.{part}"));
        let zero = literal(0, 32);
        let sum = format!(
            "(bvadd (concat {hh} {ll}) (bvadd (concat {zero} {lh} {zero}) (concat {zero} {hl} {zero})))"
        );
        Some(self.any(Whole::Halves) + &format!("(assert (not (= {name} {sum})))\n"))
    }
}

/// Which halves of two words are multiplied.
pub(super) const PARTS: [&str; 4] = ["ll", "lh", "hl", "hh"];

/// A product of words of so many bits, of which as many as are said are zero at the low end: its
/// bounds, and that it is commutative.
pub(super) fn exact(name: &str, bits: u32, a: &str, b: &str, low: u32) -> String {
    let greatest = literal(((1u128 << bits) - (1 << low)).pow(2), 2 * bits);
    let mut text = define(name, 2 * bits, &format!("(product{bits} {a} {b})"));
    text += &format!("(assert (= {name} (product{bits} {b} {a})))\n");
    text += &format!("(assert (bvule {name} {greatest}))\n");
    if low > 0 {
        let (zero, top) = (literal(0, 2 * low), 2 * low - 1);
        text += &format!("(assert (= ((_ extract {top} 0) {name}) {zero}))\n");
    }
    text
}

/// What a multiplication of words of 64 bits makes of two below 2^52, and where the second is 12 bits up.
fn short(name: &str, a: usize, b: usize) -> String {
    let below = |x| format!("(= ((_ extract 63 52) e{x}) {})", literal(0, 12));
    let up = format!("(product64 e{a} (bvshl e{b} {}))", literal(12, 64));
    let product = format!("(concat {} {name} {})", literal(0, 12), literal(0, 12));
    let plain = format!(
        "(= (product64 e{a} e{b}) (concat {} {name}))",
        literal(0, 24)
    );
    format!(
        "(assert (=> (and {} {}) (and (= {up} {product}) {plain})))\n",
        below(a),
        below(b)
    )
}

/// The halves that are multiplied.
pub(super) fn factors(both: &str, a: usize, b: usize) -> [String; 2] {
    let part = |x: usize, half: &str| {
        let (hi, lo) = if half == "h" { (63, 32) } else { (31, 0) };
        format!("((_ extract {hi} {lo}) e{x})")
    };
    let (first, second) = both.split_at(1);
    [part(a, first), part(b, second)]
}

/// A product of two words of 64 bits, collected from products of half words, with carries where
/// bodies have them: a solver sees the same sums.
fn halves(name: &str, a: usize, b: usize) -> String {
    let mut text = String::new();
    for both in PARTS {
        let [first, second] = factors(both, a, b);
        text += &exact(&format!("{name}.{both}"), 32, &first, &second, 0);
    }
    let low = |x: &str| format!("((_ extract 31 0) {name}.{x})");
    let top = |x: &str| format!("((_ zero_extend 32) ((_ extract 63 32) {name}.{x}))");
    let kept = format!("((_ zero_extend 32) {})", low("m"));
    let mut collect =
        |x: &str, meaning: String| text += &define(&format!("{name}.{x}"), 64, &meaning);
    collect("m", format!("(bvadd {name}.hl {})", top("ll")));
    collect("n", format!("(bvadd {name}.lh {kept})"));
    collect(
        "o",
        format!("(bvadd (bvadd {name}.hh {}) {})", top("m"), top("n")),
    );
    text + &define(
        name,
        128,
        &format!("(concat {name}.o {} {})", low("n"), low("ll")),
    )
}

//! Products of words of signed halves, and what bodies fold them to.

use std::collections::HashMap;

use super::claim::{Claim, FOLDED};
use super::example::SAMPLES;
use super::products::{PARTS, Whole, exact, factors};
use super::question::Question;
use super::solver::{Answer, Solver};
use super::text::{self, bounded, define, joined, literal, shifted};
use crate::body::Value;
use crate::row::Word;

/// A product of two words of signed halves: the sum of four signed products, of each of which is told what
/// [`near_the_least`] says.
pub(super) fn product(name: &str, a: usize, b: usize) -> String {
    let mut text = String::new();
    let parts = PARTS.map(|both| {
        let (part, [a, b]) = (format!("{name}.{both}"), factors(both, a, b));
        let plain = format!("{part}.plain");
        text += &exact(&plain, 32, &a, &b, 0);
        text += &define(&part, 64, &format!("(signed {a} {b} {plain})"));
        text += &format!("(assert {})\n", near_the_least(&part, &a, &b));
        let up = 32 * both.matches('h').count() as u32;
        shifted(&format!("((_ sign_extend 64) {part})"), 128, up)
    });
    let [ll, lh, hl, hh] = parts;
    text + &define(
        name,
        128,
        &format!("(bvadd {hh} (bvadd (bvadd {lh} {hl}) {ll}))"),
    )
}

/// Of a product of signed half words: what it is where a factor is `-2^31` or `-2^31 + 1`. Where neither is the
/// former, both are less than `2^31` in magnitude, and the product at most `(2^31 - 1)^2`. Of factors of one sign it is
/// not negative.
pub(super) fn near_the_least(product: &str, a: &str, b: &str) -> String {
    let [least, more] = [1 << 31, (1 << 31) + 1].map(|word| literal(word, 32));
    let multiples = [(a, b), (b, a)].map(|(x, y)| {
        let y = format!("((_ sign_extend 32) {y})");
        let up = shifted(&y, 64, 31);
        format!(
            "(=> (= {x} {least}) (= {product} (bvneg {up}))) (=> (= {x} {more}) (= {product} (bvsub {y} {up})))"
        )
    });
    let most = literal(((1 << 31) - 1u128).pow(2), 64);
    let within = bounded("bvsle", &format!("(bvneg {most})"), product, &most);
    let sign = |x: &str| format!("((_ extract 31 31) {x})");
    let same = format!("(= {} {})", sign(a), sign(b));
    let all = [
        multiples.concat(),
        format!("(or (= {a} {least}) (= {b} {least}) {within})"),
        format!("(=> {same} (bvsle {} {product}))", literal(0, 64)),
    ];
    joined("and", all.into_iter())
}

/// What a product is folded to, `⌊x / 2^32⌋ + x mod 2^32`, in the sums in which bodies have it.
pub(super) fn folded(name: &str, product: &str, whole: Whole) -> String {
    if whole == Whole::Any {
        return format!(
            "(declare-const {name} (_ BitVec {FOLDED}))\n(assert {})\n{}",
            within(name),
            [product, name]
                .map(|word| format!("(declare-const {word}.above (_ BitVec 32))\n"))
                .concat()
        );
    }
    let wide = |word: &str, own: u32, bits: u32| format!("((_ sign_extend {}) {word})", bits - own);
    let part = |both: &str| wide(&format!("{product}.{both}"), 64, 66);
    let ends = format!(
        "(bvadd {} ((_ zero_extend 34) {}))",
        wide(&upper(&format!("{product}.ll")), 32, 66),
        lower(&format!("{product}.ll"))
    );
    let middle = format!("(bvadd {ends} (bvadd {} {}))", part("lh"), part("hl"));
    let high = shifted(&wide(&format!("{product}.hh"), 64, FOLDED), FOLDED, 32);
    let sum = format!(
        "(bvadd {high} {})",
        wide(&format!("{name}.middle"), 66, FOLDED)
    );
    define(&format!("{name}.middle"), 66, &middle) + &define(name, FOLDED, &sum)
}

/// Bounds of what is above the low half word.
fn within(folded: &str) -> String {
    let above = format!("((_ extract {} 32) {folded})", FOLDED - 1);
    let number = |n: u128| literal(n, FOLDED - 32);
    let least = format!("(bvneg {})", number(1 << 62));
    bounded("bvsle", &least, &above, &number((1 << 62) + (1 << 31)))
}

/// That what a product is folded to is not what that says, or out of bounds.
pub(super) fn misfolds(claim: &Claim<'_>) -> String {
    let [product, folded] = both(claim);
    let floor = format!("((_ sign_extend 2) ((_ extract 127 32) {product}))");
    let low = format!("((_ zero_extend 66) {})", lower(&product));
    let is = format!("(= {folded} (bvadd {floor} {low}))");
    claim.any(Whole::Halves) + &format!("(assert (not (and {is} {})))\n", within(&folded))
}

/// The names of the product and of what it is folded to.
fn both(claim: &Claim<'_>) -> [String; 2] {
    let last = claim.row.operands - 1;
    [Word::Product(0, last), Word::Folded(0, last)].map(|word| claim.name(word))
}

fn lower(word: &str) -> String {
    format!("((_ extract 31 0) {word})")
}

fn upper(word: &str) -> String {
    format!("((_ extract 63 32) {word})")
}

/// What a step may be: how many of its bits are so many bits, and what the step is then.
struct Look {
    bits: u32,
    is: String,
    then: String,
}

impl Look {
    /// The low half of a word, and anything above.
    fn low(word: &str) -> Self {
        let is = lower(word);
        let then = format!("(concat {word}.above {is})");
        Self { bits: 32, is, then }
    }

    /// What is above the low half of what a product is folded to, and a constant.
    fn above(folded: &str, constant: u64) -> Self {
        let constant = literal(constant.into(), 64);
        let is = format!("(bvadd ((_ extract 95 32) {folded}) {constant})");
        let then = is.clone();
        Self { bits: 64, is, then }
    }
}

impl Question<'_> {
    /// The first steps in which a body has the low half of the product, that of what it is folded to, and what is above
    /// that with a constant added, as proved. From then on they are, and both words are any.
    pub(super) fn folds(&self, solver: &Solver) -> HashMap<Value, String> {
        let (mut known, mut differ) = (HashMap::new(), String::new());
        for (step, Look { bits, is, then }) in self.looks(solver) {
            let own = format!("((_ extract {} 0) {})", bits - 1, text::value(step, 64));
            differ += &format!(" (not (= {own} {is}))");
            known.insert(step, then);
        }
        let wanted: Vec<Value> = known.keys().copied().collect();
        let text = self.collected(&wanted)
            + &self.claim.needs()
            + &format!("(assert needs)\n(assert (or false{differ}))\n");
        match self.ask(solver, &text, &[]) {
            Answer::Impossible => known,
            _ => HashMap::new(),
        }
    }

    /// Steps that seem to be so.
    fn looks(&self, solver: &Solver) -> Vec<(Value, Look)> {
        let [product, folded] = both(&self.claim);
        let constants = self.constants.iter();
        let above = constants.map(|constant| Look::above(&folded, *constant));
        let looks = [&product, &folded].map(|word| Look::low(word)).into_iter();
        let looks: Vec<Look> = looks.chain(above).collect();
        let words = self.body.made().filter(|(_, bits)| *bits == 64);
        let steps: Vec<Value> = words.map(|(step, _)| step).collect();
        let terms = steps.iter().map(|step| (text::value(*step, 64), 64));
        let terms = terms.chain(looks.iter().map(|look| (look.is.clone(), look.bits)));
        let terms: Vec<(String, u32)> = terms.collect();
        let text = self.claim.operands(Whole::Halves) + &text::steps(self.body, &steps, &[].into());
        let values = SAMPLES.map(|sample| {
            let given = self.given(&sample[..self.body.operands.min(2)]);
            self.compute(solver, &(given + &text), &terms)
        });
        let same = |step: usize, look: usize, bits: u32| {
            values.iter().all(|values| {
                let [a, b] = [step, steps.len() + look].map(|n| values.get(n).copied());
                a.zip(b).is_some_and(|(a, b)| a & ((1 << bits) - 1) == b)
            })
        };
        let found = looks.into_iter().enumerate().filter_map(|(n, look)| {
            let first = (0..steps.len()).find(|step| same(*step, n, look.bits))?;
            Some((steps[first], look))
        });
        found.collect()
    }
}

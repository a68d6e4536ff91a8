//! Lemmas: a macro's body does what its macro-op's row says, for all operands.
//!
//! Questions are text: the body as read from the kernel, the meanings of its instructions, and the
//! row. Products are any functions to a solver, within their bounds and commutative: what is proved of
//! all of them holds of multiplication. (Multiples of constants are shifts, additions and
//! subtractions.) Nothing is assumed of other elements in the same word.

mod claim;
mod example;
mod reduction;
mod solver;
#[cfg(test)]
mod tests;
mod text;

pub use solver::Solver;

use std::collections::{BTreeSet, HashMap};

use crate::body::{Body, Value};
use crate::row::{Reading, Row};
use claim::{Claim, Whole};
use example::Counterexample;
use reference::Field;
use solver::Answer;
use text::Products;

/// What became of a lemma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    Refuted(Counterexample),
    /// No solver's answer, or one that is none.
    Unknown(String),
}

/// What no operands should do.
const BROKEN: &str = "(assert needs)\n(assert (not gives))\n";

/// The question whether a body keeps a row, for one element.
struct Lemma<'a> {
    claim: Claim<'a>,
    p: u64,
    body: &'a Body,
    /// Bits of the body's words.
    width: u32,
    /// The body's constants.
    constants: BTreeSet<u64>,
    solver: &'a Solver,
}

/// Has a solver prove that a body keeps a row.
pub(crate) fn prove(field: &Field, row: &Row, body: &Body, solver: &Solver) -> Verdict {
    let bits = if field.modulus >> 32 == 0 { 32 } else { 64 };
    let width = text::width(body);
    if row.operands != body.operands || row.results.len() != body.results.len() || width < bits {
        return Verdict::Unknown("the body has other operands or results".to_owned());
    }
    let sources = body.steps.iter().flat_map(|step| &step.sources);
    let constants = sources.filter_map(|source| match source {
        Value::Constant(word, _) => Some([*word, word >> 32]),
        _ => None,
    });
    let constants: BTreeSet<u64> = constants.flatten().collect();
    for from in (0..width).step_by(bits as usize) {
        let lemma = Lemma {
            claim: Claim { row, bits, from },
            p: field.modulus,
            body,
            width,
            constants: constants.clone(),
            solver,
        };
        match lemma.prove() {
            Verdict::Proved => {}
            verdict => return verdict,
        }
    }
    Verdict::Proved
}

impl Lemma<'_> {
    fn prove(&self) -> Verdict {
        let (known, whole) = self.products();
        let text = self.steps(&known, whole);
        if let Some(reduced) = reduction::of(&self.claim, self.p) {
            let row = self.claim.alone() + &reduced + &self.claim.statement(&["reduced".to_owned()]);
            let body = format!("{text}{reduced}(assert (not (= {} reduced)))\n", self.results()[0]);
            let mut questions = [body, row + BROKEN].into_iter();
            if questions.all(|text| self.ask(&text, &[]) == Answer::Impossible) {
                return Verdict::Proved;
            }
        }
        let text = text + &self.claim.statement(&self.results()) + BROKEN;
        match self.ask(&text, &self.operands()) {
            Answer::Impossible => Verdict::Proved,
            Answer::Possible(words) => self.refuted(&words),
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// Whether what `text` asserts is possible, and with which values of these terms.
    fn ask(&self, text: &str, values: &[String]) -> Answer {
        self.solver.answer(&self.script(text, values, Products::Free), values.len())
    }

    fn script(&self, text: &str, values: &[String], products: Products) -> String {
        let show = match values {
            [] => String::new(),
            _ => format!("(get-value ({}))\n", values.join(" ")),
        };
        let text = format!("{text}(check-sat)\n{show}");
        text::script(&text, &self.constants, products)
    }

    fn operands(&self) -> Vec<String> {
        (0..self.body.operands).map(|n| format!("x{n}")).collect()
    }

    /// The element in each result.
    fn results(&self) -> Vec<String> {
        let results = self.body.results.iter();
        results.map(|result| self.claim.element(&text::value(*result))).collect()
    }

    /// The operands, the products in the row and the body.
    fn steps(&self, known: &HashMap<Value, String>, whole: Whole) -> String {
        let declare = |x| format!("(declare-const {x} (_ BitVec {}))\n", self.width);
        let operands: String = self.operands().into_iter().map(declare).collect();
        let steps = text::steps(self.body, &self.body.results, known);
        operands + &self.claim.operands(whole) + &steps
    }

    /// How products of words of 64 bits are written; and what is known of steps.
    ///
    /// Where a body collects such a product from products of half words, it is proved that some of
    /// its steps are the halves of the product. From then on they are, and the product is any.
    fn products(&self) -> (HashMap<Value, String>, Whole) {
        let steps = text::steps(self.body, &self.body.results, &HashMap::new());
        let of_words = self.script(&steps, &[], Products::Free).contains("(product64 ");
        let products = self.claim.products();
        let (Some(word), true) = (products.first(), self.claim.bits == 64) else {
            return (HashMap::new(), Whole::Function);
        };
        if of_words || self.claim.row.reads == Reading::Shifted {
            return (HashMap::new(), Whole::Function);
        }
        let product = self.claim.name(*word);
        let halves = self.halves().into_iter().map(|(step, low)| {
            (step, format!("((_ extract {} {low}) {product})", low + 63))
        });
        let halves: HashMap<Value, String> = halves.collect();
        let mut differs: Vec<String> = halves
            .iter()
            .map(|(step, half)| format!("(not (= {} {half}))", text::value(*step)))
            .collect();
        differs.sort();
        let wanted: Vec<Value> = halves.keys().copied().collect();
        let declare = |x| format!("(declare-const {x} (_ BitVec {}))\n", self.width);
        let text: String = self.operands().into_iter().map(declare).collect();
        let text = text + &self.claim.operands(Whole::Halves);
        let text = text + &text::steps(self.body, &wanted, &HashMap::new());
        let text = format!("{text}(assert (or {} false))\n", differs.join(" "));
        match !halves.is_empty() && self.ask(&text, &[]) == Answer::Impossible {
            true => (halves, Whole::Any),
            false => (HashMap::new(), Whole::Halves),
        }
    }
}

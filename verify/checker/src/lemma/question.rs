//! What is asked of a solver about one element.

use std::collections::{BTreeSet, HashMap};

use super::claim::Claim;
use super::products::Whole;
use super::solver::{Answer, Solver};
use super::text::{self, Products};
use super::{Verdict, reduction};
use crate::body::{Body, Value};
use crate::row::{Reading, Word};

/// What no operands should do.
pub(super) const BROKEN: &str = "(assert needs)\n(assert (not gives))\n";

/// Instructions that sum products.
const SUMS: [&str; 3] = ["_add_epi64", "u64::wrapping_add", "vmlal_s32x4"];

/// The word beside a sum of products, which is any.
const OTHER: &str = "other";

/// Where a word has a quotient of 52 bits, or of 64.
const QUOTIENTS: [&str; 2] = ["((_ zero_extend 12) q)", "(concat q (_ bv0 12))"];
const QUOTIENT: [&str; 1] = ["q"];

/// The question whether a body keeps its row.
pub(super) struct Question<'a> {
    pub(super) claim: Claim<'a>,
    pub(super) p: u64,
    pub(super) body: &'a Body,
    /// Bits of the body's words.
    pub(super) width: u32,
    /// The body's constants.
    pub(super) constants: BTreeSet<u64>,
}

impl<'a> Question<'a> {
    pub(super) fn new(claim: Claim<'a>, p: u64, body: &'a Body, width: u32) -> Self {
        let sources = body.steps.iter().flat_map(|step| &step.sources);
        let constants = sources.filter_map(|source| match source {
            Value::Constant(word, _) => Some([*word, word >> 32]),
            _ => None,
        });
        Self {
            claim,
            p,
            body,
            width,
            constants: constants.flatten().collect(),
        }
    }

    pub(super) fn verdict(&self, solver: &Solver) -> Verdict {
        let found = self.parts(solver);
        let sum = self.sum_of_products(solver);
        let (known, whole) = match () {
            () if !sum.is_empty() => (sum, Whole::Any),
            () if !found.is_empty() => (found, Whole::Any),
            () if self.collects() => (found, Whole::Halves),
            () if self.is_short() => (self.quotients(solver, Whole::Short), Whole::Short),
            () => (self.quotients(solver, Whole::Function), Whole::Function),
        };
        let collects = self.collects() && matches!(whole, Whole::Halves | Whole::Any);
        let collected = self.claim.miscollects().filter(|_| collects);
        if collected.is_some_and(|text| self.ask(solver, &text, &[]) != Answer::Impossible) {
            return Verdict::Unknown("whether products are sums of products of halves".to_owned());
        }
        let text = self.steps(&known, whole);
        if self.reduces(solver, &text) {
            return Verdict::Proved;
        }
        let mut answer = self.breaks(solver, &known, whole);
        // With signed halves no solver proves it in one question.
        let at_once = self.claim.row.reads != Reading::Halves;
        if whole == Whole::Any && at_once && answer != Answer::Impossible {
            answer = self.breaks(solver, &HashMap::new(), Whole::Halves);
        }
        match answer {
            Answer::Impossible => Verdict::Proved,
            // Examples are for people: whatever is found, it is not proved.
            Answer::Possible(words) => match self.refuted(solver, &words) {
                Ok(found) => Verdict::Refuted(found),
                Err(reason) => Verdict::Unknown(reason),
            },
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// Whether a body leaves what most bodies leave of a product, and that keeps the row.
    fn reduces(&self, solver: &Solver, text: &str) -> bool {
        let differs = format!("(assert (not (= {} reduced)))\n", self.results()[0]);
        let mut ways = reduction::of(&self.claim, self.p);
        if ways.len() > 1 {
            let few = reduction::few(&self.claim);
            let differs = |way: &String| text.to_owned() + way + &few + &differs;
            ways.retain(|way| self.ask(solver, &differs(way), &[]) == Answer::Impossible);
        }
        let Some(reduced) = ways.first() else {
            return false;
        };
        let statement = self.claim.statement(&["reduced".to_owned()]);
        let negative = reduction::negative(&self.claim);
        let [sign, size] = negative.clone().map_or_else(Default::default, |negative| {
            negative.map(|is| format!("(define-fun negative () Bool {is})\n"))
        });
        let mut questions = self.claim.alone(&(size + reduced + &statement + BROKEN));
        questions.insert(0, text.to_owned() + &sign + reduced + &differs);
        if let (Some([sign, size]), Some(multiple)) = (negative, self.claim.multiple()) {
            let other = format!("(assert (not (= {sign} {size})))\n");
            questions.push(self.claim.any(Whole::Any) + &self.claim.defined(&multiple) + &other);
        }
        let mut answers = questions.iter().map(|text| self.ask(solver, text, &[]));
        answers.all(|answer| answer == Answer::Impossible)
    }

    /// Whether the body breaks the row: asked of one result after the other, as all at once take a solver longer.
    fn breaks(&self, solver: &Solver, known: &HashMap<Value, String>, whole: Whole) -> Answer {
        let statement = self.claim.statement(&self.results());
        let text = self.steps(known, whole) + &statement + "(assert needs)\n";
        let answers = (0..self.results().len()).map(|n| {
            let gives = text::joined("and", self.claim.gives(n).into_iter());
            let broken = format!("{text}(assert (not {gives}))\n");
            self.ask(solver, &broken, &self.operands())
        });
        let mut others = answers.filter(|answer| *answer != Answer::Impossible);
        others.next().unwrap_or(Answer::Impossible)
    }

    /// That the body breaks the row.
    pub(super) fn broken(&self, known: &HashMap<Value, String>, whole: Whole) -> String {
        self.steps(known, whole) + &self.claim.statement(&self.results()) + BROKEN
    }

    /// Whether what `text` asserts is possible, and with which values of these terms.
    pub(super) fn ask(&self, solver: &Solver, text: &str, values: &[String]) -> Answer {
        let question = self.script(text, values, Products::Free);
        solver.answer(&question, values.len())
    }

    pub(super) fn script(&self, text: &str, values: &[String], products: Products) -> String {
        let show = match values {
            [] => String::new(),
            _ => format!("(get-value ({}))\n", values.join(" ")),
        };
        let text = format!("{text}(check-sat)\n{show}");
        text::script(&text, &self.constants, products)
    }

    pub(super) fn operands(&self) -> Vec<String> {
        (0..self.body.operands).map(|n| format!("x{n}")).collect()
    }

    /// The element in each result.
    pub(super) fn results(&self) -> Vec<String> {
        let results = self.body.results.iter();
        let element = |result: &Value| self.claim.element(&text::value(*result, self.width));
        results.map(element).collect()
    }

    fn declarations(&self) -> String {
        let declare = |x, bits| format!("(declare-const {x} (_ BitVec {bits}))\n");
        let operands = self.operands().into_iter();
        let mut all: String = operands.map(|x| declare(x, self.width)).collect();
        if self.body.made().any(|(_, bits)| bits > 64) {
            all += &declare(OTHER.to_owned(), 64);
        }
        all
    }

    /// The operands, the products in the row as sums, and what some steps are made of.
    pub(super) fn collected(&self, wanted: &[Value]) -> String {
        self.declarations()
            + &self.claim.operands(Whole::Halves)
            + &text::steps(self.body, wanted, &HashMap::new())
    }

    /// The operands, the products in the row and the body.
    fn steps(&self, known: &HashMap<Value, String>, whole: Whole) -> String {
        let steps = text::steps(self.body, &self.body.results, known);
        self.declarations() + &self.claim.operands(whole) + &steps
    }

    /// Whether products of words of 64 bits are collected from products of half words.
    fn collects(&self) -> bool {
        let products = !self.claim.products().is_empty() && self.claim.bits == 64;
        products && !self.claim.row.reads.multiplies_52() && !self.multiplies_words()
    }

    /// Whether products of words below 2^52 are made by a multiplication of words of 64 bits.
    fn is_short(&self) -> bool {
        self.claim.row.reads.multiplies_52() && self.multiplies_words()
    }

    /// Whether the body multiplies words of 64 bits.
    fn multiplies_words(&self) -> bool {
        let steps = text::steps(self.body, &self.body.results, &HashMap::new());
        let functions = self.script(&steps, &[], Products::Free);
        functions.contains("(product64 ")
    }

    /// Steps that are the quotient of a row that has no other reduction, at one end of a word or the other, as
    /// proved. From then on they are: solvers lose themselves in multiples of what should be one.
    fn quotients(&self, solver: &Solver, whole: Whole) -> HashMap<Value, String> {
        let quotients = match self.claim.row.down {
            52 if self.claim.row.carries => &QUOTIENTS[..],
            64 if self.claim.multiple().is_some() => &QUOTIENT,
            _ => return HashMap::new(),
        };
        let statement = self.claim.statement(&self.results());
        let text = self.steps(&HashMap::new(), whole) + &statement + "(assert needs)\n";
        let words = self.body.made().flat_map(|(word, _)| {
            let all = quotients.iter();
            all.map(move |quotient| (word, quotient.to_string()))
        });
        let is = |(word, quotient): &(Value, String)| {
            let word = text::value(*word, 64);
            let other = format!("(assert (not (= {word} {quotient})))\n");
            // The results need not be made of all steps.
            let made = text.contains(&format!(" {word} ()"));
            made && self.ask(solver, &(text.clone() + &other), &[]) == Answer::Impossible
        };
        words.filter(is).collect()
    }

    /// The step in which a body has the low word of a sum of products, as proved. From then on it is, and the sum
    /// is any.
    fn sum_of_products(&self, solver: &Solver) -> HashMap<Value, String> {
        let word = self.claim.row.multiplied();
        let Word::Dot(products) = word else {
            return HashMap::new();
        };
        let low = format!("((_ extract 63 0) {})", self.claim.name(word));
        let sum_of_words = self.claim.low_of_dot(products);
        let is = |sum: Value, bits: u32, from: u32| {
            let part = format!(
                "((_ extract {} {from}) {})",
                from + 63,
                text::value(sum, bits)
            );
            let differs = format!("(assert (not (= {part} {sum_of_words})))\n");
            let steps = text::steps(self.body, &[sum], &HashMap::new());
            let text =
                self.declarations() + &self.claim.operands(Whole::Function) + &steps + &differs;
            self.ask(solver, &text, &[]) == Answer::Impossible
        };
        // The last sums, if any.
        let steps = self.body.steps.iter().enumerate().rev();
        let mut sums = steps.filter(|(_, step)| {
            let mut names = step.instruction.meanings.iter();
            names.any(|name| SUMS.iter().any(|sum| name.contains(sum)))
        });
        let found = sums.find_map(|(at, step)| {
            let (sum, bits) = (Value::Result(at, 0), step.instruction.results[0]);
            let from = (0..bits).step_by(64).find(|from| is(sum, bits, *from))?;
            let known = match (bits, from) {
                (64, _) => low.clone(),
                (_, 0) => format!("(concat {OTHER} {low})"),
                _ => format!("(concat {low} {OTHER})"),
            };
            Some((sum, known))
        });
        found.into_iter().collect()
    }

    /// Steps in which a body collects halves or quarters of the product, as proved, and which each is.
    /// From then on they are, and the product is any.
    fn parts(&self, solver: &Solver) -> HashMap<Value, String> {
        if self.claim.row.reads == Reading::Halves {
            return self.folds(solver);
        }
        let (true, Some(product)) = (self.collects(), self.claim.products().pop_first()) else {
            return HashMap::new();
        };
        let product = self.claim.name(product);
        let (mut parts, mut differ) = (HashMap::new(), String::new());
        for (step, bits, low) in self.look_like_parts(solver) {
            let part = format!("((_ extract {} {low}) {product})", low + bits - 1);
            differ += &format!(" (not (= {} {part}))", text::value(step, bits));
            parts.insert(step, part);
        }
        let wanted: Vec<Value> = parts.keys().copied().collect();
        let text = self.collected(&wanted) + &format!("(assert (or false{differ}))\n");
        match self.ask(solver, &text, &[]) {
            Answer::Impossible => parts,
            _ => HashMap::new(),
        }
    }
}

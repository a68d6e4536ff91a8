//! Bodies as SMT-LIB text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use crate::body::{Body, Value};

const INSTRUCTIONS: &str = include_str!("../../instructions.smt2");
/// The bits of the words that the functions for products take.
const PRODUCTS: [u32; 3] = [32, 52, 64];
/// What the name of an instruction ends with where one source is a constant.
const BY_CONSTANT: &str = " by a constant";

/// What products are to a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Products {
    /// Any functions: what is proved of all holds of multiplication.
    Free,
    /// Multiplication itself.
    Exact,
}

/// The bits of a body's operands: all are of one width. Where this is wrong, no solver accepts the
/// text.
pub(super) fn width(body: &Body) -> u32 {
    let mut sources = body.steps.iter().flat_map(|step| {
        let bits = step.instruction.sources.iter();
        step.sources.iter().zip(bits)
    });
    let operand = sources.find(|(source, _)| matches!(source, Value::Operand(_)));
    operand.map_or(64, |(_, bits)| *bits)
}

/// A value of a body, as a word of so many bits.
pub(super) fn value(value: Value, bits: u32) -> String {
    match value {
        Value::Operand(n) => format!("x{n}"),
        // A narrower one is in each half.
        Value::Constant(word, own) if own < bits => {
            let words = (0..bits / own).map(|n| u128::from(word) << (n * own));
            literal(words.sum(), bits)
        }
        Value::Constant(word, own) => literal(word.into(), own),
        Value::Result(step, n) => format!("t{step}.{n}"),
    }
}

pub(super) fn literal(word: u128, bits: u32) -> String {
    format!("(_ bv{word} {bits})")
}

/// The definitions of `wanted` and of all that they are made of. Values in `known` are given.
pub(super) fn steps(body: &Body, wanted: &[Value], known: &HashMap<Value, String>) -> String {
    let mut needed: HashSet<Value> = wanted.iter().copied().collect();
    let mut lines = Vec::new();
    for (at, step) in body.steps.iter().enumerate().rev() {
        for (n, name) in step.instruction.meanings.iter().enumerate() {
            let result = Value::Result(at, n);
            if !needed.contains(&result) {
                continue;
            }
            let meaning = known.get(&result).cloned().unwrap_or_else(|| {
                needed.extend(&step.sources);
                let constant = |(n, source): (usize, &Value)| {
                    matches!(source, Value::Constant(..)) && is_factor(name, n)
                };
                let name = match step.sources.iter().enumerate().any(constant) {
                    true => format!("|{}{BY_CONSTANT}|", name.trim_matches('|')),
                    false => name.clone(),
                };
                let bits = step.instruction.sources.iter();
                let sources = step.sources.iter().zip(bits);
                let sources = sources.map(|(source, bits)| value(*source, *bits));
                let immediates = step.immediates.iter().map(|i| literal((*i).into(), 64));
                let all: Vec<String> = sources.chain(immediates).collect();
                format!("({name} {})", all.join(" "))
            });
            let bits = step.instruction.results[n];
            lines.push(define(&value(result, bits), bits, &meaning));
        }
    }
    lines.reverse();
    lines.concat()
}

/// The bits of a number.
pub(super) fn length(n: i128) -> u32 {
    128 - n.unsigned_abs().leading_zeros()
}

pub(super) fn define(name: &str, bits: u32, meaning: &str) -> String {
    format!("(define-fun {name} () (_ BitVec {bits}) {meaning})\n")
}

/// A whole question: what `text` uses of the instructions, and `text`.
pub(super) fn script(text: &str, constants: &BTreeSet<u64>, products: Products) -> String {
    let mut needed: BTreeSet<String> = symbols(text).map(str::to_owned).collect();
    let mut parts = vec![text.to_owned()];
    for (name, definition) in DEFINITIONS.iter().rev() {
        let by_constant = format!("{name}{BY_CONSTANT}");
        if needed.contains(&by_constant) {
            let at = definition.find("((").expect("it has sources");
            let definition = format!("(define-fun |{by_constant}| {}", &definition[at..]);
            let definition = definition.replace("(product", "(times");
            needed.extend(symbols(&definition).map(str::to_owned));
            parts.push(definition);
        }
        let multiplication = name.strip_prefix("product").and_then(|n| n.parse().ok());
        if let Some(bits) = multiplication
            && needed.contains(&format!("times{bits}"))
        {
            needed.insert((*name).to_owned());
            // With signed words, a solver that is not to take multiples apart is quicker.
            let either = needed.contains("signed") || products == Products::Exact;
            parts.push(multiple(bits, constants, either));
        }
        if needed.contains(*name) {
            needed.extend(symbols(definition).map(str::to_owned));
            parts.push(match multiplication {
                Some(bits) if products == Products::Exact => multiply(bits),
                _ => definition.clone(),
            });
        }
    }
    let functions = products == Products::Free
        && PRODUCTS
            .iter()
            .any(|bits| needed.contains(&format!("product{bits}")));
    let logic = if functions { "QF_UFBV" } else { "QF_BV" };
    parts.push(format!(
        "(set-option :produce-models true)\n(set-logic {logic})\n"
    ));
    parts.reverse();
    parts.concat()
}

/// The definitions of the file, by name.
static DEFINITIONS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let lines = INSTRUCTIONS.lines();
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in lines.filter(|line| !line.starts_with(';') && !line.is_empty()) {
        if line.starts_with('(') {
            let name = symbols(line).nth(1).unwrap_or_default();
            found.push((name, String::new()));
        }
        let last = found.last_mut().map(|(_, text)| text);
        last.expect("the first line begins a definition")
            .extend([line, "\n"]);
    }
    found
});

/// The symbols of a text, without bars.
fn symbols(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('|').enumerate();
    let symbols = parts.flat_map(|(n, part)| {
        let quoted = n % 2 == 1;
        part.split(move |c: char| !quoted && (c.is_whitespace() || c == '(' || c == ')'))
    });
    symbols.filter(|symbol| !symbol.is_empty())
}

/// Whether a source of an instruction is multiplied by another.
fn is_factor(name: &str, source: usize) -> bool {
    let name = name.trim_matches('|');
    let definition = DEFINITIONS.iter().find(|(known, _)| *known == name);
    let parameter = ["a", "b", "c", "d"].get(source);
    // The product is what a definition ends with.
    definition.is_some_and(|(_, text)| {
        let factors = text.split_once("(product").map(|(_, factors)| factors);
        factors.is_some_and(|text| symbols(text).any(|symbol| Some(&symbol) == parameter))
    })
}

/// Multiplication of words of so many bits.
fn multiply(bits: u32) -> String {
    let wide = |x| format!("((_ zero_extend {bits}) {x})");
    let product = format!("(bvmul {} {})", wide("a"), wide("b"));
    function("product", bits, &product)
}

fn function(name: &str, bits: u32, meaning: &str) -> String {
    format!(
        "(define-fun {name}{bits} ((a (_ BitVec {bits})) (b (_ BitVec {bits}))) (_ BitVec {}) {meaning})\n",
        2 * bits
    )
}

/// Multiplication where the second factor is one of some constants, or `either`: what that is, is known. Cases of
/// the other factor are left when it is not, and a multiple is a part of them.
fn multiple(bits: u32, constants: &BTreeSet<u64>, either: bool) -> String {
    let kept = u64::MAX >> (64 - bits);
    let words: BTreeSet<u64> = constants.iter().map(|word| word & kept).collect();
    let factors = [("a", "b"), ("b", "a")].into_iter();
    let factors = factors.take(1 + usize::from(either));
    let cases = factors.flat_map(|factors| words.iter().map(move |word| (factors, *word)));
    let meaning = cases.fold(format!("(product{bits} a b)"), |other, ((x, y), word)| {
        let multiple = times(x, bits, word.into(), 2 * bits);
        let is = format!("(= {y} {})", literal(word.into(), bits));
        format!("(ite {is} {multiple} {other})")
    });
    function("times", bits, &meaning)
}

/// `k·x` for an unsigned word `x` of so many bits, modulo `2^width`: shifts, additions and
/// subtractions.
pub(super) fn times(x: &str, bits: u32, k: u128, width: u32) -> String {
    let shifted = |place: u32| {
        let kept = bits.min(width - place);
        let low = (kept < bits).then(|| format!("((_ extract {} 0) {x})", kept - 1));
        let low = low.unwrap_or_else(|| x.to_owned());
        let low = match place {
            0 => low,
            _ => format!("(concat {low} {})", literal(0, place)),
        };
        match width - kept - place {
            0 => low,
            above => format!("((_ zero_extend {above}) {low})"),
        }
    };
    let digits = digits(k)
        .into_iter()
        .rev()
        .filter(|(place, _)| *place < width);
    let sum = digits.fold(None, |sum: Option<String>, (place, negative)| {
        let part = shifted(place);
        Some(match sum {
            Some(sum) if negative => format!("(bvsub {sum} {part})"),
            Some(sum) => format!("(bvadd {sum} {part})"),
            None if negative => format!("(bvneg {part})"),
            None => part,
        })
    });
    sum.unwrap_or_else(|| literal(0, width))
}

/// The digits 1 and, where true, -1 of a number, no two of them side by side: place and sign.
fn digits(mut k: u128) -> Vec<(u32, bool)> {
    let (mut digits, mut place) = (Vec::new(), 0);
    while k != 0 {
        if k & 1 == 1 {
            let negative = k & 2 == 2;
            digits.push((place, negative));
            k = if negative { k + 1 } else { k - 1 };
        }
        (k, place) = (k >> 1, place + 1);
    }
    digits
}

/// That a word is between two others.
pub(super) fn bounded(less: &str, lo: &str, word: &str, hi: &str) -> String {
    format!("(and ({less} {lo} {word}) ({less} {word} {hi}))")
}

/// `2^by·x`.
pub(super) fn shifted(x: &str, width: u32, by: u32) -> String {
    match by {
        0 => x.to_owned(),
        _ => format!(
            "(concat ((_ extract {} 0) {x}) {})",
            width - by - 1,
            literal(0, by)
        ),
    }
}

/// Bits of a word of `all` bits, in so many bits.
pub(super) fn extended(
    word: &str,
    all: u32,
    from: u32,
    bits: Option<u32>,
    signed: bool,
    width: u32,
) -> String {
    let bits = bits.unwrap_or(all - from);
    let part = format!("((_ extract {} {from}) {word})", from + bits - 1);
    let extend = if signed { "sign" } else { "zero" };
    match width - bits {
        0 => part,
        more => format!("((_ {extend}_extend {more}) {part})"),
    }
}

pub(super) fn joined(all: &str, mut parts: impl Iterator<Item = String>) -> String {
    let first = parts.next().unwrap_or_else(|| "true".to_owned());
    let rest: Vec<String> = parts.collect();
    match rest.is_empty() {
        true => first,
        false => format!("({all} {first} {})", rest.join(" ")),
    }
}

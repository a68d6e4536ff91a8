//! That the ranges of results, as they are derived, hold what a row gives.
//!
//! It is asked at the ranges that operands have in certificates: so it is about the arithmetic that
//! derives them, not about a copy of it with symbols for bounds.

use std::collections::BTreeSet;

use super::claim::{Claim, bounded};
use super::text::{define, literal};
use crate::row::{Range, Reading, Word};

/// That some operands in one of these ranges give a result outside of the range derived for it.
pub(super) fn leaves(claim: &Claim<'_>, cases: &BTreeSet<Vec<Range>>) -> Vec<String> {
    let results = claim.row.results.len();
    let names: Vec<String> = (0..results).map(|n| format!("s{n}")).collect();
    let declare = |name| format!("(declare-const {name} (_ BitVec {}))\n", claim.bits);
    let mut text: String = names.iter().map(declare).collect();
    text += &claim.statement(&names);
    let width = claim.width();
    for n in 0..claim.row.operands {
        text += &define(&format!("x{n}"), width, &claim.operand(n));
    }
    for n in 0..results {
        text += &define(&format!("y{n}"), width, &claim.result(n));
    }
    let outside = cases.iter().map(|operands| {
        let inside = operands.iter().enumerate();
        let inside = inside.map(|(n, range)| claim.within(&format!("x{n}"), *range));
        let products = claim.products().into_iter();
        let products = products.filter_map(|word| product(claim, word, operands));
        let derived = claim.row.ranges(operands).into_iter().enumerate();
        let derived = derived.map(|(n, range)| claim.within(&format!("y{n}"), range));
        let parts: Vec<String> = inside.chain(products).collect();
        let kept: Vec<String> = derived.collect();
        format!("(and {} (not (and {})))\n", parts.join(" "), kept.join(" "))
    });
    let outside: String = outside.collect();
    claim.alone(&format!("{text}(assert gives)\n(assert (or {outside}))\n"))
}

/// The bounds of a product of two numbers that are not negative.
fn product(claim: &Claim<'_>, word: Word, operands: &[Range]) -> Option<String> {
    let (a, b, k) = match word {
        Word::Product(a, b) => (a, b, 1),
        Word::Doubled(a, b) => (a, b, 2),
        Word::Operand(_) => return None,
    };
    if claim.row.reads != Reading::Shifted {
        return None;
    }
    let ((a, c), (b, d)) = (operands[a], operands[b]);
    let (bits, low, _) = claim.shape(word);
    let up = |n: i128| literal((n as u128) << low, bits);
    let name = claim.name(word);
    Some(bounded("bvule", &up(k * a * b), &name, &up(k * c * d)))
}

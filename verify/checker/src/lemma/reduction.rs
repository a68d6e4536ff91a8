//! How products are reduced, written once.
//!
//! That a body leaves *any* word of the right residue is hard work for a solver; that it leaves the
//! word that this leaves is easy, and so is the other half: that this is one, once for all bodies.
//! A body that reduces otherwise is compared with the row itself.
//!
//! Where there are two such ways, a few products tell which of them a body goes: to find one of all
//! products on which it differs from the other takes a solver long.

use super::claim::{Claim, Multiple};
use super::text::{define, extended, literal, times};
use crate::row::{Reading, Word};

/// `reduced`, the element that most bodies leave of the product, in the ways that there are; none if the row
/// has no such. (What they leave of signed words is one of two, and the row says which as directly.)
pub(super) fn of(claim: &Claim<'_>, p: u64) -> Vec<String> {
    if claim.row.carries {
        return vec![carried(claim)];
    }
    if claim.row.down == 64 && claim.row.operands == 3 {
        return vec![lowered(claim)];
    }
    if let Word::Dot(_) = claim.row.multiplied() {
        let multiple = claim.multiple().into_iter();
        return multiple.map(|multiple| signed(claim, &multiple)).collect();
    }
    if claim.row.reads != Reading::Unsigned || claim.row.operands > 2 {
        return Vec::new();
    }
    let Some(product) = reduced(claim) else {
        return Vec::new();
    };
    let part = |hi: u32, lo: u32| format!("((_ extract {hi} {lo}) {product})");
    match claim.multiple() {
        // The high half of the product less a multiple of p; plus p if that is negative.
        Some(Multiple { width, .. }) => {
            let high = extended("m", width, 32, None, false, 32);
            let steps = [
                define("t", 32, &format!("(bvsub {} {high})", part(63, 32))),
                define("u", 32, &format!("(bvadd t {})", literal(p.into(), 32))),
                define("reduced", 32, "(ite (bvult t u) t u)"),
            ];
            vec![steps.concat()]
        }
        // For a product `below + 2^64·n + 2^96·h`: `below - h + (2^32 - 1)·n`, with a correction after each
        // of two sums, or `below + 2^32·n - (h + n)`, with both at the end.
        None => {
            let epsilon = literal(p.wrapping_neg().into(), 64);
            let corrected = |sum: &str, by: &str, if_: &str| {
                format!("(ite {if_} ({by} {sum} {epsilon}) {sum})")
            };
            let high = format!("((_ zero_extend 32) {})", part(127, 96));
            let parts = define("below", 64, &part(63, 0)) + &define("h", 64, &high);
            let shifted = format!("(concat {} {})", part(95, 64), literal(0, 32));
            let other = format!("(bvadd h ((_ zero_extend 32) {}))", part(95, 64));
            let each = [
                define("t", 64, "(bvsub below h)"),
                define("u", 64, &corrected("t", "bvsub", "(bvult below h)")),
                define("n", 64, &times(&part(95, 64), 32, (1 << 32) - 1, 64)),
                define("v", 64, "(bvadd u n)"),
                define("reduced", 64, &corrected("v", "bvadd", "(bvult v u)")),
            ];
            let both = [
                define("t", 64, &format!("(bvadd below {shifted})")),
                define("u", 64, &other),
                define("v", 64, "(bvsub t u)"),
                define("w", 64, &corrected("v", "bvadd", "(bvult t below)")),
                define("reduced", 64, &corrected("w", "bvsub", "(bvult t u)")),
            ];
            [each, both]
                .map(|steps| parts.clone() + &steps.concat())
                .into()
        }
    }
}

/// The product that a row of one result reduces.
fn reduced(claim: &Claim<'_>) -> Option<String> {
    let products = claim.products();
    let product = products.first().filter(|_| claim.row.results.len() == 1)?;
    Some(claim.name(*product))
}

/// That all parts of 32 bits of the product are 0, 1 or 2^32 - 1.
pub(super) fn few(claim: &Claim<'_>) -> String {
    let product = reduced(claim).unwrap_or_default();
    let parts = (0..2 * claim.bits).step_by(32).map(|low| {
        let part = format!("((_ extract {} {low}) {product})", low + 31);
        let values =
            [0, 1, u32::MAX].map(|word| format!(" (= {part} {})", literal(word.into(), 32)));
        format!("(assert (or{}))\n", values.concat())
    });
    parts.collect()
}

/// The high half of a sum of products less that of the multiple of p, whose quotient may be `negative`.
fn signed(claim: &Claim<'_>, Multiple { width, k, .. }: &Multiple) -> String {
    let sum = claim.name(claim.row.multiplied());
    let high = extended("m", *width, 32, None, false, 32);
    let plus = format!("(bvadd t {})", literal(*k, 32));
    let less = format!("(bvsub ((_ extract 63 32) {sum}) {high})");
    define("t", 32, &less) + &define("reduced", 32, &format!("(ite negative {plus} t)"))
}

/// Whether the quotient of a sum of products is negative: by its sign, and by how large the multiple of p is.
pub(super) fn negative(claim: &Claim<'_>) -> Option<[String; 2]> {
    let Word::Dot(_) = claim.row.multiplied() else {
        return None;
    };
    let Multiple { width, k, .. } = claim.multiple()?;
    let by_sign = format!("(bvslt q {})", literal(0, 32));
    Some([by_sign, format!("(bvuge m {})", literal(k << 31, width))])
}

/// The first operand and the high half of the product of the others, less that of p's multiple.
fn lowered(claim: &Claim<'_>) -> String {
    let product = claim.name(claim.row.multiplied());
    let multiple = claim.multiple().map_or(0, |multiple| multiple.width);
    let high = extended("m", multiple, 64, None, false, 64);
    let sum = format!("(bvadd e0 ((_ extract 127 64) {product}))");
    define("reduced", 64, &format!("(bvsub {sum} {high})"))
}

/// The first operand and the high halves of the product of the others and of p's multiple.
fn carried(claim: &Claim<'_>) -> String {
    let high = |name: &str, bits| extended(name, bits, 52, None, false, 64);
    let multiple = claim.multiple().map_or(0, |multiple| multiple.width);
    let product = high(&claim.name(claim.row.multiplied()), 104);
    let sum = format!("(bvadd (bvadd e0 {product}) {})", high("m", multiple));
    define("reduced", 64, &sum)
}

//! How products are reduced, written once.
//!
//! That a body leaves *any* word of the right residue is hard work for a solver; that it leaves the
//! word that this leaves is easy, and so is the other half: that this is one, once for all bodies.
//! A body that reduces otherwise is compared with the row itself.

use super::claim::{Claim, Multiple};
use super::text::{define, literal, times};
use crate::row::{Reading, Word};

/// `reduced`, the element that most bodies leave of the product; none if the row has no such. (What they
/// leave of signed words is one of two, and the row says which as directly.)
pub(super) fn of(claim: &Claim<'_>, p: u64) -> Option<String> {
    if claim.row.carries {
        return Some(carried(claim));
    }
    if let Word::Dot(_) = claim.row.multiplied() {
        return claim.multiple().map(|multiple| signed(claim, &multiple));
    }
    if claim.row.reads != Reading::Unsigned || claim.row.operands > 2 {
        return None;
    }
    let products = claim.products();
    let product = claim.name(*products.first().filter(|_| claim.row.results.len() == 1)?);
    let part = |hi: u32, lo: u32| format!("((_ extract {hi} {lo}) {product})");
    Some(match claim.multiple() {
        // The high half of the product less a multiple of p; plus p if that is negative.
        Some(Multiple { width, .. }) => {
            let high = format!("((_ extract {} 32) m)", width - 1);
            let high = format!("((_ zero_extend {}) {high})", 64 - width);
            [
                define("t", 32, &format!("(bvsub {} {high})", part(63, 32))),
                define("u", 32, &format!("(bvadd t {})", literal(p.into(), 32))),
                define("reduced", 32, "(ite (bvult t u) t u)"),
            ]
            .concat()
        }
        // For a product `below + 2^64·n + 2^96·h`: `below - h + (2^32 - 1)·n`, one correction each way.
        None => {
            let epsilon = literal(p.wrapping_neg().into(), 64);
            let high = format!("((_ zero_extend 32) {})", part(127, 96));
            [
                define("below", 64, &part(63, 0)),
                define("h", 64, &high),
                define("t", 64, "(bvsub below h)"),
                define(
                    "u",
                    64,
                    &format!("(ite (bvult below h) (bvsub t {epsilon}) t)"),
                ),
                define("n", 64, &times(&part(95, 64), 32, (1 << 32) - 1, 64)),
                define("v", 64, "(bvadd u n)"),
                define(
                    "reduced",
                    64,
                    &format!("(ite (bvult v u) (bvadd v {epsilon}) v)"),
                ),
            ]
            .concat()
        }
    })
}

/// The high half of a sum of products less that of the multiple of p, whose quotient may be `negative`.
fn signed(claim: &Claim<'_>, Multiple { width, k, .. }: &Multiple) -> String {
    let sum = claim.name(claim.row.multiplied());
    let high = format!("((_ extract {} 32) m)", width - 1);
    let high = format!("((_ zero_extend {}) {high})", 64 - width);
    let plus = format!("(bvadd t {})", literal(*k, 32));
    [
        define(
            "t",
            32,
            &format!("(bvsub ((_ extract 63 32) {sum}) {high})"),
        ),
        define("reduced", 32, &format!("(ite negative {plus} t)")),
    ]
    .concat()
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

/// The first operand and the high halves of the product of the others and of p's multiple.
fn carried(claim: &Claim<'_>) -> String {
    let high = |name: &str, bits: u32| {
        let half = format!("((_ extract {} 52) {name})", bits - 1);
        format!("((_ zero_extend {}) {half})", 64 + 52 - bits)
    };
    let multiple = claim.multiple().map_or(0, |multiple| multiple.width);
    let product = high(&claim.name(claim.row.multiplied()), 104);
    let sum = format!("(bvadd (bvadd e0 {product}) {})", high("m", multiple));
    define("reduced", 64, &sum)
}

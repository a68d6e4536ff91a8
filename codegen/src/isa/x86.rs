//! What the x86 vector tables share: meanings on one 64-bit lane.

use crate::term::Term;

/// The two 32-bit halves of a lane, low first.
fn halves(x: &Term) -> [Term; 2] {
    [x.bits(0, 32), x.bits(32, 32)]
}

/// Applies `f` to the 32-bit halves of two lanes.
pub(super) fn by_halves(a: &Term, b: &Term, f: impl Fn(&Term, &Term) -> Term) -> Vec<Term> {
    let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
    vec![f(&a1, &b1).concat(&f(&a0, &b0))]
}

/// Applies `f` to the 32-bit halves of a lane.
pub(super) fn each_half(a: &Term, f: impl Fn(&Term) -> Term) -> Vec<Term> {
    let [a0, a1] = halves(a);
    vec![f(&a1).concat(&f(&a0))]
}

pub(super) fn min(a: &Term, b: &Term) -> Term {
    a.ult(b).select(a, b)
}

/// All ones where the condition holds: the result of a vector compare.
pub(super) fn mask(condition: &Term) -> Term {
    condition.sign_extend(64)
}

/// The product of the low 32 bits.
pub(super) fn mul_epu32(a: &Term, b: &Term) -> Term {
    a.resize(32).widening_mul(&b.resize(32))
}

/// Both halves are the high half.
pub(super) fn high_half_twice(a: &Term) -> Term {
    let high = a.bits(32, 32);
    high.concat(&high)
}

/// Both halves are the low half.
pub(super) fn low_half_twice(a: &Term) -> Term {
    let low = a.resize(32);
    low.concat(&low)
}

/// The low half of `a` below the high half of `b`.
pub(super) fn blend_high(a: &Term, b: &Term) -> Term {
    b.bits(32, 32).concat(&a.resize(32))
}

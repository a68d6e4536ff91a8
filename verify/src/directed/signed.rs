//! Macro-ops on 32-bit words that may be negative.

use codegen::params::Field;

const LOW: u64 = 0xffff_ffff;

fn signed(x: u64) -> i64 {
    i64::from((x as u32).cast_signed())
}

/// The lesser of a word and another that is so much more, without their signs.
pub(super) fn lesser(x: u64, more: u64) -> u64 {
    x.min(x.wrapping_add(more) & LOW)
}

pub(super) fn negated(x: u64) -> u64 {
    x.wrapping_neg() & LOW
}

/// The high half of a product less that multiple of p, of either sign, which has the same low half.
pub(super) fn mul(field: &Field, a: u64, b: u64) -> u64 {
    dot(field, [[a, b]].into_iter())
}

/// The same of a sum of products.
pub(super) fn dot(field: &Field, factors: impl Iterator<Item = [u64; 2]>) -> u64 {
    let products = factors.map(|[a, b]| signed(a).wrapping_mul(signed(b)).cast_unsigned());
    let product = products.fold(0, u64::wrapping_add);
    let quotient = signed(product.wrapping_mul(field.inverse_mod_word(32)));
    let multiple = quotient.wrapping_mul(field.modulus.cast_signed());
    product.wrapping_sub(multiple.cast_unsigned()) >> 32
}

/// A sum of words, less p as often as `2^31` is in it; the quotient is made of the top bits.
pub(super) fn reduced_sum(field: &Field, words: impl Iterator<Item = u64>) -> u64 {
    let [sum, top] = words.fold([0, 0], |[sum, top], x| [sum + x, top + (x >> 28)]);
    sum.wrapping_sub((top >> 3) * field.modulus) & LOW
}

/// What is kept, less the multiple of what is cut off.
pub(super) fn divided(p: u64, x: u64, k: u32) -> u64 {
    let kept = (signed(x) >> k).cast_unsigned();
    let cut = (x & ((1 << k) - 1)) * ((p - 1) >> k);
    kept.wrapping_sub(cut) & LOW
}

/// What is left of a word when p is subtracted so often that `2^k` divides it.
pub(super) fn divided_word(field: &Field, x: u64, k: u32) -> u64 {
    let often = x.wrapping_mul(field.inverse_mod_word(k)) & ((1 << k) - 1);
    let rest = x.wrapping_sub(field.modulus * often).cast_signed() >> k;
    rest.cast_unsigned() & LOW
}

/// A sum, corrected as the sign of the second word says.
pub(super) fn sum(p: u64, a: u64, t: u64) -> u64 {
    let over = p.cast_signed() * signed(t).signum();
    lesser(a.wrapping_add(t) & LOW, over.wrapping_neg().cast_unsigned())
}

/// A multiple, corrected once; the quotient is made of the top bits.
pub(super) fn times(p: u64, x: u64, n: u32) -> u64 {
    let quotient = (x * u64::from(n)) >> 31;
    let multiple = (x * u64::from(n)).wrapping_sub(quotient * p) & LOW;
    lesser(multiple, p.wrapping_neg())
}

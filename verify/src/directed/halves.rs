//! Macro-ops on words whose halves are signed.

const LOW: u64 = 0xffff_ffff;
/// The signs of both halves: with them flipped, a word is the integer less the least.
const SIGNS: u64 = 1 << 63 | 1 << 31;

/// The integer that a word stands for.
fn integer(word: u64) -> i128 {
    i128::from(word ^ SIGNS) - i128::from(SIGNS)
}

/// A product of two words, divided by 2^32 twice: what is left, and the quotients.
fn divided(a: u64, b: u64) -> (i128, [i128; 2]) {
    let low = |x: i128| x & i128::from(LOW);
    let product = integer(a) * integer(b);
    let sum = (product >> 32) + low(product);
    (sum >> 32, [low(product), low(sum)])
}

/// The quotient of a product, or p more, which then is no word of the least halves.
pub(super) fn mul(p: u64, a: u64, b: u64) -> u64 {
    let (left, [first, second]) = divided(a, b);
    let quotient = left - first - i128::from(LOW) * second + i128::from(SIGNS);
    let more = if quotient > 0 { 0 } else { i128::from(p) };
    (quotient + more) as u64 ^ SIGNS
}

/// The quotient and p, in columns that machines find without a sign.
pub(super) fn columns(a: u64, b: u64) -> (u64, u64) {
    let (left, [first, second]) = divided(a, b);
    let mixed = (1 << 31) - 1;
    let sum = (left + mixed - (first + (mixed << 32))) as u64;
    let second = second as u64;
    let centred = second.wrapping_sub((1 << 31) - 2);
    (
        (sum & LOW).wrapping_add(centred),
        (sum >> 32).wrapping_sub(centred),
    )
}

/// Columns, of which the low one has its sign flipped.
pub(super) fn pack(low: u64, high: u64) -> u64 {
    let part = low.wrapping_add((high >> 32) * LOW);
    let sum = part.wrapping_add(high << 32);
    let carry = sum.cast_signed() < part.cast_signed();
    sum.wrapping_add(if carry { LOW } else { 0 }) ^ (1 << 31)
}

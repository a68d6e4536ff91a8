//! Macro-ops on machine words.

use super::{halves, signed};
use crate::oracle::inverse::fold;
use codegen::names::Part;
use codegen::ops::MacroOp;
use codegen::params::{Balance, Field};

const LOW: u64 = 0xffff_ffff;

/// What products of 52 bits are cut to.
const LOW_52: u64 = u64::MAX >> 12;

/// One macro-op; its last operand stands for those it does not have. The second result is zero
/// where it has one.
pub(super) fn apply(field: &Field, op: MacroOp, x: &[u64; 4]) -> (u64, u64) {
    let [a, b, ..] = *x;
    let p = field.modulus;
    let wide = |x: u64| u128::from(x);
    let montgomery = field.is_montgomery();
    let word = u64::MAX >> (64 - field.word_bits());
    let one = match op {
        MacroOp::Add if montgomery => (a + b) & LOW,
        MacroOp::Add => {
            let (sum, carry) = a.overflowing_add(b);
            if carry { sum.wrapping_sub(p) } else { sum }
        }
        MacroOp::Sub => {
            let (difference, borrow) = a.overflowing_sub(b);
            let word = if borrow {
                difference.wrapping_add(p)
            } else {
                difference
            };
            if montgomery { word & LOW } else { word }
        }
        MacroOp::Canonicalise => {
            if a >= p {
                a - p
            } else {
                a
            }
        }
        // Barrett, as templates have it.
        MacroOp::Reduce if field.reduction_bits() == 64 => {
            let often = a.wrapping_add(a >> (31 - field.two_adicity())) >> 31;
            a.wrapping_sub(often.wrapping_mul(p))
        }
        MacroOp::Reduce => a.wrapping_sub((a.wrapping_mul((1 << 48) / p) >> 48).wrapping_mul(p)),
        MacroOp::Fold => a.wrapping_sub((a >> 31).wrapping_mul(p)),
        MacroOp::Product => a.wrapping_mul(b),
        MacroOp::Halve => ((wide(a) + wide(a & 1) * wide(p)) >> 1) as u64,
        MacroOp::Div2Exp(k) => {
            let less = field.inverse_mod_word(k).wrapping_neg();
            let often = (a % p).wrapping_mul(less) & ((1 << k) - 1);
            ((wide(a % p) + wide(p) * wide(often)) >> k) as u64
        }
        MacroOp::Mul if montgomery && field.word_bits() == 64 => {
            let less = field.inverse_mod_word(32).wrapping_neg();
            let quotient = (a * b).wrapping_mul(less) & LOW;
            (a * b + quotient * p) >> 32
        }
        MacroOp::Mul | MacroOp::Square if montgomery => {
            let product = a * b;
            let quotient = product.wrapping_mul(field.inverse_mod_word(32)) & LOW;
            let (high, less) = (product >> 32, (quotient * p) >> 32);
            if high < less {
                high + p - less
            } else {
                high - less
            }
        }
        MacroOp::Mul | MacroOp::Square => fold(p, wide(a) * wide(b)),
        MacroOp::Plus => a.wrapping_add(b) & word,
        MacroOp::Minus => a.wrapping_sub(b) & word,
        MacroOp::ShiftLeft(k) => a << k,
        MacroOp::Offset(offset, part) => a.wrapping_add_signed(offset.value(part)),
        MacroOp::Pack => {
            let middle = b << 32;
            let (word, carry) = middle.overflowing_add(a.wrapping_add((b >> 32).wrapping_mul(LOW)));
            if carry { word.wrapping_add(LOW) } else { word }
        }
        MacroOp::Split => return (a & LOW, a >> 32),
        MacroOp::MulColumns => {
            let product = wide(a) * wide(b);
            let part = |n: u32| (product >> (32 * n)) as u64 & LOW;
            let low = part(0).wrapping_sub(part(2)).wrapping_sub(part(3));
            return (low, part(1) + part(2));
        }
        MacroOp::MulWide => return halves(a, b),
        // 2^-64 is -2^32, so this much is subtracted for a low half.
        MacroOp::Share => {
            let (sum, carry) = a.overflowing_add(a << 32);
            sum.wrapping_sub((sum >> 32) + u64::from(carry))
        }
        MacroOp::MulColumnsRedc => {
            let (low, high) = halves(a, b);
            let columns = (high & LOW) + (low >> 32);
            let less = (low & LOW) + (low >> 32);
            return (columns, (high >> 32).wrapping_sub(less));
        }
        MacroOp::PackHalves => halves::pack(a, b),
        MacroOp::SquareHalves => halves::mul(p, a, a),
        MacroOp::MulHalves => halves::mul(p, a, b),
        MacroOp::MulColumnsHalves => return halves::columns(a, b),
        MacroOp::Cut(k) => return ((a << (64 - k)) >> 32, a >> k),
        MacroOp::Div2ExpColumns(k) | MacroOp::Div2ExpSigned(k) => {
            let cut = |x: u64| (x << (64 - k)) >> 32;
            let half = |x: u64| match op {
                MacroOp::Div2ExpSigned(_) => (x.cast_signed() >> k).cast_unsigned(),
                _ => x >> k,
            };
            let low = half(a).wrapping_add(cut(a) + cut(b));
            return (low, half(b).wrapping_sub(cut(a)));
        }
        MacroOp::PlusNarrow => narrow(a.wrapping_add(b)),
        MacroOp::MinusNarrow => narrow(a.wrapping_sub(b)),
        MacroOp::ShiftLeftNarrow(k) => narrow(a << k),
        MacroOp::SplitRadix48 => return (a << 16 >> 16, a >> 48),
        MacroOp::PackRadix48 => {
            let sum = wide(a) + (wide(b & 0xffff) << 48) + wide(b >> 16) * wide(LOW);
            let less = if sum >> 64 > 0 { wide(p) } else { 0 };
            (sum - less) as u64
        }
        MacroOp::CarryRadix48 => {
            let top = (b.cast_signed() >> 16).cast_unsigned();
            let low = (a << 16 >> 16).wrapping_add(top.wrapping_mul(LOW));
            return (
                low,
                (b & 0xffff).wrapping_add((a.cast_signed() >> 48).cast_unsigned()),
            );
        }
        MacroOp::Div2ExpRadix48(k) => {
            let half = |x: u64| (x.cast_signed() >> k).cast_unsigned();
            let cut = |x: u64| x & ((1 << k) - 1);
            let low = half(a).wrapping_add((cut(a) << (32 - k)) + (cut(b) << (48 - k)));
            return (low, half(b).wrapping_sub(cut(a) << (16 - k)));
        }
        MacroOp::MulQuarters => return halves(a, b),
        MacroOp::SquareQuarters => return halves(a, a),
        MacroOp::Redc if field.radix_bits() == 52 => {
            let less = field.inverse_mod_word(52).wrapping_neg();
            let quotient = a.wrapping_mul(less) & LOW_52;
            b.wrapping_add(((wide(a) + wide(quotient) * wide(p)) >> 52) as u64)
        }
        MacroOp::Redc => from_below(p, (a, b)),
        MacroOp::MulRadix48 => {
            let (low, high) = halves(a, b);
            let [t0, t1, t2, t3] = [low & LOW, low >> 32, high & LOW, high >> 32];
            let top = (t3 >> 16).wrapping_sub((t0 >> 16) + (t1 >> 16));
            let middle = (t3 & 0xffff).wrapping_sub((t0 & 0xffff) + (t1 & 0xffff));
            return ((t2 + t1).wrapping_add(middle << 32), top);
        }
        MacroOp::Carry => return carry(a, b),
        MacroOp::CarryUp => return up(carry(a, b)),
        MacroOp::Preshift => a << 10,
        // Both mixed products at once.
        MacroOp::SquareLimbs(balance) => {
            return limbs([(a, a), (a, b << 1), (0, 0), (b, b)], Some(balance));
        }
        MacroOp::MulLimbs(balance) => {
            let [x0, x1, y0, y1] = *x;
            return limbs([(x0, y0), (x0, y1), (x1, y0), (x1, y1)], balance);
        }
        MacroOp::MulChained => {
            let [x0, x1, y0, y1] = *x;
            return limbs([(x0, y0), (x0, y1), (x1, y0), (x1, y1)], None);
        }
        MacroOp::SquareUp(balance) => {
            return up(limbs([(a, a), (a, b << 1), (0, 0), (b, b)], Some(balance)));
        }
        MacroOp::MulUp(balance) => {
            let [x0, x1, y0, y1] = *x;
            let pairs = [(x0, y0), (x0, y1), (x1, y0), (x1, y1)];
            return up(limbs(pairs, Some(balance)));
        }
        MacroOp::AddProduct => a.wrapping_add(x[1].wrapping_mul(x[2])),
        MacroOp::Accumulate => {
            let product = wide(x[2]) * wide(x[3]);
            let high = (product >> 52) as u64;
            return (
                a.wrapping_add(product as u64 & LOW_52),
                b.wrapping_add(high),
            );
        }
        MacroOp::MulAdd | MacroOp::MulAddShort if field.radix_bits() == 52 => {
            let low = |x: u128| x & ((1 << 52) - 1);
            let product = low(x[1].into()) * low(x[2].into());
            let less = u128::from(field.inverse_mod_word(52));
            let quotient = low(low(product).wrapping_mul((1 << 52) - less));
            let high = |x: u128| (x >> 52) as u64;
            a.wrapping_add(high(product))
                .wrapping_add(high(quotient * wide(p)))
        }
        MacroOp::MulAdd if field.reduction_bits() == 64 => {
            let (low, high) = halves(x[1], x[2]);
            let quotient = low.wrapping_mul(field.inverse_mod_word(64));
            a.wrapping_add(high).wrapping_sub(halves(quotient, p).1)
        }
        MacroOp::MulAdd | MacroOp::MulAddShort => {
            let product = x[1] * x[2];
            let quotient = product.wrapping_mul(field.inverse_mod_word(32)) & LOW;
            a.wrapping_add(product >> 32)
                .wrapping_sub((quotient * p) >> 32)
                & word
        }
        MacroOp::MulSigned | MacroOp::MulLong => signed::mul(field, a, b),
        MacroOp::SquareLong => signed::mul(field, a, a),
        // The machine sums itself.
        MacroOp::Dot(_) | MacroOp::Sum(_) => 0,
        MacroOp::CanonicaliseSigned => signed::lesser(a, p),
        MacroOp::Div2ExpBalanced(k) => signed::divided(p, a, k),
        MacroOp::Div2ExpWord(k) => signed::divided_word(field, a, k),
        MacroOp::AddSigned => signed::sum(p, a, b),
        MacroOp::SubSigned => signed::sum(p, a, signed::negated(b)),
        MacroOp::Times(n) => signed::times(p, a, n),
        MacroOp::AddDiv2Exp(k) if k > field.two_adicity() => {
            let less = field.inverse_mod_word(k).wrapping_neg();
            let often = b.wrapping_mul(less) & ((1 << k) - 1);
            a.wrapping_add(b.wrapping_add(p * often) >> k)
        }
        MacroOp::AddDiv2Exp(k) | MacroOp::SubDiv2Exp(k) => {
            let cut = (b & ((1 << k) - 1)).wrapping_mul((p - 1) >> k);
            match op {
                MacroOp::AddDiv2Exp(_) => a.wrapping_add(b >> k).wrapping_sub(cut),
                _ => a.wrapping_sub(b >> k).wrapping_add(cut),
            }
        }
        MacroOp::Constant(word) => word,
        // The machine keeps second results itself.
        MacroOp::Second => 0,
    };
    (one, 0)
}

/// Limbs of 32 bits and a little, of limbs of any size.
fn carry(low: u64, high: u64) -> (u64, u64) {
    let top = |x: u64| (x.cast_signed() >> 32).cast_unsigned();
    let sum = (high & LOW).wrapping_add(top(low)).wrapping_add(top(high));
    ((low & LOW).wrapping_sub(top(high)), sum)
}

/// Limbs, ten bits up.
fn up((low, high): (u64, u64)) -> (u64, u64) {
    (low << 10, high << 10)
}

/// Low and high half of a product.
fn halves(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

/// The lower half of a word, with its sign.
fn narrow(x: u64) -> u64 {
    i64::from((x as u32).cast_signed()).cast_unsigned()
}

/// A product, divided by 2^64, in one word: the low half is subtracted from the high one, times -2^-64.
fn from_below(p: u64, (low, high): (u64, u64)) -> u64 {
    let (sum, carry) = low.overflowing_add(low << 32);
    let share = sum.wrapping_sub((sum >> 32) + u64::from(carry));
    let (word, borrow) = high.overflowing_sub(share);
    if borrow { word.wrapping_add(p) } else { word }
}

/// A product of limbs ten bits up, of the partial products that weigh 1, φ, φ and φ²: their
/// halves are cut at bit 52, and φ = 2^32, φ² = φ - 1 and φ³ = -1. The limbs start with the balance.
fn limbs(pairs: [(u64, u64); 4], balance: Option<Balance>) -> (u64, u64) {
    let [(l00, h00), (l01, h01), (l10, h10), (l11, h11)] = pairs.map(|(x, y)| {
        let low52 = |x: u64| u128::from(x << 12 >> 12);
        let product = low52(x) * low52(y);
        ((product as u64) << 12 >> 32, (product >> 52) as u64)
    });
    let high = l01 + l10 + l11 + h01 + h10 + h00;
    let low = l00.wrapping_sub(l11 + h01 + h10 + h11);
    let more = |part| balance.map_or(0, |balance| balance.value(part));
    (
        low.wrapping_add_signed(more(Part::Low)),
        high.wrapping_add_signed(more(Part::High)),
    )
}

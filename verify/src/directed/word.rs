//! Macro-ops on machine words.

use codegen::arith::{MacroOp, Offset};
use codegen::ir::Part;

use crate::oracle::Field;

/// A number that a macro-op needs besides its operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale(u64);

impl Scale {
    pub(super) fn of(field: &Field, op: MacroOp) -> Self {
        Self(match op {
            MacroOp::Div2Exp(k) => {
                let half = u128::from(field.modulus.div_ceil(2));
                let p = u128::from(field.modulus);
                (0..k).fold(1, |x, _| (u128::from(x) * half % p) as u64)
            }
            // n·(2^32 + 1, 2^32 - 2) stands for n·(2^64 - 2^32 + 1).
            MacroOp::Offset(offset, part) => {
                let n = match offset {
                    Offset::Wide => 1_u64 << 29,
                    Offset::Narrow => 1 << 9,
                };
                match part {
                    Part::Low => (n << 32) + n,
                    Part::High => (n << 32) - 2 * n,
                }
            }
            _ => 0,
        })
    }
}

const LOW: u64 = 0xffff_ffff;

/// One macro-op; both operands are the same where it takes one. The second result is zero where
/// it has one.
pub(super) fn apply(field: &Field, op: MacroOp, a: u64, b: u64, scale: Scale) -> (u64, u64) {
    let p = field.modulus;
    let wide = |x: u64| u128::from(x);
    let montgomery = field.montgomery_bits > 0;
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
        MacroOp::Halve => ((wide(a) + wide(a & 1) * wide(p)) >> 1) as u64,
        MacroOp::Div2Exp(_) => (wide(a) * wide(scale.0) % wide(p)) as u64,
        MacroOp::Mul | MacroOp::Square if montgomery => {
            let product = a * b;
            // p⁻¹ modulo 2^32, for p = 2^31 - 2^24 + 1.
            let quotient = (product as u32).wrapping_mul(0x8100_0001);
            let (high, less) = (product >> 32, (u64::from(quotient) * p) >> 32);
            if high < less {
                high + p - less
            } else {
                high - less
            }
        }
        MacroOp::Mul | MacroOp::Square => fold(p, wide(a) * wide(b)),
        MacroOp::Plus => a.wrapping_add(b),
        MacroOp::Minus => a.wrapping_sub(b),
        MacroOp::ShiftLeft(k) => a << k,
        MacroOp::Offset(..) => a.wrapping_add(scale.0),
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
        MacroOp::Div2ExpColumns(k) => {
            let cut = |x: u64| (x << (64 - k)) >> 32;
            let low = (a >> k).wrapping_add(cut(a) + cut(b));
            return (low, (b >> k).wrapping_sub(cut(a)));
        }
        // The machine keeps second results itself.
        MacroOp::Second => 0,
    };
    (one, 0)
}

/// A product in one word, by 2^64 ≡ 2^32 - 1 and 2^96 ≡ -1.
fn fold(p: u64, product: u128) -> u64 {
    let epsilon = p.wrapping_neg();
    let (low, high) = (product as u64, (product >> 64) as u64);
    let (t, borrow) = low.overflowing_sub(high >> 32);
    let t = if borrow { t.wrapping_sub(epsilon) } else { t };
    let (r, carry) = t.overflowing_add((high & epsilon) * epsilon);
    if carry { r.wrapping_add(epsilon) } else { r }
}

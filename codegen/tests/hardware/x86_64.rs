//! Lines of inline assembler on x86-64 general registers.

use std::array::from_fn;

use crate::{Case, Lanes};

/// Applies a function of words to all lanes; it gives `N` results.
fn lanes<const N: usize>(sources: &[Lanes], f: impl Fn(&[u64]) -> [u64; N]) -> Vec<Lanes> {
    let words = |lane: usize| -> Vec<u64> { sources.iter().map(|s| s[lane]).collect() };
    let results: [[u64; N]; 8] = from_fn(|lane| f(&words(lane)));
    (0..N).map(|n| from_fn(|lane| results[lane][n])).collect()
}

/// `line!("row", [imm], "instruction of {a} and {b}", after)`: the register `a` afterwards and, with
/// `carry`, the carry flag.
macro_rules! line {
    ($name:literal, $text:literal, carry) => {
        ($name, &[], |s: &[Lanes]| {
            lanes(s, |words| {
                let (a, carry): (u64, u8);
                // SAFETY: the lines touch nothing but their operands and flags.
                unsafe {
                    core::arch::asm!($text, "setc {c}", a = inout(reg) words[0] => a,
                        b = in(reg) words[1], c = out(reg_byte) carry, options(pure, nomem, nostack));
                }
                [a, carry.into()]
            })
        })
    };
    ($name:literal, $text:literal) => {
        ($name, &[], |s: &[Lanes]| {
            lanes(s, |words| {
                let a: u64;
                // SAFETY: the line touches nothing but its operands and flags.
                unsafe {
                    core::arch::asm!($text, a = inout(reg) words[0] => a, b = in(reg) words[1],
                        options(pure, nomem, nostack));
                }
                [a]
            })
        })
    };
    ($name:literal, $by:literal, $text:literal) => {
        ($name, &[$by], |s: &[Lanes]| {
            lanes(s, |words| {
                let a: u64;
                // SAFETY: the line touches nothing but its operand and flags.
                unsafe {
                    core::arch::asm!($text, a = inout(reg) words[0] => a, by = const $by,
                        options(pure, nomem, nostack));
                }
                [a]
            })
        })
    };
}

/// `a - b - carry`: the carry comes from its last bit, by `bt`.
fn sbb(words: &[u64]) -> [u64; 1] {
    let a: u64;
    // SAFETY: the lines touch nothing but their operands and flags.
    unsafe {
        core::arch::asm!("bt {c}, 0", "sbb {a}, {b}", a = inout(reg) words[0] => a,
            b = in(reg) words[1], c = in(reg) words[2], options(pure, nomem, nostack));
    }
    [a]
}

/// The register held something else before.
fn sbb32(words: &[u64]) -> [u64; 1] {
    let a: u64;
    // SAFETY: the lines touch nothing but their operands and flags.
    unsafe {
        core::arch::asm!("bt {c}, 0", "sbb {a:e}, {a:e}",
            a = inout(reg) 0x0123_4567_89ab_cdef_u64 => a, c = in(reg) words[0],
            options(pure, nomem, nostack));
    }
    [a]
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        line!("add", "add {a}, {b}", carry),
        line!("add32", "add {a:e}, {b:e}"),
        line!("sub", "sub {a}, {b}", carry),
        ("sbb", &[], |s| lanes(s, sbb)),
        ("sbb32", &[], |s| lanes(s, sbb32)),
        line!("shl", 1, "shl {a}, {by}"),
        line!("shl", 32, "shl {a}, {by}"),
        line!("shl", 63, "shl {a}, {by}"),
        line!("shr", 1, "shr {a}, {by}"),
        line!("shr", 32, "shr {a}, {by}"),
        line!("shr", 63, "shr {a}, {by}"),
    ]
}

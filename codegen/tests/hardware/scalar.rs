//! Plain Rust on words.

use std::array::from_fn;

use crate::{Case, Lanes};

/// A function of words, for all lanes: `case!("name", [imm], |a: u64, b: u64| u64: a + b)`.
macro_rules! case {
    ($name:literal, |$($x:ident: $t:ty),*| $body:expr) => {
        case!($name, [], |$($x: $t),*| $body)
    };
    ($name:literal, [$($i:literal),*], |$($x:ident: $t:ty),*| $body:expr) => {
        ($name, &[$($i),*], |s: &[Lanes]| {
            let mut n = 0;
            $(let $x = &s[n]; n += 1;)*
            let _ = n;
            vec![from_fn(|lane| {
                $(let $x: $t = Word::of($x[lane]);)*
                Word::word($body)
            })]
        })
    };
}

/// As `case`, for functions of two words with two results.
macro_rules! pair {
    ($name:literal, $t:ty, $f:expr) => {
        ($name, &[], |s: &[Lanes]| {
            let run = |lane: usize| $f(<$t as Word>::of(s[0][lane]), <$t as Word>::of(s[1][lane]));
            vec![
                from_fn(|lane| Word::word(run(lane).0)),
                from_fn(|lane| Word::word(run(lane).1)),
            ]
        })
    };
}

trait Word {
    fn of(word: u64) -> Self;
    fn word(self) -> u64;
}

impl Word for u64 {
    fn of(word: u64) -> Self {
        word
    }
    fn word(self) -> u64 {
        self
    }
}

impl Word for u32 {
    fn of(word: u64) -> Self {
        word as Self
    }
    fn word(self) -> u64 {
        self.into()
    }
}

impl Word for bool {
    fn of(word: u64) -> Self {
        word == 1
    }
    fn word(self) -> u64 {
        self.into()
    }
}

pub(crate) fn cases() -> Vec<Case> {
    use core::hint::select_unpredictable;
    vec![
        case!("u64::wrapping_add", |a: u64, b: u64| u64::wrapping_add(
            a, b
        )),
        case!("u64::wrapping_sub", |a: u64, b: u64| u64::wrapping_sub(
            a, b
        )),
        case!("u64::wrapping_neg", |a: u64| u64::wrapping_neg(a)),
        pair!("u64::overflowing_add", u64, u64::overflowing_add),
        pair!("u64::overflowing_sub", u64, u64::overflowing_sub),
        case!("u64::wrapping_mul", |a: u64, b: u64| u64::wrapping_mul(
            a, b
        )),
        pair!("u64::carrying_mul", u64, |a, b| u64::carrying_mul(a, b, 0)),
        case!("u64 >>", [1], |a: u64| a >> 1),
        case!("u64 >>", [32], |a: u64| a >> 32),
        case!("u64 <<", [32], |a: u64| a << 32),
        case!("u64 <<", [63], |a: u64| a << 63),
        case!("u64::rotate_right", [1], |a: u64| u64::rotate_right(a, 1)),
        case!("u64::rotate_right", [63], |a: u64| u64::rotate_right(a, 63)),
        case!("u64 &", |a: u64, b: u64| a & b),
        case!("u64 or", |a: u64, b: u64| a | b),
        case!("u64 ^", |a: u64, b: u64| a ^ b),
        case!("u64 <", |a: u64, b: u64| a < b),
        case!("u64::min", |a: u64, b: u64| u64::min(a, b)),
        case!("select_unpredictable u64", |c: bool, a: u64, b: u64| {
            select_unpredictable(c, a, b)
        }),
        case!("u64::from", |a: u32| u64::from(a)),
        case!("u64::from bool", |a: bool| u64::from(a)),
        case!("u32::from", |a: bool| u32::from(a)),
        case!("as u32", |a: u64| a as u32),
        case!("u32::wrapping_add", |a: u32, b: u32| u32::wrapping_add(
            a, b
        )),
        case!("u32::wrapping_sub", |a: u32, b: u32| u32::wrapping_sub(
            a, b
        )),
        case!("u32::wrapping_neg", |a: u32| u32::wrapping_neg(a)),
        pair!("u32::overflowing_add", u32, u32::overflowing_add),
        pair!("u32::overflowing_sub", u32, u32::overflowing_sub),
        case!("u32::wrapping_mul", |a: u32, b: u32| u32::wrapping_mul(
            a, b
        )),
        pair!("u32::carrying_mul", u32, |a, b| u32::carrying_mul(a, b, 0)),
        case!("u32 >>", [1], |a: u32| a >> 1),
        case!("u32 >>", [31], |a: u32| a >> 31),
        case!("u32 <<", [24], |a: u32| a << 24),
        case!("u32 &", |a: u32, b: u32| a & b),
        case!("u32::min", |a: u32, b: u32| u32::min(a, b)),
        case!("select_unpredictable u32", |c: bool, a: u32, b: u32| {
            select_unpredictable(c, a, b)
        }),
    ]
}

//! AVX-512F intrinsics.

use core::arch::x86_64::*;
use std::mem::transmute;

use crate::{Case, Lanes};

fn load(lanes: &Lanes) -> __m512i {
    // SAFETY: both are 64 bytes of plain integers.
    unsafe { transmute(*lanes) }
}

fn store(vector: __m512i) -> Lanes {
    // SAFETY: both are 64 bytes of plain integers.
    unsafe { transmute(vector) }
}

fn load_mask(lanes: &Lanes) -> __mmask8 {
    (0..8).fold(0, |mask, lane| mask | (lanes[lane] as u8 & 1) << lane)
}

fn store_mask(mask: __mmask8) -> Lanes {
    std::array::from_fn(|lane| (mask >> lane & 1).into())
}

macro_rules! unary {
    ($name:literal, [$($i:literal),*], $f:expr) => {
        ($name, &[$($i),*], |s: &[Lanes]| {
            // SAFETY: cases run only where AVX-512F was detected.
            vec![store(unsafe { $f(load(&s[0])) })]
        })
    };
}

macro_rules! binary {
    ($name:literal, $store:ident, $f:expr) => {
        ($name, &[], |s: &[Lanes]| {
            // SAFETY: cases run only where AVX-512F was detected.
            vec![$store(unsafe { $f(load(&s[0]), load(&s[1])) })]
        })
    };
}

macro_rules! masked {
    ($name:literal, $f:expr) => {
        ($name, &[], |s: &[Lanes]| {
            let (k, [src, a, b]) = (load_mask(&s[1]), [0, 2, 3].map(|n| load(&s[n])));
            // SAFETY: cases run only where AVX-512F was detected.
            vec![store(unsafe { $f(src, k, a, b) })]
        })
    };
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        binary!("_mm512_add_epi64", store, _mm512_add_epi64),
        binary!("_mm512_sub_epi64", store, _mm512_sub_epi64),
        masked!("_mm512_mask_add_epi64", _mm512_mask_add_epi64),
        masked!("_mm512_mask_sub_epi64", _mm512_mask_sub_epi64),
        binary!("_mm512_mul_epu32", store, _mm512_mul_epu32),
        binary!("_mm512_and_si512", store, _mm512_and_si512),
        binary!("_mm512_or_si512", store, _mm512_or_si512),
        binary!("_mm512_xor_si512", store, _mm512_xor_si512),
        unary!("_mm512_slli_epi64", [33], _mm512_slli_epi64::<33>),
        unary!("_mm512_slli_epi64", [63], _mm512_slli_epi64::<63>),
        unary!("_mm512_srli_epi64", [1], _mm512_srli_epi64::<1>),
        unary!("_mm512_srli_epi64", [32], _mm512_srli_epi64::<32>),
        unary!("_mm512_srai_epi64", [20], _mm512_srai_epi64::<20>),
        unary!("_mm512_srai_epi64", [32], _mm512_srai_epi64::<32>),
        binary!(
            "_mm512_cmplt_epu64_mask",
            store_mask,
            _mm512_cmplt_epu64_mask
        ),
        binary!(
            "_mm512_cmpge_epu64_mask",
            store_mask,
            _mm512_cmpge_epu64_mask
        ),
        binary!("_mm512_test_epi64_mask", store_mask, _mm512_test_epi64_mask),
        binary!("_mm512_min_epu64", store, _mm512_min_epu64),
        ("_mm512_mask_blend_epi64", &[], |s: &[Lanes]| {
            // SAFETY: cases run only where AVX-512F was detected.
            let blended =
                unsafe { _mm512_mask_blend_epi64(load_mask(&s[0]), load(&s[1]), load(&s[2])) };
            vec![store(blended)]
        }),
        binary!("_mm512_mask_blend_epi32", store, |a, b| {
            _mm512_mask_blend_epi32(0xAAAA, a, b)
        }),
        unary!("_mm512_shuffle_epi32 hi", [], _mm512_shuffle_epi32::<0xF5>),
        unary!("_mm512_shuffle_epi32 lo", [], _mm512_shuffle_epi32::<0xA0>),
        binary!("_mm512_mask_shuffle_epi32", store, |a, b| {
            _mm512_mask_shuffle_epi32::<0xA0>(a, 0xAAAA, b)
        }),
    ]
}

macro_rules! ternary {
    ($name:literal, $f:expr) => {
        ($name, &[], |s: &[Lanes]| {
            let [a, b, c] = [0, 1, 2].map(|n| load(&s[n]));
            // SAFETY: cases run only where AVX-512 IFMA was detected.
            vec![store(unsafe { $f(a, b, c) })]
        })
    };
}

/// What AVX-512 IFMA has besides.
pub(crate) fn ifma_cases() -> Vec<Case> {
    let products: [Case; 2] = [
        ternary!("_mm512_madd52lo_epu64", _mm512_madd52lo_epu64),
        ternary!("_mm512_madd52hi_epu64", _mm512_madd52hi_epu64),
    ];
    let mut cases = cases();
    cases.extend(products);
    cases
}

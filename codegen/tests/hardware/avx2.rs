//! AVX2 intrinsics.

use core::arch::x86_64::*;
use std::mem::transmute;

use crate::{Case, Lanes};

fn load(lanes: &Lanes) -> [__m256i; 2] {
    // SAFETY: both are 64 bytes of plain integers.
    unsafe { transmute(*lanes) }
}

fn store(vectors: [__m256i; 2]) -> Lanes {
    // SAFETY: both are 64 bytes of plain integers.
    unsafe { transmute(vectors) }
}

macro_rules! unary {
    ($name:literal, [$($i:literal),*], $f:expr) => {
        ($name, &[$($i),*], |s: &[Lanes]| {
            let a = load(&s[0]);
            // SAFETY: cases run only where AVX2 was detected.
            vec![store(unsafe { [$f(a[0]), $f(a[1])] })]
        })
    };
}

macro_rules! binary {
    ($name:literal, $f:expr) => {
        ($name, &[], |s: &[Lanes]| {
            let (a, b) = (load(&s[0]), load(&s[1]));
            // SAFETY: cases run only where AVX2 was detected.
            vec![store(unsafe { [$f(a[0], b[0]), $f(a[1], b[1])] })]
        })
    };
}

/// # Safety
/// The CPU must have AVX2.
#[target_feature(enable = "avx2")]
unsafe fn blendv(a: __m256i, b: __m256i, m: __m256i) -> __m256i {
    _mm256_castpd_si256(_mm256_blendv_pd(
        _mm256_castsi256_pd(a),
        _mm256_castsi256_pd(b),
        _mm256_castsi256_pd(m),
    ))
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        binary!("_mm256_add_epi64", _mm256_add_epi64),
        binary!("_mm256_sub_epi64", _mm256_sub_epi64),
        binary!("_mm256_add_epi32", _mm256_add_epi32),
        binary!("_mm256_sub_epi32", _mm256_sub_epi32),
        binary!("_mm256_mul_epu32", _mm256_mul_epu32),
        binary!("_mm256_and_si256", _mm256_and_si256),
        binary!("_mm256_andnot_si256", _mm256_andnot_si256),
        binary!("_mm256_or_si256", _mm256_or_si256),
        binary!("_mm256_xor_si256", _mm256_xor_si256),
        unary!("_mm256_slli_epi64", [33], _mm256_slli_epi64::<33>),
        unary!("_mm256_slli_epi64", [63], _mm256_slli_epi64::<63>),
        unary!("_mm256_srli_epi64", [1], _mm256_srli_epi64::<1>),
        unary!("_mm256_srli_epi64", [32], _mm256_srli_epi64::<32>),
        unary!("_mm256_slli_epi32", [24], _mm256_slli_epi32::<24>),
        unary!("_mm256_srli_epi32", [8], _mm256_srli_epi32::<8>),
        unary!("_mm256_srai_epi32", [31], _mm256_srai_epi32::<31>),
        binary!("_mm256_cmpgt_epi64", _mm256_cmpgt_epi64),
        binary!("_mm256_cmpeq_epi64", _mm256_cmpeq_epi64),
        binary!("_mm256_cmpgt_epi32", _mm256_cmpgt_epi32),
        binary!("_mm256_cmpeq_epi32", _mm256_cmpeq_epi32),
        binary!("_mm256_min_epu32", _mm256_min_epu32),
        ("_mm256_blendv_pd", &[], |s: &[Lanes]| {
            let [a, b, m] = [0, 1, 2].map(|n| load(&s[n]));
            // SAFETY: cases run only where AVX2 was detected.
            vec![store(unsafe {
                [blendv(a[0], b[0], m[0]), blendv(a[1], b[1], m[1])]
            })]
        }),
        binary!("_mm256_blend_epi32", _mm256_blend_epi32::<0xAA>),
        unary!("_mm256_shuffle_epi32 hi", [], _mm256_shuffle_epi32::<0xF5>),
        unary!("_mm256_shuffle_epi32 lo", [], _mm256_shuffle_epi32::<0xA0>),
    ]
}

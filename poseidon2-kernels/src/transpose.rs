//! Rows of words that become columns, by shuffles where there are some: states on their way into a kernel's
//! vectors, and back.

use crate::plan::Step;

/// Rows of words, their first words `stride` apart.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    expect(dead_code, reason = "plain loops do all there")
)]
pub(crate) struct Strided<W> {
    pub(crate) words: W,
    pub(crate) stride: usize,
}

/// Writes word `c` of row `r` of `from`, changed, as word `r` of row `c` of `to`, for so many rows and columns
/// of `from`. Returns whether it did: where a step has no shuffles to offer, or there is less than a square, nothing is
/// written, and plain loops are left to do it.
///
/// The program around kernels may be built for less than this CPU has.
#[inline]
pub(crate) fn transpose<T: Copy>(
    step: &Step<T>,
    from: Strided<&[T]>,
    to: Strided<&mut [T]>,
    size: [usize; 2],
    change: impl Fn(T) -> T + Copy,
) -> bool {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        use poseidon2_generated::Isa::{Avx2, Avx512, Avx512ifma};
        let isa = step.kernel().map(|kernel| kernel.isa);
        let shuffles =
            cfg!(target_feature = "avx2") || matches!(isa, Some(Avx2 | Avx512 | Avx512ifma));
        if shuffles && size[0] >= 32 / size_of::<T>() && size[1] > 0 {
            // SAFETY: a plan is used only if this CPU has the features of all of its kernels, and those of
            // these instruction sets need AVX2, unless the whole program does.
            unsafe { x86_64::transpose(from, to, size, change) };
            return true;
        }
    }
    let _ = (step, from, to, size, change);
    false
}

// A build without SSE2 cannot pass vectors between functions.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod x86_64 {
    use core::arch::x86_64::{
        __m256i, _mm256_cmpgt_epi32, _mm256_cmpgt_epi64, _mm256_maskload_epi32,
        _mm256_maskload_epi64, _mm256_permute2x128_si256, _mm256_set1_epi32, _mm256_set1_epi64x,
        _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_unpackhi_epi32,
        _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    };

    use super::Strided;

    #[target_feature(enable = "avx2")]
    pub(super) fn transpose<T: Copy>(
        from: Strided<&[T]>,
        to: Strided<&mut [T]>,
        size: [usize; 2],
        change: impl Fn(T) -> T + Copy,
    ) {
        // The first words at a place, at most as many as fill a vector.
        //
        // SAFETY: as many are there, by `squares`, and a mask leaves out those that may not be.
        let eight = |words: *const T, count: usize| unsafe {
            if count == 8 {
                return words.cast::<__m256i>().read_unaligned();
            }
            let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), places);
            _mm256_maskload_epi32(words.cast(), mask)
        };
        // SAFETY: as above.
        let four = |words: *const T, count: usize| unsafe {
            if count == 4 {
                return words.cast::<__m256i>().read_unaligned();
            }
            let places = _mm256_setr_epi64x(0, 1, 2, 3);
            let mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), places);
            _mm256_maskload_epi64(words.cast(), mask)
        };
        match size_of::<T>() {
            4 => squares::<T, 8>(from, to, size, eight, |rows| words_of_32_bits(rows), change),
            8 => squares::<T, 4>(from, to, size, four, |rows| words_of_64_bits(rows), change),
            _ => unreachable!("fields have words of 32 or of 64 bits"),
        }
    }

    /// By squares of `N` words, as many as a vector has, the last ones less wide; and word by word where that many
    /// rows are not left.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn squares<T: Copy, const N: usize>(
        from: Strided<&[T]>,
        to: Strided<&mut [T]>,
        [rows, columns]: [usize; 2],
        first: impl Fn(*const T, usize) -> __m256i,
        turned: impl Fn([__m256i; N]) -> [__m256i; N],
        change: impl Fn(T) -> T + Copy,
    ) {
        assert_eq!(size_of::<[T; N]>(), size_of::<__m256i>());
        let holds = |words: usize, stride: usize, [rows, columns]: [usize; 2]| {
            let before = (rows - 1).saturating_mul(stride);
            words >= before.saturating_add(columns)
        };
        assert!(holds(from.words.len(), from.stride, [rows, columns]));
        assert!(holds(to.words.len(), to.stride, [columns, rows]));
        let squares = rows - rows % N;
        for row in (0..squares).step_by(N) {
            for column in (0..columns).step_by(N) {
                let width = N.min(columns - column);
                let mut square = [_mm256_setzero_si256(); N];
                for (r, vector) in square.iter_mut().enumerate() {
                    // SAFETY: as asserted, so many columns of each row are there.
                    let words =
                        unsafe { from.words.as_ptr().add((row + r) * from.stride + column) };
                    *vector = first(words, width);
                }
                for (c, vector) in turned(square).iter().enumerate().take(width) {
                    // SAFETY: as asserted, so many rows of each column are there: `N` words, whose size is a
                    // vector's, and any bits of words are words.
                    unsafe {
                        let words = to.words.as_mut_ptr().add((column + c) * to.stride + row);
                        words.cast::<__m256i>().write_unaligned(*vector);
                    }
                }
            }
        }
        for row in squares..rows {
            for column in 0..columns {
                to.words[column * to.stride + row] = from.words[row * from.stride + column];
            }
        }
        // In a loop that is long enough to be made of vectors.
        let all = |words: &mut [T]| words.iter_mut().for_each(|word| *word = change(*word));
        if rows == to.stride {
            return all(&mut to.words[..columns * rows]);
        }
        for words in to.words.chunks_mut(to.stride).take(columns) {
            all(&mut words[..rows]);
        }
    }

    /// Rows of eight words as columns: pairs, fours and then eights lie side by side.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn words_of_32_bits([a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
        let [a, b, c, d] = fours([a, b, c, d]);
        let [e, f, g, h] = fours([e, f, g, h]);
        [
            _mm256_permute2x128_si256::<0x20>(a, e),
            _mm256_permute2x128_si256::<0x20>(b, f),
            _mm256_permute2x128_si256::<0x20>(c, g),
            _mm256_permute2x128_si256::<0x20>(d, h),
            _mm256_permute2x128_si256::<0x31>(a, e),
            _mm256_permute2x128_si256::<0x31>(b, f),
            _mm256_permute2x128_si256::<0x31>(c, g),
            _mm256_permute2x128_si256::<0x31>(d, h),
        ]
    }

    /// Four rows as columns, in each half of vectors.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn fours([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }

    /// Rows of four words as columns.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn words_of_64_bits([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        let (ab, cd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<0x20>(ab, cd),
            _mm256_permute2x128_si256::<0x20>(ab_high, cd_high),
            _mm256_permute2x128_si256::<0x31>(ab, cd),
            _mm256_permute2x128_si256::<0x31>(ab_high, cd_high),
        ]
    }

    #[cfg(test)]
    mod tests {
        use core::fmt::Debug;
        use std::vec::Vec;

        use super::*;

        /// Every size up to two squares and a half: what is to be written, and nothing else.
        fn all_sizes<T: Copy + Debug + PartialEq>(word: fn(usize) -> T, change: fn(T) -> T) {
            for (rows, columns) in (1..=20).flat_map(|rows| (1..=20).map(move |c| (rows, c))) {
                let (wide, high) = (columns + rows % 3, rows + columns % 4);
                // No word more than there must be.
                let from: Vec<T> = (0..(rows - 1) * wide + columns).map(word).collect();
                let mut to: Vec<T> = (1000..1000 + (columns - 1) * high + rows)
                    .map(word)
                    .collect();
                let mut wanted = to.clone();
                for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                    wanted[c * high + r] = change(from[r * wide + c]);
                }
                let from = Strided {
                    words: &*from,
                    stride: wide,
                };
                let given = Strided {
                    words: &mut *to,
                    stride: high,
                };
                // SAFETY: AVX2 is there, as the only caller found out.
                unsafe { transpose(from, given, [rows, columns], change) };
                assert_eq!(to, wanted, "{rows} rows of {columns}");
            }
        }

        #[test]
        fn words_become_those_of_columns() {
            if !std::is_x86_feature_detected!("avx2") {
                std::eprintln!("not run: this CPU has no AVX2");
                return;
            }
            all_sizes(|n| n as u32, |word| word.wrapping_mul(3));
            all_sizes(|n| n as u64 + (7 << 40), |word| word.wrapping_mul(3));
        }

        #[test]
        fn rows_that_are_not_there_are_not_read() {
            if !std::is_x86_feature_detected!("avx2") {
                std::eprintln!("not run: this CPU has no AVX2");
                return;
            }
            for (words, room) in [(64, 64), (63, 64), (64, 63)] {
                let (words, mut room) = (std::vec![0_u32; words], std::vec![0; room]);
                let whole = words.len() == room.len();
                let turned = std::panic::catch_unwind(move || {
                    let from = Strided {
                        words: &*words,
                        stride: 8,
                    };
                    let to = Strided {
                        words: &mut *room,
                        stride: 8,
                    };
                    // SAFETY: as above.
                    unsafe { transpose(from, to, [8, 8], |word| word) };
                });
                assert_eq!(turned.is_ok(), whole);
            }
        }
    }
}

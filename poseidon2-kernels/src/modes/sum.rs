//! Sums of words, on the instruction set of the kernel beside which they are made.

use crate::field::Field;

#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::add;

/// Adds to each word. Both are words that kernels accept. Programs around kernels are built for what all CPUs
/// of this architecture have.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn add<F: Field>(
    _: &crate::plan::Step<F::Word>,
    words: &mut [F::Word],
    more: &[F::Word],
) {
    plain::<F>(words, more);
}

/// The same for any CPU.
#[inline(always)]
fn plain<F: Field>(words: &mut [F::Word], more: &[F::Word]) {
    for (word, more) in words.iter_mut().zip(more) {
        *word = F::add(*word, *more);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use poseidon2_generated::Isa;

    use super::plain;
    use crate::field::Field;
    use crate::plan::Step;

    /// Adds to each word. Both are words that kernels accept.
    ///
    /// The program around kernels may be built for less than this CPU has; there are as many words as a kernel
    /// permutes, so it would be noticed.
    #[inline]
    pub(in crate::modes) fn add<F: Field>(
        step: &Step<F::Word>,
        words: &mut [F::Word],
        more: &[F::Word],
    ) {
        match step.kernel().map(|kernel| kernel.isa) {
            // SAFETY: a plan is used only if this CPU has the features of all of its kernels, and kernels
            // for AVX2 need it.
            Some(Isa::Avx2) => unsafe { avx2::<F>(words, more) },
            // SAFETY: as above, with AVX-512F.
            Some(Isa::Avx512 | Isa::Avx512ifma) => unsafe { avx512::<F>(words, more) },
            _ => plain::<F>(words, more),
        }
    }

    #[target_feature(enable = "avx2")]
    fn avx2<F: Field>(words: &mut [F::Word], more: &[F::Word]) {
        plain::<F>(words, more);
    }

    #[target_feature(enable = "avx512f")]
    fn avx512<F: Field>(words: &mut [F::Word], more: &[F::Word]) {
        plain::<F>(words, more);
    }
}

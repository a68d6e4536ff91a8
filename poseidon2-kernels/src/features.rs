//! Work around kernels, compiled for the instruction sets that they are for.

use crate::plan::Step;

/// Does work on the words of a step's kernel, in code for its instruction set.
///
/// The program around kernels may be built for less than this CPU has, and there are as many words as a kernel
/// permutes, so that would be noticed. On other architectures, and on x86-64 without vectors, programs are built for
/// what kernels need.
#[inline]
pub(crate) fn compiled_for<T, R>(step: &Step<T>, work: impl FnOnce() -> R) -> R {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    match step.kernel().map(|kernel| kernel.isa) {
        // SAFETY: a plan is used only if this CPU has the features of all of its kernels, and kernels for AVX2
        // need it.
        Some(poseidon2_generated::Isa::Avx2) => return unsafe { avx2(work) },
        Some(poseidon2_generated::Isa::Avx512 | poseidon2_generated::Isa::Avx512ifma) => {
            // SAFETY: as above, with AVX-512F.
            return unsafe { avx512(work) };
        }
        _ => {}
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    let _ = step;
    work()
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx2")]
fn avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx512f")]
fn avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

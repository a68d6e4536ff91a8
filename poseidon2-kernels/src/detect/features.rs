//! The CPU features that kernels and what they are compared with may need. All packages of the
//! workspace that ask for them read this text; `detected!` is theirs.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::detected;

/// Programs cannot ask: an engine refuses all of a module that has what it lacks.
#[cfg(target_arch = "wasm32")]
macro_rules! detected {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

/// Whether this CPU has the feature of that name. Features that are not listed count as missing: a
/// kernel must not run on a guess.
pub(crate) fn has(feature: &str) -> bool {
    listed(feature) == Some(true)
}

/// The same; none: it is not listed.
pub(crate) fn listed(feature: &str) -> Option<bool> {
    // Macros that detect want literals.
    macro_rules! any_of {
        ($($name:tt)*) => {
            match feature {
                $($name => Some(detected!($name)),)*
                _ => None,
            }
        };
    }
    #[cfg(target_arch = "x86_64")]
    return any_of!("sse2" "avx" "avx2" "bmi1" "bmi2" "adx" "fma" "lzcnt" "movbe"
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi");
    #[cfg(target_arch = "aarch64")]
    return any_of!("neon" "sve" "sve2" "sha3");
    #[cfg(target_arch = "wasm32")]
    return any_of!("simd128");
    #[cfg(not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "wasm32"
    )))]
    return any_of!();
}

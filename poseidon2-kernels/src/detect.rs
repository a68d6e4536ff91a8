//! CPU features by name.

/// Whether kernels that need `feature` can run here. Features that this crate has never heard of
/// count as missing: a kernel must not run on a guess.
pub(crate) fn has(feature: &str) -> bool {
    // The standard library's macros want literals.
    macro_rules! any_of {
        ($detected:ident: $($name:tt)*) => {
            match feature {
                $(
                    #[cfg(feature = "std")]
                    $name => std::arch::$detected!($name),
                    #[cfg(not(feature = "std"))]
                    $name => cfg!(target_feature = $name),
                )*
                _ => false,
            }
        };
    }
    #[cfg(target_arch = "x86_64")]
    return any_of!(is_x86_feature_detected:
        "sse2" "avx" "avx2" "bmi1" "bmi2" "adx"
        "avx512f" "avx512dq" "avx512vl" "avx512bw" "avx512ifma");
    #[cfg(target_arch = "aarch64")]
    return any_of!(is_aarch64_feature_detected: "neon" "sve" "sve2" "sha3");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return any_of!(none:);
}

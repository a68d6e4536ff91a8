//! What this CPU can run.

/// The features of `wanted` that this CPU lacks, in the spelling of `target_feature`. Features
/// that this program has never heard of count as lacking: a kernel must not run on a guess.
#[must_use]
pub fn missing<'a>(wanted: &[&'a str]) -> Vec<&'a str> {
    wanted
        .iter()
        .copied()
        .filter(|feature| !has(feature))
        .collect()
}

/// Tests a feature by name: the standard library's macros want literals.
#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    macro_rules! any_of {
        ($($name:tt),*) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => false,
            }
        };
    }
    any_of!(
        "sse2",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "adx",
        "avx512f",
        "avx512dq",
        "avx512vl",
        "avx512bw",
        "avx512ifma"
    )
}

/// Tests a feature by name: the standard library's macros want literals.
#[cfg(target_arch = "aarch64")]
fn has(feature: &str) -> bool {
    macro_rules! any_of {
        ($($name:tt),*) => {
            match feature {
                $($name => std::arch::is_aarch64_feature_detected!($name),)*
                _ => false,
            }
        };
    }
    any_of!("neon", "sve", "sve2", "sha3")
}

/// Tests a feature by name: none is known for this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn has(_feature: &str) -> bool {
    false
}

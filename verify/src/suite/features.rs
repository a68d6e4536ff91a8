//! What this CPU can run.

#[path = "../../../poseidon2-kernels/src/detect/features.rs"]
mod known;

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;

/// The features of `wanted` that this CPU lacks, in the spelling of `target_feature`. Features
/// that this program has never heard of count as lacking: a kernel must not run on a guess.
#[must_use]
pub fn missing<'a>(wanted: &[&'a str]) -> Vec<&'a str> {
    wanted
        .iter()
        .copied()
        .filter(|feature| !known::has(feature))
        .collect()
}

/// The first of `wanted` that this program has never heard of: no CPU would have it.
pub(super) fn unknown<'a>(wanted: &[&'a str]) -> Option<&'a str> {
    let mut wanted = wanted.iter().copied();
    wanted.find(|feature| known::listed(feature).is_none())
}

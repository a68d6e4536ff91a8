//! Which features the CPU has.

mod features;

pub(crate) use features::has;

#[cfg(all(feature = "std", target_arch = "aarch64"))]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use std::arch::is_x86_feature_detected as detected;

/// Without the standard library: what the build was told of.
#[cfg(all(
    not(feature = "std"),
    any(target_arch = "aarch64", target_arch = "x86_64")
))]
macro_rules! told {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}
#[cfg(all(
    not(feature = "std"),
    any(target_arch = "aarch64", target_arch = "x86_64")
))]
use told as detected;

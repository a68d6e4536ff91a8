//! What `p3-goldilocks` distinguishes at compile time.

use crate::kernel::KernelInfo;

/// One of the crate's builds, as its `cfg` attributes tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Platform {
    /// No SIMD that the crate knows.
    Scalar,
    /// `AArch64` with NEON.
    Neon,
    /// x86-64 with AVX2, without AVX-512.
    Avx2,
    /// x86-64 with AVX-512F.
    Avx512,
}

/// The crate's packed type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    pub(super) name: &'static str,
    pub(super) lanes: usize,
}

impl Platform {
    /// In the order of the crate's own modules.
    pub(super) const ALL: [Self; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    /// For people.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "without SIMD",
            Self::Neon => "aarch64_neon",
            Self::Avx2 => "x86_64_avx2",
            Self::Avx512 => "x86_64_avx512",
        }
    }

    /// The crate's module for it; none: the crate root.
    pub(super) const fn module(self) -> Option<&'static str> {
        match self {
            Self::Scalar => None,
            Self::Neon | Self::Avx2 | Self::Avx512 => Some(self.name()),
        }
    }

    /// The folder of its kernels, relative to the checkout.
    pub(super) fn folder(self) -> String {
        match self.module() {
            Some(module) => format!("src/{module}/poseidon2_generated"),
            None => super::SHARED.to_owned(),
        }
    }

    /// The condition that the crate compiles it under, as the crate writes it.
    pub(super) const fn condition(self) -> &'static str {
        match self {
            Self::Scalar => {
                "not(any(
    all(target_arch = \"aarch64\", target_feature = \"neon\"),
    all(target_arch = \"x86_64\", target_feature = \"avx2\"),
    all(target_arch = \"x86_64\", target_feature = \"avx512f\"),
    all(target_arch = \"wasm32\", target_feature = \"simd128\"),
))"
            }
            Self::Neon => "all(target_arch = \"aarch64\", target_feature = \"neon\")",
            Self::Avx2 => {
                "all(
    target_arch = \"x86_64\",
    target_feature = \"avx2\",
    not(target_feature = \"avx512f\")
)"
            }
            Self::Avx512 => "all(target_arch = \"x86_64\", target_feature = \"avx512f\")",
        }
    }

    /// The packed type it has.
    pub(super) const fn packing(self) -> Option<Packing> {
        let (name, lanes) = match self {
            Self::Scalar => return None,
            Self::Neon => ("PackedGoldilocksNeon", 2),
            Self::Avx2 => ("PackedGoldilocksAVX2", 4),
            Self::Avx512 => ("PackedGoldilocksAVX512", 8),
        };
        Some(Packing { name, lanes })
    }

    /// CPU features that its condition promises.
    pub(super) const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Scalar => &[],
            Self::Neon => &["neon"],
            Self::Avx2 => &["avx2"],
            Self::Avx512 => &["avx2", "avx512f"],
        }
    }

    /// The platform whose folder a kernel belongs into.
    pub(super) fn of(kernel: &KernelInfo) -> Option<Self> {
        let has = |feature: &str| kernel.features.iter().any(|have| have == feature);
        match kernel.target_arch.as_deref() {
            None => Some(Self::Scalar),
            Some("aarch64") if has("neon") => Some(Self::Neon),
            Some("x86_64") if has("avx512f") => Some(Self::Avx512),
            Some("x86_64") if has("avx2") => Some(Self::Avx2),
            Some(_) => None,
        }
    }
}

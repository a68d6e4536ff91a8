//! What `p3-goldilocks` distinguishes at compile time.

use std::collections::BTreeSet;

use codegen::names::Isa;

/// One of the crate's builds, as its `cfg` attributes tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Platform {
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
pub(crate) struct Packing {
    pub(crate) name: &'static str,
    pub(crate) lanes: usize,
}

impl Platform {
    /// In the order of the crate's own modules.
    pub(crate) const ALL: [Self; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "without SIMD",
            Self::Neon => "aarch64_neon",
            Self::Avx2 => "x86_64_avx2",
            Self::Avx512 => "x86_64_avx512",
        }
    }

    /// The crate's module for it; none: the crate root.
    pub(crate) const fn module(self) -> Option<&'static str> {
        match self {
            Self::Scalar => None,
            Self::Neon | Self::Avx2 | Self::Avx512 => Some(self.name()),
        }
    }

    /// The folder of its kernels, relative to the checkout.
    pub(crate) fn folder(self) -> String {
        match self.module() {
            Some(module) => format!("src/{module}/poseidon2_generated"),
            None => super::SHARED.to_owned(),
        }
    }

    /// The condition that the crate compiles it under, as the crate writes it.
    pub(crate) const fn condition(self) -> &'static str {
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
    pub(crate) const fn packing(self) -> Option<Packing> {
        let (name, lanes) = match self {
            Self::Scalar => return None,
            Self::Neon => ("PackedGoldilocksNeon", 2),
            Self::Avx2 => ("PackedGoldilocksAVX2", 4),
            Self::Avx512 => ("PackedGoldilocksAVX512", 8),
        };
        Some(Packing { name, lanes })
    }

    /// CPU features that its condition promises.
    pub(crate) const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Scalar => &[],
            Self::Neon => &["neon"],
            Self::Avx2 => &["avx2"],
            Self::Avx512 => &["avx2", "avx512f"],
        }
    }

    /// The platform whose folder a kernel of an instruction set belongs into.
    pub(crate) const fn home(isa: Isa) -> Self {
        match isa {
            Isa::Scalar | Isa::X86_64 => Self::Scalar,
            Isa::Neon => Self::Neon,
            Isa::Avx2 => Self::Avx2,
            Isa::Avx512 | Isa::Avx512Ifma => Self::Avx512,
        }
    }

    /// Whether kernels of an instruction set can serve on it, given what they need beyond it.
    pub(crate) fn runs(self, isa: Isa) -> bool {
        match isa {
            Isa::Scalar => true,
            Isa::X86_64 => self.arch() == X86_64,
            _ => self == Self::home(isa),
        }
    }

    /// What a kernel of an instruction set with these CPU features needs beyond what the platform's
    /// condition promises, as `cfg` has it.
    pub(crate) fn needs(self, isa: Isa, features: &[&str]) -> BTreeSet<String> {
        let promised = self.features();
        let extra = features
            .iter()
            .filter(|feature| !promised.contains(feature));
        let extra = extra.map(|feature| format!("target_feature = \"{feature}\""));
        let general = (self == Self::Scalar && isa == Isa::X86_64).then(|| self.only_here());
        extra.chain(general).collect()
    }

    /// The architecture whose tuning tables speak of it.
    pub(crate) const fn arch(self) -> &'static str {
        match self {
            Self::Neon => "aarch64",
            Self::Scalar | Self::Avx2 | Self::Avx512 => X86_64,
        }
    }

    /// The condition of that architecture.
    pub(crate) fn only_here(self) -> String {
        format!("target_arch = \"{}\"", self.arch())
    }
}

const X86_64: &str = "x86_64";

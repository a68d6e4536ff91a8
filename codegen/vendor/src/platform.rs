//! What the crates distinguish at compile time.

use std::collections::BTreeSet;

use codegen::names::Isa;

/// One of the crate's builds, as its `cfg` attributes tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// What is to be known of a build.
#[derive(Debug)]
pub(crate) struct Facts {
    /// For people; the name of the crate's module for it, if it has SIMD.
    pub(crate) name: &'static str,
    /// The architecture whose tuning tables speak of it.
    pub(crate) arch: &'static str,
    /// The condition that the crate compiles it under, as the crate writes it.
    pub(crate) condition: &'static str,
    /// CPU features that the condition promises.
    features: &'static [&'static str],
    /// What names of packed types end with, and the bits of a vector.
    pub(crate) vectors: Option<(&'static str, u32)>,
}

/// In the order of [`Platform::ALL`].
const FACTS: [Facts; 4] = [
    Facts {
        name: "without SIMD",
        arch: "x86_64",
        condition: "not(any(
    all(target_arch = \"aarch64\", target_feature = \"neon\"),
    all(target_arch = \"x86_64\", target_feature = \"avx2\"),
    all(target_arch = \"x86_64\", target_feature = \"avx512f\"),
    all(target_arch = \"wasm32\", target_feature = \"simd128\"),
))",
        features: &[],
        vectors: None,
    },
    Facts {
        name: "aarch64_neon",
        arch: "aarch64",
        condition: "all(target_arch = \"aarch64\", target_feature = \"neon\")",
        features: &["neon"],
        vectors: Some(("Neon", 128)),
    },
    Facts {
        name: "x86_64_avx2",
        arch: "x86_64",
        condition: "all(
    target_arch = \"x86_64\",
    target_feature = \"avx2\",
    not(target_feature = \"avx512f\")
)",
        features: &["avx2"],
        vectors: Some(("AVX2", 256)),
    },
    Facts {
        name: "x86_64_avx512",
        arch: "x86_64",
        condition: "all(target_arch = \"x86_64\", target_feature = \"avx512f\")",
        features: &["avx2", "avx512f"],
        vectors: Some(("AVX512", 512)),
    },
];

/// The feature that every build for it has.
const X86_64_HAS: &str = "sse2";

/// The condition of the architecture whose tables speak of builds without SIMD.
pub(crate) const X86_64: &str = "target_arch = \"x86_64\"";

impl Platform {
    /// In the order of the crate's own modules.
    pub(crate) const ALL: [Self; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    pub(crate) const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The crate's module for it; none: the crate root.
    pub(crate) fn module(self) -> Option<&'static str> {
        (self != Self::Scalar).then_some(self.facts().name)
    }

    /// The folder of its kernels, relative to the checkout.
    pub(crate) fn folder(self) -> String {
        match self.module() {
            Some(module) => format!("src/{module}/poseidon2_generated"),
            None => super::SHARED.to_owned(),
        }
    }

    /// The platform whose folder a kernel of an instruction set belongs into.
    pub(crate) const fn home(isa: Isa) -> Self {
        match isa {
            Isa::Neon => Self::Neon,
            Isa::Avx2 => Self::Avx2,
            Isa::Avx512 | Isa::Avx512Ifma => Self::Avx512,
            _ => Self::Scalar,
        }
    }

    /// Whether kernels of an instruction set can serve on it, given what they need beyond it.
    pub(crate) fn runs(self, isa: Isa) -> bool {
        match isa {
            Isa::Scalar => true,
            Isa::X86_64 => self.facts().arch == "x86_64",
            // Of an architecture without a build that is known there is nothing to vendor.
            _ => self == Self::home(isa) && isa.target_arch() == Some(self.facts().arch),
        }
    }

    /// What a kernel of an instruction set with these CPU features needs beyond what the platform's
    /// condition promises, as `cfg` has it.
    pub(crate) fn needs(self, isa: Isa, features: &[&str]) -> BTreeSet<String> {
        let promised = self.facts().features;
        let extra = features
            .iter()
            .filter(|feature| !promised.contains(feature) && **feature != X86_64_HAS);
        let extra = extra.map(|feature| format!("target_feature = \"{feature}\""));
        let general = (self == Self::Scalar && isa == Isa::X86_64).then(|| X86_64.to_owned());
        extra.chain(general).collect()
    }
}

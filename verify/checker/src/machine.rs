//! What is to be known of each instruction set beside its instructions: a row each.

/// What a body's instructions are for: registers of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Plain Rust.
    Scalar,
    /// General registers of x86-64.
    X86_64,
    /// General registers of 32-bit Arm.
    Armv8m,
    /// General registers of AArch64.
    Aarch64,
    /// Vectors of AArch64.
    Neon,
    /// Vectors of WebAssembly.
    Wasm,
    /// Vectors of SSE2.
    Sse2,
    /// Vectors of AVX2.
    Avx2,
    /// Vectors of AVX-512.
    Avx512,
    /// The same with products of 52 bits.
    Avx512ifma,
    /// The same with products of 64 bits.
    Avx512dq,
}

impl Target {
    /// Its tables of instructions.
    pub(crate) fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Scalar => &["scalar"],
            Self::X86_64 => &["scalar", "x86_64"],
            Self::Armv8m => &["scalar", "armv8m"],
            Self::Aarch64 => &["scalar", "aarch64"],
            Self::Neon => &["aarch64", "neon", "lanes"],
            Self::Wasm => &["wasm"],
            Self::Sse2 => &["sse2"],
            Self::Avx2 => &["avx2"],
            Self::Avx512 => &["avx512"],
            Self::Avx512ifma => &["avx512", "avx512ifma"],
            Self::Avx512dq => &["avx512", "avx512ifma", "avx512dq"],
        }
    }

    /// Whether it has no vectors.
    pub(crate) fn is_general(self) -> bool {
        use Target::{Aarch64, Armv8m, Scalar, X86_64};
        matches!(self, Scalar | X86_64 | Armv8m | Aarch64)
    }

    /// Whether a word of 32 bits is in a register or a lane of its own.
    pub(crate) fn has_halves(self) -> bool {
        self.is_general() || self == Self::Wasm
    }
}

/// An instruction set.
pub(crate) struct Isa {
    /// Its part of kernels' names.
    pub(crate) name: &'static str,
    /// Its variant in the registry.
    pub(crate) variant: &'static str,
    /// Those whose kernels may serve in place of its own.
    pub(crate) within: &'static [&'static str],
    /// The architecture that its kernels are compiled for; none: any.
    pub(crate) arch: Option<&'static str>,
    /// The condition that they are compiled under, if it is more than that.
    pub(crate) built: Option<&'static str>,
    /// The CPU feature that tells it, if one does.
    pub(crate) feature: Option<&'static str>,
    /// What its instructions are for.
    pub(crate) target: Target,
    /// What those of some of its kernels are for.
    pub(crate) others: &'static [Target],
    /// The type of a vector of states, and its bits.
    pub(crate) vector: Option<(&'static str, usize)>,
    /// How a word comes into every lane.
    pub(crate) broadcasts: &'static [Broadcast],
}

/// An intrinsic that puts a word into every lane.
pub(crate) struct Broadcast {
    pub(crate) name: &'static str,
    /// Bits of the word.
    pub(crate) bits: u32,
    /// Bits of a lane.
    pub(crate) lane: u32,
    /// How it takes words of states: as they are, or as signed ones. None: they fill no such vector.
    pub(crate) takes: Option<Takes>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Words,
    Signed,
}

const fn broadcast(name: &'static str, bits: u32, lane: u32, takes: Option<Takes>) -> Broadcast {
    Broadcast {
        name,
        bits,
        lane,
        takes,
    }
}

const SIGNED: Option<Takes> = Some(Takes::Signed);
const WORDS: Option<Takes> = Some(Takes::Words);

const ANY: Isa = Isa {
    name: "scalar",
    variant: "Scalar",
    within: &[],
    arch: None,
    built: None,
    feature: None,
    target: Target::Scalar,
    others: &[],
    vector: None,
    broadcasts: &[],
};

/// Other builds have no vectors.
const X86_64_BUILT: Option<&str> = Some("all(target_arch = \"x86_64\", target_feature = \"sse2\")");

const AVX512: Isa = Isa {
    name: "avx512",
    variant: "Avx512",
    within: &["Avx2", "X86_64", "Scalar"],
    arch: Some("x86_64"),
    built: X86_64_BUILT,
    feature: Some("avx512f"),
    target: Target::Avx512,
    others: &[Target::Sse2],
    vector: Some(("__m512i", 512)),
    broadcasts: &[
        broadcast("_mm512_set1_epi64", 64, 64, SIGNED),
        broadcast("_mm512_set1_epi32", 32, 64, SIGNED),
    ],
};

/// One that has another's features and more comes before it.
pub(crate) const ISAS: [Isa; 8] = [
    ANY,
    Isa {
        name: "x86_64",
        variant: "X86_64",
        within: &["Scalar"],
        arch: Some("x86_64"),
        built: X86_64_BUILT,
        target: Target::X86_64,
        others: &[Target::Sse2],
        broadcasts: &[broadcast("_mm_set1_epi64x", 64, 64, SIGNED)],
        ..ANY
    },
    Isa {
        name: "armv8m",
        variant: "Armv8m",
        within: &["Scalar"],
        arch: Some("arm"),
        built: Some(
            "all(target_arch = \"arm\", target_endian = \"little\", target_has_atomic = \"32\")",
        ),
        target: Target::Armv8m,
        ..ANY
    },
    Isa {
        name: "neon",
        variant: "Neon",
        within: &["Scalar"],
        arch: Some("aarch64"),
        built: Some(
            "all(target_arch = \"aarch64\", target_feature = \"neon\", target_endian = \"little\")",
        ),
        feature: Some("neon"),
        target: Target::Neon,
        others: &[Target::Aarch64],
        vector: Some(("uint64x2_t", 128)),
        broadcasts: &[
            broadcast("vdupq_n_u64", 64, 64, WORDS),
            broadcast("vdupq_n_u32", 32, 64, None),
            broadcast("vdup_n_u32", 32, 32, None),
        ],
    },
    Isa {
        name: "wasm",
        variant: "Wasm",
        within: &["Scalar"],
        arch: Some("wasm32"),
        built: Some("all(target_arch = \"wasm32\", target_feature = \"simd128\")"),
        feature: Some("simd128"),
        target: Target::Wasm,
        vector: Some(("v128", 128)),
        broadcasts: &[
            broadcast("u64x2_splat", 64, 64, WORDS),
            broadcast("u32x4_splat", 32, 32, WORDS),
        ],
        ..ANY
    },
    Isa {
        name: "avx2",
        variant: "Avx2",
        within: &["X86_64", "Scalar"],
        arch: Some("x86_64"),
        built: X86_64_BUILT,
        feature: Some("avx2"),
        target: Target::Avx2,
        vector: Some(("__m256i", 256)),
        broadcasts: &[
            broadcast("_mm256_set1_epi64x", 64, 64, SIGNED),
            broadcast("_mm256_set1_epi32", 32, 64, SIGNED),
        ],
        ..ANY
    },
    Isa {
        name: "avx512ifma",
        variant: "Avx512ifma",
        within: &["Avx512", "Avx2", "X86_64", "Scalar"],
        feature: Some("avx512ifma"),
        target: Target::Avx512ifma,
        others: &[Target::Avx512dq],
        ..AVX512
    },
    AVX512,
];

impl Isa {
    /// The one that a kernel's name says.
    pub(crate) fn of_kernel(name: &str) -> Option<&'static Self> {
        let said = |isa: &&Self| name.contains(&format!("_{}_", isa.name));
        ISAS.iter().find(said)
    }

    /// The one that CPU features tell.
    pub(crate) fn of_features(features: &[String]) -> Option<&'static Self> {
        let tells = |own: &str| features.iter().any(|feature| feature == own);
        ISAS.iter().find(|isa| isa.feature.is_some_and(tells))
    }

    /// Whether kernels of it may have such instructions.
    pub(crate) fn has(&self, target: Target) -> bool {
        target == self.target || self.others.contains(&target)
    }

    /// The same, where they need such features. Where no feature tells an instruction set, nothing asks whether a CPU
    /// has any.
    pub(crate) fn fits(&self, target: Option<Target>, features: &[String]) -> bool {
        let known = target.is_some_and(|own| self.has(own));
        let told = Self::of_features(features).map(|told| told.name);
        known
            && match self.feature {
                Some(_) => told == Some(self.name),
                None => features.is_empty() || target == Some(Target::Sse2) && features == ["sse2"],
            }
    }

    /// The condition that its kernels are compiled under, of wide words or not.
    pub(crate) fn condition(&self, wide: bool) -> Option<String> {
        let of = |arch: &str| format!("target_arch = {arch:?}");
        let plain = match self.arch {
            // Words of two registers; of sums of products LLVM 22 makes wrong code there.
            None if wide => Some(format!("not({})", of("riscv32"))),
            arch => arch.map(of),
        };
        self.built.map(str::to_owned).or(plain)
    }
}

/// The intrinsics of all instruction sets.
pub(crate) fn broadcasts() -> impl Iterator<Item = &'static Broadcast> {
    ISAS.iter().flat_map(|isa| isa.broadcasts)
}

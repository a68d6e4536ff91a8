//! The ground floor: names that every stage knows, and that know no stage.

mod core;

pub use self::core::{Core, Cost};

/// Interleaved groups of states that a kernel may have.
pub const BATCHES: &[usize] = &[1, 2, 4];

/// An enum whose variants have names; with a word for what it is, one that is read by them, too.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $type:ident, { $($(#[$about:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$about])* $variant,)* }

        impl $type {
            /// Every value.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    ($(#[$doc:meta])* $type:ident, $kind:literal, $variants:tt) => {
        $crate::names::vocabulary!($(#[$doc])* $type, $variants);

        impl $type {
            /// Every value.
            #[must_use]
            pub const fn all() -> &'static [Self] {
                &Self::ALL
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::diag::UnknownName;

            fn from_str(given: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|value| value.name() == given);
                found.ok_or_else(|| Self::Err::new($kind, given, Self::ALL.map(Self::name)))
            }
        }
    };
}
pub(crate) use vocabulary;

vocabulary!(
    /// Instruction set.
    Isa, "ISA", {
        /// Plain Rust on machine words.
        Scalar = "scalar",
        /// x86-64 on general registers: every such CPU has it.
        X86_64 = "x86_64",
        /// 32-bit Arm on general registers, such as a Cortex-M33.
        Armv8m = "armv8m",
        /// AArch64 with Advanced SIMD.
        Neon = "neon",
        /// WebAssembly with vectors of 128 bits.
        Wasm = "wasm",
        /// x86-64 with AVX2.
        Avx2 = "avx2",
        /// x86-64 with AVX-512F.
        Avx512 = "avx512",
        /// AVX-512F with the 52-bit multiply-accumulate of AVX-512 IFMA.
        Avx512Ifma = "avx512ifma",
    }
);

vocabulary!(
    /// Where states live.
    Layout, "layout", {
        /// One state per general register file.
        Registers = "registers",
        /// One state per SIMD lane: the packed form.
        Lanes = "lanes",
        /// One state across the lanes of some vectors, for latency.
        Across = "across",
        /// One state per SIMD lane, in two groups half a round apart: while one has its S-boxes, the other has
        /// its linear layer.
        Staggered = "staggered",
    }
);

vocabulary!(
    /// How values are represented and where they are reduced.
    Strategy, "strategy", {
        /// Every operation gives one reduced word; canonicalisations are left out where proved.
        Eager = "eager",
        /// An element is two columns of 32 bits and more; linear layers never carry.
        Columns = "columns",
        /// Columns, whose products are reduced from below.
        Redc = "redc",
        /// The same, with factors in two signed halves: for vectors that multiply signed words.
        Halves = "halves",
        /// An element is two limbs of up to 42 bits, multiplied by 52-bit multiply-accumulate.
        Limbs = "limbs",
        /// Limbs that stay ten bits up between the products of an S-box, with all sums in accumulators.
        Accumulated = "accumulated",
        /// An element is one word of 64 bits in Montgomery form of radix 2^52; sums are not reduced.
        Radix52 = "radix52",
        /// The same, for scaled internal layers of small entries: elements are kept divided by a power that grows
        /// from round to round.
        Rescaled52 = "rescaled52",
        /// An element is one word of 64 bits in Montgomery form of radix 2^32; what leads into products is
        /// reduced, and sums are not.
        Radix32 = "radix32",
        /// The same, with products that are two words long and are reduced by 2^64: once for three elements.
        Radix64 = "radix64",
        /// An element is `low + 2^48·high`, with the high part in half a word; linear layers never carry.
        Radix48 = "radix48",
        /// An element is one 32-bit word below p; what is between two sums or products may be negative.
        Signed = "signed",
        /// The same, with products of S-boxes that are longer than words: for cores with one pipe that multiplies.
        Long = "long",
        /// The same words, of which all elements are treated alike: for one state across lanes.
        Uniform = "uniform",
        /// The columns of `redc`, those of an element side by side in a vector, and S-boxes on general registers: for
        /// one state.
        Beside = "beside",
    }
);

vocabulary!(
    /// Side of an addition.
    Operand, "operand", {
        /// The left one.
        A = "a",
        /// The right one.
        B = "b",
    }
);

impl Isa {
    /// The layouts it has, its default first.
    #[must_use]
    pub const fn layouts(self) -> &'static [Layout] {
        match self {
            Self::Scalar | Self::Armv8m => &[Layout::Registers],
            Self::X86_64 => &[Layout::Registers, Layout::Across],
            Self::Neon => &[Layout::Registers, Layout::Lanes],
            Self::Avx2 | Self::Avx512 => &[Layout::Lanes, Layout::Across],
            Self::Avx512Ifma => &[Layout::Lanes, Layout::Staggered],
            Self::Wasm => &[Layout::Lanes],
        }
    }

    /// The architecture that its kernels compile for; `None` for every one.
    #[must_use]
    pub const fn target_arch(self) -> Option<&'static str> {
        match self {
            Self::Scalar => None,
            Self::Armv8m => Some("arm"),
            Self::Neon => Some("aarch64"),
            Self::Wasm => Some("wasm32"),
            Self::X86_64 | Self::Avx2 | Self::Avx512 | Self::Avx512Ifma => Some("x86_64"),
        }
    }

    /// What a build must be for its kernels to be compiled, as `cfg` has it; `None` for every one. Where
    /// programs cannot ask for CPU features when they run, the build decides.
    #[must_use]
    pub fn condition(self) -> Option<String> {
        let arch = format!("target_arch = \"{}\"", self.target_arch()?);
        Some(match self {
            // Most of the others have no product of two words in two registers. A Cortex-M23 has none either, but no
            // condition tells it apart: it needs a crate without these kernels.
            Self::Armv8m => {
                format!("all({arch}, target_endian = \"little\", target_has_atomic = \"32\")")
            }
            // Targets without vectors, such as those of operating systems' kernels, cannot pass any between functions.
            // Where the high half of a word comes first, it does so in vectors that are taken for others.
            Self::Neon => {
                format!("all({arch}, target_feature = \"neon\", target_endian = \"little\")")
            }
            Self::Wasm => format!("all({arch}, target_feature = \"simd128\")"),
            _ => format!("all({arch}, target_feature = \"sse2\")"),
        })
    }

    /// The architecture that its kernels of a strategy are not compiled for, though they are for every
    /// other: on `riscv32`, words of two registers would take several times as many instructions, and of products
    /// of doubled words LLVM 22 makes wrong code: it leaves one out where two such sums stand side by side.
    #[must_use]
    pub const fn except(self, strategy: Strategy) -> Option<&'static str> {
        match (self, strategy.widens()) {
            (Self::Scalar, true) => Some("riscv32"),
            _ => None,
        }
    }

    /// The layout of a kernel that names none.
    #[must_use]
    pub const fn default_layout(self) -> Layout {
        self.layouts()[0]
    }
}

impl Strategy {
    /// The strategy of a kernel that names none.
    pub const DEFAULT: Self = Self::Eager;

    /// Whether elements of 31-bit fields are words of 64 bits.
    #[must_use]
    pub const fn widens(self) -> bool {
        matches!(
            self,
            Self::Radix52 | Self::Rescaled52 | Self::Radix32 | Self::Radix64
        )
    }

    /// Whether claims decide where it canonicalises.
    #[must_use]
    pub const fn takes_proofs(self) -> bool {
        matches!(self, Self::Eager)
    }

    /// Whether external rounds can interleave S-boxes of one group: those that read the constants'
    /// parts themselves.
    #[must_use]
    pub const fn takes_sboxes(self) -> bool {
        !matches!(self, Self::Eager | Self::Uniform | Self::Beside)
    }

    /// Whether its programs are for kernels of an ISA's layout. Across lanes there are eight words on AVX2, and two on
    /// others.
    #[must_use]
    pub fn suits(self, isa: Isa, layout: Layout) -> bool {
        match (isa, layout) {
            (Isa::Avx2, Layout::Across) => self == Self::Uniform,
            (_, Layout::Across) => self == Self::Beside,
            (_, Layout::Staggered) => matches!(self, Self::Radix52 | Self::Rescaled52),
            (_, Layout::Registers | Layout::Lanes) => !matches!(self, Self::Uniform | Self::Beside),
        }
    }
}

vocabulary!(
    /// One of the two integers that an element is kept as: `low + 2^32·high` modulo p, or `low + 2^48·high`.
    Part, {
        /// Weighs 1.
        Low = "low",
        /// Weighs `2^32`, or `2^48`.
        High = "high",
    }
);

impl Part {
    /// Both, in the order in which they are kept.
    pub const BOTH: [Self; 2] = Self::ALL;
}

/// The variant of that name in an enum.
#[must_use]
pub fn variant(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or_default();
    first.to_uppercase() + rest
}

/// `koala-bear` as the name of a type.
#[must_use]
pub fn pascal_case(name: &str) -> String {
    let words = name.split(['-', '_']);
    words.map(variant).collect()
}

//! Tables of one target each, and reading an instruction by table.

use std::ops::Range;

use super::pattern::head;
use super::{Kind, Row, section, tokens};
use crate::diag::nearest;
use crate::names::{Isa, Layout};

/// What kernels are written in: an ISA's registers of one sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Plain Rust on machine words.
    Scalar,
    /// x86-64 general registers: plain Rust, and inline assembler where flags carry.
    X86_64,
    /// 32-bit Arm: plain Rust, and inline assembler where flags carry.
    Armv8m,
    /// AArch64 general registers, as inline assembler.
    Aarch64,
    /// NEON vectors of two 64-bit lanes.
    Neon,
    /// WebAssembly's vectors of two 64-bit or four 32-bit lanes.
    Wasm,
    /// SSE2 vectors of two 64-bit lanes, which every x86-64 CPU has.
    Sse2,
    /// AVX2 vectors of four 64-bit lanes.
    Avx2,
    /// AVX-512 vectors of eight 64-bit lanes.
    Avx512,
    /// The same with multiplications that accumulate 52-bit halves of products.
    Avx512Ifma,
    /// The same with products of 64 bits, for cores that make one of them in one instruction.
    Avx512IfmaDq,
}

impl Target {
    /// Every target.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        &[
            Self::Scalar,
            Self::X86_64,
            Self::Armv8m,
            Self::Aarch64,
            Self::Neon,
            Self::Wasm,
            Self::Sse2,
            Self::Avx2,
            Self::Avx512,
            Self::Avx512Ifma,
            Self::Avx512IfmaDq,
        ]
    }

    /// The ISA and the layout, as specs name them.
    #[must_use]
    pub const fn place(self) -> (Isa, Layout) {
        match self {
            Self::Scalar => (Isa::Scalar, Layout::Registers),
            Self::X86_64 => (Isa::X86_64, Layout::Registers),
            Self::Armv8m => (Isa::Armv8m, Layout::Registers),
            Self::Aarch64 => (Isa::Neon, Layout::Registers),
            Self::Neon => (Isa::Neon, Layout::Lanes),
            Self::Wasm => (Isa::Wasm, Layout::Lanes),
            Self::Sse2 => (Isa::X86_64, Layout::Across),
            Self::Avx2 => (Isa::Avx2, Layout::Lanes),
            Self::Avx512 => (Isa::Avx512, Layout::Lanes),
            Self::Avx512Ifma => (Isa::Avx512Ifma, Layout::Lanes),
            Self::Avx512IfmaDq => (Isa::Avx512Ifma, Layout::Staggered),
        }
    }

    /// The target of an ISA's layout; `None` if the ISA has no such layout. Across lanes AVX2 has the same registers
    /// as in lanes, and AVX-512 more of those of SSE2.
    #[must_use]
    pub fn of(isa: Isa, layout: Layout) -> Option<Self> {
        let of_registers = match (isa, layout) {
            (Isa::Avx2, Layout::Across) => (isa, Layout::Lanes),
            (Isa::Avx512, Layout::Across) => (Isa::X86_64, layout),
            place => place,
        };
        let mut targets = Self::all().iter().copied();
        targets.find(|target| target.place() == of_registers)
    }

    /// States of an ISA's layout in one group, of words of so many bits.
    #[must_use]
    pub fn states(isa: Isa, layout: Layout, word_bits: u32) -> usize {
        match (layout, Self::of(isa, layout)) {
            (Layout::Across, _) | (_, None) => 1,
            (_, Some(target)) => table(target).lanes(word_bits),
        }
    }

    /// The same, as the checker has it.
    #[must_use]
    pub const fn checked(self) -> checker::Target {
        match self {
            Self::Scalar => checker::Target::Scalar,
            Self::X86_64 => checker::Target::X86_64,
            Self::Armv8m => checker::Target::Armv8m,
            Self::Aarch64 => checker::Target::Aarch64,
            Self::Neon => checker::Target::Neon,
            Self::Wasm => checker::Target::Wasm,
            Self::Sse2 => checker::Target::Sse2,
            Self::Avx2 => checker::Target::Avx2,
            Self::Avx512 => checker::Target::Avx512,
            Self::Avx512Ifma => checker::Target::Avx512ifma,
            Self::Avx512IfmaDq => checker::Target::Avx512dq,
        }
    }

    /// Its folder under `templates/`, and its name in messages.
    #[must_use]
    pub fn folder(self) -> String {
        let (isa, layout) = self.place();
        format!("{isa}/{layout}")
    }
}

/// What an instruction's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A Rust expression, bound by `let`.
    Rust,
    /// A line of assembler that names its results.
    Assembler,
}

/// The instructions of one target.
#[derive(Debug)]
pub struct Table {
    /// Whose they are.
    pub target: Target,
    /// How they are written.
    pub syntax: Syntax,
    /// The module that intrinsics come from; empty for none.
    pub module: &'static str,
    /// CPU features of the whole table, as `target_feature` spells them.
    pub features: &'static [&'static str],
    /// The Rust type of a register of each kind that occurs.
    pub types: &'static [(Kind, &'static str)],
    /// Bits of a vector, whose lanes hold a state each; 0 for general registers.
    pub vector_bits: u32,
    /// Whether products may be by one lane of a vector.
    pub multiplies_by_lane: bool,
    /// What keeps the loads of interleaved streams where they are, if the compiler would move them.
    pub loaded: &'static str,
    /// Sections of the file of instructions: its own, and those of targets that it contains.
    sections: &'static [&'static str],
}

/// Plain Rust, on any CPU.
const SCALAR: Table = Table {
    target: Target::Scalar,
    syntax: Syntax::Rust,
    module: "",
    features: &[],
    types: &[
        (Kind::Word, "u64"),
        (Kind::Half, "u32"),
        (Kind::Bit, "bool"),
    ],
    vector_bits: 0,
    multiplies_by_lane: false,
    loaded: "",
    sections: &["scalar"],
};

/// Rust has no way to say that a borrow becomes a mask by one `sbb`, and what LLVM makes of the
/// usual ways it may spread over vectors. So bodies that hang on the carry flag are a few lines of
/// inline assembler; the compiler allocates their registers and schedules around them.
const X86_64: Table = Table {
    target: Target::X86_64,
    sections: &["x86_64", "scalar"],
    ..SCALAR
};

/// A word of 64 bits is in two registers, which Rust takes apart and puts together for nothing.
const ARMV8M: Table = Table {
    target: Target::Armv8m,
    sections: &["armv8m", "scalar"],
    ..SCALAR
};

const AARCH64: Table = Table {
    target: Target::Aarch64,
    syntax: Syntax::Assembler,
    features: &["neon"],
    types: &[(Kind::Word, "u64")],
    sections: &["aarch64"],
    ..SCALAR
};

const NEON: Table = Table {
    target: Target::Neon,
    module: "core::arch::aarch64",
    features: &["neon"],
    types: &[
        (Kind::Word, "uint64x2_t"),
        (Kind::Half, "uint32x2_t"),
        (Kind::Pair, "(int64x2_t, int64x2_t)"),
    ],
    vector_bits: 128,
    multiplies_by_lane: true,
    sections: &["neon"],
    ..SCALAR
};

/// LLVM would load what the second stream needs after the first one's results are stored, and V8, which orders
/// all else by itself, keeps loads and stores as they are: no stream would begin before the one before it ends.
const LOADED: &str =
    "// Later loads would have the streams wait for each other.\ncore::hint::black_box(());\n";

/// A lane holds one element: products of 64 bits are of neighbours, which a lane of two would not
/// tell apart.
const WASM: Table = Table {
    target: Target::Wasm,
    module: "core::arch::wasm32",
    features: &["simd128"],
    types: &[(Kind::Word, "v128"), (Kind::Half, "v128")],
    vector_bits: 128,
    loaded: LOADED,
    sections: &["wasm"],
    ..SCALAR
};

const SSE2: Table = Table {
    target: Target::Sse2,
    module: "core::arch::x86_64",
    features: &["sse2"],
    types: &[(Kind::Word, "__m128i")],
    vector_bits: 128,
    sections: &["sse2"],
    ..SCALAR
};

/// A lane of a 31-bit field holds two elements.
const AVX2: Table = Table {
    target: Target::Avx2,
    module: "core::arch::x86_64",
    features: &["avx2"],
    types: &[(Kind::Word, "__m256i")],
    vector_bits: 256,
    sections: &["avx2"],
    ..SCALAR
};

const AVX512: Table = Table {
    target: Target::Avx512,
    module: "core::arch::x86_64",
    features: &["avx512f"],
    types: &[(Kind::Word, "__m512i"), (Kind::Bit, "__mmask8")],
    vector_bits: 512,
    sections: &["avx512"],
    ..SCALAR
};

const AVX512_IFMA: Table = Table {
    target: Target::Avx512Ifma,
    features: &["avx512f", "avx512ifma"],
    sections: &["avx512", "avx512ifma"],
    ..AVX512
};

const AVX512_IFMA_DQ: Table = Table {
    target: Target::Avx512IfmaDq,
    features: &["avx512f", "avx512dq", "avx512ifma"],
    sections: &["avx512", "avx512ifma", "avx512dq"],
    ..AVX512
};

/// In the order of [`Target`].
static TABLES: [Table; 11] = [
    SCALAR,
    X86_64,
    ARMV8M,
    AARCH64,
    NEON,
    WASM,
    SSE2,
    AVX2,
    AVX512,
    AVX512_IFMA,
    AVX512_IFMA_DQ,
];

/// The CPU features that kernels of an ISA's layout need, as `target_feature` spells them.
#[must_use]
pub fn features(isa: Isa, layout: Layout) -> &'static [&'static str] {
    match (isa, layout) {
        // Twice as many vectors of SSE2's size.
        (Isa::Avx512, Layout::Across) => &["avx512f", "avx512vl"],
        _ => Target::of(isa, layout).map_or(&[], |target| table(target).features),
    }
}

/// The table of a target.
#[must_use]
pub fn table(target: Target) -> &'static Table {
    &TABLES[target as usize]
}

/// An instruction's text, read by the table. Spans are bytes of the text.
#[derive(Debug)]
pub struct Reading {
    /// The row.
    pub row: &'static Row,
    /// Names of the results; `None` where the text does not name one, as with flags.
    pub results: Vec<Option<Range<usize>>>,
    /// Names of the operands; `None` where the text does not name one, as with flags.
    pub sources: Vec<Option<Range<usize>>>,
    /// The immediates and where they stand.
    pub immediates: Vec<(u64, Range<usize>)>,
}

/// Why a text is no instruction of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// No row has that name; these have similar ones.
    Unknown(Vec<String>),
    /// A row has that name, but it is written like this.
    Form(Vec<String>),
    /// The operands do not have the kinds that the row wants: operand, wanted kind.
    Kind(usize, Kind),
    /// An immediate is out of its bounds.
    Immediate(Range<usize>, (u32, u32)),
}

impl Table {
    /// The rows of the whole family.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> + '_ {
        self.sections.iter().flat_map(|name| section(name))
    }

    /// Words of so many bits in a vector; 1 where words are in general registers.
    #[must_use]
    pub fn lanes(&self, word_bits: u32) -> usize {
        (self.vector_bits / word_bits).max(1) as usize
    }

    /// Whether words of so many bits are in registers or lanes of their own, and not two in one.
    #[must_use]
    pub fn has_words_of(&self, bits: u32) -> bool {
        let [half, word] = [Kind::Half, Kind::Word].map(|kind| self.rust_type(kind));
        bits == 64 || half.is_some() && (self.vector_bits == 0 || half == word)
    }

    /// The row of that name.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&'static Row> {
        self.rows().find(|row| row.name == name)
    }

    /// The Rust type of a register of that kind; `None` if the target has no such registers.
    #[must_use]
    pub fn rust_type(&self, kind: Kind) -> Option<&'static str> {
        self.types
            .iter()
            .find(|(k, _)| *k == kind)
            .map(|(_, name)| *name)
    }

    /// Reads the text of one instruction. `kind` tells the kind of a name, `None` if it does not
    /// matter (a constant, or a name that is reported otherwise).
    ///
    /// # Errors
    /// What the text is instead.
    pub fn read(
        &self,
        text: &str,
        kind: impl Fn(&str) -> Option<Kind>,
    ) -> Result<Reading, Mismatch> {
        let tokens = tokens(text);
        let rows = self.rows();
        let mut spelled: Vec<Reading> = rows.filter_map(|row| row.find(text, &tokens)).collect();
        let wrong = |reading: &Reading| {
            let mut sources = reading.sources.iter().zip(reading.row.sources).enumerate();
            sources.find_map(|(n, (span, wanted))| {
                let given = kind(&text[span.clone()?])?;
                (given != *wanted).then_some(Mismatch::Kind(n, *wanted))
            })
        };
        let Some(right) = spelled.iter().position(|reading| wrong(reading).is_none()) else {
            let wrong = spelled.first().and_then(wrong);
            return Err(wrong.unwrap_or_else(|| self.unspelled(text)));
        };
        let reading = spelled.swap_remove(right);
        for ((value, span), &bounds) in reading.immediates.iter().zip(reading.row.immediates) {
            if !(u64::from(bounds.0)..=bounds.1.into()).contains(value) {
                return Err(Mismatch::Immediate(span.clone(), bounds));
            }
        }
        Ok(reading)
    }

    fn unspelled(&self, text: &str) -> Mismatch {
        let name = head(text);
        let named = self.rows().filter(|row| head(row.name) == name);
        let forms: Vec<String> = named.map(Row::example).collect();
        if !forms.is_empty() && !name.is_empty() {
            return Mismatch::Form(forms);
        }
        let mut known: Vec<&'static str> = self.rows().map(|row| head(row.name)).collect();
        known.dedup();
        let near = nearest(name, &known).into_iter().take(3);
        Mismatch::Unknown(near.map(str::to_owned).collect())
    }
}

impl Row {
    /// How it is written, with `a`, `b`, `c` for operands, `t` for results and `N` for immediates.
    #[must_use]
    pub fn example(&self) -> String {
        self.render_with(|hole| {
            use super::Operand::{Immediate, Result, Source};
            let name = match hole.operand {
                Result(n) => ["t", "u"][n],
                Source(n) => ["a", "b", "c", "d"][n],
                Immediate(n) => ["N", "M"][n],
            };
            hole.viewed(name)
        })
    }
}

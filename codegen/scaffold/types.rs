//! The types that every generated kernel shares.

/// Round constants of one Poseidon2 instance, in the representation that its kernels read.
///
/// Goldilocks: the residue itself, in `[0, p)`. 31-bit fields: the Montgomery form `x·2^32 mod p`,
/// in `[0, p)`. Kernels are proved for *every* table whose entries are below `p`, and for no other:
/// whoever builds one must canonicalise it (`poseidon2-kernels` does, by a type that cannot be
/// built otherwise).
///
/// `RF` counts external rounds (the first half before, the second half after the internal
/// rounds), `RP` internal rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Constants<T, const WIDTH: usize, const RF: usize, const RP: usize> {
    /// `external[r][i]` is added to element `i` at the start of external round `r`.
    pub external: [[T; WIDTH]; RF],
    /// `internal[r]` is added to element 0 at the start of internal round `r`.
    pub internal: [T; RP],
}

macro_rules! isas {
    ($($isa:ident $name:literal $about:literal,)*) => {
        /// The instruction set a kernel is written for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Isa { $(#[doc = $about] $isa,)* }

        impl Isa {
            /// Every instruction set, from the narrowest to the widest.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$isa),*];

            /// Its name, as in kernel names.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$isa => $name,)* }
            }
        }
    };
}
isas! {
    Scalar "scalar" "Plain Rust on machine words; runs on every host.",
    X86_64 "x86_64" "x86-64 on general registers; every such CPU has it.",
    Armv8m "armv8m" "32-bit Arm on general registers, such as a Cortex-M33.",
    Neon "neon" "AArch64 with Advanced SIMD.",
    Wasm "wasm" "WebAssembly with simd128, which the build decides.",
    Avx2 "avx2" "x86-64 with AVX2.",
    Avx512 "avx512" "x86-64 with AVX-512F.",
    Avx512ifma "avx512ifma" "x86-64 with AVX-512F and AVX-512 IFMA.",
}

impl Isa {
    /// The instruction set of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|isa| isa.name() == name)
    }
}

/// One permutation: whose parameters, over which field, how wide, with which constants.
#[derive(Clone, Copy, Debug)]
pub struct Instance<T: 'static> {
    /// Named parameter set, such as `plonky3`.
    pub parameter_set: &'static str,
    /// Field, such as `goldilocks`.
    pub field: &'static str,
    /// Field elements in one state.
    pub width: usize,
    /// External rounds in total (both halves).
    pub external_rounds: usize,
    /// Internal rounds.
    pub internal_rounds: usize,
    /// Its constants in every form that kernels read; see [`Tables`].
    pub table: &'static [T],
}

/// How the constants of a field's instances are laid out in tables: as they are, in the order of
/// [`Constants`], then in the form of each strategy whose kernels read another one.
#[derive(Clone, Copy, Debug)]
pub struct Tables<T: 'static> {
    /// Those strategies, and how many words they read of each constant.
    pub prepared: &'static [(&'static str, usize)],
    /// Writes those forms behind so many canonical constants, which the table begins with.
    ///
    /// # Panics
    /// If the table has not [`Tables::words`] words for each constant.
    pub prepare: fn(count: usize, table: &mut [T]),
}

impl<T> Tables<T> {
    /// Words of a table for each constant.
    #[must_use]
    pub const fn words(&self) -> usize {
        let (mut words, mut i) = (1, 0);
        while i < self.prepared.len() {
            words += self.prepared[i].1;
            i += 1;
        }
        words
    }
}

/// Makes the words that a kernel reads of canonical constants; see [`Kernel::prepare`].
pub type Prepare<T> = fn(constants: &[T], prepared: &mut [T]);

/// One generated kernel, described for dispatch, tests and benches.
///
/// `T` is the word that holds one field element: `u64` for Goldilocks, `u32` for 31-bit fields.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<T: 'static> {
    /// Full name, `parameter-set/field/wWIDTH_isa[_layout][_strategy]_bBATCH`.
    pub name: &'static str,
    /// Named parameter set, such as `plonky3`.
    pub parameter_set: &'static str,
    /// Field, such as `goldilocks`.
    pub field: &'static str,
    /// Field elements in one state.
    pub width: usize,
    /// External rounds in total (both halves).
    pub external_rounds: usize,
    /// Internal rounds.
    pub internal_rounds: usize,
    /// Instruction set.
    pub isa: Isa,
    /// Where states live: `registers` (one state per general register file), `lanes` (one state per SIMD lane),
    /// `across` (one state across the lanes of some vectors) or `staggered` (one state per SIMD lane, in two groups
    /// half a round apart).
    pub layout: &'static str,
    /// How values are represented and reduced, such as `eager`.
    pub strategy: &'static str,
    /// Interleaved groups of states.
    pub batch: usize,
    /// States in one group: the SIMD lanes of the packed form, 1 in `registers` and `across`.
    pub lanes: usize,
    /// CPU features that must be present, in the spelling of `target_feature`.
    pub features: &'static [&'static str],
    /// Words that `permute` reads for each round constant.
    pub parts: usize,
    /// Makes the words that `permute` reads of canonical constants: [`Kernel::parts`] words of
    /// each, in the same order. `None`: it reads them as they are.
    ///
    /// Slices of other lengths are cut to what both have.
    pub prepare: Option<Prepare<T>>,
    /// The kernel on raw memory.
    ///
    /// `states` points at `batch × width × lanes` words: the word of state `(b, l)`, element `i`
    /// is at index `(b·width + i)·lanes + l`. `constants` points at a [`Constants`] of this
    /// instance: `parts` words for each of `external_rounds × width` constants, then for each of
    /// `internal_rounds`.
    ///
    /// # Safety
    /// Both pointers must be valid for those lengths (`states` for writes too) and aligned for
    /// `T`; the CPU must have [`Kernel::features`]; every constant must be below the field's
    /// modulus, or what [`Kernel::prepare`] made of such constants; for 31-bit fields every state word must be below the modulus as well.
    pub permute: unsafe fn(states: *mut T, constants: *const T),
}

impl<T> Kernel<T> {
    /// Independent states permuted by one call.
    #[inline]
    #[must_use]
    pub const fn states(&self) -> usize {
        self.batch * self.lanes
    }

    /// Words that `permute` reads and writes through `states`.
    #[inline]
    #[must_use]
    pub const fn state_words(&self) -> usize {
        self.batch * self.lanes * self.width
    }

    /// Words that `permute` reads through `constants`.
    #[inline]
    #[must_use]
    pub const fn constant_words(&self) -> usize {
        (self.external_rounds * self.width + self.internal_rounds) * self.parts
    }
}

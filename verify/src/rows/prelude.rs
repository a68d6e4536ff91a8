// The head of a program that executes rows. Operands come from a file, results go to one.

#![allow(unused_imports, unused_parens, unused_unsafe, dead_code)]

use std::arch::asm;
use std::io::{BufWriter, Write};

/// Operands of one execution.
type Operands = [u64; 4];

/// Results.
type Left = Vec<u64>;

/// What holds a word, or a word for each lane.
trait Register {
    /// Words in a lane.
    const WORDS: usize = 1;
    fn of(words: &[u64]) -> Self;
    fn words(self) -> impl IntoIterator<Item = u64>;
}

/// Operand `n` of each lane. The last word stands beside the one in a pair.
fn operand<T: Register>(lanes: &[Operands], n: usize) -> T {
    let lane = |operands: &Operands| [operands[n], operands[3]].into_iter().take(T::WORDS);
    let words: Vec<u64> = lanes.iter().flat_map(lane).collect();
    T::of(&words)
}

macro_rules! general {
    ($($type:ty: |$word:ident| $of:expr),*) => {
        $(impl Register for $type {
            fn of(words: &[u64]) -> Self {
                let $word = words[0];
                $of
            }
            fn words(self) -> impl IntoIterator<Item = u64> {
                [self.into()]
            }
        })*
    };
}
general!(u64: |word| word, u32: |word| word as u32, bool: |word| word & 1 == 1);

macro_rules! vector {
    ($type:ident, [$word:ty; $lanes:literal] $(, $each:literal)?) => {
        impl Register for $type {
            $(const WORDS: usize = $each;)?
            fn of(words: &[u64]) -> Self {
                let lanes: [$word; $lanes] = std::array::from_fn(|lane| words[lane] as $word);
                // SAFETY: both are as many bytes of plain integers.
                unsafe { std::mem::transmute(lanes) }
            }
            fn words(self) -> impl IntoIterator<Item = u64> {
                // SAFETY: both are as many bytes of plain integers.
                let lanes: [$word; $lanes] = unsafe { std::mem::transmute(self) };
                lanes.map(u64::from)
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod machine {
    pub use core::arch::aarch64::*;
    use super::Register;
    vector!(uint64x2_t, [u64; 2]);
    vector!(uint32x2_t, [u32; 2]);

    /// Two words for each lane, as a row has them.
    #[repr(C)]
    pub struct Pairs(int64x2_t, int64x2_t);

    impl From<(int64x2_t, int64x2_t)> for Pairs {
        fn from((a, b): (int64x2_t, int64x2_t)) -> Self {
            Self(a, b)
        }
    }

    impl From<Pairs> for (int64x2_t, int64x2_t) {
        fn from(Pairs(a, b): Pairs) -> Self {
            (a, b)
        }
    }

    vector!(Pairs, [u64; 4], 2);

    /// The flags register for C above Z.
    pub fn nzcv(flags: u64) -> u64 {
        (flags >> 1 & 1) << 29 | (flags & 1) << 30
    }

    /// C above Z in the flags register.
    pub fn flags(nzcv: u64) -> u64 {
        (nzcv >> 29 & 1) << 1 | nzcv >> 30 & 1
    }
}

#[cfg(target_arch = "x86_64")]
mod machine {
    pub use core::arch::x86_64::*;
    use super::Register;
    vector!(__m128i, [u64; 2]);
    vector!(__m256i, [u64; 4]);
    vector!(__m512i, [u64; 8]);

    impl Register for __mmask8 {
        fn of(words: &[u64]) -> Self {
            (0..8).fold(0, |mask, lane| mask | (words[lane] as u8 & 1) << lane)
        }
        fn words(self) -> impl IntoIterator<Item = u64> {
            (0..8).map(move |lane| u64::from(self >> lane & 1))
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod machine {
    pub use core::arch::wasm32::*;
    use super::Register;

    macro_rules! held {
        ($name:ident, [$word:ty; $lanes:literal]) => {
            /// A vector read as that.
            #[repr(transparent)]
            pub struct $name(v128);

            impl From<v128> for $name {
                fn from(vector: v128) -> Self {
                    Self(vector)
                }
            }

            impl From<$name> for v128 {
                fn from(held: $name) -> Self {
                    held.0
                }
            }

            vector!($name, [$word; $lanes]);
        };
    }
    held!(Words, [u64; 2]);
    held!(Halves, [u32; 4]);
}

use machine::*;

/// Runs each of the functions on edges, of which it wants so many, and on the other operands.
fn run(functions: &[(unsafe fn(&[Operands], &mut Left), usize)], edges: usize) {
    let [_, from, to] = &std::env::args().collect::<Vec<_>>()[..] else {
        panic!("two files are wanted");
    };
    let bytes = std::fs::read(from).expect("operands");
    let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let words: Vec<u64> = words.collect();
    let operands: Vec<Operands> =
        words.chunks_exact(4).map(|words| words.try_into().unwrap()).collect();
    let mut results = BufWriter::new(std::fs::File::create(to).expect("results"));
    for (function, wanted) in functions {
        let mut left = Left::new();
        for operands in [&operands[..*wanted], &operands[edges..]] {
            // SAFETY: the CPU's features were looked for.
            unsafe { function(operands, &mut left) };
        }
        for word in left {
            results.write_all(&word.to_le_bytes()).expect("a result");
        }
    }
}

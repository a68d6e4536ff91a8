// The head of a program without a standard library that executes rows. It has the operands in it, and
// writes results to its output.

#![no_std]
#![no_main]
#![allow(unused_imports, unused_parens, unused_unsafe, dead_code)]

use core::arch::asm;

/// Operands of one execution.
type Operands = [u64; 4];

/// What holds a word.
trait Register {
    fn of(word: u64) -> Self;
    fn words(self) -> u64;
}

macro_rules! general {
    ($($type:ty: |$word:ident| $of:expr),*) => {
        $(impl Register for $type {
            fn of($word: u64) -> Self {
                $of
            }
            fn words(self) -> u64 {
                self.into()
            }
        })*
    };
}
general!(u64: |word| word, u32: |word| word as u32, bool: |word| word & 1 == 1);

fn operand<T: Register>(all: &[Operands], n: usize) -> T {
    T::of(all[0][n])
}

/// Results, some of which are not written yet.
struct Left {
    bytes: [u8; 4096],
    held: usize,
}

impl Left {
    fn extend(&mut self, word: u64) {
        self.bytes[self.held..self.held + 8].copy_from_slice(&word.to_le_bytes());
        self.held += 8;
        if self.held == self.bytes.len() {
            self.write();
        }
    }

    fn write(&mut self) {
        system::write(&self.bytes[..self.held]);
        self.held = 0;
    }
}

/// Operands, as a file has them.
static OPERANDS: &[u8] = include_bytes!(env!("OPERANDS"));

/// More operands than there are.
const ROOM: usize = 1 << 15;

/// Runs each of the functions on edges, of which it wants so many, and on the other operands.
fn run(functions: &[(unsafe fn(&[Operands], &mut Left), usize)], edges: usize) -> ! {
    let (mut all, mut count) = ([[0; 4]; ROOM], 0);
    for bytes in OPERANDS.chunks_exact(size_of::<Operands>()) {
        for (word, bytes) in all[count].iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        count += 1;
    }
    let mut left = Left { bytes: [0; 4096], held: 0 };
    for (function, wanted) in functions {
        for operands in [&all[..*wanted], &all[edges..count]] {
            // SAFETY: every such machine has what its rows are of.
            unsafe { function(operands, &mut left) };
        }
    }
    left.write();
    system::exit(0)
}

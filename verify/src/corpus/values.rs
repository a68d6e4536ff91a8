//! Words worth trying everywhere.

use crate::oracle::{Field, KOALA_BEAR};

/// The edge values of Goldilocks words: any `u64` is a legal state word.
pub const GOLDILOCKS_EDGES: [u64; 19] = [
    0,
    1,
    2,
    // Around 2^32: the two halves of a product are split and joined here.
    0xffff_fffe,
    0xffff_ffff, // ε = 2^64 mod p
    0x1_0000_0000,
    0x1_0000_0001,
    // Halving: the parity and the sign bit.
    0x7fff_ffff_8000_0000, // (p − 1)/2
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    // Around p, where canonical words end.
    0xffff_fffe_ffff_ffff, // p − 2
    0xffff_ffff_0000_0000, // p − 1
    0xffff_ffff_0000_0001, // p
    0xffff_ffff_0000_0002,
    0xffff_ffff_0000_0003,
    // Inside the band [p, 2^64): the left operand of p3 #1580.
    0xffff_ffff_0b68_83d0,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// The edge values of the words of a field of 31 bits in Montgomery form: canonical, so below p.
const fn montgomery31_edges(p: u64) -> [u64; 19] {
    let (radix, half) = ((1 << 31) - p, p / 2);
    let (one, quarter) = (2 * radix, 1 << 30);
    [
        0,
        1,
        2,
        0xffff,
        0x1_0000,
        // Around 2^31 mod p.
        radix - 1,
        radix,
        radix + 1,
        radix + 2,
        one, // 2^32 mod p
        p - one,
        // Where a sum of two starts to pass 2^31.
        quarter - 1,
        quarter,
        quarter + 1,
        // Halving.
        half,
        half + 1,
        p - 3,
        p - 2,
        p - 1,
    ]
}

/// The edge values of KoalaBear words.
pub const KOALA_BEAR_EDGES: [u64; 19] = montgomery31_edges(KOALA_BEAR.modulus);

/// The edge values of a field's state words.
#[must_use]
pub const fn edges(field: &Field) -> [u64; 19] {
    match field.montgomery_bits {
        0 => GOLDILOCKS_EDGES,
        _ => montgomery31_edges(field.modulus),
    }
}

/// A small generator for filling what a case leaves open (`SplitMix64`): the fill must be the same
/// on every host, so that a case can be named by where it came from.
#[derive(Clone, Debug)]
pub struct Fill(u64);

impl Fill {
    /// Starts a stream.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Any word that a kernel must accept in a state.
    pub fn word(&mut self, field: &Field) -> u64 {
        match field.montgomery_bits {
            0 => self.bits(),
            _ => self.below(field.modulus),
        }
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        let scaled = u128::from(self.bits()) * u128::from(n);
        u64::try_from(scaled >> 64).expect("below n")
    }

    /// A residue that a lazy reduction leaves non-canonical or that sits at an edge, mostly.
    ///
    /// A product's residue below 2^64 − p comes out of a lazy 128-bit reduction as residue + p, so
    /// these are the values that a missing canonicalisation gets wrong.
    pub fn dangerous_residue(&mut self, field: &Field) -> u64 {
        let band = field.band();
        match self.below(8) {
            0 => self.below(field.modulus),
            1 => field.decode(edges(field)[self.index(19)]),
            2 => self.below(4),
            3 => field.modulus - 1 - self.below(4),
            4 => band - 1 - self.below(4),
            _ => self.below(band),
        }
    }

    /// An index below `n`, which must not be 0.
    pub fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).expect("below n")
    }
}

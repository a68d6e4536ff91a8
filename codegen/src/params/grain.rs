//! Round constants by the Grain LFSR, as the Poseidon2 paper's script derives them.

use super::{Field, RoundConstants};
use crate::names::vocabulary;

/// Taps of the 80-bit register, counted from its oldest bit.
const TAPS: [u32; 6] = [0, 13, 23, 38, 51, 62];
const REGISTER_BITS: u32 = 80;
const WARM_UP: u32 = 160;

/// The Grain LFSR in self-shrinking mode.
pub(super) struct Grain {
    /// Bit `i` is the register's `i`-th oldest bit.
    register: u128,
}

impl Grain {
    /// Seeds the register with the parameters, so that no two instances share constants.
    pub(super) fn new(
        field: &Field,
        width: usize,
        external_rounds: usize,
        internal_rounds: usize,
    ) -> Self {
        let seed = [
            (1, 2), // prime field
            (0, 4), // S-box x^alpha
            (u128::from(field.bits()), 12),
            (width as u128, 12),
            (external_rounds as u128, 10),
            (internal_rounds as u128, 10),
            ((1 << 30) - 1, 30),
        ];
        let mut register = 0;
        let mut position = 0;
        for (value, bits) in seed {
            for bit in (0..bits).rev() {
                register |= (value >> bit & 1) << position;
                position += 1;
            }
        }
        debug_assert_eq!(position, REGISTER_BITS);
        let mut grain = Self { register };
        for _ in 0..WARM_UP {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> u64 {
        let bit = TAPS
            .iter()
            .fold(0, |sum, tap| sum ^ (self.register >> tap & 1));
        self.register = self.register >> 1 | bit << (REGISTER_BITS - 1);
        bit as u64
    }

    /// Of each pair of bits the second counts if the first is set.
    fn bit(&mut self) -> u64 {
        loop {
            let (keep, bit) = (self.step(), self.step());
            if keep == 1 {
                return bit;
            }
        }
    }

    /// The next residue: as many bits as the modulus has, drawn again until they are below it.
    pub(super) fn residue(&mut self, field: &Field) -> u64 {
        loop {
            let candidate = (0..field.bits()).fold(0, |word, _| word << 1 | self.bit());
            if candidate < field.modulus {
                return candidate;
            }
        }
    }
}

vocabulary!(
    /// In which order constants are cut from the stream.
    Cut, "order of constants", {
        /// The first external half, internal rounds, the second external half.
        Paper = "initial-internal-final",
        /// Both external halves, then internal rounds.
        ExternalFirst = "initial-final-internal",
    }
);

/// The constants of an instance, in the order they are drawn.
#[must_use]
pub fn round_constants(
    cut: Cut,
    field: &Field,
    width: usize,
    external_rounds: usize,
    internal_rounds: usize,
) -> RoundConstants {
    let mut grain = Grain::new(field, width, external_rounds, internal_rounds);
    let mut rows = |rounds: usize, length: usize| -> Vec<Vec<u64>> {
        (0..rounds)
            .map(|_| (0..length).map(|_| grain.residue(field)).collect())
            .collect()
    };
    let half = external_rounds / 2;
    let mut external = rows(half, width);
    let mut internal = Vec::new();
    if cut == Cut::Paper {
        internal = rows(internal_rounds, 1).concat();
    }
    external.extend(rows(external_rounds - half, width));
    if cut == Cut::ExternalFirst {
        internal = rows(internal_rounds, 1).concat();
    }
    RoundConstants {
        external,
        internal,
        grain: Some(cut),
    }
}

//! The Grain LFSR in its self-shrinking mode, as the Poseidon2 authors' parameter script uses it.

use super::permutation::{Linear, Permutation};
use super::poseidon1::single_constants;

/// Field type of the seed: a prime field.
const PRIME_FIELD: (u64, u32) = (1, 2);
/// S-box type of the seed: x^α for any positive α.
const POWER_SBOX: (u64, u32) = (0, 4);
const TAPS: [u32; 6] = [0, 13, 23, 38, 51, 62];
const WARM_UP: usize = 160;

/// In which order round constants are cut from the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The first external half, internal rounds, the second external half: as in the paper's script.
    Paper,
    /// Both external halves, then internal rounds.
    ExternalFirst,
}

/// The constants of external and of internal rounds, for a permutation of so many of each. Poseidon1 has as
/// many for each round as there are elements, in the order of rounds.
pub(crate) fn constants(permutation: &Permutation, cut: Cut) -> (Vec<Vec<u64>>, Vec<u64>) {
    let (width, rounds) = (permutation.width(), permutation.external.len());
    let internal = permutation.internal.len();
    let mut grain = Grain::new(permutation.modulus, width, rounds, internal);
    if let Linear::Poseidon1(_) = permutation.linear {
        let all: Vec<u64> = grain.take((rounds + internal) * width).collect();
        return single_constants(permutation, &all);
    }
    let half = |grain: &mut Grain| -> Vec<Vec<u64>> {
        let round = |_| grain.take(width).collect();
        (0..rounds / 2).map(round).collect()
    };
    let first = half(&mut grain);
    match cut {
        Cut::Paper => {
            let internal = grain.by_ref().take(internal).collect();
            ([first, half(&mut grain)].concat(), internal)
        }
        Cut::ExternalFirst => {
            let external = [first, half(&mut grain)].concat();
            (external, grain.take(internal).collect())
        }
    }
}

/// A stream of field elements.
#[derive(Clone, Debug)]
pub(crate) struct Grain {
    /// The 80-bit register; bit 0 is the oldest.
    register: u128,
    modulus: u64,
}

impl Grain {
    /// Seeds the register with the instance's parameters and warms it up.
    pub(crate) fn new(
        modulus: u64,
        width: usize,
        external_rounds: usize,
        internal_rounds: usize,
    ) -> Self {
        let bits = u64::from(u64::BITS - modulus.leading_zeros());
        let seed = [
            PRIME_FIELD,
            POWER_SBOX,
            (bits, 12),
            (width as u64, 12),
            (external_rounds as u64, 10),
            (internal_rounds as u64, 10),
            ((1 << 30) - 1, 30),
        ];
        let (mut register, mut filled) = (0, 0);
        for (value, length) in seed {
            for bit in (0..length).rev() {
                register |= u128::from(value >> bit & 1) << filled;
                filled += 1;
            }
        }
        let mut grain = Self { register, modulus };
        for _ in 0..WARM_UP {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> u64 {
        let bit = TAPS
            .iter()
            .fold(0, |sum, tap| sum ^ (self.register >> tap & 1));
        self.register = self.register >> 1 | bit << 79;
        u64::from(bit == 1)
    }

    /// Bits come in pairs; the second one counts only where the first one is 1.
    fn bit(&mut self) -> u64 {
        while self.step() == 0 {
            self.step();
        }
        self.step()
    }
}

impl Iterator for Grain {
    type Item = u64;

    /// The next residue: as many bits as p has, most significant first, until they are below p.
    fn next(&mut self) -> Option<u64> {
        let bits = u64::BITS - self.modulus.leading_zeros();
        loop {
            let x = (0..bits).fold(0, |x, _| x << 1 | self.bit());
            if x < self.modulus {
                return Some(x);
            }
        }
    }
}

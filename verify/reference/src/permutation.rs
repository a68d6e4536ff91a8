//! Oracle 1: Poseidon2 as the paper writes it (eprint 2023/323, section 6), on `u128`, with a
//! division after every step. Nothing here is fast, and nothing here is shared with the generator.

/// A Poseidon2 permutation, given by its numbers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poseidon2 {
    /// The prime p, below 2^64.
    pub modulus: u64,
    /// The exponent of the S-box x ↦ x^α.
    pub alpha: u64,
    /// V in the internal matrix 1·1ᵀ + diag(V), as residues.
    pub diagonal: Vec<u64>,
    /// Constants of the external rounds, first half then second half.
    pub external: Vec<Vec<u64>>,
    /// Constants of the internal rounds.
    pub internal: Vec<u64>,
}

/// One invertible step of the permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Multiply by M_E = circ(2·M4, M4, …, M4).
    ExternalLinear,
    /// Add the constants of this external round to all elements.
    ExternalConstants(usize),
    /// Raise every element to the power α.
    ExternalSbox,
    /// Add the constant of this internal round to element 0.
    InternalConstant(usize),
    /// Raise element 0 to the power α.
    InternalSbox,
    /// Multiply by M_I = 1·1ᵀ + diag(V).
    InternalLinear,
}

/// The 4 × 4 block of the external matrix in the `plonky3` parameter set: circ(2, 3, 1, 1).
pub const M4: [[u128; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];

impl Poseidon2 {
    /// Elements in one state.
    #[must_use]
    pub fn width(&self) -> usize {
        self.diagonal.len()
    }

    /// The whole permutation in order: P2 = E∘…∘E ∘ I∘…∘I ∘ E∘…∘E ∘ M_E.
    #[must_use]
    pub fn layers(&self) -> Vec<Layer> {
        use Layer::{
            ExternalConstants, ExternalLinear, ExternalSbox, InternalConstant, InternalLinear,
            InternalSbox,
        };
        let external = |r| [ExternalConstants(r), ExternalSbox, ExternalLinear];
        let internal = |r| [InternalConstant(r), InternalSbox, InternalLinear];
        let (rounds, half) = (self.external.len(), self.external.len() / 2);
        let mut layers = vec![ExternalLinear];
        layers.extend((0..half).flat_map(external));
        layers.extend((0..self.internal.len()).flat_map(internal));
        layers.extend((half..rounds).flat_map(external));
        layers
    }

    /// Permutes a state of residues; words above p are reduced first. Outputs are below p.
    ///
    /// # Panics
    /// Where `state` is not [`Poseidon2::width`] long.
    pub fn permute(&self, state: &mut [u64]) {
        for layer in self.layers() {
            self.apply(layer, state);
        }
    }

    /// Applies one layer; panics as [`Poseidon2::permute`] does.
    pub fn apply(&self, layer: Layer, state: &mut [u64]) {
        assert_eq!(
            state.len(),
            self.width(),
            "state and permutation differ in width"
        );
        match layer {
            Layer::ExternalLinear => self.external_linear(state),
            Layer::ExternalConstants(round) => {
                for (x, c) in state.iter_mut().zip(&self.external[round]) {
                    *x = self.add(*x, *c);
                }
            }
            Layer::ExternalSbox => state.iter_mut().for_each(|x| *x = self.pow(*x, self.alpha)),
            Layer::InternalConstant(round) => state[0] = self.add(state[0], self.internal[round]),
            Layer::InternalSbox => state[0] = self.pow(state[0], self.alpha),
            Layer::InternalLinear => {
                let sum = self.reduce(state.iter().map(|x| u128::from(*x)).sum());
                for (x, v) in state.iter_mut().zip(&self.diagonal) {
                    *x = self.add(self.mul(*x, *v), sum);
                }
            }
        }
    }

    fn external_linear(&self, state: &mut [u64]) {
        for block in state.chunks_exact_mut(4) {
            let row = |m: [u128; 4]| m.iter().zip(&*block).map(|(m, x)| m * u128::from(*x)).sum();
            let product = M4.map(|m| self.reduce(row(m)));
            block.copy_from_slice(&product);
        }
        let column = |i| {
            state
                .iter()
                .skip(i)
                .step_by(4)
                .map(|x| u128::from(*x))
                .sum()
        };
        let sums = [0, 1, 2, 3].map(|i| self.reduce(column(i)));
        for (i, x) in state.iter_mut().enumerate() {
            *x = self.add(*x, sums[i % 4]);
        }
    }

    /// a + b mod p.
    #[must_use]
    pub fn add(&self, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(a) + u128::from(b))
    }

    /// a · b mod p.
    #[must_use]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(a) * u128::from(b))
    }

    /// a^e mod p by squaring and multiplying.
    #[must_use]
    pub fn pow(&self, a: u64, e: u64) -> u64 {
        (0..u64::BITS - e.leading_zeros()).rev().fold(1, |x, bit| {
            let square = self.mul(x, x);
            if e >> bit & 1 == 1 {
                self.mul(square, a)
            } else {
                square
            }
        })
    }

    fn reduce(&self, x: u128) -> u64 {
        u64::try_from(x % u128::from(self.modulus)).expect("a residue is below p, which fits u64")
    }
}

//! Oracle 1: Poseidon2 as the paper writes it (eprint 2023/323, section 6), and the same rounds with the matrix
//! of Poseidon1, on `u128`, with a division after every step. Nothing here is fast, and nothing here is shared with the generator.

/// A permutation, given by its numbers alone: Poseidon2, or Poseidon1 with one constant for each of its partial rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// The prime p, below 2^64.
    pub modulus: u64,
    /// The exponent of the S-box x ↦ x^α.
    pub alpha: u64,
    /// The linear layers.
    pub linear: Linear,
    /// Constants of the external (full) rounds, first half then second half.
    pub external: Vec<Vec<u64>>,
    /// Constants of the internal (partial) rounds.
    pub internal: Vec<u64>,
}

/// The linear layers of a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linear {
    /// Those of Poseidon2, one for each kind of rounds.
    Poseidon2 {
        /// The external matrix.
        external: External,
        /// The factor c of the internal matrix c·(1·1ᵀ + diag(V)), as a residue; 1 in the paper.
        scale: u64,
        /// V in the internal matrix c·(1·1ᵀ + diag(V)), as residues.
        diagonal: Vec<u64>,
    },
    /// Poseidon1's MDS matrix, row by row, as residues: all rounds have the same.
    Poseidon1(Vec<Vec<u64>>),
}

impl Linear {
    /// Those of the `plonky3` parameter set, with a diagonal.
    #[must_use]
    pub const fn plonky3(diagonal: Vec<u64>) -> Self {
        Self::Poseidon2 {
            external: External::PLONKY3,
            scale: 1,
            diagonal,
        }
    }
}

/// Poseidon2's external matrix, and whether it comes before the first round, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The 4 × 4 matrix that it is made of, as residues.
    pub m4: [[u64; 4]; 4],
    /// In which order of factors.
    pub order: Order,
    /// Whether the state is multiplied by it before the first round.
    pub initial: bool,
}

/// The external matrix as a Kronecker product, with P = 1·1ᵀ + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// P ⊗ M4 = circ(2·M4, M4, …, M4), as in the paper: M4 on neighbours.
    Blocks,
    /// M4 ⊗ P: M4 on elements that are a quarter of the width apart.
    Strides,
}

/// One invertible step of the permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// Multiply by the external matrix.
    ExternalLinear,
    /// Add the constants of this external round to all elements.
    ExternalConstants(usize),
    /// Raise every element to the power α.
    ExternalSbox,
    /// Add the constant of this internal round to element 0.
    InternalConstant(usize),
    /// Raise element 0 to the power α.
    InternalSbox,
    /// Multiply by the internal matrix.
    InternalLinear,
}

impl External {
    /// The layer of the `plonky3` parameter set. Its M4 is circ(2, 3, 1, 1).
    pub const PLONKY3: Self = Self {
        m4: [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]],
        order: Order::Blocks,
        initial: true,
    };

    /// The place of the element that a row of M4 has in a block.
    const fn place(&self, width: usize, block: usize, row: usize) -> usize {
        match self.order {
            Order::Blocks => 4 * block + row,
            Order::Strides => width / 4 * row + block,
        }
    }
}

impl Permutation {
    /// Elements in one state.
    #[must_use]
    pub fn width(&self) -> usize {
        match &self.linear {
            Linear::Poseidon2 { diagonal, .. } => diagonal.len(),
            Linear::Poseidon1(mds) => mds.len(),
        }
    }

    /// Whether a linear layer comes before the first round.
    #[must_use]
    pub const fn starts_linear(&self) -> bool {
        match &self.linear {
            Linear::Poseidon2 { external, .. } => external.initial,
            Linear::Poseidon1(_) => false,
        }
    }

    /// The whole permutation in order: E∘…∘E ∘ I∘…∘I ∘ E∘…∘E ∘ M_E, in Poseidon1 without the first M_E.
    #[must_use]
    pub fn layers(&self) -> Vec<Layer> {
        use Layer::{
            ExternalConstants, ExternalLinear, ExternalSbox, InternalConstant, InternalLinear,
            InternalSbox,
        };
        let external = |r| [ExternalConstants(r), ExternalSbox, ExternalLinear];
        let internal = |r| [InternalConstant(r), InternalSbox, InternalLinear];
        let (rounds, half) = (self.external.len(), self.external.len() / 2);
        let mut layers: Vec<Layer> = self
            .starts_linear()
            .then_some(ExternalLinear)
            .into_iter()
            .collect();
        layers.extend((0..half).flat_map(external));
        layers.extend((0..self.internal.len()).flat_map(internal));
        layers.extend((half..rounds).flat_map(external));
        layers
    }

    /// Permutes a state of residues; words above p are reduced first. Outputs are below p.
    ///
    /// # Panics
    /// Where `state` is not [`Permutation::width`] long.
    pub fn permute(&self, state: &mut [u64]) {
        for layer in self.layers() {
            self.apply(layer, state);
        }
    }

    /// Applies one layer; panics as [`Permutation::permute`] does.
    pub fn apply(&self, layer: Layer, state: &mut [u64]) {
        assert_eq!(
            state.len(),
            self.width(),
            "state and permutation differ in width"
        );
        match layer {
            Layer::ExternalLinear | Layer::InternalLinear => self.multiply(layer, state),
            Layer::ExternalConstants(round) => self.add_all(state, &self.external[round]),
            Layer::ExternalSbox => state.iter_mut().for_each(|x| *x = self.pow(*x, self.alpha)),
            Layer::InternalConstant(round) => state[0] = self.add(state[0], self.internal[round]),
            Layer::InternalSbox => state[0] = self.pow(state[0], self.alpha),
        }
    }

    fn multiply(&self, layer: Layer, state: &mut [u64]) {
        match &self.linear {
            Linear::Poseidon2 { external, .. } if layer == Layer::ExternalLinear => {
                self.external_linear(external, state);
            }
            Linear::Poseidon2 {
                scale, diagonal, ..
            } => {
                let sum = self.reduce(state.iter().map(|x| u128::from(*x)).sum());
                for (x, v) in state.iter_mut().zip(diagonal) {
                    *x = self.mul(*scale, self.add(self.mul(*x, *v), sum));
                }
            }
            Linear::Poseidon1(mds) => {
                let old = state.to_vec();
                for (x, row) in state.iter_mut().zip(mds) {
                    let products = row.iter().zip(&old).map(|(m, y)| self.mul(*m, *y));
                    *x = products.fold(0, |sum, product| self.add(sum, product));
                }
            }
        }
    }

    /// Whether another is the same but for its constants, and has as many of them.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let numbers = |of: &Self| (of.modulus, of.alpha, of.external.len(), of.internal.len());
        numbers(self) == numbers(other) && self.linear == other.linear
    }

    /// Whether x^α is the same for two elements of the field.
    pub(crate) fn merges_elements(&self) -> bool {
        let (mut a, mut b) = (self.modulus - 1, self.alpha);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    }

    /// Whether a linear layer cannot be undone: by Gauss's elimination, on the images of the unit vectors.
    pub(crate) fn is_singular(&self, layer: Layer) -> bool {
        let images = (0..self.width()).map(|n| {
            let mut image = vec![0; self.width()];
            image[n] = 1;
            self.apply(layer, &mut image);
            image
        });
        let mut rows: Vec<Vec<u64>> = images.collect();
        for column in 0..rows.len() {
            let Some(pivot) = (column..rows.len()).find(|row| rows[*row][column] != 0) else {
                return true;
            };
            rows.swap(column, pivot);
            let (pivot, below) = rows[column..].split_at_mut(1);
            let inverse = self.pow(pivot[0][column], self.modulus - 2);
            for row in below {
                let factor = self.mul(self.modulus - row[column], inverse);
                for (x, y) in row.iter_mut().zip(&pivot[0]) {
                    *x = self.add(*x, self.mul(factor, *y));
                }
            }
        }
        false
    }

    /// M4 on each block, then P: to each element the sum of those in its row over all blocks.
    fn external_linear(&self, matrix: &External, state: &mut [u64]) {
        let width = state.len();
        let place = |block, row| matrix.place(width, block, row);
        let mut sums = [0; 4];
        for block in 0..width / 4 {
            let old = [0, 1, 2, 3].map(|row| state[place(block, row)]);
            for (row, entries) in matrix.m4.iter().enumerate() {
                let products = entries.iter().zip(old).map(|(m, x)| self.mul(*m, x));
                let x = products.fold(0, |sum, product| self.add(sum, product));
                state[place(block, row)] = x;
                sums[row] = self.add(sums[row], x);
            }
        }
        for block in 0..width / 4 {
            for (row, sum) in sums.iter().enumerate() {
                let x = &mut state[place(block, row)];
                *x = self.add(*x, *sum);
            }
        }
    }

    pub(crate) fn add_all(&self, state: &mut [u64], constants: &[u64]) {
        for (x, c) in state.iter_mut().zip(constants) {
            *x = self.add(*x, *c);
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

    /// ±numerator / 2^shift mod p.
    #[must_use]
    pub fn fraction(&self, negative: bool, numerator: u64, shift: u32) -> u64 {
        let half = self.modulus.div_ceil(2);
        let magnitude = self.mul(numerator, self.pow(half, shift.into()));
        let sign = if negative { self.modulus - 1 } else { 1 };
        self.mul(magnitude, sign)
    }

    /// Twice as fast where the words are short, as they are over 31-bit fields.
    fn reduce(&self, x: u128) -> u64 {
        u64::try_from(x).map_or_else(
            |_| (x % u128::from(self.modulus)) as u64,
            |x| x % self.modulus,
        )
    }
}

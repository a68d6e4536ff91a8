//! Poseidon2 run backwards: every layer is a bijection, so for any state that we want to see in
//! the middle of a permutation there is exactly one input that leads there.

use super::{GOLDILOCKS, Layer, Permutation};

/// A permutation together with what its layers need to be undone.
#[derive(Clone, Debug)]
pub struct Inverse {
    permutation: Permutation,
    layers: Vec<Layer>,
    /// α⁻¹ mod p − 1: the exponent that undoes the S-box.
    root: u64,
    external: Vec<Vec<u64>>,
    internal: Vec<Vec<u64>>,
}

impl Inverse {
    /// Prepares the inverse, or `None` where a layer is not invertible.
    #[must_use]
    pub fn new(permutation: &Permutation) -> Option<Self> {
        Some(Self {
            layers: permutation.layers(),
            root: inverse_mod(permutation.alpha, permutation.modulus - 1)?,
            external: invert(permutation, Layer::ExternalLinear)?,
            internal: invert(permutation, Layer::InternalLinear)?,
            permutation: permutation.clone(),
        })
    }

    /// The layers of the permutation, in forward order.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Turns the state *before* layer number `layer` into the permutation's input. The number of
    /// layers itself stands for the output.
    ///
    /// # Panics
    /// Where there are fewer layers than `layer`.
    pub fn input_for(&self, layer: usize, state: &mut [u64]) {
        for done in self.layers[..layer].iter().rev() {
            self.undo(*done, state);
        }
    }

    /// The inverse of [`Permutation::apply`].
    pub fn undo(&self, layer: Layer, state: &mut [u64]) {
        let permutation = &self.permutation;
        let negate = |c: u64| permutation.modulus - c % permutation.modulus;
        match layer {
            Layer::ExternalLinear => self.multiply(&self.external, state),
            Layer::InternalLinear => self.multiply(&self.internal, state),
            Layer::ExternalConstants(round) => {
                for (x, c) in state.iter_mut().zip(&permutation.external[round]) {
                    *x = permutation.add(*x, negate(*c));
                }
            }
            Layer::InternalConstant(round) => {
                state[0] = permutation.add(state[0], negate(permutation.internal[round]));
            }
            Layer::ExternalSbox => state.iter_mut().for_each(|x| *x = self.root_of(*x)),
            Layer::InternalSbox => state[0] = self.root_of(state[0]),
        }
    }

    fn root_of(&self, x: u64) -> u64 {
        let bits = 0..u64::BITS - self.root.leading_zeros();
        bits.rev().fold(1, |power, bit| {
            let square = self.mul(power, power);
            match self.root >> bit & 1 {
                1 => self.mul(square, x),
                _ => square,
            }
        })
    }

    fn multiply(&self, matrix: &[Vec<u64>], state: &mut [u64]) {
        let old = state.to_vec();
        let p = u128::from(self.permutation.modulus);
        for (x, row) in state.iter_mut().zip(matrix) {
            let pairs = row.iter().zip(&old);
            let sum: u128 = if self.is_small() {
                pairs.map(|(m, y)| u128::from(*m) * u128::from(*y)).sum()
            } else {
                pairs.map(|(m, y)| u128::from(self.mul(*m, *y))).sum()
            };
            *x = (sum % p) as u64;
        }
    }

    /// Whether a product of residues is in a word.
    fn is_small(&self) -> bool {
        self.permutation.modulus <= 1 << 32
    }

    /// A product modulo p of residues. A division of 128 bits takes several times as long.
    fn mul(&self, a: u64, b: u64) -> u64 {
        let p = self.permutation.modulus;
        if p == GOLDILOCKS.modulus {
            let word = fold(p, u128::from(a) * u128::from(b));
            if word < p { word } else { word - p }
        } else if self.is_small() {
            a * b % p
        } else {
            self.permutation.mul(a, b)
        }
    }
}

/// A product over Goldilocks in one word, by 2^64 ≡ 2^32 - 1 and 2^96 ≡ -1.
pub(crate) fn fold(p: u64, product: u128) -> u64 {
    let epsilon = p.wrapping_neg();
    let (low, high) = (product as u64, (product >> 64) as u64);
    let (t, borrow) = low.overflowing_sub(high >> 32);
    let t = if borrow { t.wrapping_sub(epsilon) } else { t };
    let (r, carry) = t.overflowing_add((high & epsilon) * epsilon);
    if carry { r.wrapping_add(epsilon) } else { r }
}

/// Inverts a linear layer by Gauss-Jordan elimination on the matrix read off the layer itself.
fn invert(permutation: &Permutation, layer: Layer) -> Option<Vec<Vec<u64>>> {
    let n = permutation.width();
    let columns: Vec<Vec<u64>> = (0..n)
        .map(|j| {
            let mut unit = vec![0; n];
            unit[j] = 1;
            permutation.apply(layer, &mut unit);
            unit
        })
        .collect();
    let mut rows: Vec<Vec<u64>> = (0..n)
        .map(|i| {
            let left = columns.iter().map(|column| column[i]);
            left.chain((0..n).map(|j| u64::from(i == j))).collect()
        })
        .collect();
    for pivot in 0..n {
        let found = (pivot..n).find(|i| rows[*i][pivot] != 0)?;
        rows.swap(pivot, found);
        let scale = permutation.pow(rows[pivot][pivot], permutation.modulus - 2);
        let scaled: Vec<u64> = rows[pivot]
            .iter()
            .map(|x| permutation.mul(*x, scale))
            .collect();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
            let factor = permutation.modulus - row[pivot];
            for (x, y) in row.iter_mut().zip(&scaled) {
                *x = permutation.add(*x, permutation.mul(factor, *y));
            }
        }
        rows[pivot] = scaled;
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// a⁻¹ mod m by the extended Euclidean algorithm, where it exists.
fn inverse_mod(a: u64, m: u64) -> Option<u64> {
    let (mut r, mut next_r) = (i128::from(m), i128::from(a));
    let (mut t, mut next_t) = (0_i128, 1_i128);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (t, next_t) = (next_t, t - q * next_t);
    }
    (r == 1).then(|| u64::try_from(t.rem_euclid(i128::from(m))).ok())?
}

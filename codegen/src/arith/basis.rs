//! The basis in which internal rounds keep the state.
//!
//! Many diagonals have two entries `d` and `-d`. With `a` and `b` for the elements there and `S`
//! for the sum of all, a round makes `a' = S + d·a` and `b' = S - d·b`. Their sum and difference
//! need one multiple each instead of two, and the sum of all elements needs `a + b` alone. With
//! `d = n/2^s` and
//!
//! ```text
//! m = a + b            m' = 2S + n/2^(2s)·q
//! q = 2^s·(a - b)      q' = n·m
//! ```
//!
//! a pair of fractions costs one division instead of two. `m` takes the place of `a`, `q` that of
//! `b`; the way back is `a = m/2 + q/2^(s+1)` and `b = m/2 - q/2^(s+1)`. Element 0, which the S-box
//! takes, is never in a pair.
//!
//! Where multiplying by `n` is no cheaper than by any other number, `q` is divided by `n` as well: then
//! `m' = 2S + d²·q` and `q' = m`.
//!
//! A factor `c` of the whole layer goes into `S` and the entries, or into what elements are kept as. Where entries are
//! small numbers, one reduction of a sum divides it by the radix R of Montgomery forms, whatever `c` is. Let `g` be
//! `c·R`. Before round `r` all elements but the first are kept divided by `g^r` ([`Growth`]). With `z` for what the
//! S-box gives, `z/g^r` takes part in the sum of all, and a round makes
//!
//! ```text
//! a' = (S + d·a) / R                  of what is kept, for an entry d
//! x' = c·g^r·(S - z/g^r) + c·(1 + d)·z     for the first element, as it is
//! ```
//!
//! The change of basis is linear and invertible, and a proof shows of each block that it computes
//! what the instance asks for in this basis; so nothing depends on how pairs are chosen.

use crate::params::{Companion, Field, Instance, Rational, Spectrum};

/// The basis of the state between internal rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// It is that of words but for these pairs.
    pub pairs: Vec<Pair>,
    /// Of Poseidon1, that of its partial rounds.
    pub companion: Option<Companion>,
    /// The same, where the matrix multiplies each element by a number.
    pub spectrum: Option<Spectrum>,
    /// Elements but the first are kept divided by a power that grows from round to round.
    pub growth: Option<Growth>,
}

/// What elements but the first are kept divided by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// What the divisor is multiplied by in each round, as a residue. It starts with 1.
    pub ratio: u64,
    /// The words that each round multiplies by: what the S-box gives, and the sum of the other elements.
    pub factors: Vec<[u64; 2]>,
}

impl From<Vec<Pair>> for Basis {
    fn from(pairs: Vec<Pair>) -> Self {
        Self {
            pairs,
            ..Self::default()
        }
    }
}

impl Basis {
    /// A state of residues in the basis that it has before a round.
    pub fn enter(&self, field: &Field, round: usize, state: &mut [u64]) {
        if let Some(growth) = &self.growth {
            let inverse = field.inv(growth.divisor(field, round));
            Growth::multiply(field, inverse.expect("no scale is zero"), state);
        }
        Pair::enter(&self.pairs, field, state);
        if let Some(companion) = &self.companion {
            companion.enter(field, state);
        }
        if let Some(spectrum) = &self.spectrum {
            spectrum.enter(state);
        }
    }

    /// The way back.
    pub fn leave(&self, field: &Field, round: usize, state: &mut [u64]) {
        Pair::leave(&self.pairs, field, state);
        if let Some(companion) = &self.companion {
            companion.leave(field, state);
        }
        if let Some(spectrum) = &self.spectrum {
            spectrum.leave(state);
        }
        if let Some(growth) = &self.growth {
            Growth::multiply(field, growth.divisor(field, round), state);
        }
    }
}

impl Growth {
    /// What elements are kept divided by before a round.
    #[must_use]
    pub fn divisor(&self, field: &Field, round: usize) -> u64 {
        field.pow(self.ratio, round as u64)
    }

    fn multiply(field: &Field, by: u64, state: &mut [u64]) {
        for x in &mut state[1..] {
            *x = field.mul(*x, by);
        }
    }
}

/// Two elements that internal rounds keep as `a + b` and `2^shift/divisor·(a - b)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The element whose diagonal entry is positive; in its place is the sum.
    pub sum: usize,
    /// The element whose entry is the opposite; in its place is the multiple of the difference.
    pub difference: usize,
    /// Exponent of the multiple.
    pub shift: u32,
    /// 1, or the numerator of the entries.
    pub divisor: u64,
}

impl Pair {
    /// The pairs that columns are kept in.
    #[must_use]
    pub fn of_columns(instance: &Instance) -> Vec<Self> {
        let mut pairs = Self::all(instance);
        // Twice the shift must be one that columns are divided by.
        pairs.retain(|pair| pair.shift <= 16);
        pairs.iter_mut().for_each(|pair| pair.divisor = 1);
        pairs
    }

    /// The pairs of an instance's diagonal, by their first elements.
    #[must_use]
    pub fn all(instance: &Instance) -> Vec<Self> {
        let diagonal = instance.entries();
        let mut pairs: Vec<Self> = Vec::new();
        let small = |d: &Rational| d.is_small(instance.field);
        let positive = |(_, d): &(usize, &Rational)| !d.negative && small(d);
        for (sum, d) in diagonal.iter().enumerate().skip(1).filter(positive) {
            let opposite = diagonal.iter().enumerate().skip(1).find(|(i, e)| {
                e.negative
                    && (e.numerator, e.shift) == (d.numerator, d.shift)
                    && pairs.iter().all(|pair| pair.difference != *i)
            });
            if let Some((difference, _)) = opposite {
                pairs.push(Self {
                    sum,
                    difference,
                    shift: d.shift,
                    divisor: d.numerator,
                });
            }
        }
        pairs
    }

    /// A state of residues in the basis with these pairs.
    pub fn enter(pairs: &[Self], field: &Field, state: &mut [u64]) {
        for pair in pairs {
            let (a, b) = (state[pair.sum], state[pair.difference]);
            state[pair.sum] = field.add(a, b);
            state[pair.difference] = field.mul(pair.scale(field), field.sub(a, b));
        }
    }

    /// What the difference is multiplied by.
    #[must_use]
    pub fn scale(&self, field: &Field) -> u64 {
        let divisor = field.inv(self.divisor).expect("no entry is zero");
        field.mul(field.pow(2, self.shift.into()), divisor)
    }

    /// The way back.
    pub fn leave(pairs: &[Self], field: &Field, state: &mut [u64]) {
        let half = field.modulus.div_ceil(2);
        for pair in pairs {
            let m = field.mul(half, state[pair.sum]);
            let scale = field.inv(pair.scale(field)).expect("no entry is zero");
            let q = field.mul(half, field.mul(scale, state[pair.difference]));
            state[pair.sum] = field.add(m, q);
            state[pair.difference] = field.sub(m, q);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR, instance};

    #[test]
    fn pairs_are_opposite_and_the_way_back_is_the_inverse() {
        for (field, width) in [
            (&GOLDILOCKS, 8),
            (&GOLDILOCKS, 12),
            (&GOLDILOCKS, 16),
            (&KOALA_BEAR, 16),
        ] {
            let instance = instance("plonky3", field, width).unwrap();
            let diagonal = instance.diagonal_residues();
            for pairs in [Pair::all(&instance), Pair::of_columns(&instance)] {
                assert!(pairs.len() >= 2);
                for pair in &pairs {
                    let [d, e] = [pair.sum, pair.difference].map(|i| diagonal[i]);
                    assert_eq!(field.add(d, e), 0);
                }
                for i in 0..width {
                    let mut unit = vec![0; width];
                    unit[i] = 1;
                    let before = unit.clone();
                    Pair::enter(&pairs, field, &mut unit);
                    Pair::leave(&pairs, field, &mut unit);
                    assert_eq!(unit, before);
                }
            }
        }
    }
}

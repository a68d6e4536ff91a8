//! Poseidon1's partial rounds in a basis where all of them do the same few products.
//!
//! Write the matrix as `M = [m v; w N]` with the number `m` and `N` one less than the width. What a partial round
//! makes of `z`, the S-box of element 0, and of the vector `y` of the others is `m·z + v·y` and `w·z + N·y`. Where
//! `w, N·w, N²·w, …` span all `y`, there is a basis in which `w` is the first unit vector and `N` has `a` in its
//! first row, ones below the diagonal and nothing else (the controller canonical form of a linear system with one
//! input; Kailath, "Linear Systems", 1980). With `y = T·η` a round is
//!
//! ```text
//! x₀' = m·z + c·η      η₀' = z + a·η      ηₖ' = ηₖ₋₁
//! ```
//!
//! Sparse rounds (eprint 2019/458, appendix B) have as many products, but numbers of their own in each round, and
//! all elements to reduce in each.

use super::{Field, Mds};

/// The basis and the rows of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// `T⁻¹`, by rows.
    pub into: Vec<Vec<u64>>,
    /// `T`, by rows.
    pub back: Vec<Vec<u64>>,
    /// `m`, then `c`.
    pub first: Vec<u64>,
    /// `a`.
    pub next: Vec<u64>,
}

impl Companion {
    /// The form of a matrix; none if it has none.
    #[must_use]
    pub fn of(field: &Field, mds: &Mds) -> Option<Self> {
        let (row, others) = mds.rows.split_first()?;
        let dense = Mds {
            rows: others.iter().map(|row| row[1..].to_vec()).collect(),
        };
        let column: Vec<u64> = others.iter().map(|row| row[0]).collect();
        let mut powers = vec![column.clone()];
        for n in 0..column.len() {
            let mut next = powers[n].clone();
            dense.multiply(field, &mut next);
            powers.push(next);
        }
        // The last power of `N` as a sum of the others (Cayley and Hamilton), the highest first.
        let mut next = powers.pop()?;
        Mds { rows: powers }
            .transposed()
            .inverse(field)?
            .multiply(field, &mut next);
        next.reverse();
        // `N` makes `tₖ₊₁ + aₖ·w` of the column `tₖ` of `T`.
        let mut columns = vec![column.clone()];
        for (k, a) in next[..next.len() - 1].iter().enumerate() {
            let mut t = columns[k].clone();
            dense.multiply(field, &mut t);
            for (t, w) in t.iter_mut().zip(&column) {
                *t = field.sub(*t, field.mul(*a, *w));
            }
            columns.push(t);
        }
        let dot = |t: &Vec<u64>| {
            let products = row[1..].iter().zip(t).map(|(v, t)| field.mul(*v, *t));
            products.fold(0, |sum, product| field.add(sum, product))
        };
        let mut first = vec![row[0]];
        first.extend(columns.iter().map(dot));
        let back = Mds { rows: columns }.transposed();
        Some(Self {
            into: back.inverse(field)?.rows,
            back: back.rows,
            first,
            next,
        })
    }

    /// The rows of a linear layer and the way into this basis after it.
    #[must_use]
    pub fn after(&self, field: &Field, mds: &Mds) -> Vec<Vec<u64>> {
        let mut columns = mds.transposed();
        for column in &mut columns.rows {
            self.enter(field, column);
        }
        columns.transposed().rows
    }

    /// A state of residues in this basis.
    pub fn enter(&self, field: &Field, state: &mut [u64]) {
        let rows = self.into.clone();
        Mds { rows }.multiply(field, &mut state[1..]);
    }

    /// The way back.
    pub fn leave(&self, field: &Field, state: &mut [u64]) {
        let rows = self.back.clone();
        Mds { rows }.multiply(field, &mut state[1..]);
    }
}

impl Mds {
    pub(super) fn transposed(&self) -> Self {
        let column = |j: usize| self.rows.iter().map(|row| row[j]).collect();
        Self {
            rows: (0..self.rows.len()).map(column).collect(),
        }
    }

    /// By Gauss-Jordan elimination.
    pub(super) fn inverse(&self, field: &Field) -> Option<Self> {
        let size = self.rows.len();
        let unit = |i| (0..size).map(|j| u64::from(i == j)).collect();
        let (mut left, mut right) = (
            self.rows.clone(),
            (0..size).map(unit).collect::<Vec<Vec<u64>>>(),
        );
        for column in 0..size {
            let pivot = (column..size).find(|&row| left[row][column] != 0)?;
            left.swap(column, pivot);
            right.swap(column, pivot);
            let inverse = field.inv(left[column][column])?;
            for x in left[column].iter_mut().chain(&mut right[column]) {
                *x = field.mul(*x, inverse);
            }
            let (base, other) = (left[column].clone(), right[column].clone());
            for row in (0..size).filter(|row| *row != column) {
                let factor = left[row][column];
                let pairs = left[row].iter_mut().zip(&base);
                for (x, y) in pairs.chain(right[row].iter_mut().zip(&other)) {
                    *x = field.sub(*x, field.mul(factor, *y));
                }
            }
        }
        Some(Self { rows: right })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR};

    /// Some rounds by the matrix, and in the basis.
    #[test]
    fn rounds_are_those_of_the_matrix() {
        let circulant = Mds::circulant(&[7, 1, 3, 8, 8, 3, 4, 9]);
        let mut other = circulant.clone();
        other.rows[3][0] += 5;
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            for mds in [&circulant, &other] {
                let companion = Companion::of(field, mds).unwrap();
                let mut dense: Vec<u64> = (1..9).map(|n| field.neg(n * n)).collect();
                let mut state = dense.clone();
                companion.enter(field, &mut state);
                for _ in 0..5 {
                    dense[0] = field.pow(dense[0], 7);
                    mds.multiply(field, &mut dense);
                    state[0] = field.pow(state[0], 7);
                    let row = |row: &[u64], state: &[u64]| {
                        let products = row.iter().zip(state).map(|(k, x)| field.mul(*k, *x));
                        products.fold(0, |sum, product| field.add(sum, product))
                    };
                    let first = row(&companion.first, &state);
                    let next = field.add(state[0], row(&companion.next, &state[1..]));
                    state[1..].rotate_right(1);
                    [state[0], state[1]] = [first, next];
                }
                companion.leave(field, &mut state);
                assert_eq!(state, dense);
            }
        }
        // The first column is an eigenvector of what is left.
        let circulant = Mds::circulant(&[2, 1, 1, 1]);
        assert_eq!(Companion::of(&GOLDILOCKS, &circulant), None);
    }
}

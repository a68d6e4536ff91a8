//! The external linear layer: what it is made of.

use std::fmt;

use super::Field;
use crate::names::vocabulary;

/// The 4×4 block of Plonky3: `circ(2, 3, 1, 1)`.
pub const M4: [[u64; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];

/// The 4×4 block of the paper (eprint 2023/323, section 5.1), which Horizen Labs' code has.
pub const HORIZEN_M4: [[u64; 4]; 4] = [[5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]];

vocabulary!(
    /// The external matrix as a Kronecker product, with `P = 1·1ᵀ + 1`.
    Order, "order", {
        /// `P ⊗ M4 = circ(2·M4, M4, …, M4)`, as in the paper: M4 on neighbours.
        Blocks = "blocks",
        /// `M4 ⊗ P`: M4 on elements that are a quarter of the width apart.
        Strides = "strides",
    }
);

/// The external linear layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLayer {
    /// The 4×4 matrix, as residues.
    pub m4: [[u64; 4]; 4],
    /// In which order of factors.
    pub order: Order,
    /// Whether it comes before the first round, too.
    pub initial: bool,
}

impl ExternalLayer {
    /// That of the paper, with Plonky3's M4.
    pub const PLONKY3: Self = Self {
        m4: M4,
        order: Order::Blocks,
        initial: true,
    };

    /// The place of the element that a row of M4 has in a block.
    #[must_use]
    pub const fn place(&self, width: usize, block: usize, row: usize) -> usize {
        match self.order {
            Order::Blocks => 4 * block + row,
            Order::Strides => width / 4 * row + block,
        }
    }

    /// The block and the row of M4 that an element has.
    #[must_use]
    pub const fn factors(&self, width: usize, place: usize) -> (usize, usize) {
        match self.order {
            Order::Blocks => (place / 4, place % 4),
            Order::Strides => (place % (width / 4), place / (width / 4)),
        }
    }

    /// Whether M4 is not invertible; the other factor, whose determinant is a quarter of the width
    /// and one, always is.
    #[must_use]
    pub fn is_singular(&self, field: &Field) -> bool {
        let mut rows = self.m4;
        for column in 0..4 {
            let Some(pivot) = (column..4).find(|&row| rows[row][column] != 0) else {
                return true;
            };
            rows.swap(column, pivot);
            let Some(inverse) = field.inv(rows[column][column]) else {
                return true;
            };
            let pivot = rows[column];
            for row in &mut rows[column + 1..] {
                let factor = field.mul(row[column], inverse);
                for (x, y) in row.iter_mut().zip(pivot) {
                    *x = field.sub(*x, field.mul(factor, y));
                }
            }
        }
        false
    }
}

/// As messages have it.
impl fmt::Display for ExternalLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m4, order, initial } = self;
        match *m4 {
            M4 => write!(f, "M4 of Plonky3")?,
            HORIZEN_M4 => write!(f, "M4 of Horizen")?,
            m4 => write!(f, "M4 = {m4:?}")?,
        }
        write!(f, " in {order}")?;
        if *initial {
            return Ok(());
        }
        write!(f, ", not before the first round")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR};

    #[test]
    fn places_and_factors_are_inverse() {
        for order in Order::ALL {
            let layer = ExternalLayer {
                order,
                ..ExternalLayer::PLONKY3
            };
            for place in 0..24 {
                let (block, row) = layer.factors(24, place);
                assert!(block < 6 && row < 4);
                assert_eq!(layer.place(24, block, row), place);
            }
        }
    }

    #[test]
    fn a_singular_block_is_found() {
        let with = |m4| ExternalLayer {
            m4,
            ..ExternalLayer::PLONKY3
        };
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            assert!(!with(M4).is_singular(field));
            assert!(!with(HORIZEN_M4).is_singular(field));
            let [a, b, c, d] = M4;
            let sum = [0, 1, 2, 3].map(|i| field.sub(a[i], b[i]));
            assert!(with([a, b, c, sum]).is_singular(field));
            assert!(!with([d, c, b, a]).is_singular(field));
        }
    }
}

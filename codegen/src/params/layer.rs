//! The linear layers: what they are made of.

use std::fmt;

use super::{Field, Rational};
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

vocabulary!(
    /// Whose rounds and layers a permutation has.
    Kind, "kind of permutation", {
        /// eprint 2023/323.
        Poseidon2 = "poseidon2",
        /// eprint 2019/458.
        Poseidon1 = "poseidon1",
    }
);

impl Kind {
    /// Its name in texts.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Poseidon2 => "Poseidon2",
            Self::Poseidon1 => "Poseidon1",
        }
    }
}

/// The linear layers of a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linear {
    /// Those of Poseidon2, one for each kind of rounds.
    Poseidon2 {
        /// That of external rounds.
        external: ExternalLayer,
        /// That of internal rounds.
        internal: InternalLayer,
    },
    /// Poseidon1's: the same in all rounds.
    Poseidon1(Mds),
}

impl Linear {
    /// What the layer of external (full) rounds makes of a state of residues.
    pub fn in_external_round(&self, field: &Field, state: &mut [u64]) {
        match self {
            Self::Poseidon2 { external, .. } => external.multiply(field, state),
            Self::Poseidon1(mds) => mds.multiply(field, state),
        }
    }

    /// What the layer of internal (partial) rounds makes of a state of residues.
    pub fn in_internal_round(&self, field: &Field, state: &mut [u64]) {
        match self {
            Self::Poseidon2 { internal, .. } => internal.multiply(field, state),
            Self::Poseidon1(mds) => mds.multiply(field, state),
        }
    }
}

/// Poseidon2's internal linear layer, `c·(1·1ᵀ + diag(V))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalLayer {
    /// The factor `c`; 1 in the paper.
    pub scale: Rational,
    /// `V`.
    pub diagonal: Vec<Rational>,
}

impl InternalLayer {
    fn multiply(&self, field: &Field, state: &mut [u64]) {
        let sum = state.iter().fold(0, |sum, &x| field.add(sum, x));
        let scale = self.scale.residue(field);
        for (x, d) in state.iter_mut().zip(&self.diagonal) {
            let multiple = field.mul(d.residue(field), *x);
            *x = field.mul(scale, field.add(sum, multiple));
        }
    }
}

/// Poseidon1's MDS matrix (eprint 2019/458, section 2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mds {
    /// Its rows, as residues.
    pub rows: Vec<Vec<u64>>,
}

impl Mds {
    /// Each row is the one above, a place further to the right.
    #[must_use]
    pub fn circulant(first: &[u64]) -> Self {
        let turned = |places| {
            let mut row = first.to_vec();
            row.rotate_right(places);
            row
        };
        Self {
            rows: (0..first.len()).map(turned).collect(),
        }
    }

    /// Whether its first row says all.
    #[must_use]
    pub fn is_circulant(&self) -> bool {
        self.rows
            .first()
            .is_none_or(|first| Self::circulant(first) == *self)
    }

    /// Whether it is not invertible.
    #[must_use]
    pub fn is_singular(&self, field: &Field) -> bool {
        is_singular(field, self.rows.clone())
    }

    /// What it makes of a state of residues.
    pub fn multiply(&self, field: &Field, state: &mut [u64]) {
        let old = state.to_vec();
        for (x, row) in state.iter_mut().zip(&self.rows) {
            let products = row.iter().zip(&old).map(|(m, y)| field.mul(*m, *y));
            *x = products.fold(0, |sum, product| field.add(sum, product));
        }
    }
}

/// As messages have it.
impl fmt::Display for Mds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.rows[..], self.is_circulant()) {
            ([first, ..], true) => write!(f, "circ{first:?}"),
            (rows, _) => write!(f, "{rows:?}"),
        }
    }
}

/// Poseidon2's external linear layer.
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

    fn multiply(&self, field: &Field, state: &mut [u64]) {
        let (width, old) = (state.len(), state.to_vec());
        for (i, x) in state.iter_mut().enumerate() {
            let (block, row) = self.factors(width, i);
            *x = old.iter().enumerate().fold(0, |sum, (j, y)| {
                let (other, column) = self.factors(width, j);
                let within = if block == other { 2 } else { 1 };
                let entry = field.mul(within, self.m4[row][column]);
                field.add(sum, field.mul(entry, *y))
            });
        }
    }

    /// Whether M4 is not invertible; the other factor, whose determinant is a quarter of the width
    /// and one, always is.
    #[must_use]
    pub fn is_singular(&self, field: &Field) -> bool {
        is_singular(field, self.m4.map(Vec::from).to_vec())
    }
}

impl Linear {
    /// Whether Poseidon1's matrix, or M4, is seen not to be MDS: an entry, or a determinant of two rows and two columns,
    /// is zero. There are too many larger determinants to look at.
    #[must_use]
    pub fn is_plainly_not_mds(&self, field: &Field) -> bool {
        let rows = match self {
            Self::Poseidon1(mds) => mds.rows.clone(),
            Self::Poseidon2 { external, .. } => external.m4.map(Vec::from).to_vec(),
        };
        let pairs = || (0..rows.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let is_singular = |(a, b): (usize, usize), (c, d): (usize, usize)| {
            field.mul(rows[a][c], rows[b][d]) == field.mul(rows[a][d], rows[b][c])
        };
        rows.iter().flatten().any(|entry| *entry == 0)
            || pairs().any(|rows| pairs().any(|columns| is_singular(rows, columns)))
    }
}

/// By Gaussian elimination.
fn is_singular(field: &Field, mut rows: Vec<Vec<u64>>) -> bool {
    for column in 0..rows.len() {
        let Some(pivot) = (column..rows.len()).find(|&row| rows[row][column] != 0) else {
            return true;
        };
        rows.swap(column, pivot);
        let Some(inverse) = field.inv(rows[column][column]) else {
            return true;
        };
        let pivot = rows[column].clone();
        for row in &mut rows[column + 1..] {
            let factor = field.mul(row[column], inverse);
            for (x, y) in row.iter_mut().zip(&pivot) {
                *x = field.sub(*x, field.mul(factor, *y));
            }
        }
    }
    false
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
    fn matrices_that_are_used_are_not_plainly_wrong() {
        let of_m4 = |m4| {
            let external = ExternalLayer {
                m4,
                ..ExternalLayer::PLONKY3
            };
            let internal = InternalLayer {
                scale: Rational::ONE,
                diagonal: Vec::new(),
            };
            Linear::Poseidon2 { external, internal }
        };
        let of_row = |row: &[u64]| Linear::Poseidon1(Mds::circulant(row));
        for (linear, wanted) in [
            (of_m4(M4), false),
            (of_m4(HORIZEN_M4), false),
            (
                of_m4([[1, 1, 1, 1], [1, 1, 1, 2], [1, 1, 2, 3], [1, 2, 3, 4]]),
                true,
            ),
            (of_row(&[7, 1, 3, 8, 8, 3, 4, 9]), false),
            (of_row(&[1, 0, 0, 0, 0, 0, 0, 0]), true),
        ] {
            assert_eq!(linear.is_plainly_not_mds(&GOLDILOCKS), wanted, "{linear:?}");
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

//! Subspaces that some number of internal rounds maps to themselves.
//!
//! The S-box of an internal round changes element 0 alone. Take the smallest subspace that holds the first
//! unit vector and that a power of the internal matrix maps to itself: it is spanned by what that power
//! makes of the unit vector, again and again. Where it is not the whole space, there are subspace trails
//! of any length (eprint 2023/323, section 5). For the matrix itself it is easy to see: states that differ
//! by an element of the orthogonal complement keep such a difference, because the matrix is symmetric, and
//! no S-box ever sees it. The paper's search looks at powers up to twice the width, and so does this.
//!
//! Poseidon1's matrix need not be symmetric. There what element 0 is made of, which its transpose tells, may be less
//! than the whole space as well (eprint 2020/500).

use super::{Field, Mds};

/// A subspace that is mapped to itself and is not the whole space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subspace {
    /// The least power of the matrix that maps it to itself.
    pub power: usize,
    /// The dimension of what element 0 reaches.
    pub reached: usize,
    /// Two entries of the diagonal after the first that are equal, if there are such: the difference of
    /// their elements stays where it is.
    pub equal: Option<[usize; 2]>,
}

impl Subspace {
    /// In words, of what and of how many elements.
    #[must_use]
    pub fn told(&self, what: &str, width: usize) -> String {
        let steps = match self.power {
            1 => String::new(),
            power => format!(" in steps of {power} rounds"),
        };
        format!("{what}{steps} has dimension {}, not {width}", self.reached)
    }
}

/// The subspace that internal layers `1·1ᵀ + diag(V)`, or any multiple, leave as it is after the least
/// number of rounds; none if element 0 reaches all.
#[must_use]
pub fn invariant_subspace(field: &Field, diagonal: &[u64]) -> Option<Subspace> {
    let width = diagonal.len();
    let pairs = (1..width).flat_map(|i| (i + 1..width).map(move |j| [i, j]));
    let mut equal = pairs.filter(|[i, j]| diagonal[*i] == diagonal[*j]);
    let found = least(field, width, |vector| {
        let sum = vector.iter().fold(0, |sum, &x| field.add(sum, x));
        for (x, d) in vector.iter_mut().zip(diagonal) {
            *x = field.add(sum, field.mul(*x, *d));
        }
    })?;
    let equal = equal.next();
    Some(Subspace { equal, ..found })
}

/// The same of Poseidon1's matrix, and of its transpose.
#[must_use]
pub fn invariant_subspaces(field: &Field, mds: &Mds) -> [Option<Subspace>; 2] {
    [mds, &mds.transposed()].map(|layer| {
        least(field, mds.rows.len(), |vector| {
            layer.multiply(field, vector)
        })
    })
}

/// The subspace that the least power of a layer maps to itself.
fn least(field: &Field, width: usize, layer: impl Fn(&mut [u64])) -> Option<Subspace> {
    let orbit = orbit(width, 2 * width * width, layer);
    let spaces = (1..=2 * width).map(|power| Subspace {
        power,
        reached: reached(field, orbit.iter().step_by(power).take(width)),
        equal: None,
    });
    spaces.into_iter().find(|space| space.reached < width)
}

/// The first unit vector, and what powers of the matrix make of it.
fn orbit(width: usize, length: usize, layer: impl Fn(&mut [u64])) -> Vec<Vec<u64>> {
    let mut first = vec![0; width];
    first[..width.min(1)].fill(1);
    let next = |vector: &Vec<u64>| {
        let mut next = vector.clone();
        layer(&mut next);
        Some(next)
    };
    std::iter::successors(Some(first), next)
        .take(length)
        .collect()
}

/// The dimension of what some vectors span, of which each leads to the next.
fn reached<'a>(field: &Field, vectors: impl Iterator<Item = &'a Vec<u64>>) -> usize {
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    for vector in vectors {
        let Some(reduced) = reduced(field, &basis, vector) else {
            break;
        };
        basis.push(reduced);
    }
    basis.len()
}

/// What of a vector is not in the span of a basis, with a one at a place where the basis has zeros; none
/// if it is in the span.
fn reduced(
    field: &Field,
    basis: &[(usize, Vec<u64>)],
    vector: &[u64],
) -> Option<(usize, Vec<u64>)> {
    let mut rest = vector.to_vec();
    for (place, known) in basis {
        let factor = rest[*place];
        for (x, y) in rest.iter_mut().zip(known) {
            *x = field.sub(*x, field.mul(factor, *y));
        }
    }
    let place = rest.iter().position(|x| *x != 0)?;
    let inverse = field.inv(rest[place])?;
    rest.iter_mut().for_each(|x| *x = field.mul(*x, inverse));
    Some((place, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{ParameterSet, instance};

    #[test]
    fn no_set_has_an_invariant_subspace() {
        for set in ParameterSet::all() {
            for field in Field::all() {
                for width in set.widths(field) {
                    let instance = instance(set.name, field, width).unwrap();
                    let entries = instance.diagonal_residues();
                    assert_eq!(invariant_subspace(field, &entries), None);
                    let mut equal = entries.clone();
                    equal[width - 1] = equal[2];
                    let subspace = invariant_subspace(field, &equal).unwrap();
                    assert_eq!((subspace.power, subspace.reached), (1, width - 1));
                    assert_eq!(subspace.equal, Some([2, width - 1]));
                    // The first entry may be that of another element.
                    let mut first = entries;
                    first[0] = first[1];
                    assert_eq!(invariant_subspace(field, &first), None);
                }
            }
        }
    }

    /// A symmetric circulant matrix has equal eigenvalues. Where element 0 is made of itself alone, it reaches all.
    #[test]
    fn both_ways_of_a_matrix_are_looked_at() {
        let field = &crate::params::KOALA_BEAR;
        let reached = |mds: &Mds| {
            let found = invariant_subspaces(field, mds);
            found.map(|space| space.map(|space| (space.power, space.reached)))
        };
        let circulant = |row: [u64; 8]| reached(&Mds::circulant(&row));
        assert_eq!(circulant([7, 1, 3, 8, 8, 3, 4, 9]), [None, None]);
        assert_eq!(circulant([7, 1, 3, 8, 9, 8, 3, 1]), [Some((1, 5)); 2]);
        let rows = vec![vec![1, 0], vec![1, 2]];
        assert_eq!(reached(&Mds { rows }), [None, Some((1, 1))]);
    }

    /// Eigenvalues λ and -λ have one square: what two rounds make of element 0 misses a dimension.
    #[test]
    fn powers_are_looked_at() {
        let field = &crate::params::KOALA_BEAR;
        // The characteristic polynomial (x - d₀)(x - d₁) - (x - d₀) - (x - d₁) has no x for d₀ + d₁ = -2.
        let diagonal = [5, field.modulus - 7];
        let subspace = invariant_subspace(field, &diagonal).unwrap();
        assert_eq!((subspace.power, subspace.reached), (2, 1));
    }
}

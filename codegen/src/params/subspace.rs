//! Subspaces that some number of internal rounds maps to themselves.
//!
//! The S-box of an internal round changes element 0 alone. Take the smallest subspace that holds the first
//! unit vector and that a power of the internal matrix maps to itself: it is spanned by what that power
//! makes of the unit vector, again and again. Where it is not the whole space, there are subspace trails
//! of any length (eprint 2023/323, section 5). For the matrix itself it is easy to see: states that differ
//! by an element of the orthogonal complement keep such a difference, because the matrix is symmetric, and
//! no S-box ever sees it. The paper's search looks at powers up to twice the width, and so does this.

use super::Field;

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

/// The subspace that internal layers `1·1ᵀ + diag(V)`, or any multiple, leave as it is after the least
/// number of rounds; none if element 0 reaches all.
#[must_use]
pub fn invariant_subspace(field: &Field, diagonal: &[u64]) -> Option<Subspace> {
    let width = diagonal.len();
    let pairs = (1..width).flat_map(|i| (i + 1..width).map(move |j| [i, j]));
    let mut equal = pairs.filter(|[i, j]| diagonal[*i] == diagonal[*j]);
    let orbit = orbit(field, diagonal, 2 * width * width);
    let reached = |power| {
        (
            power,
            reached(field, orbit.iter().step_by(power).take(width)),
        )
    };
    let found = (1..=2 * width).map(reached).find(|(_, r)| *r < width);
    found.map(|(power, reached)| Subspace {
        power,
        reached,
        equal: equal.next(),
    })
}

/// The first unit vector, and what powers of the matrix make of it.
fn orbit(field: &Field, diagonal: &[u64], length: usize) -> Vec<Vec<u64>> {
    let mut first = vec![0; diagonal.len()];
    first[..diagonal.len().min(1)].fill(1);
    let next = |vector: &Vec<u64>| {
        let sum = vector.iter().fold(0, |sum, &x| field.add(sum, x));
        let terms = vector.iter().zip(diagonal);
        Some(
            terms
                .map(|(x, d)| field.add(sum, field.mul(*x, *d)))
                .collect(),
        )
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

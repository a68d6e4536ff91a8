//! Subspaces that internal rounds map to themselves.
//!
//! The S-box of an internal round changes element 0 alone. So a subspace that the internal matrix maps
//! to itself, and that holds the first unit vector, is mapped to itself by internal rounds; and states
//! that differ by an element of its orthogonal complement keep such a difference without an S-box that
//! sees it, since the matrix is symmetric: a subspace trail of any length (eprint 2023/323, section
//! 5). The smallest such subspace is spanned by what the matrix makes of the first unit vector again
//! and again.

use super::Field;

/// A subspace that is mapped to itself and is not the whole space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subspace {
    /// The dimension of what element 0 reaches.
    pub reached: usize,
    /// Two entries of the diagonal after the first that are equal, if there are such: the difference of
    /// their elements stays where it is.
    pub equal: Option<[usize; 2]>,
}

/// The subspace that internal layers `1·1ᵀ + diag(V)`, or any multiple, leave as it is; none if element
/// 0 reaches all.
#[must_use]
pub fn invariant_subspace(field: &Field, diagonal: &[u64]) -> Option<Subspace> {
    let width = diagonal.len();
    let mut vector = vec![0; width];
    *vector.first_mut()? = 1;
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    while let Some(reduced) = reduced(field, &basis, &vector) {
        basis.push(reduced);
        let sum = vector.iter().fold(0, |sum, &x| field.add(sum, x));
        for (x, d) in vector.iter_mut().zip(diagonal) {
            *x = field.add(sum, field.mul(*x, *d));
        }
    }
    let pairs = (1..width).flat_map(|i| (i + 1..width).map(move |j| [i, j]));
    let mut equal = pairs.filter(|[i, j]| diagonal[*i] == diagonal[*j]);
    (basis.len() < width).then(|| Subspace {
        reached: basis.len(),
        equal: equal.next(),
    })
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
                    let entries = instance.diagonal.iter().map(|d| d.residue(field));
                    let entries: Vec<u64> = entries.collect();
                    assert_eq!(invariant_subspace(field, &entries), None);
                    let mut equal = entries.clone();
                    equal[width - 1] = equal[2];
                    let subspace = invariant_subspace(field, &equal).unwrap();
                    assert_eq!(subspace.reached, width - 1);
                    assert_eq!(subspace.equal, Some([2, width - 1]));
                    // The first entry may be that of another element.
                    let mut first = entries;
                    first[0] = first[1];
                    assert_eq!(invariant_subspace(field, &first), None);
                }
            }
        }
    }
}

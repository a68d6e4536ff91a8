//! The paper's criterion on internal layers: the minimal polynomials of the matrix and its powers are
//! irreducible and of full degree (eprint 2023/323, section 5).
//!
//! The degree is what [`invariant_subspace`](super::invariant_subspace) looks at. Where it is full for
//! every power, the polynomial of the matrix itself decides: it is the characteristic one, and with it
//! irreducible, all powers live in one field.

use super::Field;

/// Coefficients, that of 1 first, the last of which is not zero; none at all: the polynomial 0.
type Polynomial = Vec<u64>;

/// Whether the characteristic polynomial of `1·1ᵀ + diag(V)`, or of any multiple, is irreducible.
#[must_use]
pub fn is_irreducible(field: &Field, diagonal: &[u64]) -> bool {
    let f = characteristic(field, diagonal);
    // x^(p^i) - x is the product of all irreducible polynomials of degrees that divide i.
    let mut power = rest(field, vec![0, 1], &f);
    (0..diagonal.len() / 2).all(|_| {
        power = raised(field, &power, field.modulus, &f);
        let difference = plus(field, &power, &[0, field.modulus - 1]);
        common(field, f.clone(), difference).len() == 1
    })
}

/// `∏(x - d) - ∑ᵢ ∏_{j ≠ i}(x - dⱼ)`, by the matrix determinant lemma.
fn characteristic(field: &Field, diagonal: &[u64]) -> Polynomial {
    // The product, and the sum of the products that lack one factor.
    let (mut product, mut sum) = (vec![1], Vec::new());
    for &d in diagonal {
        let factor = [field.neg(d), 1];
        sum = plus(field, &times(field, &sum, &factor), &product);
        product = times(field, &product, &factor);
    }
    let minus = times(field, &sum, &[field.modulus - 1]);
    plus(field, &product, &minus)
}

fn plus(field: &Field, a: &[u64], b: &[u64]) -> Polynomial {
    let at = |row: &[u64], i: usize| row.get(i).copied().unwrap_or(0);
    let sums = (0..a.len().max(b.len())).map(|i| field.add(at(a, i), at(b, i)));
    trimmed(sums.collect())
}

fn times(field: &Field, a: &[u64], b: &[u64]) -> Polynomial {
    let mut product = vec![0; (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] = field.add(product[i + j], field.mul(*x, *y));
        }
    }
    trimmed(product)
}

fn trimmed(mut row: Polynomial) -> Polynomial {
    while row.last() == Some(&0) {
        row.pop();
    }
    row
}

/// What a division by `by`, which is not 0, leaves.
fn rest(field: &Field, mut of: Polynomial, by: &[u64]) -> Polynomial {
    let inverse = by.last().and_then(|top| field.inv(*top)).unwrap_or(0);
    while of.len() >= by.len() {
        let factor = of.last().map_or(0, |top| field.mul(*top, inverse));
        let from = of.len() - by.len();
        for (x, y) in of[from..].iter_mut().zip(by) {
            *x = field.sub(*x, field.mul(factor, *y));
        }
        of = trimmed(of);
    }
    of
}

fn raised(field: &Field, base: &[u64], exponent: u64, modulus: &[u64]) -> Polynomial {
    let product = |a: &[u64], b: &[u64]| rest(field, times(field, a, b), modulus);
    (0..u64::BITS).rev().fold(vec![1], |power, bit| {
        let square = product(&power, &power);
        match exponent >> bit & 1 {
            0 => square,
            _ => product(&square, base),
        }
    })
}

/// The greatest common divisor, up to a factor.
fn common(field: &Field, mut a: Polynomial, mut b: Polynomial) -> Polynomial {
    while !b.is_empty() {
        (a, b) = (b.clone(), rest(field, a, &b));
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{KOALA_BEAR, ParameterSet, instance};

    /// Plonky3 searched for such diagonals, but one is none: over BabyBear, width 24, there are factors of
    /// degrees 3, 9 and 12.
    #[test]
    fn the_criterion_of_the_paper_holds_for_all_sets_but_one() {
        for set in ParameterSet::all() {
            for field in Field::all() {
                for width in set.widths(field) {
                    let instance = instance(set.name, field, width).unwrap();
                    let entries = instance.diagonal_residues();
                    let holds = instance.key() != ("plonky3", "baby-bear", 24);
                    assert_eq!(
                        is_irreducible(field, &entries),
                        holds,
                        "{:?}",
                        instance.key()
                    );
                    let f = characteristic(field, &entries);
                    assert_eq!((f.len(), f[width]), (width + 1, 1));
                    // J + D has the trace Σ(1 + d).
                    let trace = entries
                        .iter()
                        .fold(width as u64, |sum, d| field.add(sum, *d));
                    assert_eq!(f[width - 1], field.neg(trace));
                }
            }
        }
    }

    /// An eigenvalue that is in the field is a factor: of an equal pair of entries, and of the diagonal
    /// whose last entry is solved for it.
    #[test]
    fn factors_are_found() {
        let field = &KOALA_BEAR;
        let entries: Vec<u64> = (1..=8).collect();
        let mut equal = entries.clone();
        equal[3] = equal[5];
        assert!(!is_irreducible(field, &equal));
        let eigenvalue = 1000;
        let inverse = |d: &u64| field.inv(field.sub(eigenvalue, *d)).unwrap();
        let sum = entries[..7]
            .iter()
            .fold(0, |sum, d| field.add(sum, inverse(d)));
        let last = field.inv(field.sub(1, sum)).unwrap();
        let mut solved = entries;
        solved[7] = field.sub(eigenvalue, last);
        let f = characteristic(field, &solved);
        let value = |sum, c: &u64| field.add(field.mul(sum, eigenvalue), *c);
        assert_eq!(f.iter().rev().fold(0, value), 0);
        assert!(!is_irreducible(field, &solved));
    }
}

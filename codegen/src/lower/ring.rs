//! Products of polynomials as few products of elements and numbers.
//!
//! A circulant matrix multiplies by a polynomial modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`: two
//! products of half the size, and sums and differences before and after. `X^n + 1` is a product of two, too, as
//! there is a root of -1, but elements are multiplied by it first.

use crate::params::Field;

/// What elements are added, subtracted and multiplied by.
pub(super) trait Ring {
    /// An element.
    type Element: Copy;

    /// Polynomials with fewer coefficients are multiplied term by term.
    const SPLIT: usize;

    /// The same where elements are multiplied by the root.
    const SPLIT_BY_ROOT: usize;

    fn field(&self) -> &'static Field;

    fn add(&mut self, name: &str, a: Self::Element, b: Self::Element) -> Self::Element;

    fn subtract(&mut self, name: &str, a: Self::Element, b: Self::Element) -> Self::Element;

    /// The sum of multiples of residues.
    fn dot(&mut self, name: &str, elements: &[Self::Element], factors: &[u64]) -> Self::Element;

    /// A matrix, by rows.
    fn multiplied(
        &mut self,
        name: &str,
        elements: &[Self::Element],
        rows: &[Vec<u64>],
    ) -> Vec<Self::Element> {
        let rows = rows.iter().enumerate();
        rows.map(|(i, row)| self.dot(&format!("{name}[{i}]"), elements, row))
            .collect()
    }

    /// The product of polynomials modulo `X^n - r`, by their coefficients.
    fn ring_product(
        &mut self,
        name: &str,
        elements: &[Self::Element],
        factors: &[u64],
        r: u64,
    ) -> Vec<Self::Element> {
        let field = self.field();
        let (n, half) = (elements.len(), elements.len() / 2);
        let least = |root: u64| match root {
            1 => Self::SPLIT,
            _ => Self::SPLIT_BY_ROOT,
        };
        let root = root(field, r).filter(|root| n.is_multiple_of(2) && n >= least(*root));
        let Some(root) = root else {
            let entry = |i: usize, j: usize| match i.checked_sub(j) {
                Some(k) => factors[k],
                None => field.mul(r, factors[n + i - j]),
            };
            let row = |i| (0..n).map(|j| entry(i, j)).collect();
            let rows: Vec<Vec<u64>> = (0..n).map(row).collect();
            return self.multiplied(name, elements, &rows);
        };
        // The way back halves sums and differences; the numbers are halved in place of them.
        let halved = |k: u64| field.mul(field.modulus.div_ceil(2), k);
        let (low, high) = factors.split_at(half);
        let (a, b) = elements.split_at(half);
        let b = self.times_root(&format!("{name}.root"), b, root);
        // Which half is first is an order of instructions for compilers, no more. With 16 elements AVX2's kernels gain 2
        // to 4 % where the one that is multiplied by a root does not come last; with 24, N1 spills more.
        let mut halves = [root, field.neg(root)];
        if n.is_power_of_two() {
            halves.reverse();
        }
        let mut halves = halves.map(|r| {
            let name = format!("{name}.{}", if r == root { "plus" } else { "minus" });
            let elements = match r == root {
                true => self.pairwise(&format!("{name}.in"), Self::add, a, &b),
                false => self.pairwise(&format!("{name}.in"), Self::subtract, a, &b),
            };
            let factors = low.iter().zip(high);
            let factors = factors.map(|(low, high)| halved(field.add(*low, field.mul(r, *high))));
            let factors: Vec<u64> = factors.collect();
            self.ring_product(&name, &elements, &factors, r)
        });
        if n.is_power_of_two() {
            halves.reverse();
        }
        let [plus, minus] = halves;
        let (mut outputs, mut high) = (Vec::new(), Vec::new());
        for (i, (u, v)) in plus.into_iter().zip(minus).enumerate() {
            outputs.push(self.add(&format!("{name}.low[{i}]"), u, v));
            high.push(self.subtract(&format!("{name}.high[{i}]"), u, v));
        }
        let inverse = field.inv(root).expect("a root is not zero");
        outputs.extend(self.times_root(&format!("{name}.back"), &high, inverse));
        outputs
    }

    fn pairwise(
        &mut self,
        name: &str,
        combine: fn(&mut Self, &str, Self::Element, Self::Element) -> Self::Element,
        a: &[Self::Element],
        b: &[Self::Element],
    ) -> Vec<Self::Element> {
        let pairs = a.iter().zip(b).enumerate();
        pairs
            .map(|(i, (a, b))| combine(self, &format!("{name}[{i}]"), *a, *b))
            .collect()
    }

    /// Multiples by a root, which may be one.
    fn times_root(
        &mut self,
        name: &str,
        elements: &[Self::Element],
        root: u64,
    ) -> Vec<Self::Element> {
        if root == 1 {
            return elements.to_vec();
        }
        let elements = elements.iter().enumerate();
        elements
            .map(|(i, x)| self.dot(&format!("{name}[{i}]"), &[*x], &[root]))
            .collect()
    }
}

/// A square root of 1 or of -1.
fn root(field: &Field, r: u64) -> Option<u64> {
    let fourth = (field.modulus - 1) / 4;
    match r {
        1 => Some(1),
        // There is none where p - 1 is no multiple of 4.
        _ if r == field.neg(1) && field.modulus % 4 == 1 => (2..field.modulus)
            .map(|n| field.pow(n, fourth))
            .find(|root| field.mul(*root, *root) == r),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::KOALA_BEAR;

    #[test]
    fn minus_one_has_a_root_in_some_fields() {
        for r in [1, KOALA_BEAR.neg(1)] {
            let root = root(&KOALA_BEAR, r).unwrap();
            assert_eq!(KOALA_BEAR.mul(root, root), r);
        }
        let field = Field::by_name("mersenne-31").unwrap();
        assert_eq!(root(field, field.neg(1)), None);
    }
}

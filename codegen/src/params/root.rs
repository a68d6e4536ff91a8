//! Roots of residues.

use super::Field;

impl Field {
    /// A root of a residue; none if there is none, or if p - 1 has an odd prime factor of the exponent twice.
    #[must_use]
    pub fn root(&self, of: u64, exponent: u64) -> Option<u64> {
        let found = if exponent.is_multiple_of(2) {
            let root = self.square_root(of)?;
            let roots = [root, self.neg(root)].into_iter();
            roots
                .filter_map(|root| self.root(root, exponent / 2))
                .next()?
        } else {
            // In the group of powers with this exponent, there is a power that undoes it.
            let order = (self.modulus - 1) / gcd(exponent, self.modulus - 1);
            let mut ones = (0..exponent).map(|n| u128::from(n) * u128::from(order) + 1);
            let undoes = ones.find(|n| n.is_multiple_of(exponent.into()))?;
            self.pow(of, (undoes / u128::from(exponent)) as u64)
        };
        (self.pow(found, exponent) == of % self.modulus).then_some(found)
    }

    /// By Tonelli and Shanks (Cohen, "A Course in Computational Algebraic Number Theory", algorithm 1.5.1).
    fn square_root(&self, of: u64) -> Option<u64> {
        let twos = (self.modulus - 1).trailing_zeros();
        let odd = (self.modulus - 1) >> twos;
        let is_square = |x: u64| self.pow(x, (self.modulus - 1) / 2) <= 1;
        let other = (2..self.modulus).find(|x| !is_square(*x))?;
        let mut unit = self.pow(other, odd);
        let mut root = self.pow(of, odd.div_ceil(2));
        // The square of the root is this much times what it should be, a power of `unit`.
        let mut much = self.pow(of, odd);
        for bit in (0..twos.checked_sub(1)?).rev() {
            if self.pow(much, 1 << bit) == self.modulus - 1 {
                root = self.mul(root, unit);
                much = self.mul(much, self.mul(unit, unit));
            }
            unit = self.mul(unit, unit);
        }
        is_square(of).then_some(root)
    }
}

/// The greatest common divisor.
pub(crate) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::KOALA_BEAR;

    #[test]
    fn roots_are_roots() {
        for field in Field::in_all_words() {
            for exponent in [2, 3, 4, 5, 6] {
                let powers = [1, 2, 3, 1 << 20].map(|x| field.pow(x, exponent));
                for power in powers.into_iter().chain([2, 3, 8]) {
                    let root = field.root(power, exponent);
                    assert!(root.is_none_or(|root| field.pow(root, exponent) == power));
                }
                let twice = exponent.is_multiple_of(3) && (field.modulus - 1).is_multiple_of(9);
                let found = powers.map(|power| field.root(power, exponent).is_some());
                assert_eq!(found, [!twice; 4], "{} {exponent}", field.name);
            }
        }
        assert_eq!(KOALA_BEAR.root(3, 2), None);
    }
}

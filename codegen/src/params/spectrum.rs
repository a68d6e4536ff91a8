//! Circulant matrices in diagonal form: the discrete Fourier transform over a field (Davis, "Circulant Matrices", 1979,
//! section 3.2).
//!
//! A circulant matrix multiplies by a polynomial `c` modulo `X^n - 1`. Where the field has `n` roots of 1, a polynomial
//! is determined by its values there, and the matrix multiplies each value by an eigenvalue. The coefficient of 1 is the
//! mean of the values. So with `u` for values over `n`, `x` for element 0 and `S(x)` for what its S-box gives, a partial
//! round of Poseidon1 makes
//!
//! ```text
//! x = Σ u      u' = λ·(u + (S(x) - x) / n)
//! ```
//!
//! Where the field has `n/3` roots `r`, and no third root of 1 but 1 itself, each `r` has one third root `t`. Then
//! `X³ - r` is `X - t` times `X² + t·X + t²`. Modulo `X - t` there is a value as above. Modulo the other factor, where `c`
//! has the trace `T` and the norm `N`, a polynomial is kept as `n·(u + v·c)`; its trace is what the mean has of it:
//!
//! ```text
//! x = … + 2·u + T·v      u' = -N·v      v' = u + (S(x) - x) / n + T·v
//! ```

use super::{Field, Mds};

/// The roots of 1 at which polynomials are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    field: &'static Field,
    /// All powers of a primitive one.
    powers: Vec<u64>,
}

impl Roots {
    /// Those of an order that is a product of twos and threes; none if it is another, or if the field has fewer.
    fn of(field: &'static Field, order: usize) -> Option<Self> {
        let mut rest = order;
        for prime in [2, 3] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        if rest != 1 || !(field.modulus - 1).is_multiple_of(order as u64) {
            return None;
        }
        let all = |n| field.pow(n, (field.modulus - 1) / order as u64);
        let is_primitive = |root: &u64| {
            let mut primes = [2, 3].into_iter().filter(|p| order.is_multiple_of(*p));
            primes.all(|prime| field.pow(*root, (order / prime) as u64) != 1)
        };
        let root = (2..field.modulus).map(all).find(is_primitive)?;
        let powers = (0..order as u64).map(|e| field.pow(root, e)).collect();
        Some(Self { field, powers })
    }

    /// The root to a power.
    #[must_use]
    pub fn power(&self, exponent: usize) -> u64 {
        self.powers[exponent % self.powers.len()]
    }

    /// The inverse of the root to a power.
    #[must_use]
    pub fn inverse(&self, exponent: usize) -> u64 {
        let order = self.powers.len();
        self.powers[(order - exponent % order) % order]
    }

    /// A root of order 3, if the order is a multiple of that.
    #[must_use]
    pub fn third(&self) -> Option<u64> {
        let order = self.powers.len();
        order.is_multiple_of(3).then(|| self.powers[order / 3])
    }

    /// The exponents of `r₀, r₁, …`, where `X^n` less the power with this exponent is the product of two or three
    /// `X^(n/2) - rᵢ` or `X^(n/3) - rᵢ`. `n` is as many times as large as what is left in the end.
    pub fn split(&self, times: usize, exponent: usize) -> impl Iterator<Item = usize> {
        let parts = if times.is_multiple_of(2) { 2 } else { 3 };
        let order = self.powers.len();
        (0..parts).map(move |part| (exponent + part * order) / parts)
    }

    /// The exponents of all roots, as polynomials are taken apart.
    fn exponents(&self) -> Vec<usize> {
        let (mut times, mut exponents) = (self.powers.len(), vec![0]);
        while times > 1 {
            let split = exponents.iter().flat_map(|e| self.split(times, *e));
            exponents = split.collect();
            times = self.powers.len() / exponents.len();
        }
        exponents
    }

    /// What is left of a polynomial modulo `X^size` less the root with this exponent.
    fn remainder(&self, exponent: usize, of: &[u64], size: usize) -> Vec<u64> {
        let mut remainder = vec![0; size];
        for (i, x) in of.iter().enumerate() {
            let term = self.field.mul(*x, self.power(exponent * (i / size)));
            remainder[i % size] = self.field.add(remainder[i % size], term);
        }
        remainder
    }
}

/// The basis of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spectrum {
    /// The roots.
    pub roots: Roots,
    /// What is left of polynomials, in the order in which they are taken apart.
    pub remainders: Vec<Remainder>,
}

/// What is left of polynomials modulo `X - r` or `X³ - r` for a root `r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    exponent: usize,
    /// What the matrix multiplies a value by.
    pub eigenvalue: u64,
    /// The trace and the norm of the matrix's polynomial modulo the other factor of `X³ - r`.
    pub pair: Option<[u64; 2]>,
    /// What is kept of coefficients, by rows.
    into: Mds,
    /// The coefficients over the number of roots, by rows.
    pub back: Mds,
}

impl Spectrum {
    /// Those of a matrix; none if it is not circulant, or the field has too few roots.
    #[must_use]
    pub fn of(field: &'static Field, mds: &Mds) -> Option<Self> {
        if !mds.is_circulant() {
            return None;
        }
        let n = mds.rows.len();
        let thirds = n.is_multiple_of(3) && !(field.modulus - 1).is_multiple_of(3);
        let thirds = || thirds.then(|| Roots::of(field, n / 3)).flatten();
        let roots = Roots::of(field, n).or_else(thirds)?;
        let column: Vec<u64> = mds.rows.iter().map(|row| row[0]).collect();
        let remainder = |exponent| match n == roots.powers.len() {
            true => Some(Remainder::value(&roots, exponent, &column)),
            false => Remainder::with_pair(&roots, exponent, &column),
        };
        let remainders = roots.exponents().into_iter().map(remainder);
        let remainders = remainders.collect::<Option<_>>()?;
        Some(Self { roots, remainders })
    }

    /// Elements of each remainder.
    #[must_use]
    pub fn size(&self) -> usize {
        self.remainders[0].back.rows.len()
    }

    /// The inverse of the number of elements.
    #[must_use]
    pub fn share(&self) -> u64 {
        inverse(
            self.roots.field,
            (self.remainders.len() * self.size()) as u64,
        )
    }

    /// A state of residues in this basis.
    pub fn enter(&self, state: &mut [u64]) {
        let kept = self.remainders.iter().flat_map(|remainder| {
            let exponent = remainder.exponent;
            let mut coefficients = self.roots.remainder(exponent, state, self.size());
            remainder.into.multiply(self.roots.field, &mut coefficients);
            coefficients
        });
        let kept: Vec<u64> = kept.collect();
        state.copy_from_slice(&kept);
    }

    /// The way back.
    pub fn leave(&self, state: &mut [u64]) {
        let (field, size) = (self.roots.field, self.size());
        let mut coefficients = vec![0; state.len()];
        for (remainder, kept) in self.remainders.iter().zip(state.chunks_mut(size)) {
            remainder.back.multiply(field, kept);
            for (i, x) in coefficients.iter_mut().enumerate() {
                let power = self.roots.inverse(remainder.exponent * (i / size));
                *x = field.add(*x, field.mul(power, kept[i % size]));
            }
        }
        state.copy_from_slice(&coefficients);
    }
}

impl Remainder {
    fn value(roots: &Roots, exponent: usize, column: &[u64]) -> Self {
        let one = |x| Mds {
            rows: vec![vec![x]],
        };
        Self {
            exponent,
            eigenvalue: roots.remainder(exponent, column, 1)[0],
            pair: None,
            into: one(inverse(roots.field, column.len() as u64)),
            back: one(1),
        }
    }

    fn with_pair(roots: &Roots, exponent: usize, column: &[u64]) -> Option<Self> {
        let (field, order) = (roots.field, roots.powers.len());
        let c = roots.remainder(exponent, column, 3);
        let r = roots.power(exponent);
        let t = *roots.powers.iter().find(|t| field.pow(**t, 3) == r)?;
        let squared = field.mul(t, t);
        let sum = |terms: [u64; 3]| terms.into_iter().fold(0, |sum, x| field.add(sum, x));
        // Modulo the other factor X² is -t·X - t².
        let a = field.sub(c[0], field.mul(c[2], squared));
        let b = field.sub(c[1], field.mul(c[2], t));
        let trace = field.sub(field.add(a, a), field.mul(b, t));
        let norm = sum([
            field.mul(a, a),
            field.neg(field.mul(field.mul(a, b), t)),
            field.mul(field.mul(b, b), squared),
        ]);
        // Three times what is 1 modulo the one factor, and 0 modulo the other; the reverse; and that times c.
        let one = [1, inverse(field, t), inverse(field, squared)];
        let other = [2, field.neg(one[1]), field.neg(one[2])];
        let product = |i: usize| {
            sum([0, 1, 2].map(|j| {
                let wrapped = if j > i { r } else { 1 };
                field.mul(wrapped, field.mul(c[(3 + i - j) % 3], other[j]))
            }))
        };
        let row = |i: usize| vec![one[i], other[i], product(i)];
        let back = Mds {
            rows: (0..3).map(row).collect(),
        };
        let mut into = back.inverse(field)?;
        let share = inverse(field, order as u64);
        for entry in into.rows.iter_mut().flatten() {
            *entry = field.mul(share, *entry);
        }
        Some(Self {
            exponent,
            eigenvalue: sum([c[0], field.mul(c[1], t), field.mul(c[2], squared)]),
            pair: Some([trace, norm]),
            into,
            back,
        })
    }

    /// What is kept of coefficients after they are multiplied by the matrix, by rows.
    #[must_use]
    pub fn after(&self, field: &Field) -> Mds {
        let rows = match self.pair {
            None => vec![vec![self.eigenvalue]],
            Some([trace, norm]) => vec![
                vec![self.eigenvalue, 0, 0],
                vec![0, 0, field.neg(norm)],
                vec![0, 1, trace],
            ],
        };
        let (layer, mut columns) = (Mds { rows }, self.into.transposed());
        for column in &mut columns.rows {
            layer.multiply(field, column);
        }
        columns.transposed()
    }
}

fn inverse(field: &Field, of: u64) -> u64 {
    field.inv(of).expect("p is greater, and no root is zero")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GOLDILOCKS, KOALA_BEAR};

    /// Some rounds by the matrix, and in the basis.
    #[test]
    fn rounds_are_those_of_the_matrix() {
        let baby_bear = Field::by_name("baby-bear").unwrap();
        for (field, width) in [
            (&KOALA_BEAR, 16),
            (&KOALA_BEAR, 24),
            (baby_bear, 16),
            (baby_bear, 24),
            (&GOLDILOCKS, 12),
        ] {
            let first: Vec<u64> = (0..width).map(|i| i * i * i + 7).collect();
            let mds = Mds::circulant(&first);
            let spectrum = Spectrum::of(field, &mds).unwrap();
            let start: Vec<u64> = (1..=width).map(|i| i * i).collect();
            let [mut state, mut kept] = [start.clone(), start];
            spectrum.enter(&mut kept);
            for _ in 0..5 {
                let mut x = 0;
                let size = spectrum.size();
                for (remainder, kept) in spectrum.remainders.iter().zip(kept.chunks(size)) {
                    x = field.add(x, kept[0]);
                    if let Some([trace, _]) = remainder.pair {
                        x = field.add(x, field.add(kept[1], kept[1]));
                        x = field.add(x, field.mul(trace, kept[2]));
                    }
                }
                assert_eq!(x, state[0]);
                let power = field.pow(x, 7);
                let change = field.mul(spectrum.share(), field.sub(power, x));
                for (remainder, kept) in spectrum.remainders.iter().zip(kept.chunks_mut(size)) {
                    kept[0] = field.mul(remainder.eigenvalue, field.add(kept[0], change));
                    if let Some([trace, norm]) = remainder.pair {
                        let (u, v) = (kept[1], kept[2]);
                        kept[1] = field.neg(field.mul(norm, v));
                        kept[2] = field.add(field.add(u, change), field.mul(trace, v));
                    }
                }
                state[0] = power;
                mds.multiply(field, &mut state);
            }
            spectrum.leave(&mut kept);
            assert_eq!(kept, state);
        }
    }

    #[test]
    fn some_matrices_have_none() {
        let circulant = |n: u64| Mds::circulant(&(1..=n).collect::<Vec<_>>());
        let mersenne = Field::by_name("mersenne-31").unwrap();
        // It has no roots of order 8, and 20 has the factor 5.
        for (field, n) in [(mersenne, 24), (&KOALA_BEAR, 20)] {
            assert_eq!(Spectrum::of(field, &circulant(n)), None);
        }
        let mut other = circulant(8);
        other.rows[3][3] += 1;
        assert_eq!(Spectrum::of(&KOALA_BEAR, &other), None);
    }
}

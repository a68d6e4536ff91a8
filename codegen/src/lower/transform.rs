//! Fast Fourier transforms: a polynomial by its values at all roots of 1, and back (Cooley and Tukey, "An Algorithm for
//! the Machine Calculation of Complex Fourier Series", 1965).

use super::ring::Ring;
use crate::params::{Mds, Roots, Spectrum};

/// Transforms of a ring's elements.
pub(super) trait Transform: Ring {
    /// What is left of a polynomial modulo `X^size - r` for all roots `r`, of which `X^n` less the power with this
    /// exponent is the product, in the order in which polynomials are taken apart.
    fn remainders(
        &mut self,
        name: &str,
        coefficients: &[Self::Element],
        size: usize,
        roots: &Roots,
        exponent: usize,
    ) -> Vec<Self::Element> {
        let n = coefficients.len();
        if n == size {
            return coefficients.to_vec();
        }
        let exponents: Vec<usize> = roots.split(n / size, exponent).collect();
        let parts = coefficients.chunks(n / exponents.len()).enumerate();
        let parts = parts.map(|(k, part)| {
            let root = roots.power(exponents[0] * k);
            self.times_root(&format!("{name}.root[{k}]"), part, root)
        });
        let parts: Vec<Vec<Self::Element>> = parts.collect();
        let parts = self.apart(name, &parts, roots.third());
        let parts = parts.iter().zip(exponents).enumerate();
        parts
            .flat_map(|(k, (part, e))| {
                self.remainders(&format!("{name}.{k}"), part, size, roots, e)
            })
            .collect()
    }

    /// The way back: so many times the coefficients as there are remainders.
    fn coefficients(
        &mut self,
        name: &str,
        remainders: &[Self::Element],
        size: usize,
        roots: &Roots,
        exponent: usize,
    ) -> Vec<Self::Element> {
        let n = remainders.len();
        if n == size {
            return remainders.to_vec();
        }
        let exponents: Vec<usize> = roots.split(n / size, exponent).collect();
        let parts = remainders.chunks(n / exponents.len()).zip(&exponents);
        let parts = parts
            .enumerate()
            .map(|(k, (part, e))| self.coefficients(&format!("{name}.{k}"), part, size, roots, *e));
        let mut parts: Vec<Vec<Self::Element>> = parts.collect();
        // The sum of the values at 1, r and r², each times the power with the opposite exponent.
        parts[1..].reverse();
        let parts = self.apart(name, &parts, roots.third());
        let parts = parts.iter().enumerate();
        parts
            .flat_map(|(k, part)| {
                let root = roots.inverse(exponents[0] * k);
                self.times_root(&format!("{name}.root[{k}]"), part, root)
            })
            .collect()
    }

    /// What is kept of a state on values, after the linear layer.
    fn kept_after(
        &mut self,
        name: &str,
        state: &[Self::Element],
        spectrum: &Spectrum,
    ) -> Vec<Self::Element> {
        let (field, layers) = (self.field(), spectrum.remainders.iter());
        let layers = layers.map(|remainder| remainder.after(field));
        let remainders = self.remainders(name, state, spectrum.size(), &spectrum.roots, 0);
        self.each_by(name, &remainders, layers)
    }

    /// The state of which that is kept.
    fn state_of(
        &mut self,
        name: &str,
        kept: &[Self::Element],
        spectrum: &Spectrum,
    ) -> Vec<Self::Element> {
        let (size, layers) = (spectrum.size(), spectrum.remainders.iter());
        let remainders = match size {
            1 => kept.to_vec(),
            _ => self.each_by(name, kept, layers.map(|remainder| remainder.back.clone())),
        };
        self.coefficients(name, &remainders, size, &spectrum.roots, 0)
    }

    /// Some elements at a time by a matrix of their own.
    fn each_by(
        &mut self,
        name: &str,
        elements: &[Self::Element],
        layers: impl Iterator<Item = Mds>,
    ) -> Vec<Self::Element> {
        let mut outputs = Vec::new();
        for (i, Mds { rows }) in layers.enumerate() {
            let own = &elements[rows.len() * i..][..rows.len()];
            let name = format!("{name}.remainder[{i}]");
            outputs.extend(match &rows[..] {
                [row] => vec![self.dot(&name, own, row)],
                rows => self.multiplied(&name, own, rows),
            });
        }
        outputs
    }

    /// `a + b` and `a - b`; or `a + b + c`, `a + r·b + r²·c` and `a + r²·b + r·c` with one product, as `r² = -1 - r`.
    fn apart(
        &mut self,
        name: &str,
        parts: &[Vec<Self::Element>],
        root: Option<u64>,
    ) -> Vec<Vec<Self::Element>> {
        let of = |name_of: &str| format!("{name}.{name_of}");
        match (parts, root) {
            ([a, b], _) => vec![
                self.pairwise(&of("plus"), Self::add, a, b),
                self.pairwise(&of("minus"), Self::subtract, a, b),
            ],
            ([a, b, c], Some(root)) => {
                let sum = self.pairwise(&of("sum"), Self::add, b, c);
                let difference = self.pairwise(&of("difference"), Self::subtract, b, c);
                let turned = self.times_root(&of("turned"), &difference, root);
                let once = self.pairwise(&of("once"), Self::add, a, &turned);
                let twice = self.pairwise(&of("twice"), Self::add, b, &turned);
                vec![
                    self.pairwise(&of("all"), Self::add, a, &sum),
                    self.pairwise(&of("first"), Self::subtract, &once, c),
                    self.pairwise(&of("second"), Self::subtract, a, &twice),
                ]
            }
            _ => unreachable!("two parts, or three where there is a root of order 3"),
        }
    }
}

impl<R: Ring> Transform for R {}

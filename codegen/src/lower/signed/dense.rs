//! Sums of products with numbers, and products of polynomials as few of them.
//!
//! A sum of products is as large as one reduction takes, `2^31·p`, if the numbers are at most `2^31` together:
//! those that are taken as positive, and those that are taken less p, each by themselves, for elements are not
//! negative. That is about eight of them.
//!
//! A circulant matrix multiplies by a polynomial modulo `X^n - 1`, which is `(X^(n/2) - 1)·(X^(n/2) + 1)`: two
//! products of half the size, and sums and differences before and after. `X^n + 1` is a product of two, too, as
//! there is a root of -1, but elements are multiplied by it first.

use crate::ir::Value;
use crate::lower::parts::Builder;
use crate::ops::MacroOp;
use crate::params::Field;

/// Polynomials with fewer coefficients are multiplied term by term.
const SPLIT: usize = 8;
/// The same where elements are multiplied by the root.
const SPLIT_BY_ROOT: usize = 12;

/// A number that an element is multiplied by, of either sign and less than half of p.
#[derive(Clone, Copy)]
struct Factor {
    size: u64,
    negative: bool,
}

/// Products that are reduced together.
#[derive(Clone, Default)]
struct Group {
    /// What positive numbers sum up to, and negative ones.
    sums: [u64; 2],
    terms: Vec<(Value, Factor)>,
}

impl Group {
    /// Shares products among so many groups, if they fit: the greatest first, each with the least others.
    fn share(terms: &[(Value, Factor)], count: usize) -> Option<Vec<Self>> {
        let mut groups = vec![Self::default(); count];
        for (x, factor) in terms {
            let side = usize::from(factor.negative);
            let fits = |group: &&mut Self| {
                let few = group.terms.len() < *MacroOp::DOTS.end() as usize;
                few && group.sums[side] + factor.size <= 1 << 31
            };
            let least = groups.iter_mut().filter(fits);
            let least = least.min_by_key(|group| group.sums[side])?;
            least.sums[side] += factor.size;
            least.terms.push((*x, *factor));
        }
        Some(groups)
    }
}

impl Builder {
    /// A matrix, by rows.
    pub(super) fn multiplied(
        &mut self,
        field: &Field,
        name: &str,
        elements: &[Value],
        rows: &[Vec<u64>],
    ) -> Vec<Value> {
        let rows = rows.iter().enumerate();
        rows.map(|(i, row)| self.dot(field, &format!("{name}[{i}]"), elements, row))
            .collect()
    }

    /// The sum of multiples of residues.
    pub(super) fn dot(
        &mut self,
        field: &Field,
        name: &str,
        elements: &[Value],
        factors: &[u64],
    ) -> Value {
        let factor = |factor: &u64| {
            let word = field.to_montgomery(*factor);
            let negative = word > field.modulus / 2;
            let size = if negative { field.modulus - word } else { word };
            Factor { size, negative }
        };
        let terms = elements.iter().copied().zip(factors.iter().map(factor));
        let mut terms: Vec<(Value, Factor)> = terms.collect();
        terms.sort_by_key(|(_, factor)| std::cmp::Reverse(factor.size));
        let groups = (1..).find_map(|count| Group::share(&terms, count));
        let groups = groups.expect("each product fits by itself");
        let groups = groups.iter().enumerate();
        let sums: Vec<Value> = groups
            .map(|(n, group)| self.reduced(field, &format!("{name}.{n}"), group))
            .collect();
        self.total(&format!("{name}.sum"), &sums)
    }

    /// The sum of some products, below p.
    fn reduced(&mut self, field: &Field, name: &str, group: &Group) -> Value {
        // What was made last comes last.
        let mut terms = group.terms.clone();
        terms.sort_by_key(|(x, _)| *x);
        let operands = terms.into_iter();
        let operands = operands.flat_map(|(x, factor)| [x, self.signed_word(field, factor)]);
        let operands: Vec<Value> = operands.collect();
        let op = match operands.len() as u32 / 2 {
            1 => MacroOp::MulSigned,
            products => MacroOp::Dot(products),
        };
        let sum = self.push(name, op, &operands);
        self.positive(&format!("{name}.reduced"), sum)
    }

    fn signed_word(&mut self, field: &Field, Factor { size, negative }: Factor) -> Value {
        if !negative {
            return self.word(size);
        }
        let operands = [field.modulus - size, field.modulus].map(|word| self.word(word));
        let name = format!("constant[-{size}]");
        self.applied(MacroOp::Minus, &operands)
            .unwrap_or_else(|| self.push(&name, MacroOp::Minus, &operands))
    }

    /// The product of polynomials modulo `X^n - r`, by their coefficients.
    pub(super) fn ring_product(
        &mut self,
        field: &Field,
        name: &str,
        elements: &[Value],
        factors: &[u64],
        r: u64,
    ) -> Vec<Value> {
        let (n, half) = (elements.len(), elements.len() / 2);
        let least = |root: u64| if root == 1 { SPLIT } else { SPLIT_BY_ROOT };
        let root = root(field, r).filter(|root| n.is_multiple_of(2) && n >= least(*root));
        let Some(root) = root else {
            let entry = |i: usize, j: usize| match i.checked_sub(j) {
                Some(k) => factors[k],
                None => field.mul(r, factors[n + i - j]),
            };
            let row = |i| (0..n).map(|j| entry(i, j)).collect();
            let rows: Vec<Vec<u64>> = (0..n).map(row).collect();
            return self.multiplied(field, name, elements, &rows);
        };
        // The way back halves sums and differences; the numbers are halved in place of them.
        let halved = |k: u64| field.mul(field.modulus.div_ceil(2), k);
        let (low, high) = factors.split_at(half);
        let (a, b) = elements.split_at(half);
        let b = self.times_root(field, &format!("{name}.root"), b, root);
        let [plus, minus] = [root, field.neg(root)].map(|r| {
            let name = format!("{name}.{}", if r == root { "plus" } else { "minus" });
            let elements = match r == root {
                true => self.pairwise(&format!("{name}.in"), Self::added, a, &b),
                false => self.pairwise(&format!("{name}.in"), Self::subtracted, a, &b),
            };
            let factors = low.iter().zip(high);
            let factors = factors.map(|(low, high)| halved(field.add(*low, field.mul(r, *high))));
            let factors: Vec<u64> = factors.collect();
            self.ring_product(field, &name, &elements, &factors, r)
        });
        let mut outputs = self.pairwise(&format!("{name}.low"), Self::added, &plus, &minus);
        let high = self.pairwise(&format!("{name}.high"), Self::subtracted, &plus, &minus);
        let inverse = field.inv(root).expect("a root is not zero");
        outputs.extend(self.times_root(field, &format!("{name}.back"), &high, inverse));
        outputs
    }

    fn pairwise(
        &mut self,
        name: &str,
        combine: fn(&mut Self, &str, Value, Value) -> Value,
        a: &[Value],
        b: &[Value],
    ) -> Vec<Value> {
        let pairs = a.iter().zip(b).enumerate();
        pairs
            .map(|(i, (a, b))| combine(self, &format!("{name}[{i}]"), *a, *b))
            .collect()
    }

    /// Multiples by a root, which may be one.
    fn times_root(
        &mut self,
        field: &Field,
        name: &str,
        elements: &[Value],
        root: u64,
    ) -> Vec<Value> {
        if root == 1 {
            return elements.to_vec();
        }
        let elements = elements.iter().enumerate();
        elements
            .map(|(i, x)| self.dot(field, &format!("{name}[{i}]"), &[*x], &[root]))
            .collect()
    }
}

/// A square root of 1 or of -1.
fn root(field: &Field, r: u64) -> Option<u64> {
    let fourth = (field.modulus - 1) / 4;
    match r {
        1 => Some(1),
        _ if r == field.neg(1) => (2..field.modulus)
            .map(|n| field.pow(n, fourth))
            .find(|root| field.mul(*root, *root) == r),
        _ => None,
    }
}

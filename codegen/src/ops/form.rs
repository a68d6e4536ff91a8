//! What results stand for modulo p, derived from what a row gives.
//!
//! `x mod 2^k` is `x - 2^k·⌊x/2^k⌋`. So every expression is a sum of operands, of products of two
//! of them and of quotients. The results of a row together stand for what is left if all quotients
//! cancel modulo p; where they do not, the row is wrong.

use std::collections::BTreeMap;

use super::expr::bits as bits_of;
use super::{Contract, Expr, Reading, Word};

/// What the results of a macro-op together stand for: `constant + Σ linear[n]·x[n] + Σ product`,
/// where operands are what their words stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// A coefficient for each operand.
    pub linear: Vec<u64>,
    /// The constant.
    pub constant: u64,
    /// Products of two linear forms.
    pub products: Vec<[Vec<u64>; 2]>,
    /// What the second result counts for, beside the first.
    pub second: u64,
}

/// What sums are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    One,
    Operand(usize),
    /// The lesser number first.
    Product(usize, usize),
    Floor(Word, u32),
    Quotient(Word),
}

/// Coefficients modulo p, zero ones left out.
type Sum = BTreeMap<Atom, u64>;

impl Contract {
    /// What the results stand for; `None` if the row's quotients do not cancel, or what is left is
    /// no such form. No row is so.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        let (field, row) = (self.field, &self.row);
        let mut whole = Sum::new();
        let mut weight = field.pow(field.modulus.div_ceil(2), row.down.into());
        for result in &row.results {
            whole = self.plus(whole, weight, &self.sum(result));
            weight = field.mul(weight, field.pow(2, row.radix.into()));
        }
        let mut multiples = row.either.clone();
        for result in &row.results {
            result.visit(&mut |e| {
                if let Expr::Corrected { by, .. } = e {
                    multiples.extend(by);
                }
            });
        }
        if multiples.iter().any(|n| n % i128::from(field.modulus) != 0) {
            return None;
        }
        let operands = self.op.operands().len();
        let mut form = Form {
            linear: vec![0; operands],
            constant: 0,
            products: Vec::new(),
            second: field.pow(2, row.radix.into()),
        };
        let mut products = BTreeMap::new();
        for (atom, k) in whole {
            match atom {
                Atom::One => form.constant = field.from_montgomery(k),
                Atom::Operand(n) => form.linear[n] = k,
                Atom::Product(a, b) => {
                    products.insert((a, b), k);
                }
                Atom::Floor(..) | Atom::Quotient(_) => return None,
            }
        }
        let sums = row.results.iter().any(Expr::sums_products);
        let each: Vec<_> = match sums {
            // Of operands that are in no other.
            true => products
                .into_iter()
                .map(|product| BTreeMap::from([product]))
                .collect(),
            false => Some(products)
                .filter(|products| !products.is_empty())
                .into_iter()
                .collect(),
        };
        for products in each {
            form.products.push(self.factors(&products)?);
        }
        Some(form)
    }

    /// The linear forms whose product is `Σ products[a, b]·x[a]·x[b]`.
    fn factors(&self, products: &BTreeMap<(usize, usize), u64>) -> Option<[Vec<u64>; 2]> {
        let field = self.field;
        let half = field.modulus.div_ceil(2);
        let operands = self.op.operands().len();
        let square = products.contains_key(&(0, 0));
        // For a square, each mixed product stands in two places.
        let at = |a: usize, b: usize| match products.get(&(a.min(b), a.max(b))) {
            Some(&k) if square && a != b => field.mul(half, k),
            Some(&k) if square || a < b => k,
            _ => 0,
        };
        let (&(row, column), &corner) = products.first_key_value()?;
        let left: Vec<u64> = (0..operands).map(|a| at(a, column)).collect();
        let unit = field.inv(corner)?;
        let right: Vec<u64> = (0..operands).map(|b| field.mul(unit, at(row, b))).collect();
        let places = (0..operands).flat_map(|a| (0..operands).map(move |b| (a, b)));
        let splits = |(a, b): (usize, usize)| at(a, b) == field.mul(left[a], right[b]);
        if !places.into_iter().all(splits) {
            return None;
        }
        // Words stand for residues times this; a product of two has it twice.
        let scale = field.to_montgomery(1);
        let left = left.into_iter().map(|k| field.mul(scale, k)).collect();
        Some([left, right])
    }

    fn sum(&self, e: &Expr) -> Sum {
        let field = self.field;
        match e {
            Expr::Operand(n) => Sum::from([(Atom::Operand(*n), 1)]),
            Expr::Constant(c) => {
                Sum::from([(Atom::One, c.rem_euclid(field.modulus.into()) as u64)])
            }
            Expr::Sum(a, b) => self.plus(self.sum(a), 1, &self.sum(b)),
            Expr::Difference(a, b) => self.plus(self.sum(a), field.neg(1), &self.sum(b)),
            Expr::Times(c, e) => self.plus(Sum::new(), *c, &self.sum(e)),
            Expr::Bits { of, from, width } => match *width {
                None => self.floor(*of, *from),
                Some(width) => {
                    let less = field.neg(field.pow(2, width.into()));
                    self.plus(self.floor(*of, *from), less, &self.floor(*of, from + width))
                }
            },
            Expr::Quotient { of, .. } => Sum::from([(Atom::Quotient(*of), 1)]),
            Expr::Corrected { value, .. } => self.sum(value),
        }
    }

    /// `⌊w / 2^k⌋`.
    fn floor(&self, word: Word, k: u32) -> Sum {
        let bits = match (self.row.reads, word) {
            (Reading::Unsigned, Word::Operand(_)) => self.field.word_bits(),
            (Reading::Unsigned, _) => 2 * self.field.word_bits(),
            _ => u32::MAX,
        };
        let one = match word {
            Word::Folded(a, b) if k == 0 => {
                let product = Word::Product(a, b);
                let low = self.sum(&bits_of(product, 0, 32));
                return self.plus(self.floor(product, 32), 1, &low);
            }
            _ if k >= bits => return Sum::new(),
            _ if k > 0 => (Atom::Floor(word, k), 1),
            Word::Operand(n) => (Atom::Operand(n), 1),
            Word::Product(a, b) => (Atom::Product(a, b), 1),
            Word::Doubled(a, b) => (Atom::Product(a, b), 2),
            Word::Folded(..) => unreachable!("no bits of it are cut off"),
            Word::Dot(_) => {
                let products = word.factors().into_iter();
                return products.map(|[a, b]| (Atom::Product(a, b), 1)).collect();
            }
        };
        Sum::from([one])
    }

    fn plus(&self, mut sum: Sum, factor: u64, other: &Sum) -> Sum {
        for (&atom, &k) in other {
            let entry = sum.entry(atom).or_insert(0);
            *entry = self.field.add(*entry, self.field.mul(factor, k));
        }
        sum.retain(|_, k| *k != 0);
        sum
    }
}

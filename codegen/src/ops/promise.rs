//! Contracts as bit-vector terms: what the lemma of a template body has to show.

use super::contract::last_two;
use super::{Contract, Expr, NeedLeft, Range, Reading, Word};
use crate::params::Balance;
use crate::term::Term;

impl Contract {
    /// Preconditions as one-bit terms over the operands (variables `0, 1, …`, as wide as words),
    /// then what follows from the operands' standing for integers.
    #[must_use]
    pub fn needs_terms(&self, operands: &[Term]) -> Vec<Term> {
        let (row, w) = (&self.row, self.row.width);
        let needs = row.needs.iter().map(|need| match &need.left {
            NeedLeft::Linear(c) => {
                let sum = c.iter().zip(operands).fold(constant(0, w), |sum, (&c, x)| {
                    let part = times(&row.reads.term(x, w), c.unsigned_abs(), w);
                    if c < 0 {
                        sum.sub(&part)
                    } else {
                        sum.add(&part)
                    }
                });
                sum.slt(&constant(need.bound, w))
            }
            NeedLeft::Product => {
                let product = self.word(last_two(operands.len()), operands);
                product.ult(&Term::constant(need.bound as u128, product.width()))
            }
            NeedLeft::Magnitude(word) => {
                let product = self.word(*word, operands);
                between(&product, Range::new(1 - need.bound, need.bound - 1))
            }
            NeedLeft::Carry => {
                let low = self.word(last_two(operands.len()), operands).resize(52);
                low.equals(&constant(0, 52)).not()
            }
        });
        let valid = operands.iter().filter_map(|x| row.reads.valid(x));
        // Where operands are multiples of 2^10, products are of 2^20.
        let products = self.products(operands).into_iter();
        let zeros = constant(0, Balance::SHIFT);
        let even = |product: Term| product.bits(0, Balance::SHIFT).equals(&zeros);
        needs.chain(valid).chain(products.map(even)).collect()
    }

    /// What is promised of the results, as a one-bit term over operands and results.
    ///
    /// Congruences name the quotient, so that no term multiplies two unknowns except in the
    /// product itself, which lemmas abstract.
    pub fn gives_term(&self, operands: &[Term], results: &[Term]) -> Term {
        let (row, w) = (&self.row, self.row.width);
        let mut promises = Vec::new();
        let mut integers: Vec<Term> = results.iter().map(|r| row.writes.term(r, w)).collect();
        let parts = integers.iter().zip(&row.parts);
        promises.extend(parts.map(|(part, range)| between(part, *range)));
        if !row.parts.is_empty() {
            integers = vec![integers[0].add(&integers[1].shl(row.radix))];
        }
        for (r, e) in integers.iter().zip(&row.results) {
            let any = Range::word(self.field.word_bits());
            if let Some(range) = row.range.filter(|range| *range != any) {
                promises.push(between(r, range));
            }
            let (left, e) = (times(r, 1 << row.down, w), self.term(e, operands, w));
            let held = row.writes.held(w);
            let same = |n| left.resize(held).equals(&moved(&e, n).resize(held));
            let cases = row.either.iter().map(|&n| same(n));
            promises.push(joined(cases, Term::or));
        }
        promises.extend(results.iter().filter_map(|r| row.writes.valid(r)));
        joined(promises.into_iter(), Term::and)
    }

    /// The expression in `w` bits.
    fn term(&self, e: &Expr, x: &[Term], w: u32) -> Term {
        let term = |e| self.term(e, x, w);
        match e {
            Expr::Operand(n) => self.row.reads.term(&x[*n], w),
            Expr::Constant(c) => constant(*c, w),
            Expr::Sum(a, b) => term(a).add(&term(b)),
            Expr::Difference(a, b) => term(a).sub(&term(b)),
            Expr::Times(c, e) => times(&term(e), u128::from(*c), w),
            Expr::Bits {
                of: Word::Operand(n),
                from,
                width: None,
            } => self.row.reads.term(&x[*n], w).ashr(*from),
            Expr::Bits { of, from, width } => {
                let (word, from) = (self.word(*of, x), self.up(*of) + from);
                let own = width.unwrap_or(word.width() - from);
                let bits = word.bits(from, own);
                match width {
                    None if self.row.reads.is_signed() => bits.sign_extend(w),
                    _ => bits.resize(w),
                }
            }
            Expr::Quotient { of, factor, bits } => {
                let word = self.word(*of, x).resize(*bits);
                times(&word, u128::from(*factor), *bits).resize(w)
            }
            Expr::Corrected { value, from, by } => {
                let value = term(value);
                let [below, above] = by.map(|n| moved(&value, n));
                value.slt(&constant(*from, w)).select(&below, &above)
            }
        }
    }

    /// A word, or the exact product of two; the machine multiplies the low 52 bits of limbs.
    fn word(&self, word: Word, x: &[Term]) -> Term {
        let factor = |x: &Term| match self.row.reads.multiplies_52() {
            true => x.resize(52),
            false => x.clone(),
        };
        match word {
            Word::Operand(n) => x[n].clone(),
            Word::Product(a, b) if self.row.reads == Reading::Signed => {
                let bits = 2 * x[a].width();
                let [a, b] = [a, b].map(|n| x[n].sign_extend(bits));
                a.widening_mul(&b).resize(bits)
            }
            Word::Product(a, b) if self.row.reads == Reading::Halves => {
                let factors = [a, b].map(|n| self.row.reads.term(&x[n], 66));
                let [low_a, low_b] = [0, 1].map(|n: usize| factors[n].bits(0, 64));
                // Without its sign, a negative factor counts for 2^64 times the other more.
                let more = |signed: &Term, other: &Term| {
                    let other = other.resize(128).shl(64);
                    let negative = signed.bits(65, 1);
                    negative.select(&other, &constant(0, 128))
                };
                let product = low_a.widening_mul(&low_b);
                let [a, b] = [(0, &low_b), (1, &low_a)].map(|(n, x)| more(&factors[n], x));
                product.sub(&a).sub(&b)
            }
            Word::Product(a, b) => factor(&x[a]).widening_mul(&factor(&x[b])),
            Word::Doubled(a, b) => factor(&x[a]).widening_mul(&factor(&x[b].add(&x[b]))),
            Word::Folded(a, b) => {
                let product = self.word(Word::Product(a, b), x);
                let low = product.bits(0, 32).resize(product.width());
                product.ashr(32).add(&low)
            }
            Word::Dot(_) => {
                let bits = self.row.width;
                let product = |[a, b]: [usize; 2]| self.word(Word::Product(a, b), x);
                let products = word.factors().into_iter().map(product);
                let products = products.map(|product| product.sign_extend(bits));
                products
                    .reduce(|sum, product| sum.add(&product))
                    .expect("a product")
            }
        }
    }

    /// How many bits up a product of limbs is.
    fn up(&self, word: Word) -> u32 {
        match word {
            Word::Operand(_) => 0,
            _ if self.row.reads == Reading::Shifted => Balance::SHIFT,
            _ => 0,
        }
    }

    /// The products of limbs in the results.
    fn products(&self, x: &[Term]) -> Vec<Term> {
        let mut words = Vec::new();
        for e in &self.row.results {
            e.visit(&mut |e| {
                if let Expr::Bits { of, .. } = e
                    && self.up(*of) > 0
                    && !words.contains(of)
                {
                    words.push(*of);
                }
            });
        }
        words.into_iter().map(|word| self.word(word, x)).collect()
    }
}

fn constant(value: i128, width: u32) -> Term {
    Term::constant(value as u128, width)
}

/// That a signed integer is in a range.
fn between(value: &Term, Range { lo, hi }: Range) -> Term {
    let [least, above] = [lo, hi + 1].map(|n| constant(n, value.width()));
    value.slt(&above).and(&value.slt(&least).not())
}

/// `value + n`.
fn moved(value: &Term, n: i128) -> Term {
    let by = Term::constant(n.unsigned_abs(), value.width());
    match n {
        0 => value.clone(),
        1.. => value.add(&by),
        _ => value.sub(&by),
    }
}

fn joined(mut terms: impl Iterator<Item = Term>, join: fn(&Term, &Term) -> Term) -> Term {
    let first = terms.next().expect("at least one");
    terms.fold(first, |all, term| join(&all, &term))
}

/// `x·c` as shifts, additions and subtractions.
fn times(x: &Term, c: u128, width: u32) -> Term {
    let zero = Term::constant(0, width);
    digits(c, width).fold(zero, |sum, (place, negative)| {
        let part = if place == 0 { x.clone() } else { x.shl(place) };
        if negative {
            sum.sub(&part)
        } else {
            sum.add(&part)
        }
    })
}

/// The non-adjacent form of `c < 2^127` below `2^width`: the places of the digits 1 and, where
/// true, -1.
fn digits(c: u128, width: u32) -> impl Iterator<Item = (u32, bool)> {
    // The digits are those of `c + c/2` less those of `c/2`.
    let (half, sum) = (c >> 1, c + (c >> 1));
    let places = (0..width).filter(move |place| (half ^ sum) >> place & 1 == 1);
    places.map(move |place| (place, half >> place & 1 == 1))
}

//! Contracts as bit-vector terms: what the lemma of a template body has to show.

use super::{Contract, Expr, NeedLeft, Range, Reading, When, Word};
use crate::params::Balance;
use crate::term::Term;

/// An expression's operands as words, and how they are read.
struct Operands<'a> {
    words: &'a [Term],
    reading: Reading,
}

impl Contract {
    /// Preconditions as one-bit terms over the operands (variables `0, 1, …`, as wide as words),
    /// then what follows from the operands' standing for integers.
    #[must_use]
    pub fn needs_terms(&self, operands: &[Term]) -> Vec<Term> {
        let (row, w) = (&self.row, self.row.width);
        let x = self.operands(operands);
        let needs = row.needs.iter().map(|need| match &need.left {
            NeedLeft::Linear(c) => {
                let parts = c.iter().enumerate().filter(|(_, c)| **c != 0);
                let sum = parts.fold(constant(0, w), |sum, (n, &c)| {
                    let part = times(&row.reads.term(&operands[n], w), c.unsigned_abs(), w);
                    if c < 0 {
                        sum.sub(&part)
                    } else {
                        sum.add(&part)
                    }
                });
                sum.slt(&constant(need.bound, w))
            }
            NeedLeft::Product => {
                let product = x.word(Word::Product(0, operands.len() - 1));
                product.ult(&Term::constant(need.bound as u128, product.width()))
            }
        });
        let valid = operands.iter().filter_map(|x| row.reads.valid(x));
        // Where operands are multiples of 2^10, products are of 2^20.
        let products = x.products(&row.gives.results).into_iter();
        let even = products.map(|product| {
            product
                .bits(0, Balance::SHIFT)
                .equals(&constant(0, Balance::SHIFT))
        });
        needs.chain(valid).chain(even).collect()
    }

    /// What is promised of the results, as a one-bit term over operands and results.
    ///
    /// Congruences name the quotient, so that no term multiplies two unknowns except in the
    /// product itself, which lemmas abstract.
    #[must_use]
    pub fn gives_term(&self, operands: &[Term], results: &[Term]) -> Term {
        let (row, gives, w) = (&self.row, &self.row.gives, self.row.width);
        let x = self.operands(operands);
        let mut promises = Vec::new();
        for (result, e) in results.iter().zip(&gives.results) {
            let r = row.writes.term(result, w);
            let word = Range::word(self.field.word_bits());
            if let Some(range) = gives.range.filter(|range| *range != word) {
                promises.push(r.ult(&constant(range.hi + 1, w)));
            }
            let (left, value) = (shifted(&r, gives.down), x.term(e, w));
            let cases = gives.either.iter().map(|&n| left.equals(&moved(&value, n)));
            promises.push(joined(cases, Term::or));
        }
        promises.extend(results.iter().filter_map(|r| row.writes.valid(r)));
        joined(promises.into_iter(), Term::and)
    }

    fn operands<'a>(&self, words: &'a [Term]) -> Operands<'a> {
        Operands {
            words,
            reading: self.row.reads,
        }
    }
}

impl Operands<'_> {
    /// The expression in `w` bits.
    fn term(&self, e: &Expr, w: u32) -> Term {
        match e {
            Expr::Operand(n) => self.reading.term(&self.words[*n], w),
            Expr::Constant(c) => constant(*c, w),
            Expr::Sum(a, b) => self.term(a, w).add(&self.term(b, w)),
            Expr::Difference(a, b) => self.term(a, w).sub(&self.term(b, w)),
            Expr::Times(c, e) => times(&self.term(e, w), u128::from(*c), w),
            Expr::Bits { of, from, width } => {
                self.word(*of).bits(self.up(*of) + from, *width).resize(w)
            }
            Expr::Floor(Word::Operand(n), k) => self.reading.term(&self.words[*n], w).ashr(*k),
            Expr::Floor(of, k) => {
                let (product, from) = (self.word(*of), self.up(*of) + k);
                product.bits(from, product.width() - from).resize(w)
            }
            Expr::Quotient { of, factor, bits } => {
                let multiple = times(&self.word(*of).resize(*bits), u128::from(*factor), *bits);
                multiple.resize(w)
            }
            Expr::Corrected { value, when, by } => {
                let value = self.term(value, w);
                let moved = moved(&value, *by);
                match when {
                    When::AtLeast(bound) => value.slt(&constant(*bound, w)).select(&value, &moved),
                    When::Negative => value.slt(&constant(0, w)).select(&moved, &value),
                    When::Odd => value.resize(1).select(&moved, &value),
                    When::Reaches(other, bound) => {
                        let less = self.term(other, w).ult(&constant(*bound, w));
                        less.select(&value, &moved)
                    }
                }
            }
            Expr::Narrow {
                value,
                bits,
                signed,
            } => {
                let value = self.term(value, *bits);
                if *signed {
                    value.sign_extend(w)
                } else {
                    value.resize(w)
                }
            }
        }
    }

    /// A word, or the exact product of two.
    fn word(&self, word: Word) -> Term {
        // The machine multiplies the low 52 bits of limbs.
        let factor = |x: &Term| match self.reading {
            Reading::Shifted => x.resize(52),
            _ => x.clone(),
        };
        let product = |a: usize, b: &Term| factor(&self.words[a]).widening_mul(&factor(b));
        match word {
            Word::Operand(n) => self.words[n].clone(),
            Word::Product(a, b) => product(a, &self.words[b]),
            Word::Doubled(a, b) => product(a, &self.words[b].add(&self.words[b])),
        }
    }

    fn up(&self, word: Word) -> u32 {
        match word {
            Word::Operand(_) => 0,
            _ if self.reading == Reading::Shifted => Balance::SHIFT,
            _ => 0,
        }
    }

    /// The products of limbs in some expressions.
    fn products(&self, expressions: &[Expr]) -> Vec<Term> {
        let mut words = Vec::new();
        for e in expressions {
            e.visit(&mut |e| {
                if let Expr::Bits { of, .. } | Expr::Floor(of, _) = e
                    && self.up(*of) > 0
                    && !words.contains(of)
                {
                    words.push(*of);
                }
            });
        }
        words.sort_unstable_by_key(|word| word.operands());
        words.into_iter().map(|word| self.word(word)).collect()
    }
}

fn constant(value: i128, width: u32) -> Term {
    Term::constant(value as u128, width)
}

fn shifted(r: &Term, by: u32) -> Term {
    if by == 0 { r.clone() } else { r.shl(by) }
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

/// `x·c` as shifts, additions and subtractions (non-adjacent form of `c`).
#[must_use]
pub fn times(x: &Term, mut c: u128, width: u32) -> Term {
    let mut result = Term::constant(0, width);
    let mut shift = 0;
    while c != 0 && shift < width {
        if c & 1 == 1 {
            let part = if shift == 0 { x.clone() } else { x.shl(shift) };
            if c & 3 == 3 {
                result = result.sub(&part);
                c += 1;
            } else {
                result = result.add(&part);
                c -= 1;
            }
        }
        c >>= 1;
        shift += 1;
    }
    result
}

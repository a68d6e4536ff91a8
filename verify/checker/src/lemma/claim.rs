//! What a row says of one element, as SMT-LIB text over the operands `x0`, … and the results.

use super::products::Whole;
use super::text::{bounded, define, extended, joined, length, literal, shifted, times};
use crate::ops::SHIFT;
use crate::row::{Need, Piece, Range, Reading, Row, Sum, Word};

/// Bits by which a sum of products is longer than each of them: more than there are.
pub(super) const MORE: u32 = 8;

/// Bits in which what a word of two signed halves stands for fits.
const SHORT: u32 = 66;

/// The same of what a product of two such words is folded to.
pub(super) const FOLDED: u32 = 98;

/// A row, and where the element stands in a body's words.
#[derive(Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) row: &'a Row,
    /// Bits of an element.
    pub(super) bits: u32,
    /// The lowest bit of the element in a word.
    pub(super) from: u32,
}

/// `m`, which is `k·q` for `q`, a word times a factor modulo `2^bits`.
pub(super) struct Multiple {
    of: Word,
    factor: u64,
    bits: u32,
    /// Whether it is subtracted.
    negative: bool,
    pub(super) k: u128,
    /// Its bits.
    pub(super) width: u32,
}

impl Claim<'_> {
    /// The element in each operand, and the products in the row.
    pub(super) fn operands(&self, whole: Whole) -> String {
        let elements = (0..self.row.operands).map(|n| {
            let element = self.element(&format!("x{n}"));
            define(&format!("e{n}"), self.bits, &element) + &self.integer(n)
        });
        let products = self.products().into_iter();
        let products = products.map(|word| self.product(word, whole));
        let multiples = self.multiple().map(|multiple| self.defined(&multiple));
        elements.chain(products).chain(multiples).collect()
    }

    /// The integer that an operand of signed halves stands for.
    fn integer(&self, n: usize) -> String {
        match self.row.reads {
            Reading::Halves => define(&format!("i{n}"), SHORT, &halves(&format!("e{n}"), SHORT)),
            _ => String::new(),
        }
    }

    /// The same of any elements and products, for what is true of all.
    pub(super) fn any(&self, whole: Whole) -> String {
        let declare = |n| {
            let element = format!("(declare-const e{n} (_ BitVec {}))\n", self.bits);
            element + &self.integer(n)
        };
        let elements = (0..self.row.operands).map(declare);
        let products = self.products().into_iter();
        elements
            .chain(products.map(|word| self.product(word, whole)))
            .collect()
    }

    /// The row by itself, as two questions about what else is in `text`: with any multiple of p that
    /// cancels the low bits, and whether that is what the row's does.
    pub(super) fn alone(&self, text: &str) -> Vec<String> {
        let Some(multiple) = self.multiple() else {
            return vec![self.any(Whole::Any) + text];
        };
        let Multiple {
            of,
            bits,
            negative,
            k,
            width,
            ..
        } = multiple;
        let low =
            |name: &str, from: u32| format!("((_ extract {} {from}) {name})", from + bits - 1);
        let word = low(&self.name(of), self.shape(of).1);
        let word = if negative {
            word
        } else {
            format!("(bvneg {word})")
        };
        let cancels = format!("(= {} {word})", low("m", 0));
        let greatest = literal(k * ((1 << bits) - 1), width);
        let free = format!(
            "(declare-const m (_ BitVec {width}))\n(assert (bvule m {greatest}))\n(assert {cancels})\n"
        );
        let does = self.defined(&multiple) + &format!("(assert (not {cancels}))\n");
        vec![
            self.any(Whole::Any) + &free + text,
            self.any(Whole::Any) + &does,
        ]
    }

    /// The multiple of p by which the row makes low bits zero.
    pub(super) fn multiple(&self) -> Option<Multiple> {
        let mut all = self.row.pieces().filter_map(|(k, piece)| match piece {
            Piece::Quotient { of, factor, bits } => Some(Multiple {
                of,
                factor,
                bits,
                negative: k < 0,
                k: k.unsigned_abs(),
                width: bits + length(k),
            }),
            Piece::Bits { .. } => None,
        });
        all.next().filter(|_| all.next().is_none())
    }

    pub(super) fn defined(&self, multiple: &Multiple) -> String {
        let Multiple {
            of,
            factor,
            bits,
            k,
            width,
            ..
        } = *multiple;
        let (all, low, _) = self.shape(of);
        let word = extended(&self.name(of), all, low, Some(bits), false, bits);
        let often = define("q", bits, &times(&word, bits, factor.into(), bits));
        often + &define("m", width, &times("q", bits, k, width))
    }

    /// The element in a word of a body.
    pub(super) fn element(&self, word: &str) -> String {
        format!(
            "((_ extract {} {}) {word})",
            self.from + self.bits - 1,
            self.from
        )
    }

    /// What the row says of operands: `needs`.
    pub(super) fn needs(&self) -> String {
        let row = self.row;
        let mut needs: Vec<String> = row.needs.iter().map(|need| self.need(need)).collect();
        needs.extend((0..row.operands).filter_map(|n| self.valid(row.reads, &format!("e{n}"))));
        if row.carries {
            let zero = literal(0, 52);
            let product = self.name(self.row.multiplied());
            needs.push(format!("(not (= ((_ extract 51 0) {product}) {zero}))"));
        }
        let needs = joined("and", needs.into_iter());
        format!("(define-fun needs () Bool {needs})\n")
    }

    /// What the row says of operands and results: `needs` and `gives`.
    pub(super) fn statement(&self, results: &[String]) -> String {
        let (row, width) = (self.row, self.width());
        let (mut text, mut gives) = (self.needs(), Vec::new());
        for (n, (result, sum)) in results.iter().zip(&row.results).enumerate() {
            text += &define(&format!("r{n}"), self.bits, result);
            text += &define(&format!("sum{n}"), width, &self.sum(sum));
            gives.extend(self.gives(n));
        }
        let gives = joined("and", gives.into_iter());
        text + &format!("(define-fun gives () Bool {gives})\n")
    }

    /// What the row says of one result.
    pub(super) fn gives(&self, n: usize) -> Vec<String> {
        let (row, mut result) = (self.row, self.result(n));
        let range = row.stated(n).map(|range| self.within(&result, range));
        if row.parts.is_some() {
            if n > 0 {
                return range.into_iter().collect();
            }
            let second = shifted(&self.result(1), self.width(), row.radix);
            result = format!("(bvadd {result} {second})");
        }
        let result = shifted(&result, self.width(), row.down);
        let cases = row.either.iter().map(|by| {
            let sum = self.moved(&format!("sum{n}"), *by);
            match row.writes {
                // Up by so many bits, modulo what a multiplication reads.
                Reading::Shifted => {
                    let (held, zero) = (51 - SHIFT, literal(0, SHIFT));
                    let up = format!("(concat ((_ extract {held} 0) {sum}) {zero})");
                    format!("(= ((_ extract 51 0) r{n}) {up})")
                }
                _ => format!("(= {result} {sum})"),
            }
        });
        range.into_iter().chain([joined("or", cases)]).collect()
    }

    pub(super) fn name(&self, word: Word) -> String {
        let halves = self.row.reads == Reading::Halves;
        word.name(if halves { "i" } else { "e" })
    }

    /// The bits of a word, the lowest that counts, and whether its sign counts.
    pub(super) fn shape(&self, word: Word) -> (u32, u32, bool) {
        match (self.row.reads, word) {
            (Reading::Shifted, Word::Operand(_)) => (52, SHIFT, false),
            (Reading::Shifted, _) => (104, 2 * SHIFT, false),
            (Reading::Below52 | Reading::Below63, Word::Product(..) | Word::Doubled(..)) => {
                (104, 0, false)
            }
            (Reading::Halves, Word::Operand(_)) => (SHORT, 0, true),
            (_, Word::Folded(..)) => (FOLDED, 0, true),
            (reads, Word::Operand(_)) => (self.bits, 0, reads.is_signed()),
            (reads, Word::Dot(_)) => (2 * self.bits + MORE, 0, reads.is_signed()),
            (reads, _) => (2 * self.bits, 0, reads.is_signed()),
        }
    }

    fn need(&self, need: &Need) -> String {
        let Some(coefficients) = &need.left else {
            let word = self.row.multiplied();
            let (name, (bits, _, signed)) = (self.name(word), self.shape(word));
            let bound = literal(need.bound as u128, bits);
            return match signed {
                false => format!("(bvult {name} {bound})"),
                true => format!("(and (bvslt {name} {bound}) (bvslt (bvneg {bound}) {name}))"),
            };
        };
        let terms = coefficients.iter().enumerate().map(|(n, k)| {
            let (of, from, width) = (Word::Operand(n), 0, None);
            (*k, Piece::Bits { of, from, width })
        });
        let left = Sum {
            terms: terms.collect(),
            ..Sum::default()
        };
        format!("(bvslt {} {})", self.sum(&left), self.number(need.bound))
    }

    /// That a word stands for an integer, if not all do.
    fn valid(&self, reading: Reading, word: &str) -> Option<String> {
        let zero = |hi: u32, lo: u32| {
            let zero = literal(0, hi - lo + 1);
            format!("(= ((_ extract {hi} {lo}) {word}) {zero})")
        };
        match reading {
            Reading::Unsigned | Reading::Signed | Reading::Halves => None,
            Reading::Shifted => Some(zero(SHIFT - 1, 0)),
            Reading::Below52 => Some(zero(self.bits - 1, 52)),
            Reading::Below63 => Some(zero(self.bits - 1, 63)),
        }
    }

    /// The integer that a result stands for.
    pub(super) fn result(&self, n: usize) -> String {
        if self.row.writes == Reading::Halves {
            return halves(&format!("r{n}"), self.width());
        }
        let (all, low, signed) = match self.row.writes {
            Reading::Shifted => (52, SHIFT, false),
            writes => (self.bits, 0, writes == Reading::Signed),
        };
        extended(&format!("r{n}"), all, low, None, signed, self.width())
    }

    /// That an integer is in a range.
    pub(super) fn within(&self, value: &str, (lo, hi): Range) -> String {
        bounded("bvsle", &self.number(lo), value, &self.number(hi))
    }

    fn sum(&self, sum: &Sum) -> String {
        let start = (sum.constant != 0 || sum.terms.is_empty()).then(|| self.number(sum.constant));
        let all = sum.terms.iter().fold(start, |sum, (k, piece)| {
            let term = self.term(k.unsigned_abs(), *piece);
            Some(match sum {
                Some(sum) if *k < 0 => format!("(bvsub {sum} {term})"),
                Some(sum) => format!("(bvadd {sum} {term})"),
                None if *k < 0 => format!("(bvneg {term})"),
                None => term,
            })
        });
        let value = all.expect("a constant or a term");
        match sum.corrected {
            None => value,
            Some((from, [below, above])) => format!(
                "(let ((v {value})) (ite (bvslt v {}) {} {}))",
                self.number(from),
                self.moved("v", below),
                self.moved("v", above)
            ),
        }
    }

    fn term(&self, k: u128, piece: Piece) -> String {
        let width = self.width();
        match piece {
            Piece::Bits {
                of,
                from,
                width: bits,
            } => {
                let (all, low, signed) = self.shape(of);
                let own = bits.unwrap_or(all - low - from);
                if signed && bits.is_none() {
                    let value = extended(&self.name(of), all, low + from, None, true, width);
                    return times(&value, width, k, width);
                }
                let value = extended(&self.name(of), all, low + from, bits, false, own);
                times(&value, own, k, width)
            }
            Piece::Quotient { bits, .. } => {
                let own = bits + length(k.cast_signed());
                extended("m", own, 0, None, false, width)
            }
        }
    }

    fn number(&self, n: i128) -> String {
        let width = self.width();
        let word = n.unsigned_abs();
        match n {
            0.. => literal(word, width),
            _ => format!("(bvneg {})", literal(word, width)),
        }
    }

    fn moved(&self, value: &str, by: i128) -> String {
        let number = literal(by.unsigned_abs(), self.width());
        match by {
            0 => value.to_owned(),
            1.. => format!("(bvadd {value} {number})"),
            _ => format!("(bvsub {value} {number})"),
        }
    }

    /// Whether no sum leaves the words of results, whatever the limbs in operands are: then sums that
    /// are equal in the bits of a word are equal.
    fn fits(&self) -> bool {
        let limbs = vec![(0, (1 << (52 - SHIFT)) - 1); self.row.operands];
        let signed = 1i128 << (self.bits - 1);
        let mut ranges = self.row.ranges(&limbs).into_iter();
        ranges.all(|(lo, hi)| -signed <= lo && hi < signed)
    }

    /// Bits in which nothing that the row says wraps.
    pub(super) fn width(&self) -> u32 {
        let row = self.row;
        if row.reads == Reading::Shifted && self.fits() {
            return self.bits;
        }
        let terms = |sum: &Sum| {
            let of = |(k, piece): &(i128, Piece)| {
                length(*k)
                    + match *piece {
                        Piece::Quotient { bits, .. } => bits,
                        Piece::Bits { of, from, width } => {
                            let (all, low, _) = self.shape(of);
                            width.unwrap_or(all - low - from)
                        }
                    }
            };
            let greatest = sum
                .terms
                .iter()
                .map(of)
                .max()
                .unwrap_or(0)
                .max(length(sum.constant));
            let by = sum
                .corrected
                .iter()
                .flat_map(|(_, by)| by)
                .chain(&row.either);
            let by = by.map(|n| length(*n)).max().unwrap_or(0);
            let from = sum.corrected.map_or(0, |(from, _)| length(from));
            (greatest + sum.terms.len().max(1).ilog2() + 1)
                .max(by)
                .max(from)
                + 3
        };
        let needs = row.needs.iter().map(|need| {
            let all = need.left.iter().flatten().map(|k| length(*k) + self.bits);
            all.max().unwrap_or(0).max(length(need.bound)) + 2
        });
        let results = row.results.iter().map(terms);
        let all = needs.chain(results).max().unwrap_or(0);
        let sign = u32::from(row.writes != Reading::Signed);
        let together = if row.parts.is_some() { row.radix } else { 0 };
        all.max(self.bits + row.down + sign + together)
    }
}

/// The integer that a word of two signed halves stands for, in so many bits.
fn halves(word: &str, width: u32) -> String {
    let half = |from| extended(word, 64, from, Some(32), true, width);
    format!("(bvadd {} {})", shifted(&half(32), width, 32), half(0))
}

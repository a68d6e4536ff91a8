//! What a macro-op gives: a sum of pieces of its operands, and what follows from that.

use std::collections::BTreeMap;

use reference::Permutation;

/// Least and greatest value.
pub(crate) type Range = (i128, i128);

/// How words stand for integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As they are.
    Unsigned,
    /// In two's complement.
    Signed,
    /// Both halves in two's complement: `2^32` times the high one and the low one.
    Halves,
    /// The low 52 bits are `2^10` times the integer, modulo `2^52`; the bits above mean nothing. Rows
    /// that read it need it to be non-negative and below `2^42`.
    Shifted,
    /// As they are, below `2^52`.
    Below52,
    /// As they are, below `2^63`; products are of the low 52 bits of words. Rows that read it need factors to be
    /// below `2^52`.
    Below63,
}

impl Reading {
    /// Whether the integer may be negative.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Signed | Self::Halves)
    }

    /// Whether products are of the low 52 bits of words.
    pub(crate) fn multiplies_52(self) -> bool {
        matches!(self, Self::Shifted | Self::Below52 | Self::Below63)
    }
}

/// What bits are cut out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    Operand(usize),
    /// The product of two operands.
    Product(usize, usize),
    /// The product of an operand and twice another.
    Doubled(usize, usize),
    /// The sum of the products of so many pairs of operands, each with the next.
    Dot(usize),
    /// `⌊x / 2^32⌋ + x mod 2^32` for the product x of two operands.
    Folded(usize, usize),
}

impl Word {
    /// What it is called in questions, where operands have names that begin so.
    pub(crate) fn name(self, operand: &str) -> String {
        match self {
            Self::Operand(n) => format!("{operand}{n}"),
            Self::Product(a, b) => format!("p{a}.{b}"),
            Self::Doubled(a, b) => format!("d{a}.{b}"),
            Self::Folded(a, b) => format!("y{a}.{b}"),
            Self::Dot(_) => "dot".to_owned(),
        }
    }
}

/// The operands that are multiplied in a [`Word::Dot`].
pub(crate) fn pairs(products: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..products).map(|n| (2 * n, 2 * n + 1))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// `⌊w / 2^from⌋`, modulo `2^width` where a width is given.
    Bits {
        of: Word,
        from: u32,
        width: Option<u32>,
    },
    /// `factor·w mod 2^bits`: how often p is added so that `2^bits` divides the sum.
    Quotient { of: Word, factor: u64, bits: u32 },
}

impl Piece {
    pub(crate) fn word(self) -> Word {
        let (Self::Bits { of, .. } | Self::Quotient { of, .. }) = self;
        of
    }
}

/// `constant + Σ k·piece`; where it is negative or reaches a bound, a multiple of p is added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) constant: i128,
    pub(crate) terms: Vec<(i128, Piece)>,
    /// The bound, and what is added below it and from it on.
    pub(crate) corrected: Option<(i128, [i128; 2])>,
}

/// `left < bound`, where `left` is `Σ k·operand`, or the product of the last two operands: of a single
/// one, its square; of a row that sums products, the sum; of signed words, its magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) left: Option<Vec<i128>>,
    pub(crate) bound: i128,
}

/// `2^down·r = sum + n` for each result `r` and its sum, and one `n` of some multiples of p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) operands: usize,
    /// Bits of a word.
    pub(crate) bits: u32,
    pub(crate) reads: Reading,
    pub(crate) writes: Reading,
    pub(crate) needs: Vec<Need>,
    /// Whether `2^52` must not divide the product of the last two operands.
    pub(crate) carries: bool,
    pub(crate) results: Vec<Sum>,
    pub(crate) down: u32,
    pub(crate) either: Vec<i128>,
    /// Where results are, whatever the sum is.
    pub(crate) range: Option<Range>,
    /// The same where the first sum is what two results stand for together; the second is empty.
    pub(crate) parts: Option<[Range; 2]>,
    /// Two results together stand for the first and `2^radix` times the second.
    pub(crate) radix: u32,
}

/// What results together stand for, modulo p: `constant + Σ linear[n]·operand[n] + Σ product`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) constant: u64,
    pub(crate) linear: Vec<u64>,
    /// Products of two linear forms.
    pub(crate) products: Vec<[Vec<u64>; 2]>,
    /// What the second result weighs.
    pub(crate) second: u64,
}

/// What is left of sums when the pieces are put together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    One,
    Floor(Word, u32),
    Quotient(Word, u64, u32),
}

fn add(a: Range, b: Range) -> Range {
    (a.0 + b.0, a.1 + b.1)
}

/// The range of products.
fn product(a: Range, b: Range) -> Range {
    let (lo, hi) = (times(a.0, b), times(a.1, b));
    (lo.0.min(hi.0), lo.1.max(hi.1))
}

fn times(k: i128, x: Range) -> Range {
    if k < 0 {
        (k.saturating_mul(x.1), k.saturating_mul(x.0))
    } else {
        (k.saturating_mul(x.0), k.saturating_mul(x.1))
    }
}

/// The range of a word, of which no product has more bits than fit.
pub(crate) fn word(of: Word, x: &[Range]) -> Range {
    match of {
        Word::Operand(n) => x[n],
        Word::Product(a, b) => product(x[a], x[b]),
        Word::Doubled(a, b) => product(x[a], times(2, x[b])),
        Word::Folded(a, b) => {
            let (lo, hi) = product(x[a], x[b]);
            add((lo >> 32, hi >> 32), (0, (1 << 32) - 1))
        }
        Word::Dot(products) => {
            let products = pairs(products).map(|(a, b)| product(x[a], x[b]));
            products.fold((0, 0), add)
        }
    }
}

impl Row {
    /// The first need that operands in these ranges may break.
    pub(crate) fn unmet(&self, x: &[Range]) -> Option<&Need> {
        self.needs.iter().find(|need| {
            let greatest = match &need.left {
                Some(k) => k.iter().zip(x).map(|(k, x)| times(*k, *x).1).sum(),
                None => {
                    let (least, most) = word(self.multiplied(), x);
                    most.max(-least)
                }
            };
            greatest >= need.bound
        })
    }

    /// The pieces of all results, each with its factor.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (i128, Piece)> {
        self.results.iter().flat_map(|sum| &sum.terms).copied()
    }

    /// What needs without coefficients are about.
    pub(crate) fn multiplied(&self) -> Word {
        let mut words = self.pieces().map(|(_, piece)| piece.word());
        let sum = words.find(|word| matches!(word, Word::Dot(_)));
        sum.unwrap_or(Word::Product(
            self.operands.saturating_sub(2),
            self.operands - 1,
        ))
    }

    /// Where a result is, whatever the sum is.
    pub(crate) fn stated(&self, n: usize) -> Option<Range> {
        self.parts.map(|parts| parts[n]).or(self.range)
    }

    /// The ranges of the results.
    pub(crate) fn ranges(&self, x: &[Range]) -> Vec<Range> {
        if let Some(parts) = self.parts {
            return parts.to_vec();
        }
        let results = self.results.iter().map(|sum| {
            let terms = sum
                .terms
                .iter()
                .map(|(k, piece)| times(*k, self.piece(*piece, x)));
            let mut range = terms.fold((sum.constant, sum.constant), add);
            if let Some((from, [below, above])) = sum.corrected {
                let below = (range.0 + below, range.1.min(from - 1) + below);
                let above = (range.0.max(from) + above, range.1 + above);
                range = match (range.0 < from, range.1 >= from) {
                    (true, true) => (below.0.min(above.0), below.1.max(above.1)),
                    (true, false) => below,
                    _ => above,
                };
            }
            let least = self.either.iter().min().expect("at least zero");
            let most = self.either.iter().max().expect("at least zero");
            let up = |n: i128| -(-n >> self.down);
            let range = (up(range.0 + least), (range.1 + most) >> self.down);
            match self.range {
                Some(stated) => (range.0.max(stated.0), range.1.min(stated.1)),
                None => range,
            }
        });
        results.collect()
    }

    /// The first result for operands; none if the row leaves it open, or a number does not fit.
    pub(crate) fn value(&self, x: &[i128]) -> Option<i128> {
        let sum = self.results.first().filter(|_| self.either == [0])?;
        if sum.corrected.is_some() {
            return None;
        }
        let mut value = sum.constant;
        for (k, piece) in &sum.terms {
            let word = match piece.word() {
                Word::Operand(n) => x[n],
                Word::Product(a, b) => x[a].checked_mul(x[b])?,
                Word::Doubled(a, b) => x[a].checked_mul(x[b])?.checked_mul(2)?,
                Word::Folded(a, b) => {
                    let product = x[a].checked_mul(x[b])?;
                    (product >> 32) + (product & ((1 << 32) - 1))
                }
                Word::Dot(products) => pairs(products).try_fold(0i128, |sum, (a, b)| {
                    sum.checked_add(x[a].checked_mul(x[b])?)
                })?,
            };
            let low = |word: i128, bits: u32| word & ((1 << bits) - 1);
            let piece = match *piece {
                Piece::Quotient { factor, bits, .. } => {
                    low(low(word, bits).wrapping_mul(factor.into()), bits)
                }
                Piece::Bits { from, width, .. } => {
                    width.map_or(word >> from, |width| low(word >> from, width))
                }
            };
            value = value.checked_add(k.checked_mul(piece)?)?;
        }
        Some(value >> self.down)
    }

    fn piece(&self, piece: Piece, x: &[Range]) -> Range {
        let (of, from, width) = match piece {
            Piece::Quotient { bits, .. } => return (0, (1 << bits) - 1),
            Piece::Bits { of, from, width } => (of, from, width),
        };
        // Products of words of 64 bits do not fit; their pieces may be any. What has no width is of factors that do.
        if let (Reading::Unsigned, Some(width)) = (self.reads, width)
            && !matches!(of, Word::Operand(_))
        {
            return (0, (1 << width) - 1);
        }
        let word = word(of, x);
        let (lo, hi) = (word.0 >> from, word.1 >> from);
        match width {
            Some(width) if lo >> width == hi >> width => {
                let mask = (1 << width) - 1;
                (lo & mask, hi & mask)
            }
            Some(width) => (0, (1 << width) - 1),
            None => (lo, hi),
        }
    }

    /// What the results stand for; none if pieces do not cancel, or something else is added than
    /// multiples of p.
    pub(crate) fn meaning(
        &self,
        permutation: &Permutation,
        montgomery_bits: u32,
    ) -> Option<Meaning> {
        let p = i128::from(permutation.modulus);
        let half = permutation.modulus.div_ceil(2);
        let mut whole = BTreeMap::new();
        let mut weight = permutation.pow(half, self.down.into());
        let second = permutation.pow(2, self.radix.into());
        for sum in &self.results {
            let corrections = sum.corrected.iter().flat_map(|(_, by)| by);
            if corrections.chain(&self.either).any(|n| n % p != 0) {
                return None;
            }
            let mut add = |atom: Atom, k: u64| {
                let entry = whole.entry(atom).or_insert(0);
                *entry = permutation.add(*entry, permutation.mul(weight, k));
            };
            let mut put = |atom: Atom, k: u64| match atom {
                // The product less its low half, over 2^32, and that half.
                Atom::Floor(Word::Folded(a, b), 0) => {
                    let above = permutation.add(1, permutation.modulus - permutation.pow(2, 32));
                    add(
                        Atom::Floor(Word::Product(a, b), 32),
                        permutation.mul(k, above),
                    );
                    add(Atom::Floor(Word::Product(a, b), 0), k);
                }
                Atom::Floor(Word::Doubled(a, b), 0) => {
                    add(Atom::Floor(Word::Product(a, b), 0), permutation.add(k, k));
                }
                _ => add(atom, k),
            };
            let residue = |k: i128| k.rem_euclid(p) as u64;
            put(Atom::One, residue(sum.constant));
            for (k, piece) in &sum.terms {
                match *piece {
                    Piece::Quotient { of, factor, bits } => {
                        put(Atom::Quotient(of, factor, bits), residue(*k));
                    }
                    // Lemmas double words in that reading alone.
                    Piece::Bits {
                        of: Word::Doubled(..),
                        ..
                    } if self.reads != Reading::Shifted => return None,
                    Piece::Bits { of, from, width } => {
                        put(Atom::Floor(of, from), residue(*k));
                        // `x mod 2^k` is `x - 2^k·⌊x / 2^k⌋`; of the last bits nothing is left.
                        if let Some(width) = width
                            && !self.ends(of, from + width)
                        {
                            let up = permutation.pow(2, width.into());
                            put(
                                Atom::Floor(of, from + width),
                                permutation.mul(residue(-k), up),
                            );
                        }
                    }
                }
            }
            weight = permutation.mul(weight, second);
        }
        let mut meaning = Meaning {
            constant: 0,
            linear: vec![0; self.operands],
            products: Vec::new(),
            second,
        };
        // Words stand for residues times 2^montgomery_bits; products of two have that twice.
        let scale = permutation.pow(2, montgomery_bits.into());
        let mut products = BTreeMap::new();
        for (atom, k) in whole.into_iter().filter(|(_, k)| *k != 0) {
            match atom {
                Atom::One => {
                    meaning.constant =
                        permutation.mul(k, permutation.pow(half, montgomery_bits.into()))
                }
                Atom::Floor(Word::Operand(n), 0) => meaning.linear[n] = k,
                Atom::Floor(Word::Product(a, b), 0) => {
                    let entry = products.entry((a.min(b), a.max(b))).or_insert(0);
                    *entry = permutation.add(*entry, permutation.mul(scale, k));
                }
                // Each of its own operands.
                Atom::Floor(Word::Dot(products), 0) => {
                    for (a, b) in pairs(products) {
                        let product = BTreeMap::from([((a, b), permutation.mul(scale, k))]);
                        meaning.products.push(self.factors(permutation, &product)?);
                    }
                }
                Atom::Floor(..) | Atom::Quotient(..) => return None,
            }
        }
        if !products.is_empty() {
            meaning.products.push(self.factors(permutation, &products)?);
        }
        Some(meaning)
    }

    /// Whether a word has no bits from `at` upwards.
    fn ends(&self, word: Word, at: u32) -> bool {
        let bits = match word {
            Word::Operand(_) => self.bits,
            _ => 2 * self.bits,
        };
        self.reads == Reading::Unsigned && at >= bits
    }

    /// The linear forms whose product is `Σ products[a, b]·x[a]·x[b]`.
    fn factors(
        &self,
        permutation: &Permutation,
        products: &BTreeMap<(usize, usize), u64>,
    ) -> Option<[Vec<u64>; 2]> {
        let (&(row, column), &corner) = products.first_key_value()?;
        let square = row == column;
        if !square && products.keys().any(|(a, b)| a == b) {
            return None;
        }
        // For a square, each mixed product stands in two places.
        let at = |a: usize, b: usize| match products.get(&(a.min(b), a.max(b))) {
            Some(&k) if square && a != b => permutation.mul(permutation.modulus.div_ceil(2), k),
            Some(&k) if square || a < b => k,
            _ => 0,
        };
        let unit = permutation.pow(corner, permutation.modulus - 2);
        let left: Vec<u64> = (0..self.operands).map(|a| at(a, column)).collect();
        let right = (0..self.operands).map(|b| permutation.mul(unit, at(row, b)));
        let right: Vec<u64> = right.collect();
        let places = (0..self.operands).flat_map(|a| (0..self.operands).map(move |b| (a, b)));
        let splits = |(a, b): (usize, usize)| at(a, b) == permutation.mul(left[a], right[b]);
        places.into_iter().all(splits).then_some([left, right])
    }
}

#[cfg(test)]
mod tests;

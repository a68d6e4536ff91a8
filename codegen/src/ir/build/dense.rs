//! A dense matrix as few additions and doublings, as far as its entries allow.
//!
//! Each row is a sum of signed doublings of elements: the entries in their non-adjacent form, which has the
//! fewest digits. As long as two digits stand in the same relation more than once, their sum gets a name and
//! takes their places (Hartley, "Subexpression sharing in filters using canonic signed digit multipliers", IEEE
//! TCAS-II 43(10), 1996).
//!
//! A block-circulant matrix `[A B; B A]` may begin with half a Karatsuba step: with `s = x + y`, the results are
//! `B·s + (A-B)·x` and `B·s + (A-B)·y`. What costs least is taken.

use super::Builder;
use crate::ir::Value;
use crate::params::Field;
use std::collections::{BTreeMap, BTreeSet};

/// Entries up to this are sums of doublings; greater ones are products.
const SUMMED: u64 = 1 << 12;

/// `±2^shift·v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    shift: u32,
    value: usize,
    negative: bool,
}

/// What two terms of a sum have in common with two others: both are `±2^shift·(first ± 2^apart·second)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern {
    apart: u32,
    first: usize,
    second: usize,
    is_difference: bool,
}

/// Sums in the making. Values are the elements, products of them, then what `shared` defines.
#[derive(Clone)]
struct Sums {
    inputs: usize,
    shared: Vec<Pattern>,
    rows: Vec<Vec<Term>>,
}

/// The values `rows·x`.
pub(super) fn multiply(
    b: &mut Builder,
    field: &Field,
    site: &str,
    x: &[Value],
    rows: &[Vec<u64>],
) -> Vec<Value> {
    let mut values = x.to_vec();
    let mut products = BTreeMap::new();
    for row in rows {
        for (j, &entry) in row.iter().enumerate() {
            if small(field, entry).is_none() {
                products.entry((j, entry)).or_insert_with(|| {
                    values.push(b.product(format!("{site}.product[{j}].{entry}"), x[j], entry));
                    values.len() - 1
                });
            }
        }
    }
    let digits = |row: &Vec<u64>| {
        let entries = row.iter().enumerate();
        let digits = entries.flat_map(|(j, &entry)| match small(field, entry) {
            Some(entry) => digits(j, entry),
            None => digits(products[&(j, entry)], 1),
        });
        digits.collect::<Vec<Term>>()
    };
    let direct = Sums {
        inputs: values.len(),
        shared: Vec::new(),
        rows: rows.iter().map(digits).collect(),
    };
    let mut ways = vec![direct];
    ways.extend(halves(field, values.len(), rows));
    ways.iter_mut().for_each(Sums::share);
    let cheapest = ways
        .into_iter()
        .min_by_key(Sums::cost)
        .expect("one way is there");
    cheapest.emit(b, site, values)
}

/// An entry as a small number of either sign.
fn small(field: &Field, entry: u64) -> Option<i64> {
    let negative = field.neg(entry);
    match (i64::try_from(entry), i64::try_from(negative)) {
        (Ok(number), _) if entry <= SUMMED => Some(number),
        (_, Ok(number)) if negative <= SUMMED => Some(-number),
        _ => None,
    }
}

/// The non-adjacent form of `number·value`.
fn digits(value: usize, mut number: i64) -> Vec<Term> {
    let (mut terms, mut shift) = (Vec::new(), 0);
    while number != 0 {
        if number & 1 == 1 {
            let digit = 2 - (number & 3);
            let negative = digit < 0;
            terms.push(Term {
                shift,
                value,
                negative,
            });
            number -= digit;
        }
        number >>= 1;
        shift += 1;
    }
    terms
}

/// The sums of `[A B; B A]` with `x + y` shared, both ways round; none if the matrix is not of that form.
fn halves(field: &Field, inputs: usize, rows: &[Vec<u64>]) -> Vec<Sums> {
    let half = rows.len() / 2;
    let indices = || (0..half).flat_map(|i| (0..half).map(move |j| (i, j)));
    let is_block_circulant = rows.len() == inputs
        && rows.len().is_multiple_of(2)
        && indices().all(|(i, j)| {
            rows[half + i][half + j] == rows[i][j] && rows[half + i][j] == rows[i][half + j]
        });
    if !is_block_circulant {
        return Vec::new();
    }
    let shared: Vec<Pattern> = (0..half)
        .map(|first| Pattern {
            apart: 0,
            first,
            second: half + first,
            is_difference: false,
        })
        .collect();
    // The block that `x + y` is multiplied by is B or A; with A it is the other half that is added.
    let way = |common: usize, other: usize| {
        let row = |i: usize| {
            let (block, i) = (i / half, i % half);
            (0..half).try_fold(Vec::new(), |mut terms, j| {
                let factor = rows[i][common + j];
                let rest = field.sub(rows[i][other + j], factor);
                terms.extend(digits(inputs + j, small(field, factor)?));
                let place = if other == 0 { block } else { 1 - block };
                terms.extend(digits(half * place + j, small(field, rest)?));
                Some(terms)
            })
        };
        let rows: Option<Vec<Vec<Term>>> = (0..2 * half).map(row).collect();
        rows.map(|rows| Sums {
            inputs,
            shared: shared.clone(),
            rows,
        })
    };
    [way(half, 0), way(0, half)].into_iter().flatten().collect()
}

impl Pattern {
    /// The pattern of two different terms, the first of which comes first in order.
    fn of(first: &Term, second: &Term) -> Self {
        Self {
            apart: second.shift - first.shift,
            first: first.value,
            second: second.value,
            is_difference: first.negative != second.negative,
        }
    }
}

impl Sums {
    /// Names what several sums have in common, the most frequent first.
    fn share(&mut self) {
        let mut useless = BTreeSet::new();
        loop {
            self.rows.iter_mut().for_each(|row| row.sort_unstable());
            let mut seen: BTreeMap<Pattern, usize> = BTreeMap::new();
            for row in &self.rows {
                for (n, first) in row.iter().enumerate() {
                    for second in &row[n + 1..] {
                        *seen.entry(Pattern::of(first, second)).or_default() += 1;
                    }
                }
            }
            seen.retain(|pattern, count| *count > 1 && !useless.contains(pattern));
            // Of those that are as frequent, the first in order: doublings cost something.
            let best = seen
                .iter()
                .max_by_key(|(pattern, count)| (**count, std::cmp::Reverse(**pattern)));
            let Some((&pattern, _)) = best else {
                return;
            };
            let value = self.inputs + self.shared.len();
            let rows: Vec<(Vec<Term>, usize)> = self
                .rows
                .iter()
                .map(|row| replaced(row, pattern, value))
                .collect();
            // Terms that were counted twice can be taken once.
            if rows.iter().map(|(_, times)| times).sum::<usize>() < 2 {
                useless.insert(pattern);
                continue;
            }
            self.rows = rows.into_iter().map(|(row, _)| row).collect();
            self.shared.push(pattern);
        }
    }

    /// Additions, and doublings by different numbers of bits.
    fn cost(&self) -> usize {
        let terms = self
            .rows
            .iter()
            .flatten()
            .map(|term| (term.value, term.shift));
        let shared = self
            .shared
            .iter()
            .map(|pattern| (pattern.second, pattern.apart));
        let doublings: BTreeSet<_> = terms
            .chain(shared)
            .filter(|(_, shift)| *shift > 0)
            .collect();
        let additions: usize = self.rows.iter().map(|row| row.len() - 1).sum();
        doublings.len() + self.shared.len() + additions
    }

    /// The operations, and the values of the rows.
    fn emit(&self, b: &mut Builder, site: &str, mut values: Vec<Value>) -> Vec<Value> {
        let mut doubled = BTreeMap::new();
        let mut term = |b: &mut Builder, values: &[Value], value: usize, shift: u32| {
            let once = |b: &mut Builder, doubled: &mut BTreeMap<_, Value>, x: Value, shift: u32| {
                let name = format!("{site}.twice[{value}].{shift}");
                *doubled
                    .entry((value, shift))
                    .or_insert_with(|| b.add(name, x, x))
            };
            (1..=shift).fold(values[value], |x, shift| once(b, &mut doubled, x, shift))
        };
        for (n, pattern) in self.shared.iter().enumerate() {
            let first = values[pattern.first];
            let second = term(b, &values, pattern.second, pattern.apart);
            let name = format!("{site}.shared[{n}]");
            values.push(match pattern.is_difference {
                true => b.sub(name, first, second),
                false => b.add(name, first, second),
            });
        }
        let mut outputs = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            // What is subtracted comes last, if there is anything to subtract it from.
            let (less, more): (Vec<&Term>, Vec<&Term>) = row.iter().partition(|term| term.negative);
            let mut sum: Option<Value> = None;
            for (
                n,
                &Term {
                    shift,
                    value,
                    negative,
                },
            ) in more.into_iter().chain(less).enumerate()
            {
                let x = term(b, &values, value, shift);
                let name = format!("{site}.out[{i}].{n}");
                sum = Some(match (sum, negative) {
                    (None, false) => x,
                    (None, true) => {
                        let zero = b.word(0);
                        b.sub(name, zero, x)
                    }
                    (Some(sum), false) => b.add(name, sum, x),
                    (Some(sum), true) => b.sub(name, sum, x),
                });
            }
            outputs.push(sum.expect("no row of an invertible matrix is zero"));
        }
        outputs
    }
}

/// A sorted sum in which terms that stand as the pattern says are the value in its place, and how many were.
fn replaced(row: &[Term], pattern: Pattern, value: usize) -> (Vec<Term>, usize) {
    let (mut left, mut taken) = (row.to_vec(), Vec::new());
    'again: loop {
        for n in 0..left.len() {
            let second = (n + 1..left.len()).find(|&m| Pattern::of(&left[n], &left[m]) == pattern);
            if let Some(m) = second {
                left.remove(m);
                let first = left.remove(n);
                taken.push(Term { value, ..first });
                continue 'again;
            }
        }
        let times = taken.len();
        left.extend(taken);
        return (left, times);
    }
}

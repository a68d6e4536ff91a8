//! A dense matrix as few additions and doublings, as far as its entries allow.
//!
//! Each row is a sum of signed doublings of elements: the entries in their non-adjacent form, which has the
//! fewest digits. As long as two digits stand in the same relation more than once, their sum gets a name and
//! takes their places (Hartley, "Subexpression sharing in filters using canonic signed digit multipliers", IEEE
//! TCAS-II 43(10), 1996).
//!
//! Circulant matrices are [taken apart](apart) first where that saves enough.

mod apart;

use super::Builder;
use crate::ir::Value;
use crate::params::Field;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Entries up to this are sums of doublings; greater ones are products.
const SUMMED: u64 = 1 << 12;

/// `±2^shift·v`; a sum has each value once for each shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    shift: u32,
    value: usize,
    negative: bool,
}

/// What two terms of a sum have in common with two others: both are `±2^shift·(first ± 2^apart·second)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// How some elements are multiplied by a matrix.
pub(super) struct Plan {
    /// The products by great entries: of which element, and by what.
    products: Vec<(usize, u64)>,
    sums: Sums,
}

/// Plans by field and matrix.
type Made = BTreeMap<(u64, Vec<Vec<u64>>), Arc<Plan>>;

/// Those of this process. The search for one may take seconds, and each kernel asks for it several times.
static MADE: Mutex<Made> = Mutex::new(Made::new());

impl Plan {
    pub(super) fn of(field: &Field, rows: &[Vec<u64>]) -> Arc<Self> {
        let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (field.modulus, rows.to_vec());
        let known = made().get(&key).cloned();
        // Not behind the lock: others are searched for meanwhile.
        let plan = known.unwrap_or_else(|| Arc::new(Self::found(field, rows)));
        Arc::clone(made().entry(key).or_insert(plan))
    }

    fn found(field: &Field, rows: &[Vec<u64>]) -> Self {
        let entries = rows.iter().flat_map(|row| row.iter().copied().enumerate());
        let great: BTreeSet<_> = entries
            .filter(|(_, entry)| small(field, *entry).is_none())
            .collect();
        let products = Vec::from_iter(great);
        // A column for each element, then one for each product.
        let row = |row: &Vec<u64>| {
            let entries = row.iter().map(|entry| small(field, *entry).unwrap_or(0));
            let great = products
                .iter()
                .map(|(j, entry)| i64::from(row[*j] == *entry));
            entries.chain(great).collect()
        };
        let rows: Vec<Vec<i64>> = rows.iter().map(row).collect();
        let sums = Sums::of(&rows);
        Self { products, sums }
    }

    /// The values `rows·x`.
    pub(super) fn multiply(&self, b: &mut Builder, site: &str, x: &[Value]) -> Vec<Value> {
        let products = self.products.iter().map(|(j, entry)| {
            let name = format!("{site}.product[{j}].{entry}");
            b.product(name, x[*j], *entry)
        });
        let values: Vec<Value> = x.iter().copied().chain(products).collect();
        self.sums.emit(b, site, values)
    }
}

/// An entry as a small number of either sign.
pub fn small(field: &Field, entry: u64) -> Option<i64> {
    let negative = field.neg(entry);
    match (i64::try_from(entry), i64::try_from(negative)) {
        (Ok(number), _) if entry <= SUMMED => Some(number),
        (_, Ok(number)) if negative <= SUMMED => Some(-number),
        _ => None,
    }
}

/// The non-adjacent form of `number·value`.
fn digits(value: usize, number: i64) -> Vec<Term> {
    let digits = signed_digits(number).into_iter();
    let terms = digits.map(|(shift, negative)| Term {
        shift,
        value,
        negative,
    });
    terms.collect()
}

/// The non-adjacent form of a number: powers of two, by their exponents, and whether they are subtracted.
pub fn signed_digits(mut number: i64) -> Vec<(u32, bool)> {
    let (mut digits, mut shift) = (Vec::new(), 0);
    while number != 0 {
        if number & 1 == 1 {
            let digit = 2 - (number & 3);
            digits.push((shift, digit < 0));
            number -= digit;
        }
        number >>= 1;
        shift += 1;
    }
    digits
}

impl Pattern {
    /// The pattern of two different terms of a sum.
    fn of(one: Term, other: Term) -> Self {
        let (first, second) = if one < other {
            (one, other)
        } else {
            (other, one)
        };
        Self {
            apart: second.shift - first.shift,
            first: first.value,
            second: second.value,
            is_difference: first.negative != second.negative,
        }
    }

    /// Terms of a sum that stand so, none of them twice.
    fn pairs(self, row: &BTreeSet<Term>) -> Vec<[Term; 2]> {
        let (mut left, mut pairs) = (row.clone(), Vec::new());
        for &first in row.iter().filter(|term| term.value == self.first) {
            let second = Term {
                shift: first.shift + self.apart,
                value: self.second,
                negative: first.negative != self.is_difference,
            };
            if first != second && left.contains(&first) && left.remove(&second) {
                left.remove(&first);
                pairs.push([first, second]);
            }
        }
        pairs
    }
}

/// How often each pattern stands in the sums; terms that it has in common with another may count twice.
#[derive(Default)]
struct Counts(HashMap<Pattern, usize>);

impl Counts {
    /// Takes a term into a sum.
    fn insert(&mut self, row: &mut BTreeSet<Term>, term: Term) {
        for other in row.iter() {
            *self.0.entry(Pattern::of(*other, term)).or_default() += 1;
        }
        row.insert(term);
    }

    /// Takes a term out of a sum.
    fn remove(&mut self, row: &mut BTreeSet<Term>, term: Term) {
        row.remove(&term);
        for other in row.iter() {
            let pattern = Pattern::of(*other, term);
            if let Some(count) = self.0.get_mut(&pattern) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(&pattern);
                }
            }
        }
    }

    /// The most frequent one that stands more than once; of several the first in order, since doublings cost
    /// something.
    fn best(&self, useless: &BTreeSet<Pattern>) -> Option<Pattern> {
        let several = self.0.iter().filter(|(_, count)| **count > 1);
        let useful = several.filter(|(pattern, _)| !useless.contains(pattern));
        let best = useful.max_by_key(|(pattern, count)| (**count, Reverse(**pattern)));
        best.map(|(pattern, _)| *pattern)
    }
}

impl Sums {
    /// Names what several sums have in common, the most frequent first.
    fn share(&mut self) {
        let (mut counts, mut useless) = (Counts::default(), BTreeSet::new());
        let mut rows = vec![BTreeSet::new(); self.rows.len()];
        for (row, terms) in rows.iter_mut().zip(&self.rows) {
            terms.iter().for_each(|term| counts.insert(row, *term));
        }
        while let Some(pattern) = counts.best(&useless) {
            let pairs: Vec<Vec<[Term; 2]>> = rows.iter().map(|row| pattern.pairs(row)).collect();
            // Terms that were counted twice can be taken once.
            if pairs.iter().map(Vec::len).sum::<usize>() < 2 {
                useless.insert(pattern);
                continue;
            }
            let value = self.inputs + self.shared.len();
            for (row, pairs) in rows.iter_mut().zip(pairs) {
                for [first, second] in pairs {
                    counts.remove(row, first);
                    counts.remove(row, second);
                    counts.insert(row, Term { value, ..first });
                }
            }
            self.shared.push(pattern);
        }
        self.rows = rows
            .into_iter()
            .map(|row| row.into_iter().collect())
            .collect();
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
        // Where all is subtracted, it is subtracted from zero.
        let is_added = |row: &Vec<Term>| row.iter().any(|term| !term.negative);
        let rows = self.rows.iter();
        let additions: usize = rows.map(|row| row.len() - usize::from(is_added(row))).sum();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{FieldOp, Input};
    use crate::params::{GOLDILOCKS, KOALA_BEAR, Mds};

    /// Additions and subtractions for a matrix, doublings included; and that they make its rows.
    fn operations(field: &Field, rows: &[Vec<u64>]) -> usize {
        operations_of(&Plan::of(field, rows), field, rows)
    }

    fn operations_of(plan: &Plan, field: &Field, rows: &[Vec<u64>]) -> usize {
        let width = rows.len();
        let mut b = Builder::new((0..width).map(Input::State).collect());
        let x: Vec<Value> = (0..width as u32).map(Value).collect();
        let outputs = plan.multiply(&mut b, "mds", &x);
        for j in 0..width {
            let mut values: Vec<u64> = (0..width).map(|i| u64::from(i == j)).collect();
            for operation in &b.operations {
                let of = |x: Value| values[x.index()];
                values.push(match operation.op {
                    FieldOp::Add(x, y) => field.add(of(x), of(y)),
                    FieldOp::Sub(x, y) => field.sub(of(x), of(y)),
                    FieldOp::Mul(x, y) => field.mul(of(x), of(y)),
                    FieldOp::Constant(residue) => residue,
                    _ => panic!("not linear"),
                });
            }
            for (output, row) in outputs.iter().zip(rows) {
                assert_eq!(values[output.index()], row[j]);
            }
        }
        b.operations.len()
    }

    #[test]
    fn matrices_cost_no_more_than_they_did() {
        let row_8 = [7, 1, 3, 8, 8, 3, 4, 9];
        let row_12 = [1, 1, 2, 1, 8, 9, 10, 7, 5, 9, 4, 10];
        let row_16 = [1, 1, 51, 1, 11, 17, 2, 1, 101, 63, 15, 2, 67, 22, 13, 3];
        let mut plonky2 = Mds::circulant(&[17, 15, 41, 16, 2, 28, 13, 13, 39, 18, 34, 20]);
        plonky2.rows[0][0] += 8;
        let circulants = [&row_8[..], &row_12, &row_16].map(Mds::circulant);
        let signed = circulants.iter().chain([&plonky2]);
        let signed: Vec<usize> = signed
            .map(|mds| operations(&GOLDILOCKS, &mds.rows))
            .collect();
        let binary = circulants
            .iter()
            .map(|mds| operations(&KOALA_BEAR, &mds.rows));
        insta::assert_debug_snapshot!((signed, binary.collect::<Vec<_>>()));
    }

    /// Whatever that costs; one entry is beside the diagonals.
    #[test]
    fn any_circulant_matrix_can_be_taken_apart() {
        let mut word: u64 = 1;
        let mut next = |below: i64| {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (word >> 33).cast_signed() % below
        };
        for width in 2..=12 {
            for most in [2, 5, 60] {
                let first: Vec<i64> = (0..width).map(|_| 1 + next(2 * most) - most).collect();
                let row = |i| (0..width).map(|j| first[(width + j - i) % width]).collect();
                let mut rows: Vec<Vec<i64>> = (0..width).map(row).collect();
                rows[width / 2][0] = most + 1;
                let residue = |entry: &i64| match entry {
                    0.. => entry.unsigned_abs(),
                    _ => GOLDILOCKS.neg(entry.unsigned_abs()),
                };
                let residues = rows.iter().map(|row| row.iter().map(residue).collect());
                let x: Vec<usize> = (0..width).collect();
                // On two cyclic diagonals of width 2 there is no number that most are.
                let Some(sums) = Sums::none(width).apart(&x, &rows, &mut apart::Known::new())
                else {
                    assert_eq!(width, 2);
                    continue;
                };
                let products = Vec::new();
                let plan = Plan { products, sums };
                operations_of(&plan, &GOLDILOCKS, &residues.collect::<Vec<_>>());
            }
        }
    }

    /// With all ways to take its parts apart, each by itself, this one would take a minute.
    #[test]
    fn a_wide_matrix_is_taken_apart_in_seconds() {
        let first: Vec<u64> = (0..20).map(|i| 40 + i * i * 7 % 113 * 31).collect();
        operations(&GOLDILOCKS, &Mds::circulant(&first).rows);
    }

    #[test]
    fn great_entries_are_products_and_negative_ones_differences() {
        let p = GOLDILOCKS.modulus;
        let rows = [
            vec![p - 3, 1 << 40, 0],
            vec![0, 5, p - (1 << 12)],
            vec![1 << 40, 0, p - 1],
        ];
        for field in [&GOLDILOCKS, &KOALA_BEAR] {
            let rows = rows
                .clone()
                .map(|row| row.iter().map(|x| x % field.modulus).collect());
            operations(field, &rows);
        }
    }
}

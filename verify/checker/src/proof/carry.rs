//! Products that `2^52` must not divide.
//!
//! As long as both factors are from 1 to `2^52 - 1`, each of these is enough:
//!
//! 1. One factor is an odd number, or the product is below `2^52`.
//! 2. One is the other plus an odd number: one of the two is odd.
//! 3. One is made of the other, x, and of numbers. If it is below `2^(m+1)`, it has at most m factors of two,
//!    so x has at least `52 - m`. The product is computed for each such x.

use std::collections::BTreeMap;

use crate::certificate::Operation;
use crate::row::{Range, Row};

/// Values of x that are tried have at most so many bits beyond the factors of two.
const MOST: u32 = 20;
/// Operations that one factor is made of the other by.
const LONGEST: usize = 16;
/// Operations that all trials of a program may take: some seconds. Of ours, none takes two fifths of that.
const TRIALS: usize = 1 << 25;

/// How a value was made: by an operation, of values by their numbers. Of states and constants, not at all.
pub(super) type Made<'a> = Option<(&'a Operation, Vec<usize>)>;

/// The macro-ops that make a factor of x (number 0) and of each other, with the bits of their words; the least factors
/// of two that x has, and its bits.
type Case = (Vec<(String, u32, Vec<usize>)>, [u32; 2]);

/// What is known of the products of a program.
#[derive(Default)]
pub(super) struct Carries {
    found: BTreeMap<Case, bool>,
    /// Operations that trials took.
    taken: usize,
}

impl Carries {
    /// Whether `2^52` divides no product of two values: the number and the range of each.
    pub(super) fn hold(&mut self, made: &[Made<'_>], factors: [(usize, Range); 2]) -> bool {
        let [a, b] = factors;
        let inside = |(_, (lo, hi)): (usize, Range)| 1 <= lo && hi < 1 << 52;
        let both = [(a, b), (b, a)];
        let short = a.1.1.saturating_mul(b.1.1) < 1 << 52;
        inside(a)
            && inside(b)
            && (short
                || both
                    .into_iter()
                    .any(|(x, y)| odd(y.1) || is_beside(made, x.0, y.0) || self.tried(made, x, y)))
    }

    fn tried(&mut self, made: &[Made<'_>], x: (usize, Range), y: (usize, Range)) -> bool {
        let least = 52 - y.1.1.ilog2();
        let bits = x.1.1.ilog2() + 1;
        let (mut steps, mut places) = (Vec::new(), BTreeMap::from([(x.0, 0)]));
        if bits > least + MOST || collect(made, y.0, LONGEST, &mut steps, &mut places).is_none() {
            return false;
        }
        let name = |(operation, operands): &(&Operation, Vec<usize>)| {
            (operation.op.clone(), operation.row.bits, operands.clone())
        };
        let case = (steps.iter().map(name).collect(), [least, bits]);
        let none = || {
            self.taken += steps.len() << bits.saturating_sub(least);
            let steps = steps
                .iter()
                .map(|(operation, operands)| (&operation.row, operands));
            let steps: Vec<_> = steps.collect();
            let mut words = 1..1i128 << bits.saturating_sub(least);
            self.taken <= TRIALS && words.all(|n| is_none(&steps, n << least))
        };
        *self.found.entry(case).or_insert_with(none)
    }
}

/// Whether it is one number, and that is odd.
fn odd((lo, hi): Range) -> bool {
    lo == hi && lo % 2 == 1
}

/// The number that a value is.
fn number(made: &[Made<'_>], value: usize) -> Option<i128> {
    let made = made[value].as_ref();
    let (operation, _) = made.filter(|(_, operands)| operands.is_empty())?;
    operation.row.value(&[])
}

/// Whether y is x plus an odd number.
fn is_beside(made: &[Made<'_>], x: usize, y: usize) -> bool {
    let Some((sum, operands)) = &made[y] else {
        return false;
    };
    let odd = |value: usize| number(made, value).is_some_and(|n| n % 2 == 1);
    sum.op == "plus" && operands[0] == x && odd(operands[1])
}

/// The operations that make y of the values that have places, each once and in order; none if it is
/// made of others, or if a chain of more than `left` operations leads to it.
fn collect<'a>(
    made: &[Made<'a>],
    y: usize,
    left: usize,
    steps: &mut Vec<(&'a Operation, Vec<usize>)>,
    places: &mut BTreeMap<usize, usize>,
) -> Option<usize> {
    if let Some(place) = places.get(&y) {
        return Some(*place);
    }
    let (operation, operands) = made[y].as_ref()?;
    // A chain may be as long as the program, which is deeper than a stack.
    let left = left.checked_sub(1)?;
    let operands = operands.iter().map(|value| {
        let room = steps.len() < LONGEST;
        room.then(|| collect(made, *value, left, steps, places))
            .flatten()
    });
    let operands: Vec<usize> = operands.collect::<Option<_>>()?;
    steps.push((*operation, operands));
    places.insert(y, steps.len());
    Some(steps.len())
}

/// Whether the product of x and what is made of it is none of the multiples.
fn is_none(steps: &[(&Row, &Vec<usize>)], x: i128) -> bool {
    let mut values = vec![x];
    for (row, operands) in steps {
        let operands: Vec<i128> = operands.iter().map(|at| values[*at]).collect();
        let Some(value) = row.value(&operands) else {
            return false;
        };
        values.push(value);
    }
    let y = values[values.len() - 1];
    x.trailing_zeros() + y.trailing_zeros() < 52
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;
    use crate::row::Meaning;
    use std::sync::Arc;

    fn double() -> Row {
        ops::find(&reference::GOLDILOCKS, None, "shift-left(1)").expect("a row")
    }

    fn operation(row: Row) -> Operation {
        Operation {
            line: 1,
            op: "f".to_owned(),
            name: Arc::from("f"),
            row,
            meaning: Meaning {
                constant: 0,
                linear: Vec::new(),
                products: Vec::new(),
                second: 0,
            },
            operands: vec![0],
        }
    }

    /// Each operation of a chain was a frame on the stack.
    #[test]
    fn long_chains_are_refused() {
        let double = operation(double());
        let steps = (1..100_000).map(|of| Some((&double, vec![of])));
        let made: Vec<Made<'_>> = [None, None].into_iter().chain(steps).collect();
        let range = (1, (1 << 32) - 1);
        let factors = [(0, range), (made.len() - 1, range)];
        assert!(!Carries::default().hold(&made, factors));
    }

    /// What was found of an operation is not taken for one of the same name on words of other bits.
    #[test]
    fn each_operation_is_tried_by_its_row() {
        let double = double();
        let mut other = Row {
            bits: 32,
            ..double.clone()
        };
        other.results[0].terms[0].0 <<= 40;
        let mut carries = Carries::default();
        for (row, holds) in [(double, true), (other, false)] {
            let operation = operation(row);
            let made = [None, Some((&operation, vec![0]))];
            let [x, y] = [(0, (1, 1 << 19)), (1, (1, (1 << 46) - 1))];
            assert_eq!(carries.hold(&made, [x, y]), holds);
        }
    }
}

//! Products that `2^52` does not divide, where the ranges of their factors do not say so.
//!
//! Two cases, for factors from 1 to `2^52 - 1`:
//!
//! - `x·(x + n)` for an odd number n: one factor is odd, and `2^52` is greater than the other. So it is where one is
//!   the [factor](Input::Factor) of a round: lowering makes those odd, and the checker looks at each.
//! - `x·y` where y is made of x and of numbers alone. As y is below `2^(m+1)`, it has at most m factors of
//!   two, and x must have the other `52 - m`. Of a sum of reduced elements few are so: y is computed for
//!   each of them.

use super::{Block, Operation};
use crate::ir::{Input, Value};
use crate::ops::{Contract, MacroOp, Range};
use crate::params::Field;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Values of x that are tried have at most so many bits beyond the factors of two.
const MOST: u32 = 20;

/// Operations that make y of x (value 0) and of what they made before.
type Making = Vec<(MacroOp, Vec<usize>)>;

/// A question that all mutants of a program ask.
#[derive(PartialEq, Eq, Hash)]
struct Case {
    /// The field.
    field: &'static str,
    making: Making,
    /// Factors of two that x has at least.
    least: u32,
    /// Bits that x has at most.
    bits: u32,
}

/// What was found of each.
static KNOWN: LazyLock<Mutex<HashMap<Case, bool>>> = LazyLock::new(Mutex::default);

impl Block {
    /// Whether `2^52` divides no product of the last two operands, which are in these ranges.
    pub(super) fn carries(
        &self,
        field: &'static Field,
        operation: &Operation,
        ranges: &[Range],
    ) -> bool {
        let last_two = operation.operands.iter().zip(ranges).rev().take(2);
        let factors: Vec<(Value, Range)> = last_two.map(|(v, range)| (*v, *range)).collect();
        let [a, b] = factors[..] else {
            return false;
        };
        let inside = |range: Range| range.lo > 0 && range.hi < 1 << 52;
        let either = [(a, b), (b, a)];
        inside(a.1)
            && inside(b.1)
            && either.iter().any(|(x, y)| {
                let is_factor = matches!(self.inputs.get(y.0.index()), Some(Input::Factor(_)));
                is_factor || self.is_odd_beside(y.0, x.0) || self.is_tried(field, *x, *y)
            })
    }

    /// Whether y is x plus an odd number.
    fn is_odd_beside(&self, y: Value, x: Value) -> bool {
        let odd = |v: &Value| {
            let number = self.definition(*v).and_then(Operation::word);
            number.is_some_and(|word| word % 2 == 1)
        };
        let sum = self.definition(y).filter(|o| o.op == MacroOp::Plus);
        sum.is_some_and(|sum| sum.operands[0] == x && odd(&sum.operands[1]))
    }

    /// Whether y is made of x alone, and the product is none for all x that have factors enough.
    fn is_tried(&self, field: &'static Field, x: (Value, Range), y: (Value, Range)) -> bool {
        let least = 52 - y.1.hi.ilog2();
        let bits = x.1.hi.ilog2() + 1;
        let mut making = Making::new();
        let mut places = HashMap::from([(x.0, 0)]);
        if bits > least + MOST || !self.make(y.0, &mut making, &mut places) {
            return false;
        }
        let case = Case {
            field: field.name,
            making,
            least,
            bits,
        };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&case) {
            return *found;
        }
        let found = tried(field, &case);
        known.insert(case, found);
        found
    }

    /// Collects the operations that make `y` of the values in `places`; false if there are others.
    fn make(&self, y: Value, making: &mut Making, places: &mut HashMap<Value, usize>) -> bool {
        if places.contains_key(&y) {
            return true;
        }
        let Some(operation) = self.definition(y).filter(|o| o.op.results() == 1) else {
            return false;
        };
        if !operation.is_coded()
            || !operation
                .operands
                .iter()
                .all(|v| self.make(*v, making, places))
        {
            return false;
        }
        let operands = operation.operands.iter().map(|v| places[v]).collect();
        making.push((operation.op, operands));
        places.insert(y, making.len());
        true
    }
}

/// Whether the product is none for all x of so many bits with at least so many factors of two.
fn tried(field: &'static Field, case: &Case) -> bool {
    let contracts = case.making.iter().map(|(op, _)| Contract::of(field, *op));
    let Some(contracts) = contracts.collect::<Option<Vec<Contract>>>() else {
        return false;
    };
    (1..1u64 << case.bits.saturating_sub(case.least)).all(|n| {
        let mut values = vec![n << case.least];
        for (contract, (_, operands)) in contracts.iter().zip(&case.making) {
            let operands: Vec<u64> = operands.iter().map(|at| values[*at]).collect();
            values.push(contract.apply_all(&operands)[0]);
        }
        let (x, y) = (values[0], values[values.len() - 1]);
        x.trailing_zeros() + y.trailing_zeros() < 52
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::BlockKind;
    use crate::names::Strategy;

    /// x² and x³, or x⁶ and x⁷, as an S-box makes them; what the third operand of a power adds to it.
    fn powers(name: &str, add: impl Fn(u64) -> u64, moved: bool) -> (Block, &'static Field) {
        let field = Field::by_name(name).and_then(|field| field.wide(Strategy::Radix52));
        let field = field.expect("a field of 31 bits");
        let mut operations: Vec<Operation> = Vec::new();
        let mut push = |op, operands: &[u32]| {
            let result = Value(1 + operations.len() as u32);
            let operands = operands.iter().map(|n| Value(*n)).collect();
            let (name, site, serves) = (String::new(), None, None);
            operations.push(Operation {
                op,
                operands,
                result,
                name,
                site,
                serves,
            });
            result.0
        };
        let p = push(MacroOp::Constant(field.modulus), &[]);
        let mut power = |x: u32, e: u64, square: bool| {
            let c = push(MacroOp::Constant(add(e)), &[]);
            let b = match square && moved {
                true => push(MacroOp::Plus, &[x, p]),
                false => 0,
            };
            let b = if square && !moved { x } else { b };
            push(MacroOp::MulAdd, &[c, x, b])
        };
        let x2 = power(0, 2, true);
        let mut last = power(x2, 3, false);
        if field.name == "baby-bear" {
            let x6 = power(last, 6, true);
            last = power(x6, 7, false);
        }
        let block = Block {
            kind: BlockKind::ExternalSbox,
            inputs: vec![Input::Inner(0)],
            operations,
            outputs: vec![Value(last)],
            returns: Vec::new(),
        };
        (block, field)
    }

    /// How many products are not shown to carry, for x below a bound.
    fn open(block: &Block, field: &'static Field, bound: u64) -> usize {
        block
            .ranges(field, &[Range::new(1, i128::from(bound) - 1)])
            .1
            .len()
    }

    #[test]
    fn powers_of_sums_of_elements_carry() {
        let (cubes, field) = powers("koala-bear", |_| 1, true);
        assert_eq!(open(&cubes, field, 1 << 39), 0);
        let p = Field::by_name("baby-bear").expect("it is there").modulus;
        let (sevenths, field) = powers("baby-bear", |e| if e == 6 { 1 + p } else { 1 }, true);
        assert_eq!(open(&sevenths, field, 1 << 39), 0);
    }

    /// `x = 2^37` over BabyBear: its sixth power by 1 alone has the fifteen factors that are missing.
    #[test]
    fn what_does_not_carry_is_found() {
        let (sevenths, field) = powers("baby-bear", |_| 1, true);
        assert_eq!(open(&sevenths, field, 1 << 37), 0);
        assert_eq!(open(&sevenths, field, 1 << 39), 1);
        // x² for x = 2^26; after that it may be anything.
        let (squares, field) = powers("koala-bear", |_| 1, false);
        assert_eq!(open(&squares, field, 1 << 39), 2);
    }

    #[test]
    fn zero_carries_nowhere() {
        let (cubes, field) = powers("koala-bear", |_| 1, true);
        let range = Range::new(0, 1 << 38);
        assert!(!cubes.ranges(field, &[range]).1.is_empty());
    }
}

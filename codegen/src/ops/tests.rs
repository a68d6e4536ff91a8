use super::*;
use crate::params::Field;
use crate::term::{Term, tape::Tape};

/// Every row.
fn contracts() -> impl Iterator<Item = Contract> {
    let of = |field: &'static Field| {
        MacroOp::all()
            .into_iter()
            .filter_map(move |op| Contract::of(field, op))
    };
    Field::in_all_words().flat_map(of)
}

/// Integers near which readings, bounds and reductions change their minds.
fn edges(contract: &Contract) -> Vec<i128> {
    let p = i128::from(contract.field.modulus);
    let arity = contract.op.operands().len();
    let around = |x: i128| [x - 1, x, x + 1];
    let narrow = matches!(
        contract.op,
        MacroOp::PlusNarrow | MacroOp::MinusNarrow | MacroOp::ShiftLeftNarrow(_)
    );
    let mut edges: Vec<i128> = match arity {
        _ if narrow => [0, 1 << 14, 1 << 15, 1 << 16, 1 << 30, 1 << 31]
            .into_iter()
            .flat_map(|x| [around(x), around(-x)].concat())
            .collect(),
        4 => [0, 1 << 32, 1 << 42].into_iter().flat_map(around).collect(),
        _ => [0, 1 << 31, 1 << 32, 1 << 62, 1 << 63, 1 << 64, p, 2 * p]
            .into_iter()
            .flat_map(|x| [around(x), around(-x)].concat())
            .collect(),
    };
    let word = contract.row.reads.range(contract.field.word_bits());
    edges.extend([9 << 32, word.lo, word.hi]);
    edges.retain(|x| (word.lo..=word.hi).contains(x));
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Every tuple of edges; of more than four, some.
fn tuples(contract: &Contract) -> impl Iterator<Item = Vec<i128>> {
    let edges = edges(contract);
    let arity = contract.op.operands().len();
    let all = edges.len().pow(arity.min(4) as u32);
    (0..all).map(move |n| {
        let mut seed = n;
        let mut at = |_| {
            if seed == 0 {
                // Powers of a primitive root: other tuples of those further on.
                seed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
            }
            let edge = edges[seed % edges.len()];
            seed /= edges.len();
            edge
        };
        (0..arity).map(&mut at).collect()
    })
}

fn point(x: &i128) -> Range {
    Range::new(*x, *x)
}

/// What a form is for operands that stand for these integers.
fn value(contract: &Contract, form: &Form, x: &[i128]) -> u64 {
    let field = contract.field;
    let residue = |x: &i128| x.rem_euclid(field.modulus.into()) as u64;
    let sum = |coefficients: &[u64]| {
        let terms = coefficients.iter().zip(x);
        terms.fold(0, |sum, (&k, x)| field.add(sum, field.mul(k, residue(x))))
    };
    // Of words, not of what they stand for.
    let products = form.products.iter();
    let products =
        products.map(|[left, right]| field.from_montgomery(field.mul(sum(left), sum(right))));
    let constant = field.to_montgomery(form.constant);
    products.fold(field.add(constant, sum(&form.linear)), |sum, product| {
        field.add(sum, product)
    })
}

#[test]
fn results_are_what_ranges_forms_and_promises_say() {
    for contract in contracts() {
        let (op, field, row) = (contract.op, contract.field, &contract.row);
        let form = contract.form().expect("quotients cancel");
        let results = row.results.len().max(row.parts.len());
        let arity = op.operands().len();
        assert_eq!(results, op.results(), "{op}");
        let variable = |n| Term::var(n, field.word_bits());
        let operands: Vec<Term> = (0..arity).map(variable).collect();
        let given: Vec<Term> = (arity..arity + results).map(variable).collect();
        let mut terms = contract.needs_terms(&operands);
        terms.push(contract.gives_term(&operands, &given));
        let tape = Tape::new(&terms, arity + results);
        let mut met = 0;
        for x in tuples(&contract) {
            let points: Vec<Range> = x.iter().map(point).collect();
            if contract.unmet(&points).is_some() {
                continue;
            }
            // A limb that is shifted up holds such integers alone; others are congruent to it, which
            // the promise says.
            let held = row.writes.range(field.word_bits());
            let mut results = contract.result_ranges(&points).into_iter();
            if row.writes == Reading::Shifted && !results.all(|result| held.contains(&result)) {
                continue;
            }
            met += 1;
            let bits = field.word_bits();
            let mask = u64::MAX >> (64 - bits);
            let words: Vec<u64> = x.iter().map(|&x| row.reads.word(x) & mask).collect();
            let given = contract.apply_all(&words);
            let integers: Vec<i128> = given.iter().map(|&r| row.writes.integer(r, bits)).collect();
            // From zero to the operand, where that meets the needs as well.
            let from_zero: Vec<Range> = points.iter().map(|x| x.join(&Range::new(0, 0))).collect();
            for ranges in [&points, &from_zero] {
                if contract.unmet(ranges).is_none() {
                    for (r, range) in integers.iter().zip(contract.result_ranges(ranges)) {
                        assert!(range.contains(&point(r)), "{op} {x:x?}: {r:#x} in {range}");
                    }
                }
            }
            let weights = [1, form.second];
            let parts = integers.iter().zip(weights);
            let whole = parts.fold(0, |sum, (r, k)| {
                let residue = r.rem_euclid(field.modulus.into()) as u64;
                field.add(sum, field.mul(k, residue))
            });
            assert_eq!(whole, value(&contract, &form, &x), "{op} {x:x?}");
            let all: Vec<u128> = words.iter().chain(&given).map(|&w| w.into()).collect();
            assert!(
                tape.eval(&all).iter().all(|&holds| holds == 1),
                "{op} {x:x?}"
            );
        }
        assert!(met >= edges(&contract).len() / 4, "{op}: {met}");
    }
}

#[test]
fn results_in_the_wrong_order_have_no_form() {
    for mut contract in contracts().filter(|contract| contract.row.results.len() == 2) {
        contract.row.results.reverse();
        assert_eq!(contract.form(), None, "{}", contract.op);
    }
}

/// Terms are as wide as it takes: what a sum reaches for any operands that are below their bounds fits the bits that
/// the row states.
#[test]
fn no_sum_wraps() {
    for contract in contracts() {
        let (op, row, bits) = (contract.op, &contract.row, contract.field.word_bits());
        let mut whole = vec![row.reads.range(bits); op.operands().len()];
        for need in &row.needs {
            if let NeedLeft::Linear(c) = &need.left
                && let [n] = (0..c.len()).filter(|n| c[*n] != 0).collect::<Vec<_>>()[..]
                && c[n] == 1
            {
                whole[n].hi = whole[n].hi.min(need.bound - 1);
            }
        }
        let fits = |range: Range| {
            let room = Reading::Signed.range(row.width.min(127));
            assert!(room.contains(&range), "{op}: {range}");
        };
        for need in &row.needs {
            if let NeedLeft::Linear(c) = &need.left {
                assert_eq!(c.len(), op.operands().len(), "{op}");
                fits(Range::linear(c, &whole));
            }
        }
        let (result, down) = (row.writes.range(bits), row.down);
        match down {
            // Words that are equal when they are 64 bits up are equal in 128.
            64 => assert_eq!(row.width, 128, "{op}"),
            _ => fits(Range::new(result.lo << down, result.hi << down)),
        }
        for e in &row.results {
            for n in &row.either {
                let Range { lo, hi } = contract.range(e, &whole);
                fits(Range::new(lo + n, hi + n));
            }
            e.visit(&mut |e| fits(contract.range(e, &whole)));
        }
    }
}

#[test]
fn exact_sums_need_no_more_than_to_fit() {
    let mut exact = std::collections::BTreeSet::new();
    for contract in contracts() {
        let row = &contract.row;
        let said = |need: &&Need| row.bounds_result(need);
        match row.needs.iter().filter(said).count() {
            0 => {}
            all => {
                assert_eq!(all, row.needs.len(), "{}", contract.op);
                exact.insert(contract.op.template());
            }
        }
    }
    // In the words of radix 2^52 the sum of an S-box is exact, too.
    let expected = [
        "add",
        "minus",
        "minus-narrow",
        "offset",
        "plus",
        "plus-narrow",
        "shift-left",
        "shift-left-narrow",
    ];
    assert!(exact.iter().copied().eq(expected), "{exact:?}");
}

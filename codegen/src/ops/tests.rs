use super::*;
use crate::params::Field;
use crate::term::{Term, tape::Tape};

/// Every row.
fn contracts() -> impl Iterator<Item = Contract> {
    let of = |field: &&'static Field| {
        let field = *field;
        MacroOp::all()
            .into_iter()
            .filter_map(move |op| Contract::of(field, op))
    };
    Field::all().iter().flat_map(of)
}

/// Integers near which readings, bounds and reductions change their minds.
fn edges(contract: &Contract) -> Vec<i128> {
    let p = i128::from(contract.field.modulus);
    let arity = contract.op.operands().len();
    let around = |x: i128| [x - 1, x, x + 1];
    let mut edges: Vec<i128> = match arity {
        4 => [0, 1 << 32, 1 << 42].into_iter().flat_map(around).collect(),
        _ => [0, 1 << 31, 1 << 32, 1 << 62, 1 << 63, 1 << 64, p, 2 * p]
            .into_iter()
            .flat_map(|x| [around(x), around(-x)].concat())
            .collect(),
    };
    let word = contract.row.reads.range(contract.field.word_bits());
    edges.retain(|x| (word.lo..=word.hi).contains(x));
    edges.extend([9 << 32, word.lo, word.hi]);
    edges.retain(|x| (word.lo..=word.hi).contains(x));
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Every tuple of edges.
fn tuples(contract: &Contract) -> impl Iterator<Item = Vec<i128>> {
    let edges = edges(contract);
    let arity = contract.op.operands().len() as u32;
    (0..edges.len().pow(arity)).map(move |n| {
        let at = |place: u32| edges[n / edges.len().pow(place) % edges.len()];
        (0..arity).map(at).collect()
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
    let product = form.product.as_ref().map_or(0, |[left, right]| {
        // Of words, not of what they stand for.
        field.from_montgomery(field.mul(sum(left), sum(right)))
    });
    field.add(field.add(form.constant, sum(&form.linear)), product)
}

#[test]
fn results_are_what_ranges_forms_and_promises_say() {
    for contract in contracts() {
        let (op, field, row) = (contract.op, contract.field, &contract.row);
        let form = contract.form().expect("quotients cancel");
        let (arity, results) = (op.operands().len(), row.gives.results.len());
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
            met += 1;
            let mask = u64::MAX >> (64 - field.word_bits());
            let words: Vec<u64> = x.iter().map(|&x| row.reads.word(x) & mask).collect();
            let given = contract.apply_all(&words);
            let integers: Vec<i128> = given.iter().map(|&r| row.writes.integer(r)).collect();
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

/// What each row's results stand for, by hand.
#[test]
fn forms_are_what_names_say() {
    for contract in contracts() {
        let (op, field) = (contract.op, contract.field);
        let form = contract.form().expect("quotients cancel");
        let (phi, minus) = (field.pow(2, 32), field.neg(1));
        let part = |k: u32| field.pow(field.modulus.div_ceil(2), k.into());
        let (one, mut constant) = (vec![1], 0);
        let sum = match op {
            MacroOp::Add | MacroOp::Plus => vec![1, 1],
            MacroOp::Sub | MacroOp::Minus => vec![1, minus],
            MacroOp::Canonicalise | MacroOp::Split | MacroOp::Preshift => one,
            MacroOp::Halve => vec![part(1)],
            MacroOp::Div2Exp(k) => vec![part(k)],
            MacroOp::ShiftLeft(k) => vec![1 << k],
            MacroOp::Offset(offset, half) => {
                let by = i128::from(offset.value(half));
                constant = by.rem_euclid(field.modulus.into()) as u64;
                one
            }
            MacroOp::Pack | MacroOp::Carry => vec![1, phi],
            MacroOp::Div2ExpColumns(k) | MacroOp::Div2ExpSigned(k) => {
                vec![part(k), field.mul(phi, part(k))]
            }
            MacroOp::Share => vec![field.neg(part(64))],
            _ => vec![0; op.operands().len()],
        };
        let product = match op {
            MacroOp::Mul | MacroOp::MulColumns | MacroOp::MulWide => [vec![1, 0], vec![0, 1]],
            MacroOp::Square => [vec![1], vec![1]],
            MacroOp::MulColumnsRedc => [vec![part(64), 0], vec![0, 1]],
            MacroOp::SquareLimbs(_) => [vec![1, phi], vec![1, phi]],
            MacroOp::MulLimbs(_) => [vec![1, phi, 0, 0], vec![0, 0, 1, phi]],
            _ => [vec![], vec![]],
        };
        let radix = if op == MacroOp::MulWide { 64 } else { 32 };
        let wanted = Form {
            linear: sum,
            constant,
            product: (!product[0].is_empty()).then_some(product),
            second: field.pow(2, radix),
        };
        assert_eq!(form, wanted, "{op} of {}", field.name);
    }
}

/// Terms are as wide as it takes: what a sum reaches for any operands fits the bits that the row
/// states.
#[test]
fn no_sum_wraps() {
    for contract in contracts() {
        let (op, row, bits) = (contract.op, &contract.row, contract.field.word_bits());
        let whole = vec![row.reads.range(bits); op.operands().len()];
        let fits = |range: Range, width: u32, signed: bool| {
            let reading = if signed {
                Reading::Signed
            } else {
                Reading::Unsigned
            };
            let room = if width < 127 {
                reading.range(width)
            } else {
                Range::new(i128::MIN / 2, i128::MAX / 2)
            };
            assert!(room.contains(&range), "{op}: {range} in {width} bits");
        };
        for need in &row.needs {
            if let NeedLeft::Linear(c) = &need.left {
                assert_eq!(c.len(), op.operands().len(), "{op}");
                fits(Range::linear(c, &whole), row.width, true);
            }
        }
        let result = row.writes.range(bits);
        let down = row.gives.down;
        fits(
            Range::new(result.lo << down, result.hi << down),
            row.width,
            true,
        );
        for e in &row.gives.results {
            for n in &row.gives.either {
                let Range { lo, hi } = contract.range(e, &whole);
                fits(Range::new(lo + n, hi + n), row.width, true);
            }
            e.visit(&mut |e| match e {
                Expr::Narrow {
                    value,
                    bits,
                    signed,
                } => fits(contract.range(value, &whole), *bits, *signed),
                Expr::Corrected { value, .. } => {
                    fits(contract.range(value, &whole), row.width, true);
                }
                _ => {}
            });
        }
    }
}

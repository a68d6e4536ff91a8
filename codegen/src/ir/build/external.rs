//! The external linear layer as additions, as far as its matrix allows.

use super::Builder;
use crate::ir::{Block, BlockKind, Input, Value};
use crate::params::{ExternalLayer, Field, HORIZEN_M4, Instance, M4};
use std::collections::BTreeMap;

/// M4 on each block, then to each element the sum of the elements in its row over all blocks
/// (eprint 2023/323, section 5.1).
pub(super) fn linear(instance: &Instance, layer: &ExternalLayer) -> Block {
    let width = instance.width;
    let mut b = Builder::new((0..width).map(Input::State).collect());
    let place = |block, row| layer.place(width, block, row);
    let mut y = vec![Value(0); width];
    for k in 0..width / 4 {
        let x = [0, 1, 2, 3].map(|row| Value(place(k, row) as u32));
        let site = |t: &str| format!("external[*].mds.block[{k}].{t}");
        let rows = match layer.m4 {
            M4 => circulant(&mut b, x, site),
            HORIZEN_M4 => horizen(&mut b, x, site),
            m4 => any(&mut b, instance.field, x, &m4, site),
        };
        for (row, value) in rows.into_iter().enumerate() {
            y[place(k, row)] = value;
        }
    }
    let sums: Vec<Value> = (0..4)
        .map(|j| {
            (1..width / 4).fold(y[place(0, j)], |sum, k| {
                b.add(
                    format!("external[*].mds.sum[{j}].{}", k - 1),
                    sum,
                    y[place(k, j)],
                )
            })
        })
        .collect();
    let outputs = (0..width)
        .map(|i| {
            let (_, row) = layer.factors(width, i);
            b.add(format!("external[*].mds.out[{i}]"), y[i], sums[row])
        })
        .collect();
    b.finish(BlockKind::ExternalLinear, outputs)
}

/// `circ(2, 3, 1, 1)` with 11 additions.
fn circulant(b: &mut Builder, x: [Value; 4], site: impl Fn(&str) -> String) -> [Value; 4] {
    let t01 = b.add(site("t01"), x[0], x[1]);
    let t23 = b.add(site("t23"), x[2], x[3]);
    let t0123 = b.add(site("t0123"), t01, t23);
    let t01123 = b.add(site("t01123"), t0123, x[1]);
    let t01233 = b.add(site("t01233"), t0123, x[3]);
    let y0 = b.add(site("y0"), t01123, t01);
    let y1 = b.add(site("y1.0"), t01123, x[2]);
    let y1 = b.add(site("y1.1"), y1, x[2]);
    let y2 = b.add(site("y2"), t01233, t23);
    let y3 = b.add(site("y3.0"), t01233, x[0]);
    let y3 = b.add(site("y3.1"), y3, x[0]);
    [y0, y1, y2, y3]
}

/// The paper's M4 with 8 additions and 6 doublings (section 5.1).
fn horizen(b: &mut Builder, x: [Value; 4], site: impl Fn(&str) -> String) -> [Value; 4] {
    let twice = |b: &mut Builder, name: &str, x| b.add(site(name), x, x);
    let t0 = b.add(site("t0"), x[0], x[1]);
    let t1 = b.add(site("t1"), x[2], x[3]);
    let t2 = twice(b, "t2.twice", x[1]);
    let t2 = b.add(site("t2"), t2, t1);
    let t3 = twice(b, "t3.twice", x[3]);
    let t3 = b.add(site("t3"), t3, t0);
    let t4 = twice(b, "t4.twice", t1);
    let t4 = twice(b, "t4.fourfold", t4);
    let t4 = b.add(site("t4"), t4, t3);
    let t5 = twice(b, "t5.twice", t0);
    let t5 = twice(b, "t5.fourfold", t5);
    let t5 = b.add(site("t5"), t5, t2);
    let t6 = b.add(site("t6"), t3, t5);
    let t7 = b.add(site("t7"), t2, t4);
    [t6, t5, t7, t4]
}

/// Multiples up to this are sums.
const SUMMED: u64 = 16;

/// Any matrix: multiples by small numbers of either sign are sums that rows share, the others are
/// products.
fn any(
    b: &mut Builder,
    field: &Field,
    x: [Value; 4],
    m4: &[[u64; 4]; 4],
    site: impl Fn(&str) -> String,
) -> [Value; 4] {
    let mut multiples = [0, 1, 2, 3].map(|j| BTreeMap::from([(1, x[j])]));
    let mut rows = x;
    for (i, entries) in m4.iter().enumerate() {
        let mut sum: Option<Value> = None;
        // What is subtracted comes last, if there is anything to subtract it from.
        let less = |m: u64| m > SUMMED && field.neg(m) <= SUMMED;
        let first = entries.iter().enumerate().filter(|(_, m)| !less(**m));
        let last = entries.iter().enumerate().filter(|(_, m)| less(**m));
        for (j, &m) in first.chain(last).filter(|(_, m)| **m != 0) {
            let name = site(&format!("y{i}.{j}"));
            let times = site(&format!("x{j}"));
            let term = match sum {
                Some(_) if less(m) => multiple(b, &times, &mut multiples[j], field.neg(m)),
                _ if m <= SUMMED => multiple(b, &times, &mut multiples[j], m),
                _ => *multiples[j]
                    .entry(m)
                    .or_insert_with(|| b.product(format!("{times}.{m}"), x[j], m)),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) if less(m) => b.sub(name, sum, term),
                Some(sum) => b.add(name, sum, term),
            });
        }
        // No row of an invertible matrix is zero.
        rows[i] = sum.unwrap_or(x[i]);
    }
    rows
}

/// `n·x` by doubling and adding, for the multiples that are known; `known[1]` is `x`.
fn multiple(b: &mut Builder, name: &str, known: &mut BTreeMap<u64, Value>, n: u64) -> Value {
    if let Some(value) = known.get(&n) {
        return *value;
    }
    let (smaller, other) = if n.is_multiple_of(2) {
        (n / 2, n / 2)
    } else {
        (n - 1, 1)
    };
    let smaller = multiple(b, name, known, smaller);
    let other = known[&other];
    let value = b.add(format!("{name}.{n}"), smaller, other);
    known.insert(n, value);
    value
}

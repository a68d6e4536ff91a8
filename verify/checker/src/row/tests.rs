use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::{Program, below};

/// Numbers of all lengths, none of which leaves 128 bits when a row multiplies and sums.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << by } else { self.0 >> by };
        }
        self.0
    }

    fn operand(&mut self, row: &Row) -> i128 {
        let most = if row.reads.multiplies_52() { 42 } else { 62 };
        let word = self.next() >> (64 - most.min(row.bits)) >> (self.next() % 8 * 5);
        let word = i128::from(word);
        let is_negative = row.reads.is_signed() && self.next() % 2 == 1;
        if is_negative { -word } else { word }
    }
}

/// A sum, without the multiples of p that are added to it.
fn sum(sum: &Sum, x: &[i128]) -> i128 {
    let word = |word| match word {
        Word::Operand(n) => x[n],
        Word::Product(a, b) => x[a] * x[b],
        Word::Doubled(a, b) => 2 * x[a] * x[b],
        Word::Folded(a, b) => (x[a] * x[b]).div_euclid(1 << 32) + (x[a] * x[b]).rem_euclid(1 << 32),
        Word::Dot(products) => pairs(products).map(|(a, b)| x[a] * x[b]).sum(),
    };
    let terms = sum.terms.iter().map(|(k, piece)| match *piece {
        Piece::Bits { of, from, width } => {
            let floor = word(of).div_euclid(1 << from);
            k * width.map_or(floor, |width| floor.rem_euclid(1 << width))
        }
        Piece::Quotient { of, factor, bits } => {
            let low = word(of).rem_euclid(1 << bits).cast_unsigned();
            let often = low.wrapping_mul(factor.into()) % (1 << bits);
            k * often.cast_signed()
        }
    });
    sum.constant + terms.sum::<i128>()
}

/// Of numbers, a row's sums together are what the row stands for modulo p.
#[test]
fn rows_stand_for_their_sums() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/proofs");
    let (mut numbers, mut seen) = (Numbers(0x9e37_79b9_7f4a_7c15), BTreeSet::new());
    for path in below(&folder, "cert").expect("certificates") {
        let text = std::fs::read_to_string(&path).expect("a certificate");
        let program = Program::read(&text).expect("it is read");
        let (field, permutation) = (program.field, &program.permutation);
        let half = permutation.modulus.div_ceil(2);
        let unit = permutation.pow(half, field.montgomery_bits.into());
        let residue = |n: i128| {
            let residue = n.rem_euclid(permutation.modulus.into()) as u64;
            permutation.mul(residue, unit)
        };
        let combined = |coefficients: &[u64], x: &[u64]| {
            let terms = coefficients
                .iter()
                .zip(x)
                .map(|(k, x)| permutation.mul(*k, *x));
            terms.fold(0, |sum, term| permutation.add(sum, term))
        };
        let all = program.operations(false).chain(program.operations(true));
        for operation in all {
            let (row, meaning) = (&operation.row, &operation.meaning);
            if !seen.insert(format!("{} {} {row:?}", field.name, operation.op)) {
                continue;
            }
            for _ in 0..50 {
                let x: Vec<i128> = (0..row.operands).map(|_| numbers.operand(row)).collect();
                let (mut is, mut weight) = (0, permutation.pow(half, row.down.into()));
                for result in &row.results {
                    let sum = permutation.mul(weight, residue(sum(result, &x)));
                    is = permutation.add(is, sum);
                    weight = permutation.mul(weight, permutation.pow(2, row.radix.into()));
                }
                let x: Vec<u64> = x.into_iter().map(residue).collect();
                let products = meaning.products.iter();
                let products =
                    products.map(|[a, b]| permutation.mul(combined(a, &x), combined(b, &x)));
                let start = permutation.add(meaning.constant, combined(&meaning.linear, &x));
                let must = products.fold(start, |sum, product| permutation.add(sum, product));
                assert_eq!(is, must, "{} {}: {x:?}", field.name, operation.op);
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

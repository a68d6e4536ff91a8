//! Concrete words that break wrong bodies quickly: no solver needed for most mistakes.

use super::Lemma;
use crate::ops::Reading;

/// The words near which carries, borrows and reductions change their minds.
fn edges(modulus: u64, bits: u32) -> Vec<u64> {
    let greatest = u64::MAX >> (64 - bits);
    let half = 1u64 << (bits / 2);
    let top = 1u64 << (bits - 1);
    let mut edges = vec![0, 1, 2, half - 1, half, half + 1, top - 1, top, top + 1];
    let p = modulus;
    let around = [p - 2, p - 1, p, p + 1, p + 2, p / 2, p / 2 + 1];
    edges.extend(around.map(|x| x & greatest));
    edges.extend([greatest - half, greatest - 1, greatest]);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A fixed sequence, so that a failure is the same on every machine: splitmix64 (Steele, Lea, Flood
/// 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Operands of a row of more than four, whose tuples of edge values are too many: some of them, with zero in
/// place of some, as what is summed is not to be too large.
const TUPLES: usize = 20_000;

/// Operands to try: every tuple of edge values, then random words, half of them near an edge.
pub(super) fn operands(lemma: &Lemma<'_>, random_cases: usize) -> Vec<Vec<u64>> {
    let field = lemma.contract.field;
    let bits = field.word_bits();
    let edges = edges(field.modulus, bits);
    let arity = lemma.contract.op.operands().len();
    let mut seed = 0x706f_7365_6964_6f6e;
    let mut cases: Vec<Vec<u64>> = vec![vec![]];
    let all = arity <= 4;
    if !all {
        let tuple = |_| {
            let zeros = random(&mut seed);
            let edge = |n: usize| match zeros >> n & 1 {
                0 => 0,
                _ => edges[random(&mut seed) as usize % edges.len()],
            };
            (0..arity).map(edge).collect()
        };
        cases = (0..TUPLES).map(tuple).collect();
    }
    for _ in (0..arity).take_while(|_| all) {
        let extend = |case: &Vec<u64>, edge: u64| [case.as_slice(), &[edge]].concat();
        cases = cases
            .iter()
            .flat_map(|c| edges.iter().map(move |&e| extend(c, e)))
            .collect();
    }
    let greatest = u64::MAX >> (64 - bits);
    for _ in 0..random_cases {
        let case = (0..arity).map(|_| {
            let word = random(&mut seed);
            let edge = edges[random(&mut seed) as usize % edges.len()];
            let near = edge.wrapping_add(word >> 48).wrapping_sub(1 << 15);
            (if random(&mut seed) & 1 == 0 {
                word
            } else {
                near
            }) & greatest
        });
        cases.push(case.collect());
    }
    // Words that stand for no integer would be put aside.
    let reading = lemma.contract.row.reads;
    if matches!(reading, Reading::Shifted | Reading::Below52) {
        let words = cases.iter_mut().flatten();
        words.for_each(|word| *word = reading.word(i128::from(*word)));
    }
    cases
}

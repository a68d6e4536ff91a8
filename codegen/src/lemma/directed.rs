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
    // All bits of a quarter and, positive as signed ones, of half a word and of none.
    edges.extend([half.isqrt() - 1, half / 2 - 1, top / 2]);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A fixed sequence of words, so that a failure is the same on every machine.
struct Words {
    edges: Vec<u64>,
    greatest: u64,
    state: u64,
}

impl Words {
    /// Splitmix64 (Steele, Lea, Flood 2014).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn edge(&mut self) -> u64 {
        let n = self.random() as usize % self.edges.len();
        self.edges[n]
    }

    /// Some edge values, and zero for others, as what is summed is not to be too large.
    fn tuple(&mut self, arity: usize) -> Vec<u64> {
        let zeros = self.random();
        let mut word = |n: usize| match zeros >> n & 1 {
            0 => 0,
            _ => self.edge(),
        };
        (0..arity).map(&mut word).collect()
    }

    /// Any words, half of them near an edge.
    fn any(&mut self, arity: usize) -> Vec<u64> {
        let word = |_| {
            let word = self.random();
            let near = self.edge().wrapping_add(word >> 48).wrapping_sub(1 << 15);
            let chosen = if self.random() & 1 == 0 { word } else { near };
            chosen & self.greatest
        };
        (0..arity).map(word).collect()
    }
}

/// Operands of a row of more than four, whose tuples of edge values are too many: some of them.
const TUPLES: usize = 4_000;

/// Operands to try: every tuple of edge values, then random words. Beside each, others that ride in the other
/// element of a word, if there is one.
pub(super) fn operands(
    lemma: &Lemma<'_>,
    random_cases: usize,
) -> impl Iterator<Item = [Vec<u64>; 2]> {
    let field = lemma.contract.field;
    let bits = field.word_bits();
    let arity = lemma.contract.op.operands().len();
    let mut words = Words {
        edges: edges(field.modulus, bits),
        greatest: u64::MAX >> (64 - bits),
        state: 0x706f_7365_6964_6f6e,
    };
    if let ([need], 1) = (&lemma.contract.row.needs[..], arity) {
        // The greatest word that the row takes, if one bound is all that it asks for.
        words.edges.extend(u64::try_from(need.bound - 1));
    }
    let all = (arity <= 4).then(|| words.edges.len().pow(arity as u32));
    let directed = all.unwrap_or(TUPLES);
    // Words that stand for no integer would be put aside.
    let reading = lemma.contract.row.reads;
    let shaped = move |word: u64| match reading {
        Reading::Shifted | Reading::Below52 | Reading::Below63 => reading.word(i128::from(word)),
        _ => word,
    };
    (0..directed + random_cases).map(move |n| {
        let case = match all {
            _ if n >= directed => words.any(arity),
            None => words.tuple(arity),
            Some(_) => {
                let edges = &words.edges;
                let places = (0..arity as u32).rev();
                let edge = |place| edges[n / edges.len().pow(place) % edges.len()];
                places.map(edge).collect()
            }
        };
        [case, words.any(arity)].map(|words| words.into_iter().map(shaped).collect())
    })
}

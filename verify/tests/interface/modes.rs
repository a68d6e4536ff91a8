//! Sponge and compression on plain words against the reference, on each instruction set that can
//! run here.

mod miden;
mod others;

use crate::common::{instance, on_each_isa};
use poseidon2_kernels::field::Goldilocks;
use poseidon2_kernels::{
    Compression, LengthMismatch, ParameterSet, Plonky3, Poseidon2Goldilocks, Poseidon2KoalaBear,
    Sponge,
};
use verify::corpus::values::{Fill, GOLDILOCKS_EDGES, KOALA_BEAR_EDGES};
use verify::oracle::Permutation;

/// Rows of one call: so many that each kernel runs, whole and with lanes left empty.
const ROWS: [usize; 12] = [0, 1, 2, 3, 4, 5, 8, 13, 31, 32, 33, 71];

/// Overwrite, permute, and in the end read, as the definition has it.
fn sponge<const OUT: usize>(reference: &Permutation, rate: usize, row: &[u64]) -> [u64; OUT] {
    let mut state = vec![0; reference.width()];
    for block in row.chunks(rate) {
        state[..block.len()].copy_from_slice(block);
        reference.permute(&mut state);
    }
    core::array::from_fn(|i| state[i])
}

/// Words of which many are not below p.
fn goldilocks_words(count: usize) -> Vec<u64> {
    let mut fill = Fill::new(count as u64);
    let mut word = || match fill.below(3) {
        0 => fill.bits(),
        _ => GOLDILOCKS_EDGES[fill.index(GOLDILOCKS_EDGES.len())],
    };
    (0..count).map(|_| word()).collect()
}

fn rows_are_hashed<const W: usize, const RATE: usize, const OUT: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let reference = instance("goldilocks", W).permutation;
    // No block, part of one, one, one and a part, and three and a part.
    for columns in [0, 1, RATE - 1, RATE, RATE + 1, 3 * RATE + 2] {
        let most = ROWS[ROWS.len() - 1];
        let words = goldilocks_words(most * columns);
        let row = |r: usize| &words[r * columns..][..columns];
        let expected: Vec<_> = (0..most)
            .map(|r| sponge::<OUT>(&reference, RATE, row(r)))
            .collect();
        for poseidon2 in on_each_isa(Poseidon2Goldilocks::<W>::plonky3()) {
            let isa = poseidon2.isa().name();
            let sponge = Sponge::<_, W, RATE, OUT>::new(poseidon2);
            for rows in ROWS {
                let mut digests = vec![[u64::MAX; OUT]; rows];
                let words = &words[..rows * columns];
                sponge.hash_rows_into(words, &mut digests).unwrap();
                assert!(
                    digests.iter().eq(&expected[..rows]),
                    "{isa}, {rows} rows of {columns}"
                );
                if columns > 0 {
                    assert_eq!(sponge.hash_rows(words, columns).unwrap(), digests);
                }
            }
            assert_eq!(sponge.hash_row(row(most - 1)), expected[most - 1]);
        }
    }
}

#[test]
fn rows_are_hashed_8() {
    rows_are_hashed::<8, 4, 4>();
}

#[test]
fn rows_are_hashed_12() {
    rows_are_hashed::<12, 8, 4>();
}

#[test]
fn rows_are_hashed_16() {
    rows_are_hashed::<16, 12, 5>();
}

fn layers_are_compressed<const N: usize, const CHUNK: usize, const W: usize>()
where
    Plonky3: ParameterSet<Goldilocks, W>,
{
    let reference = instance("goldilocks", W).permutation;
    let most = ROWS[ROWS.len() - 1];
    let words = goldilocks_words(most * N * CHUNK);
    let (groups, _) = words.as_chunks::<CHUNK>().0.as_chunks::<N>();
    let expected: Vec<_> = words
        .chunks(N * CHUNK)
        .map(|group| sponge::<CHUNK>(&reference, N * CHUNK, group))
        .collect();
    for poseidon2 in on_each_isa(Poseidon2Goldilocks::<W>::plonky3()) {
        let isa = poseidon2.isa().name();
        let compression = Compression::<_, N, CHUNK, W>::new(poseidon2);
        for nodes in ROWS {
            let mut layer = vec![[u64::MAX; CHUNK]; nodes];
            let groups = &groups[..nodes];
            compression.compress_layer_into(groups, &mut layer).unwrap();
            assert!(layer.iter().eq(&expected[..nodes]), "{isa}, {nodes} nodes");
            assert_eq!(compression.compress_layer(groups), layer);
        }
        assert_eq!(compression.compress_group(groups[0]), expected[0]);
    }
}

#[test]
fn pairs_are_compressed_8() {
    layers_are_compressed::<2, 4, 8>();
}

#[test]
fn pairs_are_compressed_with_room_left_12() {
    layers_are_compressed::<2, 4, 12>();
}

#[test]
fn groups_of_four_are_compressed_16() {
    layers_are_compressed::<4, 4, 16>();
}

#[test]
fn koala_bear_rows_and_pairs() {
    let reference = instance("koala-bear", 16).permutation;
    let mut fill = Fill::new(16);
    let words: Vec<u32> = (0..71 * 19)
        .map(|_| match fill.below(2) {
            0 => fill.bits() as u32,
            _ => KOALA_BEAR_EDGES[fill.index(KOALA_BEAR_EDGES.len())] as u32,
        })
        .collect();
    let wide: Vec<u64> = words.iter().copied().map(u64::from).collect();
    let hash = |rate, row: &[u64]| sponge::<8>(&reference, rate, row).map(|word| word as u32);
    let digests: Vec<_> = wide.chunks(19).map(|row| hash(8, row)).collect();
    let nodes: Vec<_> = wide
        .as_chunks::<16>()
        .0
        .iter()
        .map(|pair| hash(16, pair))
        .collect();
    for poseidon2 in on_each_isa(Poseidon2KoalaBear::<16>::plonky3()) {
        let sponge = Sponge::<_, 16, 8, 8>::new(poseidon2.clone());
        assert!(sponge.hash_rows(&words, 19).unwrap().iter().eq(&digests));
        let compression = Compression::<_, 2, 8, 16>::new(poseidon2);
        let (pairs, _) = words.as_chunks::<8>().0.as_chunks::<2>();
        assert!(compression.compress_layer(pairs).iter().eq(&nodes));
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
    let sponge = Sponge::<_, 8, 4, 4>::new(poseidon2.clone());
    for (words, digests) in [(7, 2), (7, 0), (1, 2)] {
        let refusal = sponge.hash_rows_into(&vec![0; words], &mut vec![[0; 4]; digests]);
        assert_eq!(refusal, Err(LengthMismatch::Digests { words, digests }));
    }
    for (words, columns) in [(7, 2), (7, 0), (0, 0), (1, 2)] {
        let refusal = sponge.hash_rows(&vec![0; words], columns).unwrap_err();
        assert_eq!(refusal, LengthMismatch::Columns { words, columns });
    }
    assert_eq!(sponge.hash_rows(&[], 3), Ok(vec![]));

    let compression = Compression::<_, 2, 4, 8>::new(poseidon2);
    let mut nodes = [[1; 4]; 3];
    let refusal = compression.compress_layer_into(&[[[0; 4]; 2]; 2], &mut nodes);
    let expected = LengthMismatch::Nodes {
        groups: 2,
        nodes: 3,
    };
    assert_eq!(refusal, Err(expected));
    assert_eq!(nodes, [[1; 4]; 3]);
    assert_eq!(
        expected.to_string(),
        "2 groups cannot be compressed to 3 nodes"
    );
}

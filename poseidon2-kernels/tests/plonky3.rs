//! Plonky3's traits: the same function as Plonky3's own default permutations.
#![cfg(feature = "plonky3")]

use p3_field::PrimeField64;
use p3_goldilocks::Goldilocks;
use p3_symmetric::{CryptographicPermutation, Permutation};
use poseidon2_kernels::field::{self, Width};
use poseidon2_kernels::plonky3::words_mut;
use poseidon2_kernels::{Poseidon2Goldilocks, supported};
use verify::corpus::values::{Fill, GOLDILOCKS_EDGES};

fn states<const W: usize>() -> Vec<[Goldilocks; W]> {
    let mut fill = Fill::new(W as u64);
    let edges = GOLDILOCKS_EDGES
        .iter()
        .map(|edge| [Goldilocks::new(*edge); W]);
    let mut states: Vec<_> = edges.collect();
    states.extend((0..50).map(|_| [(); W].map(|()| Goldilocks::new(fill.bits()))));
    states
}

fn equals_the_peer<const W: usize>(peer: impl CryptographicPermutation<[Goldilocks; W]>)
where
    field::Goldilocks: Width<W>,
{
    let states = states::<W>();
    let images: Vec<_> = states.iter().map(|state| peer.permute(*state)).collect();
    for isa in supported() {
        let poseidon2 = Poseidon2Goldilocks::<W>::plonky3().with_isa(isa).unwrap();
        for (state, image) in states.iter().zip(&images) {
            assert_eq!(poseidon2.permute(*state), *image, "{}", isa.name());
        }
        let mut permuted = states.clone();
        poseidon2.permute_many(words_mut(&mut permuted));
        assert_eq!(permuted, images, "{}", isa.name());
    }
}

#[test]
fn equals_the_peer_8() {
    equals_the_peer(p3_goldilocks::default_goldilocks_poseidon2_8());
}

#[test]
fn equals_the_peer_12() {
    equals_the_peer(p3_goldilocks::default_goldilocks_poseidon2_12());
}

#[test]
fn equals_the_peer_16() {
    equals_the_peer(p3_goldilocks::default_goldilocks_poseidon2_16());
}

#[test]
fn words_are_seen_in_place() {
    let mut states = [[Goldilocks::new(u64::MAX); 8]; 3];
    let address = states.as_ptr().addr();
    let words = words_mut(&mut states);
    assert_eq!((words.as_ptr().addr(), words.len()), (address, 3));
    assert_eq!(words[2], [u64::MAX; 8]);
    words[2][7] = 5;
    assert_eq!(states[2][7].as_canonical_u64(), 5);
}

//! The same function as Plonky3's own default permutations, on single states and across vectors.

use p3_baby_bear::BabyBear;
use p3_field::{Field, PackedValue, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{CryptographicPermutation, Permutation};
use poseidon2_kernels::field;
use poseidon2_kernels::plonky3::words_mut;
use poseidon2_kernels::{
    ParameterSet, Plonky3, Poseidon2BabyBear, Poseidon2Goldilocks, Poseidon2KoalaBear, supported,
};
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

/// One state in each lane.
fn across<V: PackedValue, const W: usize>(
    ours: &impl CryptographicPermutation<[V; W]>,
    states: &[[V::Value; W]],
) -> Vec<[V::Value; W]>
where
    [V; W]: Clone,
{
    let permute = |states: &[[V::Value; W]]| {
        let permuted = ours.permute(V::pack_columns(states));
        V::unpack_iter(permuted).collect::<Vec<_>>()
    };
    states.chunks_exact(V::WIDTH).flat_map(permute).collect()
}

fn equals_the_peer<const W: usize>(peer: impl CryptographicPermutation<[Goldilocks; W]>)
where
    Plonky3: ParameterSet<field::Goldilocks, W>,
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

        let check = |lanes: usize, permuted: Vec<[Goldilocks; W]>| {
            let whole = images.len() / lanes * lanes;
            assert_eq!(permuted, images[..whole], "{}, {lanes} lanes", isa.name());
        };
        type Packing = <Goldilocks as Field>::Packing;
        check(Packing::WIDTH, across::<Packing, W>(&poseidon2, &states));
        check(1, across::<[Goldilocks; 1], W>(&poseidon2, &states));
        check(2, across::<[Goldilocks; 2], W>(&poseidon2, &states));
        check(3, across::<[Goldilocks; 3], W>(&poseidon2, &states));
        check(8, across::<[Goldilocks; 8], W>(&poseidon2, &states));
        check(16, across::<[Goldilocks; 16], W>(&poseidon2, &states));
        check(23, across::<[Goldilocks; 23], W>(&poseidon2, &states));
        check(32, across::<[Goldilocks; 32], W>(&poseidon2, &states));
        check(64, across::<[Goldilocks; 64], W>(&poseidon2, &states));
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

macro_rules! equals_the_peer_over {
    ($($field:ident, $width:literal: $name:ident $peer:path, $ours:ident;)+) => {$(
        #[test]
        fn $name() {
            let peer = $peer();
            let mut fill = Fill::new($width);
            let mut state = || [(); $width].map(|()| $field::new(fill.bits() as u32));
            let states: Vec<_> = (0..64).map(|_| state()).collect();
            let images: Vec<_> = states.iter().map(|state| peer.permute(*state)).collect();
            for isa in supported() {
                let poseidon2 = $ours::<$width>::plonky3().with_isa(isa).unwrap();
                for (state, image) in states.iter().zip(&images) {
                    assert_eq!(poseidon2.permute(*state), *image, "{}", isa.name());
                }
                type Packing = <$field as Field>::Packing;
                assert_eq!(across::<Packing, $width>(&poseidon2, &states), images);
                assert_eq!(across::<[$field; 8], $width>(&poseidon2, &states), images);
                assert_eq!(across::<[$field; 16], $width>(&poseidon2, &states), images);
                assert_eq!(across::<[$field; 32], $width>(&poseidon2, &states), images);
            }
        }
    )+};
}

equals_the_peer_over! {
    KoalaBear, 16: equals_the_peer_over_koala_bear_16
        p3_koala_bear::default_koalabear_poseidon2_16, Poseidon2KoalaBear;
    KoalaBear, 24: equals_the_peer_over_koala_bear_24
        p3_koala_bear::default_koalabear_poseidon2_24, Poseidon2KoalaBear;
    BabyBear, 16: equals_the_peer_over_baby_bear_16
        p3_baby_bear::default_babybear_poseidon2_16, Poseidon2BabyBear;
    BabyBear, 24: equals_the_peer_over_baby_bear_24
        p3_baby_bear::default_babybear_poseidon2_24, Poseidon2BabyBear;
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

//! The same function as this version's own permutations, whichever way it is called.

use core::array::from_fn;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};
use std::vec::Vec;

use super::p3_field::{PackedValue, PrimeCharacteristicRing};
use super::p3_symmetric::{
    CryptographicHasher, CryptographicPermutation, PaddingFreeSponge, Permutation,
    PseudoCompressionFunction, TruncatedPermutation,
};
use super::rand::SeedableRng;
use super::rand::distr::{Distribution, StandardUniform};
use super::rand::rngs::SmallRng;
use super::words::kernel_words;
use super::*;
use crate::constants::CanonicalConstants;
use crate::field;
use crate::modes::{Compression, FeedForwardCompression, Sponge};
use crate::parameters::{self, ParameterSet};
use crate::poseidon2::Poseidon2;
use crate::select::supported;

type Packing<F> = <<F as Peer>::Element as p3_field::Field>::Packing;

const STATES: usize = 70;

fn states<F: Peer, const W: usize>() -> Vec<[F::Element; W]>
where
    StandardUniform: Distribution<F::Element>,
{
    let mut rng = SmallRng::seed_from_u64(W as u64);
    let mut element = || StandardUniform.sample(&mut rng);
    let mut states: Vec<_> = (0..STATES).map(|_| from_fn(|_| element())).collect();
    states.push([F::Element::ZERO; W]);
    states.push([F::Element::NEG_ONE; W]);
    states
}

/// Each lane holds a state, and all lanes come out right.
fn across<V: PackedValue<Value: Debug>, const W: usize>(
    ours: &impl Permutation<[V; W]>,
    given: &[[V::Value; W]],
    images: &[[V::Value; W]],
) {
    let lanes = V::WIDTH;
    for (given, images) in given.chunks_exact(lanes).zip(images.chunks_exact(lanes)) {
        let permuted = ours.permute(from_fn(|i| V::from_fn(|lane| given[lane][i])));
        for (lane, image) in images.iter().enumerate() {
            assert_eq!(permuted.map(|vector| vector.as_slice()[lane]), *image);
        }
    }
}

fn same_modes<F: Peer, P, const W: usize>(ours: &Poseidon2<F, W, Plonky3>, peer: &P)
where
    Plonky3: ParameterSet<F, W>,
    P: CryptographicPermutation<[F::Element; W]>,
    StandardUniform: Distribution<F::Element>,
{
    let elements: Vec<_> = states::<F, W>().into_iter().flatten().collect();
    let theirs = PaddingFreeSponge::<_, W, 4, 4>::new(peer.clone());
    let sponge = Sponge::<_, W, 4, 4>::new(ours.clone());
    for columns in [1, 3, 4, 5, 8, 13] {
        let rows = elements.chunks_exact(columns);
        let digests: Vec<[F::Element; 4]> =
            rows.clone().map(|row| theirs.hash_slice(row)).collect();
        for (row, digest) in rows.zip(&digests) {
            assert_eq!(sponge.hash_slice(row), *digest);
            assert_eq!(sponge.hash_iter(row.iter().copied()), *digest);
        }
        batches! {
            let mut found = digests.clone();
            found.fill([F::Element::ZERO; 4]);
            sponge.hash_many(&elements[..found.len() * columns], &mut found);
            assert_eq!(found, digests);
        }
    }
    // Rows of nothing, also where there is none, and any number of rows.
    let empty: &[F::Element] = &[];
    let nothing: [F::Element; 4] = theirs.hash_slice(empty);
    assert_eq!(sponge.hash_slice(empty), nothing);
    assert_eq!(sponge.hash_iter(empty.iter().copied()), nothing);
    batches! {
        let expected: Vec<_> = elements.chunks(3).map(|row| theirs.hash_slice(row)).collect();
        for count in 0..STATES / 2 {
            let mut found = std::vec![[F::Element::ONE; 4]; count];
            sponge.hash_many(empty, &mut found);
            assert!(found.iter().all(|digest| *digest == nothing));
            sponge.hash_many(&elements[..3 * count], &mut found);
            assert_eq!(found, expected[..count]);
        }
        // As the trait has it: what nobody asks for is not read.
        sponge.hash_many(&elements[..7], &mut [[F::Element::ONE; 4]; 0]);
    }
    let theirs = TruncatedPermutation::<_, 2, 4, W>::new(peer.clone());
    let compression = Compression::<_, 2, 4, W>::new(ours.clone());
    let (pairs, _) = elements.as_chunks::<4>().0.as_chunks::<2>();
    let nodes: Vec<[F::Element; 4]> = pairs.iter().map(|pair| theirs.compress(*pair)).collect();
    for (pair, node) in pairs.iter().zip(&nodes) {
        assert_eq!(compression.compress(*pair), *node);
    }
    batches! {
        let mut found = nodes.clone();
        found.fill([F::Element::ZERO; 4]);
        compression.compress_many(pairs, &mut found);
        assert_eq!(found, nodes);
        for count in 0..STATES / 2 {
            let mut found = std::vec![[F::Element::ONE; 4]; count];
            compression.compress_many(&pairs[..count], &mut found);
            assert_eq!(found, nodes[..count]);
        }
    }
    // No lanes, no states.
    let none = ours.permute([[F::Element::ONE; 0]; W]);
    assert_eq!(none, [[]; W]);
    assert_eq!(sponge.hash_iter([[F::Element::ONE; 0]; 9]), [[]; 4]);
}

/// A panic of the caller leaves permutations whole, as without Plonky3.
const _: () = {
    const fn unwinds<T: UnwindSafe + RefUnwindSafe>() {}
    unwinds::<Poseidon2<field::KoalaBear, 16, Plonky3>>();
};

/// All that sees elements as words, and words as elements: little of each, as Miri takes long.
#[test]
fn elements_are_words_in_place() {
    let ours = Poseidon2::<field::KoalaBear, 16, Plonky3>::standard();
    let given: [[p3_koala_bear::KoalaBear; 16]; 3] =
        from_fn(|s| from_fn(|i| PrimeCharacteristicRing::from_usize(16 * s + i)));
    let images = given.map(|state| ours.permute(state));
    across::<[_; 3], 16>(&ours, &given, &images);

    let [first, ..] = state(given[0]).residues();
    assert_eq!(first, 0);
    let sponge = Sponge::<_, 16, 8, 8>::new(ours.clone()).starting_from(state(given[1]));
    let digest = sponge.hash_slice(&given[0]);
    assert_eq!(sponge.hash_iter(given[0]), digest);
    let lanes: [[_; 2]; 8] = sponge.hash_iter(given[0].map(|element| [element; 2]));
    assert_eq!(lanes, digest.map(|element| [element; 2]));

    let two_to_one = FeedForwardCompression::<_, 2, 8, 16>::new(ours.clone());
    let (pairs, _) = given.as_flattened().as_chunks::<8>().0.as_chunks::<2>();
    let node = two_to_one.compress(pairs[2]);
    assert_eq!(node[0], images[2][0] + given[2][0]);
    batches! {
        let mut nodes = [node; 3];
        two_to_one.compress_many(pairs, &mut nodes);
        assert_eq!(nodes[2], node);
    }
    let constants = ours.constants();
    let stock = <Plonky3 as ParameterSet<field::KoalaBear, 16>>::stock;
    let stock = stock(constants.external(), constants.internal()).unwrap();
    let mut found = given[0];
    stock.permute(kernel_words(&mut found));
    assert_eq!(found, images[0]);
}

fn same<F: Peer, P, const W: usize>(peer: &P, from_rng: impl Fn(&mut SmallRng) -> P)
where
    Plonky3: ParameterSet<F, W>,
    P: CryptographicPermutation<[F::Element; W]> + CryptographicPermutation<[Packing<F>; W]>,
    StandardUniform: Distribution<F::Element>,
{
    let standard = Poseidon2::<F, W, Plonky3>::standard();
    let given = states::<F, W>();
    let images: Vec<_> = given.iter().map(|state| peer.permute(*state)).collect();
    let on_kernels = supported().map(|isa| standard.clone().with_isa(isa).unwrap());
    for ours in on_kernels.chain([standard.clone()]) {
        for (state, image) in given.iter().zip(&images) {
            assert_eq!(ours.permute(*state), *image);
        }
        across::<Packing<F>, W>(&ours, &given, &images);
        across::<[F::Element; 5], W>(&ours, &given, &images);
        across::<[F::Element; 32], W>(&ours, &given, &images);
        same_modes(&ours, peer);
    }

    // What the tuning tables may hand over to, whether or not they do here.
    let constants = standard.constants();
    let stock = Plonky3::stock(constants.external(), constants.internal()).unwrap();
    let lanes = packed_lanes::<F>();
    for count in [1, lanes] {
        let interleaved = |states: &[[F::Element; W]]| -> Vec<_> {
            (0..W)
                .flat_map(|i| states[..count].iter().map(move |state| state[i]))
                .collect()
        };
        let mut found = interleaved(&given);
        stock.permute(kernel_words(&mut found));
        assert_eq!(found, interleaved(&images));
    }
    assert_eq!(parameters::packed_lanes(F::NAME), lanes);

    // The table in all forms, as it would be made of the constants now.
    let plain = constants
        .external()
        .iter()
        .flatten()
        .chain(constants.internal());
    assert_eq!(CanonicalConstants::shared(plain.copied()), *constants);

    for seed in 0..5 {
        let rng = || SmallRng::seed_from_u64(seed);
        let (mut theirs, mut its) = (rng(), rng());
        let peer = from_rng(&mut theirs);
        let ours = Poseidon2::<F, W, Plonky3>::new_from_rng_128(&mut its);
        assert_eq!(peer.permute(given[0]), ours.permute(given[0]));
        let instance = <Plonky3 as ParameterSet<F, W>>::INSTANCE;
        let rounds = (instance.external_rounds, instance.internal_rounds);
        let same = Poseidon2::<F, W, Plonky3>::new_from_rng(rounds.0, rounds.1, &mut rng());
        assert_eq!(same.permute(given[0]), ours.permute(given[0]));
        let [next, expected]: [F::Element; 2] =
            [its, theirs].map(|mut rng| StandardUniform.sample(&mut rng));
        assert_eq!(next, expected, "as much is drawn");
    }
}

macro_rules! tests {
    ($($set:ident $field:ident $width:literal {
        rounds: $rounds:tt,
        module: $module:tt,
        plonky3: ($krate:ident $own:ident $default:ident),
    })*) => {$(
        having!($field {
            #[test]
            fn $default() {
                let peer = $krate::$default();
                same::<field::$field, _, $width>(&peer, $krate::$own::<$width>::new_from_rng_128);
            }
        });
    )*};
}

poseidon2_generated::each_permutation!(tests);

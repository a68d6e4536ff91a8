//! Modes that Plonky3 does not have, by its traits: the same as a slow reference over its own permutations,
//! however elements are handed over. (Its own modes are compared with it in `poseidon2-kernels`.)

use core::array::from_fn;
use core::fmt::Debug;

use p3_baby_bear::{BabyBear, default_babybear_poseidon2_24};
use p3_commit::Mmcs;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks, default_goldilocks_poseidon2_12};
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CryptographicHasher, Permutation, PseudoCompressionFunction};
use poseidon2_kernels::modes::{
    Compressor, FeedForward, FeedForwardCompression, Hasher, Linear, MatyasMeyerOseas, MmoSponge,
    RightToLeft, Truncated, ZeroPadded, ZeroPaddedSponge,
};
use poseidon2_kernels::plonky3::state;
use poseidon2_kernels::{
    Poseidon2BabyBear, Poseidon2Goldilocks, Poseidon2KoalaBear, Sponge, supported,
};
use verify::corpus::values::Fill;
use verify::oracle::Modes;

/// So many messages that kernels run whole, and with lanes left empty.
const MESSAGES: usize = 71;

fn elements<F: PrimeField64>(count: usize) -> Vec<F> {
    let mut fill = Fill::new(count as u64);
    let mut element = || match fill.below(4) {
        0 => F::ZERO,
        1 => F::NEG_ONE,
        _ => F::from_u64(fill.bits()),
    };
    (0..count).map(|_| element()).collect()
}

fn residues<F: PrimeField64>(elements: &[F]) -> Vec<u64> {
    elements.iter().map(F::as_canonical_u64).collect()
}

/// A message in each lane.
fn across<V: PackedValue<Value: Debug>, const OUT: usize>(
    hasher: &impl CryptographicHasher<V, [V; OUT]>,
    messages: &[&[V::Value]],
    digests: &[[V::Value; OUT]],
) {
    let lanes = V::WIDTH;
    for (messages, digests) in messages.chunks_exact(lanes).zip(digests.chunks(lanes)) {
        let vectors = (0..messages[0].len()).map(|i| V::from_fn(|lane| messages[lane][i]));
        let digest = hasher.hash_iter(vectors);
        for (lane, expected) in digests.iter().enumerate() {
            assert_eq!(digest.map(|vector| vector.as_slice()[lane]), *expected);
        }
    }
}

fn hashes<F, H, const OUT: usize>(
    hasher: &H,
    lengths: &[usize],
    expected: impl Fn(&[u64]) -> Vec<u64>,
) where
    F: PrimeField64,
    H: CryptographicHasher<F, [F; OUT]>
        + CryptographicHasher<<F as Field>::Packing, [<F as Field>::Packing; OUT]>
        + CryptographicHasher<[F; 5], [[F; 5]; OUT]>,
{
    for length in lengths.iter().copied() {
        let all = elements::<F>(MESSAGES * length);
        let messages: Vec<_> = (0..MESSAGES)
            .map(|n| &all[n * length..][..length])
            .collect();
        let digests: Vec<[F; OUT]> = messages
            .iter()
            .map(|message| {
                let digest = expected(&residues(message));
                from_fn(|i| F::from_u64(digest[i]))
            })
            .collect();
        for (message, digest) in messages.iter().zip(&digests) {
            assert_eq!(hasher.hash_slice(message), *digest);
            assert_eq!(hasher.hash_iter(message.iter().copied()), *digest);
        }
        let mut found = vec![[F::TWO; OUT]; MESSAGES];
        hasher.hash_many(&all, &mut found);
        assert_eq!(found, digests);
        across::<<F as Field>::Packing, OUT>(hasher, &messages, &digests);
        across::<[F; 5], OUT>(hasher, &messages, &digests);
    }
}

fn compresses<F, C, const N: usize, const CHUNK: usize>(
    compressor: &C,
    expected: impl Fn(&[u64]) -> Vec<u64>,
) where
    F: PrimeField64,
    C: PseudoCompressionFunction<[F; CHUNK], N>
        + PseudoCompressionFunction<[<F as Field>::Packing; CHUNK], N>,
{
    let all = elements::<F>(MESSAGES * N * CHUNK);
    let (groups, _) = all.as_chunks::<CHUNK>().0.as_chunks::<N>();
    let nodes: Vec<[F; CHUNK]> = groups
        .iter()
        .map(|group| {
            let node = expected(&residues(group.as_flattened()));
            from_fn(|i| F::from_u64(node[i]))
        })
        .collect();
    let mut found = vec![[F::TWO; CHUNK]; MESSAGES];
    compressor.compress_many(groups, &mut found);
    assert_eq!(found, nodes);
    let lanes = <F as Field>::Packing::WIDTH;
    for (groups, nodes) in groups.chunks_exact(lanes).zip(nodes.chunks(lanes)) {
        assert_eq!(compressor.compress(groups[0]), nodes[0]);
        let packed = from_fn(|child| {
            from_fn(|i| <F as Field>::Packing::from_fn(|lane| groups[lane][child][i]))
        });
        let node = compressor.compress(packed);
        for (lane, expected) in nodes.iter().enumerate() {
            assert_eq!(node.map(|vector| vector.as_slice()[lane]), *expected);
        }
    }
}

macro_rules! same_modes {
    ($(
        $test:ident: $element:ident, $ours:ident $w:literal, $peer:ident; rate $rate:literal, digest of $out:literal;
    )+) => {$(
        #[test]
        fn $test() {
            const LENGTHS: [usize; 5] = [0, 1, $rate, $rate + 1, 2 * $rate + 3];
            let peer = $peer();
            let permute = |state: &mut [u64]| {
                let image = peer.permute(from_fn::<_, $w, _>(|i| $element::from_u64(state[i])));
                state.copy_from_slice(&residues(&image));
            };
            let modes = Modes { modulus: $element::ORDER_U64, width: $w, permute: &permute };
            let initial: [$element; $w] = from_fn(|i| $element::from_u64(i as u64 + 3));
            let from = residues(&initial);
            let zeros = [0; $w];
            for isa in supported() {
                let p = $ours::<$w>::plonky3().with_isa(isa).unwrap();
                let whole = [0, 1, 3].map(|blocks| $w + blocks * $rate);

                let hasher = Hasher::<_, RightToLeft<$rate>, $w, $out>::new(p.clone());
                hashes::<$element, _, $out>(&hasher, &whole, |row| modes.right_to_left($rate, false, row));
                let hasher = Hasher::<_, MatyasMeyerOseas<$rate>, $w, $out>::new(p.clone());
                hashes::<$element, _, $out>(&hasher, &whole, |row| modes.right_to_left($rate, true, row));
                let hasher = hasher.starting_from(state(initial));
                hashes::<$element, _, $out>(&hasher, &[0, $rate, 2 * $rate], |row| {
                    modes.right_to_left_from(&from, $rate, true, row)
                });
                let hasher = Hasher::<_, ZeroPadded<$rate>, $w, $out>::new(p.clone());
                hashes::<$element, _, $out>(&hasher.starting_from(state(initial)), &LENGTHS, |row| {
                    modes.zero_padded(&from, $rate, row)
                });
                let hasher = Hasher::<_, Linear<$rate>, $w, 4>::new(p.clone());
                hashes::<$element, _, 4>(&hasher, &LENGTHS, |row| modes.linear(&zeros[$rate..], $rate, row));

                let compressor = FeedForwardCompression::<_, 2, 4, $w>::new(p.clone());
                compresses::<$element, _, 2, 4>(&compressor, |group| modes.feed_forward(group));
                let compressor = Compressor::<_, FeedForward, 3, 4, $w>::new(p);
                compresses::<$element, _, 3, 4>(&compressor, |group| modes.feed_forward(group));
            }
        }
    )+};
}

same_modes! {
    goldilocks_12: Goldilocks, Poseidon2Goldilocks 12, default_goldilocks_poseidon2_12; rate 8, digest of 4;
    koala_bear_16: KoalaBear, Poseidon2KoalaBear 16, default_koalabear_poseidon2_16; rate 12, digest of 8;
    baby_bear_24: BabyBear, Poseidon2BabyBear 24, default_babybear_poseidon2_24; rate 16, digest of 8;
}

#[test]
#[should_panic(expected = "a message of 20 words: the mode takes 16 and a multiple of 12 more")]
fn lengths_that_a_mode_does_not_take_are_refused() {
    let sponge = MmoSponge::<_, 16, 12, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
    let _: [KoalaBear; 8] = sponge.hash_iter(elements::<KoalaBear>(20));
}

#[test]
#[should_panic(expected = "a message of 20 words: the mode takes 16 and a multiple of 12 more")]
fn lengths_that_a_mode_does_not_take_are_refused_in_batches() {
    let sponge = MmoSponge::<_, 16, 12, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
    let mut digests = [[KoalaBear::ZERO; 8]; 2];
    sponge.hash_many(&elements::<KoalaBear>(40), &mut digests);
}

/// Elements, then none, then more; and no word of it is true how many there are.
struct Unreliable<'a> {
    given: core::slice::Iter<'a, KoalaBear>,
    is_over: bool,
}

impl Iterator for Unreliable<'_> {
    type Item = KoalaBear;

    fn next(&mut self) -> Option<KoalaBear> {
        if self.is_over {
            return Some(KoalaBear::TWO);
        }
        let next = self.given.next().copied();
        self.is_over = next.is_none();
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (1000, Some(1))
    }
}

#[test]
fn messages_end_where_an_iterator_ends() {
    fn hash<H: CryptographicHasher<KoalaBear, [KoalaBear; 8]>>(hasher: &H, lengths: &[usize]) {
        let all = elements::<KoalaBear>(100);
        for length in lengths {
            let message = Unreliable {
                given: all[..*length].iter(),
                is_over: false,
            };
            assert_eq!(
                hasher.hash_iter(message),
                hasher.hash_slice(&all[..*length])
            );
        }
    }
    let p = Poseidon2KoalaBear::<16>::plonky3();
    hash(&Sponge::<_, 16, 8, 8>::new(p.clone()), &[0, 7, 8, 9, 100]);
    hash(
        &ZeroPaddedSponge::<_, 16, 8, 8>::new(p.clone()),
        &[0, 7, 8, 9, 100],
    );
    hash(&MmoSponge::<_, 16, 12, 8>::new(p.clone()), &[16, 28, 40]);
    let hasher = Hasher::<_, Truncated, 16, 8>::new(p);
    hash(&hasher, &[0, 15, 16]);
}

/// A tree of leaves by MMO and nodes with feed-forward, in Plonky3's `MerkleTreeMmcs`.
#[test]
fn trees_are_verified() {
    type P = <KoalaBear as Field>::Packing;
    let poseidon2 = Poseidon2KoalaBear::<16>::plonky3();
    let hash = MmoSponge::<_, 16, 12, 8>::new(poseidon2.clone());
    let compress = FeedForwardCompression::<_, 2, 8, 16>::new(poseidon2);
    let mmcs = MerkleTreeMmcs::<P, P, _, _, 2, 8>::new(hash.clone(), compress.clone(), 0);
    let matrix = RowMajorMatrix::new(elements::<KoalaBear>(64 * 40), 40);
    let rows: Vec<_> = matrix.values.chunks(40).collect();
    let mut layer: Vec<[KoalaBear; 8]> = rows.iter().map(|row| hash.hash_slice(row)).collect();
    while layer.len() > 1 {
        let (pairs, _) = layer.as_chunks();
        layer = pairs.iter().map(|pair| compress.compress(*pair)).collect();
    }
    let dimensions = [matrix.dimensions()];
    let (cap, data) = mmcs.commit_matrix(matrix);
    assert_eq!(cap.roots(), layer);
    let opening = mmcs.open_batch(17, &data);
    mmcs.verify_batch(&cap, &dimensions, 17, (&opening).into())
        .unwrap();
}

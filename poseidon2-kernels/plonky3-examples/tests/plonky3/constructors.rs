//! Plonky3's constructors: the same function from the same generator, or the same constants.

use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_poseidon2::ExternalLayerConstants;
use p3_symmetric::{CryptographicPermutation, Permutation};
use poseidon2_kernels::plonky3::UnsupportedRounds;
use poseidon2_kernels::{Poseidon2BabyBear, Poseidon2Goldilocks, Poseidon2KoalaBear};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};

/// Builds both from generators in one state; they must leave them in one state, too.
fn same_from_rng<T, P, Q, const W: usize>(
    peer: impl Fn(&mut SmallRng) -> P,
    ours: impl Fn(&mut SmallRng) -> Q,
) where
    T: Copy + Default + PartialEq + std::fmt::Debug,
    P: CryptographicPermutation<[T; W]>,
    Q: CryptographicPermutation<[T; W]>,
{
    for seed in 0..20 {
        let (mut theirs, mut its) = (SmallRng::seed_from_u64(seed), SmallRng::seed_from_u64(seed));
        let (peer, ours) = (peer(&mut theirs), ours(&mut its));
        let zero = [T::default(); W];
        assert_eq!(peer.permute(zero), ours.permute(zero));
        assert_eq!(theirs.next_u64(), its.next_u64());
    }
}

#[test]
fn goldilocks_from_rng() {
    type Theirs<const W: usize> = p3_goldilocks::Poseidon2Goldilocks<W>;
    same_from_rng::<Goldilocks, _, _, 8>(
        Theirs::<8>::new_from_rng_128,
        Poseidon2Goldilocks::<8>::new_from_rng_128,
    );
    same_from_rng::<Goldilocks, _, _, 12>(
        Theirs::<12>::new_from_rng_128,
        Poseidon2Goldilocks::<12>::new_from_rng_128,
    );
    same_from_rng::<Goldilocks, _, _, 16>(
        Theirs::<16>::new_from_rng_128,
        Poseidon2Goldilocks::<16>::new_from_rng_128,
    );
}

#[test]
fn koala_bear_from_rng() {
    same_from_rng::<KoalaBear, _, _, 16>(
        p3_koala_bear::Poseidon2KoalaBear::<16>::new_from_rng_128,
        Poseidon2KoalaBear::<16>::new_from_rng_128,
    );
}

#[test]
fn baby_bear_from_rng() {
    same_from_rng::<p3_baby_bear::BabyBear, _, _, 16>(
        p3_baby_bear::Poseidon2BabyBear::<16>::new_from_rng_128,
        Poseidon2BabyBear::<16>::new_from_rng_128,
    );
}

/// The peer's constructor takes references on one target, values on the others.
#[cfg(not(all(target_arch = "aarch64", target_feature = "neon")))]
fn peer(
    external: &ExternalLayerConstants<Goldilocks, 12>,
    internal: &[Goldilocks],
) -> p3_goldilocks::Poseidon2Goldilocks<12> {
    p3_goldilocks::Poseidon2Goldilocks::new(external.clone(), internal.to_vec())
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
fn peer(
    external: &ExternalLayerConstants<Goldilocks, 12>,
    internal: &[Goldilocks],
) -> p3_goldilocks::Poseidon2Goldilocks<12> {
    p3_goldilocks::Poseidon2Goldilocks::new(external, internal)
}

#[test]
fn from_constants_by_value_and_by_reference() {
    let mut rng = SmallRng::seed_from_u64(3);
    // Not reduced: `Goldilocks::new` takes any word.
    let mut word = || Goldilocks::new(rng.random::<u64>() | 0xffff_ffff_0000_0000);
    let mut rows = || vec![[(); 12].map(|()| word()); 4];
    let external = ExternalLayerConstants::new(rows(), rows());
    let internal: Vec<_> = (0..22).map(|i| Goldilocks::new(u64::MAX - i)).collect();
    let state = [Goldilocks::new(u64::MAX); 12];
    let image = peer(&external, &internal).permute(state);
    let by_reference = Poseidon2Goldilocks::new(&external, &internal);
    assert_eq!(by_reference.permute(state), image);
    let by_value = Poseidon2Goldilocks::<12>::new(external, internal);
    assert_eq!(by_value.permute(state), image);
}

#[test]
fn other_rounds_are_refused() {
    let row = [Goldilocks::new(1); 8];
    for [initial, internal, terminal] in [[3, 22, 3], [4, 21, 4], [4, 23, 4], [5, 22, 5]] {
        let external = ExternalLayerConstants::new(vec![row; initial], vec![row; terminal]);
        let internal_constants = vec![row[0]; internal];
        let refusal = Poseidon2Goldilocks::<8>::try_new(external, internal_constants).unwrap_err();
        let expected = UnsupportedRounds {
            given: [initial, internal, terminal],
            supported: [4, 22, 4],
        };
        assert_eq!(refusal, expected);
    }
    let refusal = UnsupportedRounds {
        given: [3, 20, 3],
        supported: [4, 22, 4],
    };
    assert_eq!(
        refusal.to_string(),
        "no kernels for 3 + 20 + 3 rounds; there are for 4 + 22 + 4"
    );
}

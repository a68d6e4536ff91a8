//! Plonky3's duplex challenger on our permutation, proof-of-work grinding included.

use p3_challenger::{CanObserve, CanSample, CanSampleBits, DuplexChallenger, GrindingChallenger};
use p3_field::{Field, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_symmetric::CryptographicPermutation;
use poseidon2_kernels::{Poseidon2Goldilocks, Poseidon2KoalaBear, supported};

/// What a transcript gives that observes, samples and grinds.
fn transcript<F, P, const W: usize, const RATE: usize>(permutation: P) -> Vec<u64>
where
    F: PrimeField64,
    P: CryptographicPermutation<[F; W]> + CryptographicPermutation<[<F as Field>::Packing; W]>,
{
    let mut challenger = DuplexChallenger::<F, P, W, RATE>::new(permutation);
    let mut samples = Vec::new();
    for round in 0..6 {
        for element in 0..3 * round {
            challenger.observe(F::from_u64(element));
        }
        let sample: F = challenger.sample();
        samples.push(sample.as_canonical_u64());
        let mut checking = challenger.clone();
        let witness = challenger.grind(6);
        assert!(checking.check_witness(6, witness));
        samples.push(witness.as_canonical_u64());
        samples.push(challenger.sample_bits(20) as u64);
    }
    samples
}

#[test]
fn transcripts_are_the_peers_over_goldilocks() {
    let w8 = transcript::<Goldilocks, _, 8, 4>(p3_goldilocks::default_goldilocks_poseidon2_8());
    let w16 = transcript::<Goldilocks, _, 16, 8>(p3_goldilocks::default_goldilocks_poseidon2_16());
    for isa in supported() {
        let ours = Poseidon2Goldilocks::<8>::plonky3().with_isa(isa).unwrap();
        assert_eq!(transcript::<Goldilocks, _, 8, 4>(ours), w8);
        let ours = Poseidon2Goldilocks::<16>::plonky3().with_isa(isa).unwrap();
        assert_eq!(transcript::<Goldilocks, _, 16, 8>(ours), w16);
    }
}

#[test]
fn transcripts_are_the_peers_over_koala_bear() {
    let peer = p3_koala_bear::default_koalabear_poseidon2_16();
    let theirs = transcript::<KoalaBear, _, 16, 8>(peer);
    for isa in supported() {
        let ours = Poseidon2KoalaBear::<16>::plonky3().with_isa(isa).unwrap();
        assert_eq!(transcript::<KoalaBear, _, 16, 8>(ours), theirs);
    }
}

//! Whole proofs: the same bytes from stock types and from ours, and each verifies the other's.

use p3_goldilocks::Goldilocks;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use plonky3_examples::party::{Packing, Party, trace};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge, supported};

const QUERIES: usize = 3;
const GRINDING: usize = 6;

#[test]
fn proofs_are_the_same_bytes() {
    let trace = trace(2);
    let perm = p3_goldilocks::default_goldilocks_poseidon2_8();
    let hash = PaddingFreeSponge::<_, 8, 4, 4>::new(perm.clone());
    let compress = TruncatedPermutation::<_, 2, 4, 8>::new(perm.clone());
    let stock = Party::<_, Packing, _, _>::new(perm, hash, compress, QUERIES, GRINDING);
    let proof = stock.prove(trace.clone()).unwrap();
    stock.verify(&proof).unwrap();

    for isa in supported() {
        let perm = Poseidon2Goldilocks::<8>::plonky3().with_isa(isa).unwrap();

        let (hash, compress) = (Sponge::new(perm.clone()), Compression::new(perm.clone()));
        let ours = Party::<_, [Goldilocks; 16], Sponge<_, 8, 4, 4>, Compression<_, 2, 4, 8>>::new(
            perm, hash, compress, QUERIES, GRINDING,
        );
        let made = ours.prove(trace.clone()).unwrap();
        assert!(made == proof, "{}", isa.name());
        ours.verify(&proof).unwrap();
        stock.verify(&made).unwrap();

        // A verifier that accepts anything would have passed.
        let mut other = proof.clone();
        let middle = other.len() / 2;
        other[middle] ^= 1;
        ours.verify(&other).unwrap_err();
    }
}

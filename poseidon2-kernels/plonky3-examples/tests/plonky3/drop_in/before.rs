//! The root of a Merkle tree over a matrix, with Plonky3.

use p3_commit::Mmcs;
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Val = Goldilocks;
type Perm = p3_goldilocks::Poseidon2Goldilocks<8>;
type Packing = <Val as p3_field::Field>::Packing;
type Hash = PaddingFreeSponge<Perm, 8, 4, 4>;
type Compress = TruncatedPermutation<Perm, 2, 4, 8>;
type ValMmcs = MerkleTreeMmcs<Packing, Packing, Hash, Compress, 2, 4>;

pub fn main() {
    for (rows, columns) in [(1, 1), (31, 3), (1 << 10, 40)] {
        println!("{:?}", root(rows, columns));
    }
}

pub fn root(rows: usize, columns: usize) -> [Val; 4] {
    let mut rng = SmallRng::seed_from_u64(1);
    let perm = Perm::new_from_rng_128(&mut rng);
    let mmcs = ValMmcs::new(Hash::new(perm.clone()), Compress::new(perm), 0);
    let values = (0..rows * columns).map(|_| rng.random()).collect();
    let (commitment, _) = mmcs.commit_matrix(RowMajorMatrix::new(values, columns));
    commitment.roots()[0]
}

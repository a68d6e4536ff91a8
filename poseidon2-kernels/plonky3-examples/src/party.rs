//! A prover and verifier of the Keccak AIR over Goldilocks, with Merkle trees of width 8.

use p3_challenger::DuplexChallenger;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_field::{Field, PackedValue};
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::Goldilocks;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CryptographicHasher, CryptographicPermutation, PseudoCompressionFunction};
use p3_uni_stark::{Proof, StarkConfig, prove, verify};

/// What the build packs elements in.
pub type Packing = <Goldilocks as Field>::Packing;

type Challenge = BinomialExtensionField<Goldilocks, 2>;
type ValMmcs<P, H, C> = MerkleTreeMmcs<P, P, H, C, 2, 4>;
type ChallengeMmcs<P, H, C> = ExtensionMmcs<Goldilocks, Challenge, ValMmcs<P, H, C>>;
type Dft = Radix2DitParallel<Goldilocks>;
type Pcs<P, H, C> = TwoAdicFriPcs<Goldilocks, Dft, ValMmcs<P, H, C>, ChallengeMmcs<P, H, C>>;
type Config<Perm, P, H, C> =
    StarkConfig<Pcs<P, H, C>, Challenge, DuplexChallenger<Goldilocks, Perm, 8, 4>>;

/// What is proved: the rounds of these Keccak permutations, a row each. There is room for the
/// low-degree extension.
pub fn trace(hashes: usize) -> RowMajorMatrix<Goldilocks> {
    let input = |n: usize| core::array::from_fn(|i| (25 * n + i) as u64);
    generate_trace_rows((0..hashes).map(input).collect(), LOG_BLOWUP)
}

const LOG_BLOWUP: usize = 1;

/// A permutation for the transcript; what trees pack rows in, what hashes rows and compresses nodes.
pub struct Party<Perm, P, H, C>(Config<Perm, P, H, C>)
where
    Perm: CryptographicPermutation<[Goldilocks; 8]>;

impl<Perm, P, H, C> Party<Perm, P, H, C>
where
    Perm: CryptographicPermutation<[Goldilocks; 8]> + CryptographicPermutation<[Packing; 8]>,
    P: PackedValue<Value = Goldilocks>,
    H: CryptographicHasher<Goldilocks, [Goldilocks; 4]> + CryptographicHasher<P, [P; 4]> + Sync,
    C: PseudoCompressionFunction<[Goldilocks; 4], 2> + PseudoCompressionFunction<[P; 4], 2> + Sync,
{
    /// Plonky3's benchmark parameters, with so many queries and bits of grinding.
    pub fn new(perm: Perm, hash: H, compress: C, queries: usize, grinding: usize) -> Self {
        let mmcs = ValMmcs::new(hash, compress, 0);
        let fri = FriParameters {
            log_blowup: LOG_BLOWUP,
            num_queries: queries,
            query_proof_of_work_bits: grinding,
            ..FriParameters::new_benchmark(ChallengeMmcs::new(mmcs.clone()))
        };
        let pcs = Pcs::new(Dft::default(), mmcs, fri);
        Self(Config::new(pcs, DuplexChallenger::new(perm)))
    }

    /// The proof, as bytes.
    pub fn prove(&self, trace: RowMajorMatrix<Goldilocks>) -> Result<Vec<u8>, String> {
        let proof = prove(&self.0, &KeccakAir {}, trace, &[]);
        let proof = proof.map_err(|error| format!("{error:?}"))?;
        postcard::to_allocvec(&proof).map_err(|error| error.to_string())
    }

    /// Whether it accepts a proof, given as bytes.
    pub fn verify(&self, proof: &[u8]) -> Result<(), String> {
        let proof: Proof<Config<Perm, P, H, C>> =
            postcard::from_bytes(proof).map_err(|error| error.to_string())?;
        verify(&self.0, &KeccakAir {}, &proof, &[]).map_err(|error| format!("{error:?}"))
    }
}

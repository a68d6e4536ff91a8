//! A proof that a Fibonacci number is one, over Goldilocks, hashed by Poseidon2: made, verified, and
//! printed byte by byte.

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_challenger::DuplexChallenger;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::{Goldilocks, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use p3_uni_stark::{StarkConfig, prove, verify};

type Permutation = Poseidon2Goldilocks<8>;
type Hash = PaddingFreeSponge<Permutation, 8, 4, 4>;
type Compress = TruncatedPermutation<Permutation, 2, 4, 8>;
type Packing = <Goldilocks as Field>::Packing;
type Mmcs = MerkleTreeMmcs<Packing, Packing, Hash, Compress, 2, 4>;
type Challenge = BinomialExtensionField<Goldilocks, 2>;
type ChallengeMmcs = ExtensionMmcs<Goldilocks, Challenge, Mmcs>;
type Challenger = DuplexChallenger<Goldilocks, Permutation, 8, 4>;
type Dft = Radix2DitParallel<Goldilocks>;
type Pcs = TwoAdicFriPcs<Goldilocks, Dft, Mmcs, ChallengeMmcs>;
type Config = StarkConfig<Pcs, Challenge, Challenger>;

/// Row i has the Fibonacci numbers i and i + 1; columns after them are copies, to have rows of
/// several blocks to hash.
struct Fibonacci;

const COLUMNS: usize = 11;
const ROWS: usize = 1 << 10;

impl<F> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        COLUMNS
    }

    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder> Air<AB> for Fibonacci {
    fn eval(&self, builder: &mut AB) {
        let last = builder.public_values()[0];
        let main = builder.main();
        let (local, next) = (main.current_slice(), main.next_slice());
        let (a, b) = (local[0], local[1]);
        let (c, d) = (next[0], next[1]);
        builder.when_first_row().assert_zero(a);
        builder.when_first_row().assert_one(b);
        builder.when_transition().assert_eq(b, c);
        builder.when_transition().assert_eq(a + b, d);
        builder.when_last_row().assert_eq(b, last);
        for column in 2..COLUMNS {
            builder.assert_eq(a, local[column]);
        }
    }
}

fn config() -> Config {
    let permutation = default_goldilocks_poseidon2_8();
    let hash = Hash::new(permutation.clone());
    let compress = Compress::new(permutation.clone());
    let mmcs = Mmcs::new(hash, compress, 0);
    let fri = FriParameters {
        log_blowup: 1,
        log_final_poly_len: 0,
        max_log_arity: 1,
        num_queries: 8,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: 8,
        mmcs: ChallengeMmcs::new(mmcs.clone()),
    };
    let pcs = Pcs::new(Dft::default(), mmcs, fri);
    Config::new(pcs, Challenger::new(permutation))
}

fn main() {
    println!("{}", std::any::type_name::<Permutation>());
    let (mut a, mut b) = (Goldilocks::ZERO, Goldilocks::ONE);
    let mut rows = Vec::new();
    for row in 0..ROWS {
        if row > 0 {
            (a, b) = (b, a + b);
        }
        rows.extend([a, b]);
        rows.extend([a; COLUMNS - 2]);
    }
    let trace = RowMajorMatrix::new(rows, COLUMNS);
    let proof = prove(&config(), &Fibonacci, trace, &[b]).expect("a proof can be made");
    verify(&config(), &Fibonacci, &proof, &[b]).expect("the proof verifies");
    let bytes = postcard::to_allocvec(&proof).expect("a proof can be written");
    for line in bytes.chunks(32) {
        let line: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{line}");
    }
}

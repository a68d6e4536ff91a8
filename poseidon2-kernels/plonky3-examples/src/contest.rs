//! Both parties of a contest over one field: Plonky3 as it is, and with the kernels of this crate.
//!
//! Each field has what Plonky3's own examples use over it. Fields differ in types and in constant
//! parameters alone, so one macro writes a module for each.

use clap::ValueEnum;

/// The fields of a contest.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Over {
    /// Rows are hashed and nodes are compressed at width 8.
    Goldilocks,
    /// Rows are hashed at width 24, nodes are compressed at width 16.
    KoalaBear,
    /// Rows are hashed at width 24, nodes are compressed at width 16.
    BabyBear,
}

/// What is proved: the rounds of Keccak permutations, a row each.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// How many permutations are proved; each takes 24 rows of the trace.
    pub hashes: usize,
    /// Queries into each commitment.
    pub queries: usize,
    /// Bits of proof of work.
    pub grinding: usize,
}

const LOG_BLOWUP: usize = 1;

macro_rules! contests {
    ($(
        $over:ident: $module:ident, $peer:ident, $poseidon2:ident, extension of degree $degree:literal;
        rows at width $width:literal, rate $rate:literal, $default:ident;
        nodes at width $node:literal, $default_node:ident;
        digest of $digest:literal;
    )+) => {$(
        #[doc = concat!("Both parties over `", stringify!($over), "`.")]
        pub mod $module {
            use p3_challenger::DuplexChallenger;
            use p3_commit::{ExtensionMmcs, Mmcs};
            use p3_dft::Radix2DitParallel;
            use p3_field::extension::BinomialExtensionField;
            use p3_field::{Field, PackedValue};
            use p3_fri::{FriParameters, TwoAdicFriPcs};
            use p3_keccak_air::{KeccakAir, generate_trace_rows};
            use p3_matrix::dense::RowMajorMatrix;
            use p3_merkle_tree::MerkleTreeMmcs;
            use p3_symmetric::{
                CryptographicHasher, CryptographicPermutation, PaddingFreeSponge,
                PseudoCompressionFunction, TruncatedPermutation,
            };
            use p3_uni_stark::{Proof, StarkConfig, prove, verify};
            use poseidon2_kernels::{Compression, Isa, Sponge, UnsupportedIsa};
            use rand::rngs::SmallRng;
            use rand::{RngExt, SeedableRng};

            use super::{LOG_BLOWUP, Statement};
            use crate::turns::{Contestant, compare};

            type Element = $peer::$over;
            type Packing = <Element as Field>::Packing;
            type Root = Vec<[Element; $digest]>;
            type Challenge = BinomialExtensionField<Element, $degree>;
            type ValMmcs<P, H, C> = MerkleTreeMmcs<P, P, H, C, 2, $digest>;
            type ChallengeMmcs<P, H, C> = ExtensionMmcs<Element, Challenge, ValMmcs<P, H, C>>;
            type Dft = Radix2DitParallel<Element>;
            type Pcs<P, H, C> =
                TwoAdicFriPcs<Element, Dft, ValMmcs<P, H, C>, ChallengeMmcs<P, H, C>>;
            type Config<Perm, P, H, C> = StarkConfig<
                Pcs<P, H, C>,
                Challenge,
                DuplexChallenger<Element, Perm, $width, $rate>,
            >;

            type Stock = $peer::$poseidon2<$width>;
            type StockHash = PaddingFreeSponge<Stock, $width, $rate, $digest>;
            type StockCompression = TruncatedPermutation<$peer::$poseidon2<$node>, 2, $digest, $node>;
            type Ours = poseidon2_kernels::$poseidon2<$width>;
            type OurHash = Sponge<Ours, $width, $rate, $digest>;
            type OurCompression = Compression<poseidon2_kernels::$poseidon2<$node>, 2, $digest, $node>;

            /// A prover and verifier: a permutation for the transcript, what trees pack rows in, what
            /// hashes rows and compresses nodes.
            pub struct Party<Perm, P, H, C>(Config<Perm, P, H, C>)
            where
                Perm: CryptographicPermutation<[Element; $width]>;

            /// Plonky3 as it is.
            #[must_use]
            pub fn stock(
                statement: Statement,
            ) -> Party<Stock, Packing, StockHash, StockCompression> {
                let hash = StockHash::new($peer::$default());
                let compression = StockCompression::new($peer::$default_node());
                Party::new($peer::$default(), hash, compression, statement)
            }

            /// With our kernels of one instruction set, or of the best.
            ///
            /// # Errors
            /// If this CPU lacks the instruction set.
            pub fn ours<P: PackedValue<Value = Element>>(
                isa: Option<Isa>,
                statement: Statement,
            ) -> Result<Party<Ours, P, OurHash, OurCompression>, UnsupportedIsa>
            where
                OurHash: CryptographicHasher<P, [P; $digest]>,
                OurCompression: PseudoCompressionFunction<[P; $digest], 2>,
            {
                let (mut rows, mut nodes) = (Ours::plonky3(), poseidon2_kernels::$poseidon2::<$node>::plonky3());
                if let Some(isa) = isa {
                    (rows, nodes) = (rows.with_isa(isa)?, nodes.with_isa(isa)?);
                }
                let hash = OurHash::new(rows.clone());
                Ok(Party::new(rows, hash, OurCompression::new(nodes), statement))
            }

            /// The trace of so many permutations. There is room for the low-degree extension.
            #[must_use]
            pub fn trace(hashes: usize) -> RowMajorMatrix<Element> {
                let input = |n: usize| core::array::from_fn(|i| (25 * n + i) as u64);
                generate_trace_rows((0..hashes).map(input).collect(), LOG_BLOWUP)
            }

            impl<Perm, P, H, C> Party<Perm, P, H, C>
            where
                Perm: CryptographicPermutation<[Element; $width]>
                    + CryptographicPermutation<[Packing; $width]>,
                P: PackedValue<Value = Element>,
                H: CryptographicHasher<Element, [Element; $digest]>
                    + CryptographicHasher<P, [P; $digest]>
                    + Sync,
                C: PseudoCompressionFunction<[Element; $digest], 2>
                    + PseudoCompressionFunction<[P; $digest], 2>
                    + Sync,
            {
                /// Plonky3's benchmark parameters, with the statement's queries and grinding.
                fn new(perm: Perm, hash: H, compression: C, statement: Statement) -> Self {
                    let mmcs = ValMmcs::new(hash, compression, 0);
                    let fri = FriParameters {
                        log_blowup: LOG_BLOWUP,
                        num_queries: statement.queries,
                        query_proof_of_work_bits: statement.grinding,
                        ..FriParameters::new_benchmark(ChallengeMmcs::new(mmcs.clone()))
                    };
                    let pcs = Pcs::new(Dft::default(), mmcs, fri);
                    Self(Config::new(pcs, DuplexChallenger::new(perm)))
                }

                /// The proof, as bytes.
                ///
                /// # Errors
                /// If Plonky3 makes none.
                pub fn prove(&self, trace: RowMajorMatrix<Element>) -> Result<Vec<u8>, String> {
                    let proof = prove(&self.0, &KeccakAir {}, trace, &[]);
                    let proof = proof.map_err(|error| format!("{error:?}"))?;
                    postcard::to_allocvec(&proof).map_err(|error| error.to_string())
                }

                /// Whether it accepts a proof, given as bytes.
                ///
                /// # Errors
                /// If it does not.
                pub fn verify(&self, proof: &[u8]) -> Result<(), String> {
                    let proof: Proof<Config<Perm, P, H, C>> =
                        postcard::from_bytes(proof).map_err(|error| error.to_string())?;
                    let verified = verify(&self.0, &KeccakAir {}, &proof, &[]);
                    verified.map_err(|error| format!("{error:?}"))
                }
            }

            /// Both make one proof, in turns: its length and their times.
            pub(super) fn prove_in_turns(
                statement: Statement,
                rounds: usize,
            ) -> Result<String, String> {
                let stock = stock(statement);
                let ours =
                    ours::<Packing>(None, statement).map_err(|error| error.to_string())?;
                // Made anew for each turn: a clone has no room for the low-degree extension.
                let fresh = || trace(statement.hashes);
                let mut contestants = [
                    Contestant::new("stock", fresh, |trace| stock.prove(trace)),
                    Contestant::new("ours", fresh, |trace| ours.prove(trace)),
                ];
                let (times, proof) = compare(&mut contestants, rounds)?;
                let proof = proof?;
                stock.verify(&proof)?;
                ours.verify(&proof)?;
                let length = proof.len();
                Ok(format!("one proof of {length} bytes from both, verified by both\n{times}"))
            }

            /// All commit to one random matrix, in turns: their times.
            pub(super) fn commit_in_turns(
                log_rows: u8,
                columns: usize,
                rounds: usize,
            ) -> Result<String, String> {
                let mut rng = SmallRng::seed_from_u64(1);
                let values = (0..columns << log_rows).map(|_| rng.random());
                let matrix = &RowMajorMatrix::new(values.collect(), columns);
                let hash = OurHash::new(Ours::plonky3());
                let compression = OurCompression::new(poseidon2_kernels::$poseidon2::<$node>::plonky3());
                let mut contestants = [
                    commit::<Packing, _, _>(
                        "stock",
                        StockHash::new($peer::$default()),
                        StockCompression::new($peer::$default_node()),
                        matrix,
                    ),
                    packed::<8>("ours, 8 rows a vector", matrix),
                    packed::<16>("ours, 16 rows a vector", matrix),
                    packed::<32>("ours, 32 rows a vector", matrix),
                    commit::<Packing, _, _>("ours, runs of rows", hash, compression, matrix),
                ];
                Ok(compare(&mut contestants, rounds)?.0)
            }

            /// Stock types on arrays of `N` elements: what two edited type aliases give.
            fn packed<'a, const N: usize>(
                name: &'static str,
                matrix: &'a RowMajorMatrix<Element>,
            ) -> Contestant<'a, Root>
            where
                [Element; N]: Default,
            {
                let hash = PaddingFreeSponge::<_, $width, $rate, $digest>::new(Ours::plonky3());
                let nodes = poseidon2_kernels::$poseidon2::<$node>::plonky3();
                let compression = TruncatedPermutation::<_, 2, $digest, $node>::new(nodes);
                commit::<[Element; N], _, _>(name, hash, compression, matrix)
            }

            fn commit<'a, P, H, C>(
                name: &'static str,
                hash: H,
                compression: C,
                matrix: &'a RowMajorMatrix<Element>,
            ) -> Contestant<'a, Root>
            where
                P: PackedValue<Value = Element> + 'a,
                H: CryptographicHasher<Element, [Element; $digest]>
                    + CryptographicHasher<P, [P; $digest]>
                    + Sync
                    + 'a,
                C: PseudoCompressionFunction<[Element; $digest], 2>
                    + PseudoCompressionFunction<[P; $digest], 2>
                    + Sync
                    + 'a,
            {
                let mmcs = ValMmcs::<P, H, C>::new(hash, compression, 0);
                let commit = move |matrix| mmcs.commit_matrix(matrix).0.roots().to_vec();
                Contestant::new(name, || matrix.clone(), commit)
            }
        }
    )+

    impl Over {
        /// Stock and ours make one proof, taking turns, and verify each other's. Says what they use,
        /// how long the proof is, and their times.
        ///
        /// # Errors
        /// If their proofs differ, or one is not accepted.
        pub fn prove(self, statement: Statement, rounds: usize) -> Result<String, String> {
            match self {
                $(Self::$over => $module::prove_in_turns(statement, rounds),)+
            }
        }

        /// Stock and ours commit to a random matrix of 2^`log_rows` rows, taking turns: their times.
        ///
        /// # Errors
        /// If their roots differ.
        pub fn commit(self, log_rows: u8, columns: usize, rounds: usize) -> Result<String, String> {
            match self {
                $(Self::$over => $module::commit_in_turns(log_rows, columns, rounds),)+
            }
        }

        /// What is compared: the field, its widths, how many elements stock packs, our kernels.
        #[must_use]
        pub fn describe(self) -> String {
            let (field, [rows, nodes], packs) = match self {
                $(Self::$over => (
                    stringify!($over),
                    [$width, $node],
                    <<$peer::$over as p3_field::Field>::Packing as p3_field::PackedValue>::WIDTH,
                ),)+
            };
            let ours = poseidon2_kernels::selected();
            format!("{field}, rows at width {rows}, nodes at width {nodes}; stock packs {packs}; ours: {ours}")
        }
    }};
}

contests! {
    Goldilocks: goldilocks, p3_goldilocks, Poseidon2Goldilocks, extension of degree 2;
    rows at width 8, rate 4, default_goldilocks_poseidon2_8;
    nodes at width 8, default_goldilocks_poseidon2_8;
    digest of 4;

    KoalaBear: koala_bear, p3_koala_bear, Poseidon2KoalaBear, extension of degree 4;
    rows at width 24, rate 16, default_koalabear_poseidon2_24;
    nodes at width 16, default_koalabear_poseidon2_16;
    digest of 8;

    BabyBear: baby_bear, p3_baby_bear, Poseidon2BabyBear, extension of degree 4;
    rows at width 24, rate 16, default_babybear_poseidon2_24;
    nodes at width 16, default_babybear_poseidon2_16;
    digest of 8;
}

//! Committing to a matrix over Goldilocks: Plonky3 as it is, and with the kernels of this crate.
//!
//! All trees are Plonky3's own, of width 8 and arity 2. What differs is the permutation, how many rows
//! are packed together, and the types that hash and compress; all must find the same root. Build it
//! with and without `RUSTFLAGS="-C target-cpu=native"`: Plonky3 chooses its instructions when it is
//! compiled, this crate when it runs (and `POSEIDON2_KERNEL=avx2` overrules it).

use clap::Parser;
use p3_commit::Mmcs;
use p3_field::{Field, PackedValue};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
};
use plonky3_examples::turns::{Contestant, compare};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Digest<T> = [T; 4];
type Stock = p3_goldilocks::Poseidon2Goldilocks<8>;
type Ours = Poseidon2Goldilocks<8>;
type Packing = <Goldilocks as Field>::Packing;

/// Time Plonky3's Merkle commit to a random matrix over Goldilocks, stock against this crate's
/// kernels, taking turns in one process.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// The matrix has 2^LOG_ROWS rows.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u8).range(..=28))]
    log_rows: u8,
    /// The matrix has so many columns.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    columns: u16,
    /// How often each of them takes its turn.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let columns = usize::from(options.columns);
    let mut rng = SmallRng::seed_from_u64(1);
    let values = (0..columns << options.log_rows).map(|_| rng.random());
    let matrix = RowMajorMatrix::new(values.collect(), columns);

    let stock = p3_goldilocks::default_goldilocks_poseidon2_8();
    let ours = Ours::plonky3();
    let sponge = Sponge::<Ours, 8, 4, 4>::new(ours.clone());
    let compression = Compression::<Ours, 2, 4, 8>::new(ours.clone());
    let mut contestants = [
        contestant::<Packing, _, _>(
            "stock",
            PaddingFreeSponge::<Stock, 8, 4, 4>::new(stock.clone()),
            TruncatedPermutation::<Stock, 2, 4, 8>::new(stock),
            &matrix,
        ),
        array::<8>("ours, 8 rows a vector", &matrix),
        array::<16>("ours, 16 rows a vector", &matrix),
        array::<32>("ours, 32 rows a vector", &matrix),
        contestant::<Packing, _, _>("ours, runs of rows", sponge, compression, &matrix),
    ];
    println!(
        "2^{} rows of {columns}, Goldilocks width 8; stock packs {}; ours: {}",
        options.log_rows,
        Packing::WIDTH,
        poseidon2_kernels::selected(),
    );
    let (times, _) = compare(&mut contestants, options.rounds.into())?;
    print!("{times}");
    Ok(())
}

/// Stock types on arrays of `N` elements: what two edited type aliases give.
fn array<'a, const N: usize>(
    name: &'static str,
    matrix: &'a RowMajorMatrix<Goldilocks>,
) -> Contestant<'a, Root>
where
    [Goldilocks; N]: Default,
{
    contestant::<[Goldilocks; N], _, _>(
        name,
        PaddingFreeSponge::<Ours, 8, 4, 4>::new(Ours::plonky3()),
        TruncatedPermutation::<Ours, 2, 4, 8>::new(Ours::plonky3()),
        matrix,
    )
}

type Root = Vec<Digest<Goldilocks>>;

fn contestant<'a, P, H, C>(
    name: &'static str,
    hash: H,
    compress: C,
    matrix: &'a RowMajorMatrix<Goldilocks>,
) -> Contestant<'a, Root>
where
    P: PackedValue<Value = Goldilocks> + 'a,
    H: CryptographicHasher<Goldilocks, Digest<Goldilocks>>
        + CryptographicHasher<P, Digest<P>>
        + Sync
        + 'a,
    C: PseudoCompressionFunction<Digest<Goldilocks>, 2>
        + PseudoCompressionFunction<Digest<P>, 2>
        + Sync
        + 'a,
{
    let mmcs = MerkleTreeMmcs::<P, P, H, C, 2, 4>::new(hash, compress, 0);
    let commit = move |matrix| mmcs.commit_matrix(matrix).0.roots().to_vec();
    Contestant::new(name, || matrix.clone(), commit)
}

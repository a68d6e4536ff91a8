//! A whole proof with Plonky3, as it is and with the kernels of this crate.
//!
//! What is proved is a number of Keccak permutations, over Goldilocks; trees and transcript use Poseidon2
//! of width 8. Both provers make the same proof, byte for byte, and each verifies the other's. Build it
//! with and without `RUSTFLAGS="-C target-cpu=native"`: Plonky3 chooses its instructions when it is
//! compiled, this crate when it runs (and `POSEIDON2_KERNEL=avx2` overrules it).

use clap::Parser;
use p3_field::PackedValue;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};
use plonky3_examples::party::{Packing, Party, trace};
use plonky3_examples::turns::{Contestant, compare};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};

/// Time Plonky3's proof of Keccak permutations over Goldilocks, stock against this crate's kernels,
/// taking turns in one process.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// How many permutations are proved; each takes 24 rows of the trace.
    #[arg(long, default_value_t = 341, value_parser = clap::value_parser!(u16).range(1..))]
    hashes: u16,
    /// How often each of them takes its turn.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Queries into each commitment.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    queries: u16,
    /// Bits of proof of work.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u8).range(..=30))]
    grinding: u8,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let (queries, grinding) = (options.queries.into(), options.grinding.into());

    let perm = p3_goldilocks::default_goldilocks_poseidon2_8();
    let hash = PaddingFreeSponge::<_, 8, 4, 4>::new(perm.clone());
    let compress = TruncatedPermutation::<_, 2, 4, 8>::new(perm.clone());
    let stock = Party::<_, Packing, _, _>::new(perm, hash, compress, queries, grinding);

    let perm = Poseidon2Goldilocks::<8>::plonky3();
    let hash = Sponge::<_, 8, 4, 4>::new(perm.clone());
    let compress = Compression::<_, 2, 4, 8>::new(perm.clone());
    let ours = Party::<_, Packing, _, _>::new(perm, hash, compress, queries, grinding);

    println!(
        "{} Keccak permutations, Goldilocks width 8; stock packs {}; ours: {}",
        options.hashes,
        Packing::WIDTH,
        poseidon2_kernels::selected(),
    );
    // Made anew for each turn: a clone has no room for the low-degree extension.
    let fresh = || trace(options.hashes.into());
    let mut contestants = [
        Contestant::new("stock", fresh, |trace| stock.prove(trace)),
        Contestant::new("ours", fresh, |trace| ours.prove(trace)),
    ];
    let (times, proof) = compare(&mut contestants, options.rounds.into())?;
    let proof = proof?;
    stock.verify(&proof)?;
    ours.verify(&proof)?;
    println!(
        "one proof of {} bytes from both, verified by both",
        proof.len()
    );
    print!("{times}");
    Ok(())
}

//! A whole proof with Plonky3, as it is and with the kernels of this crate.
//!
//! What is proved is a number of Keccak permutations; trees and transcript use Poseidon2. Both provers
//! make the same proof, byte for byte, and each verifies the other's. Build it with and without
//! `RUSTFLAGS="-C target-cpu=native"`: Plonky3 chooses its instructions when it is compiled, this crate
//! when it runs (and `POSEIDON2_KERNEL=avx2` overrules it).

use clap::Parser;
use plonky3_examples::contest::{Over, Statement};

/// Time Plonky3's proof of Keccak permutations, stock against this crate's kernels, taking turns in one
/// process.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// The field of the proof.
    #[arg(long, value_enum, default_value_t = Over::Goldilocks)]
    field: Over,
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
    let statement = Statement {
        hashes: options.hashes.into(),
        queries: options.queries.into(),
        grinding: options.grinding.into(),
    };
    let (field, hashes) = (options.field, options.hashes);
    println!("{hashes} Keccak permutations, {}", field.describe());
    print!("{}", field.prove(statement, options.rounds.into())?);
    Ok(())
}

//! Committing to a matrix: Plonky3 as it is, and with the kernels of this crate.
//!
//! All trees are Plonky3's own, of arity 2. What differs is the permutation, how many rows are packed
//! together, and the types that hash and compress; all must find the same root. Build it with and without
//! `RUSTFLAGS="-C target-cpu=native"`: Plonky3 chooses its instructions when it is compiled, this crate
//! when it runs (and `POSEIDON2_KERNEL=avx2` overrules it).

use clap::Parser;
use plonky3_examples::contest::Over;

/// Time Plonky3's Merkle commit to a random matrix, stock against this crate's kernels, taking turns in
/// one process.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// The field of the matrix.
    #[arg(long, value_enum, default_value_t = Over::Goldilocks)]
    field: Over,
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
    let Options {
        field,
        log_rows,
        columns,
        rounds,
    } = Options::parse();
    println!("2^{log_rows} rows of {columns}, {}", field.describe());
    print!("{}", field.commit(log_rows, columns.into(), rounds.into())?);
    Ok(())
}

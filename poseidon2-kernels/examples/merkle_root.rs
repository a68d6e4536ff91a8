//! The Merkle root of a file of leaves, without Plonky3.
//!
//! Rows are hashed by a sponge of width 8, and nodes are compressed two to one. A layer of an odd number
//! of nodes gets a node of zeros, as in Plonky3's `MerkleTreeMmcs`, whose root of the same rows this is.
//!
//! ```console
//! $ seq 1 400000 | paste -d' ' - - - - > leaves.txt
//! $ cargo run --release -p poseidon2-kernels --example merkle_root -- leaves.txt
//! ```

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};

const P: u64 = 0xffff_ffff_0000_0001;

/// Rows between two steps of the progress bar.
const CHUNK: usize = 1 << 12;

/// Print the Merkle root of a file of leaves over Goldilocks (Poseidon2 of width 8, two to one).
///
/// Each line is a leaf: numbers below 2^64 - 2^32 + 1, in decimal or with 0x in hexadecimal, with
/// spaces or commas between them, as many in each line.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The file of leaves; - is the standard input.
    pub(crate) leaves: PathBuf,
    /// The file is binary: rows of so many words of 64 bits, little end first.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) binary: Option<u32>,
}

/// Rows that lie back to back.
struct Rows {
    words: Vec<u64>,
    columns: usize,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(root) => {
            println!("{}", root.map(|word| format!("{word:016x}")).join(" "));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", options.leaves.display());
            ExitCode::from(2)
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<[u64; 4], String> {
    let rows = match options.binary {
        Some(columns) => binary(open(&options.leaves)?, columns as usize)?,
        None => text(open(&options.leaves)?)?,
    };
    if rows.words.is_empty() {
        return Err("there are no leaves".into());
    }
    root(&rows)
}

fn open(path: &Path) -> Result<BufReader<Box<dyn Read>>, String> {
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| error.to_string())?)
    };
    Ok(BufReader::new(input))
}

fn text(input: impl BufRead) -> Result<Rows, String> {
    let mut rows = Rows {
        words: Vec::new(),
        columns: 0,
    };
    for (n, line) in input.lines().enumerate() {
        let at = |message: String| format!("line {}: {message}", n + 1);
        let line = line.map_err(|error| at(error.to_string()))?;
        let before = rows.words.len();
        for number in line
            .split([' ', '\t', ','])
            .filter(|number| !number.is_empty())
        {
            rows.words.push(word(number).map_err(at)?);
        }
        let columns = rows.words.len() - before;
        if columns == 0 {
            return Err(at("no numbers".into()));
        }
        if n > 0 && columns != rows.columns {
            let expected = rows.columns;
            return Err(at(format!(
                "{columns} numbers; the lines before have {expected}"
            )));
        }
        rows.columns = columns;
    }
    Ok(rows)
}

fn word(number: &str) -> Result<u64, String> {
    let parsed = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    below_p(parsed.map_err(|error| format!("{number:?}: {error}"))?)
}

fn below_p(word: u64) -> Result<u64, String> {
    if word < P {
        Ok(word)
    } else {
        Err(format!("{word} is not below 2^64 - 2^32 + 1"))
    }
}

fn binary(mut input: impl Read, columns: usize) -> Result<Rows, String> {
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if !bytes.len().is_multiple_of(8 * columns) {
        let length = bytes.len();
        return Err(format!(
            "{length} bytes are no whole number of rows of {columns} words"
        ));
    }
    let (words, _) = bytes.as_chunks::<8>();
    let words = words.iter().enumerate().map(|(n, bytes)| {
        let word = below_p(u64::from_le_bytes(*bytes));
        word.map_err(|error| format!("row {}: {error}", n / columns + 1))
    });
    Ok(Rows {
        words: words.collect::<Result<_, _>>()?,
        columns,
    })
}

fn root(rows: &Rows) -> Result<[u64; 4], String> {
    let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
    let sponge = Sponge::<_, 8, 4, 4>::new(poseidon2.clone());
    let two_to_one = Compression::<_, 2, 4, 8>::new(poseidon2);

    let count = rows.words.len() / rows.columns;
    let bar = progress(count);
    let mut layer = vec![[0; 4]; count];
    let rows_of_chunks = rows.words.chunks(CHUNK * rows.columns);
    for (rows, digests) in rows_of_chunks.zip(layer.chunks_mut(CHUNK)) {
        let hashed = sponge.hash_rows_into(rows, digests);
        hashed.map_err(|error| error.to_string())?;
        bar.inc(digests.len() as u64);
    }
    while layer.len() > 1 {
        if !layer.len().is_multiple_of(2) {
            layer.push([0; 4]);
        }
        let (pairs, _) = layer.as_chunks();
        layer = two_to_one.compress_layer(pairs);
    }
    bar.finish_and_clear();
    layer.pop().ok_or_else(|| "there are no leaves".into())
}

fn progress(rows: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} leaves  {eta} left");
    let bar = ProgressBar::new(rows as u64);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

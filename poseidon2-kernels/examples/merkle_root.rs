//! The Merkle root of a file of leaves, without Plonky3.
//!
//! Rows are hashed by a sponge of width 8, and nodes are compressed two to one, as Plonky3's
//! `MerkleTreeMmcs` does, whose root of the same rows this is.
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
use opening::Opening;
use tree::{Node, Ours, Tree, below_p, decode, line, whole_rows};

#[path = "merkle_root/opening.rs"]
mod opening;
#[path = "merkle_root/tree.rs"]
mod tree;

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
    /// Print what shows that this row, counted from zero, is one of the tree's.
    #[arg(long, value_name = "ROW")]
    pub(crate) open: Option<usize>,
}

/// Rows that lie back to back.
struct Rows {
    words: Vec<u64>,
    columns: usize,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let told = match options.open {
        None => run(&options).map(|root| line(&root)),
        Some(row) => open_at(&options, row).map(|opening| opening.to_string()),
    };
    match told {
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", options.leaves.display());
            ExitCode::from(2)
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<Node, String> {
    root(&rows(options)?)
}

pub(crate) fn open_at(options: &Options, row: usize) -> Result<Opening, String> {
    let rows = rows(options)?;
    opening::open(&rows.words, rows.columns, row)
}

fn rows(options: &Options) -> Result<Rows, String> {
    match options.binary {
        Some(columns) => binary(open(&options.leaves)?, columns),
        None => text(open(&options.leaves)?),
    }
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
    below_p(parsed.map_err(|error| {
        let start: String = number.chars().take(20).collect();
        format!("{start:?} is no number: {error}; files of words that are not text need --binary COLUMNS")
    })?)
}

fn binary(mut input: impl Read, columns: u32) -> Result<Rows, String> {
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    whole_rows(bytes.len() as u64, columns)?;
    let mut words = Vec::with_capacity(bytes.len() / 8);
    decode(&bytes, columns, 0, &mut words)?;
    Ok(Rows {
        words,
        columns: columns as usize,
    })
}

fn root(rows: &Rows) -> Result<Node, String> {
    let mut tree = Tree::new(Ours::new(), rows.columns);
    let bar = progress(rows.words.len().checked_div(rows.columns).unwrap_or(0));
    // Of no leaves the number of columns is unknown.
    for chunk in rows.words.chunks(CHUNK * rows.columns.max(1)) {
        tree.add(chunk);
        bar.inc((chunk.len() / rows.columns) as u64);
    }
    bar.finish_and_clear();
    tree.root()
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

//! Makes constants of the opening that a program verifies, and lays out its memory.

use std::env::var;
use std::path::Path;
use std::process::ExitCode;
use std::{fmt::Write as _, fs};

/// The file that `merkle_root --open` wrote.
const OPENING: &str = "OPENING";

/// Each program, and the folder with the memory of its board.
const PROGRAMS: [(&str, &str); 2] = [("an505", "an505"), ("pico2", "rp2350")];

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={OPENING}");
    if var("CARGO_FEATURE_FIRMWARE").is_err() {
        return ExitCode::SUCCESS;
    }
    match firmware() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

fn firmware() -> Result<(), String> {
    let folder = |variable| var(variable).map_err(|error| format!("{variable}: {error}"));
    let here = folder("CARGO_MANIFEST_DIR")?;
    for (program, board) in PROGRAMS {
        println!("cargo::rustc-link-arg-bin={program}=-L{here}/{board}");
        println!("cargo::rustc-link-arg-bin={program}=-Tlink.x");
        println!("cargo::rerun-if-changed={board}/memory.x");
    }
    let path = var(OPENING);
    let path = path.map_err(|_| format!("{OPENING} is to be a file of `merkle_root --open`"))?;
    println!("cargo::rerun-if-changed={path}");
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let constants = constants(&text).map_err(|error| format!("{path}: {error}"))?;
    let into = Path::new(&folder("OUT_DIR")?).join("opening.rs");
    fs::write(&into, constants).map_err(|error| format!("{}: {error}", into.display()))
}

/// The lines of an opening, in Rust.
fn constants(text: &str) -> Result<String, String> {
    let (mut root, mut rows, mut index, mut row) = (None, None, None, None);
    let mut siblings = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let at = |message: String| format!("line {}: {message}", n + 1);
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "root" => root = Some(node(value).map_err(at)?),
            "rows" => rows = Some(number(value).map_err(at)?),
            "index" => index = Some(number(value).map_err(at)?),
            "row" => row = Some(words(value).map_err(at)?),
            "sibling" => siblings.push(node(value).map_err(at)?),
            _ => return Err(at(format!("{name:?} is no part of an opening"))),
        }
    }
    let lacks = |part| move || format!("it has no line `{part}`");
    let (root, rows) = (
        root.ok_or_else(lacks("root"))?,
        rows.ok_or_else(lacks("rows"))?,
    );
    let (index, row) = (
        index.ok_or_else(lacks("index"))?,
        row.ok_or_else(lacks("row"))?,
    );
    let (columns, depth) = (row.len(), siblings.len());
    if depth == 0 {
        return Err("a tree of a single row has nothing to open".into());
    }
    let mut rust = String::new();
    let written = write!(
        rust,
        "const TREE: merkle_pico2::Tree = merkle_pico2::Tree {{ root: {root:?}, rows: {rows} }};
const OPENING: merkle_pico2::Opening<{columns}, {depth}> = merkle_pico2::Opening {{
    index: {index}, row: {row:?}, siblings: {siblings:?},
}};
"
    );
    written.map_err(|error| error.to_string())?;
    Ok(rust)
}

fn number(value: &str) -> Result<u32, String> {
    value.parse().map_err(|error| format!("{value:?}: {error}"))
}

fn words(value: &str) -> Result<Vec<u64>, String> {
    let word = |digits| u64::from_str_radix(digits, 16);
    let words = value.split(' ').map(word).collect::<Result<_, _>>();
    words.map_err(|error| format!("{value:?}: {error}"))
}

fn node(value: &str) -> Result<[u64; 4], String> {
    let words = words(value)?;
    let count = words.len();
    words
        .try_into()
        .map_err(|_| format!("a node has 4 words, not {count}"))
}

//! The example program: its roots are Plonky3's, and what is wrong with a file is told.
#![allow(dead_code, reason = "the program's own `main`")]

#[path = "../../../examples/merkle_root.rs"]
mod program;

use std::path::PathBuf;

use p3_commit::Mmcs;
use p3_field::{Field, PrimeField64};
use p3_goldilocks::{Goldilocks, default_goldilocks_poseidon2_8};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};

/// A file for the program.
fn options(name: &str, content: &[u8], binary: Option<u32>) -> program::Options {
    let leaves = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&leaves, content).unwrap();
    let open = None;
    program::Options {
        leaves,
        binary,
        open,
    }
}

/// What the program makes of a file.
fn run(name: &str, content: &[u8], binary: Option<u32>) -> Result<[u64; 4], String> {
    program::run(&options(name, content, binary))
}

#[test]
fn its_roots_and_openings_are_plonky3s() {
    type Packing = <Goldilocks as Field>::Packing;
    let hash = PaddingFreeSponge::<_, 8, 4, 4>::new(default_goldilocks_poseidon2_8());
    let compress = TruncatedPermutation::<_, 2, 4, 8>::new(default_goldilocks_poseidon2_8());
    let stock = MerkleTreeMmcs::<Packing, Packing, _, _, 2, 4>::new(hash, compress, 0);
    for (rows, columns) in [(1_u64, 1_u64), (2, 4), (3, 5), (100, 7), (5000, 2)] {
        let words: Vec<u64> = (0..rows * columns)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1)
            .collect();
        let line = |row: &[u64]| {
            let hexadecimal = format!("{:#x}", row[0]);
            let others = row[1..].iter().map(u64::to_string);
            [hexadecimal]
                .into_iter()
                .chain(others)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let text: Vec<_> = words.chunks(columns as usize).map(line).collect();
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();

        let values = words.iter().copied().map(Goldilocks::new).collect();
        let (cap, tree) = stock.commit_matrix(RowMajorMatrix::new(values, columns as usize));
        let expected = cap.roots()[0].map(|element| element.as_canonical_u64());
        let name = format!("{rows}x{columns}");
        assert_eq!(run(&name, text.join("\n").as_bytes(), None), Ok(expected));
        assert_eq!(run(&name, &bytes, Some(columns as u32)), Ok(expected));

        let file = options(&name, &bytes, Some(columns as u32));
        for index in [0, rows as usize / 2, rows as usize - 1] {
            let stock = stock.open_batch(index, &tree);
            let sibling = |node: &[Goldilocks; 4]| node.map(|element| element.as_canonical_u64());
            let siblings: Vec<_> = stock.opening_proof.iter().map(sibling).collect();
            let opening = program::open_at(&file, index).unwrap();
            assert_eq!((opening.root, opening.siblings), (expected, siblings));
        }
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let refusal = |name: &str, content: &[u8], binary| run(name, content, binary).unwrap_err();
    for (name, text, message) in [
        ("empty", "", "there are no leaves"),
        ("gap", "1 2\n\n3 4\n", "line 2: no numbers"),
        (
            "ragged",
            "1 2\n3\n",
            "line 2: 1 numbers; the lines before have 2",
        ),
        (
            "letters",
            "1\nx is no number, and far too long to be told\n",
            "line 2: \"x\" is no number: invalid digit found in string; files of words that are not text need \
             --binary COLUMNS",
        ),
        (
            "long",
            "123456789012345678901234567890",
            "line 1: \"12345678901234567890\" is no number: number too large to fit in target type; files of words \
             that are not text need --binary COLUMNS",
        ),
        (
            "p",
            "18446744069414584321",
            "line 1: 18446744069414584321 is not below 2^64 - 2^32 + 1",
        ),
    ] {
        assert_eq!(refusal(name, text.as_bytes(), None), message);
    }
    assert_eq!(
        refusal("rest", &[0; 20], Some(2)),
        "20 bytes do not divide into rows of 2 words"
    );
    assert_eq!(
        refusal("big", &[0xff; 32], Some(2)),
        "row 1: 18446744073709551615 is not below 2^64 - 2^32 + 1"
    );
    let short = options("short", b"1 2\n3 4\n", None);
    assert_eq!(
        program::open_at(&short, 2).unwrap_err(),
        "there is no row 2: there are 2"
    );
    let missing = program::Options {
        leaves: PathBuf::from("no/such/file"),
        ..short
    };
    assert!(
        program::run(&missing)
            .unwrap_err()
            .starts_with("No such file")
    );
}

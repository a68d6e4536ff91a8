//! Roots from pieces of files are those of whole layers, on both sides.

use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};

use super::*;

/// The root of rows, by whole layers.
fn root(words: &[u64], columns: usize) -> String {
    let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
    let sponge = Sponge::<_, 8, 4, 4>::new(poseidon2.clone());
    let two_to_one = Compression::<_, 2, 4, 8>::new(poseidon2);
    let mut layer = sponge.hash_rows(words, columns).unwrap();
    while layer.len() > 1 {
        if !layer.len().is_multiple_of(2) {
            layer.push([0; 4]);
        }
        layer = two_to_one.compress_layer(layer.as_chunks().0);
    }
    line(&layer[0])
}

/// Both roots of a file that comes in pieces of so many rows.
fn roots(bytes: &[u8], columns: u32, rows: usize) -> Result<[String; 2], String> {
    let mut work = Work::new();
    let room = work.begin(bytes.len() as u64, columns)?;
    let piece = (rows * 8 * columns as usize).min(room);
    for piece in bytes.chunks(piece) {
        work.bytes[..piece.len()].copy_from_slice(piece);
        work.take(piece.len())?;
        [Side::Ours, Side::Stock]
            .into_iter()
            .for_each(|side| work.hash(side));
    }
    Ok([work.root(Side::Ours)?, work.root(Side::Stock)?])
}

/// Words below p, and their bytes.
fn leaves(count: usize) -> (Vec<u64>, Vec<u8>) {
    let word = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
    let words: Vec<u64> = (0..count as u64).map(word).collect();
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    (words, bytes)
}

#[test]
fn roots_do_not_depend_on_pieces() {
    let small = (1..=33).map(|rows| (rows, 4));
    // Layers are moved up by 1024 nodes.
    let large = [(1023, 1), (1024, 4), (2047, 2), (2048, 5), (5001, 3)];
    for (rows, columns) in small.chain(large) {
        let (words, bytes) = leaves(rows * columns as usize);
        let expected = root(&words, columns as usize);
        for piece in [1, 3, 64, 1000, rows] {
            let both = roots(&bytes, columns, piece).unwrap();
            let what = format!("{rows} rows of {columns}, {piece} at once");
            assert_eq!(both, [expected.clone(), expected.clone()], "{what}");
        }
    }
}

#[test]
fn rows_can_be_long() {
    let columns = PIECE as u32 / 8 + 1;
    let (words, bytes) = leaves(11 * columns as usize);
    let expected = root(&words, columns as usize);
    let both = roots(&bytes, columns, 11).unwrap();
    assert_eq!(both, [expected.clone(), expected]);
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let refusal = |bytes: &[u8], columns| roots(bytes, columns, 1).unwrap_err();
    assert_eq!(refusal(&[], 4), "there are no leaves");
    assert_eq!(refusal(&[0; 8], 0), "a row has at least one word");
    let rest = "20 bytes do not divide into rows of 2 words";
    assert_eq!(refusal(&[0; 20], 2), rest);
    // Rows are counted through all pieces.
    let (_, mut bytes) = leaves(10);
    bytes[48..56].copy_from_slice(&0xffff_ffff_0000_0001_u64.to_le_bytes());
    let big = "row 4: 18446744069414584321 is not below 2^64 - 2^32 + 1";
    assert_eq!(refusal(&bytes, 2), big);
}

#[test]
fn functions_out_of_order_are_refused() {
    let mut work = Work::new();
    assert!(work.take(8).is_err());
    assert!(work.root(Side::Ours).is_err());
    work.hash(Side::Stock);
    let room = work.begin(32, 4).unwrap();
    assert!(work.take(room + 32).is_err());
    assert!(work.take(31).is_err());
}

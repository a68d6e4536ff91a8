//! Openings of small trees, and what is no opening.

use super::*;

/// A tree of three rows, of which the last one has a node of zeros beside it, and that row's opening.
fn opened() -> (Tree, Opening<5, 2>) {
    let rows = [[1; 5], [2; 5], [P - 1; 5]];
    let verifier = Verifier::new();
    let [first, second, last] = rows.map(|row| verifier.sponge.hash_row(&row));
    let left = verifier.two_to_one.compress_group([first, second]);
    let right = verifier.two_to_one.compress_group([last, [0; 4]]);
    let root = verifier.two_to_one.compress_group([left, right]);
    let opening = Opening {
        index: 2,
        row: rows[2],
        siblings: [[0; 4], left],
    };
    (Tree { root, rows: 3 }, opening)
}

#[test]
fn an_opening_is_accepted_and_none_that_was_tampered_with() {
    let (tree, opening) = opened();
    assert_eq!(trials(&tree, &opening), (true, [false; 4]));
    for bit in 0..64 {
        for column in 0..5 {
            let mut other = opening;
            other.row[column] ^= 1 << bit;
            assert!(!Verifier::new().accepts(&tree, &other));
        }
        for word in 0..8 {
            let mut other = opening;
            other.siblings.as_flattened_mut()[word] ^= 1 << bit;
            assert!(!Verifier::new().accepts(&tree, &other));
        }
        for word in 0..4 {
            let mut other = tree;
            other.root[word] ^= 1 << bit;
            assert!(!Verifier::new().accepts(&other, &opening));
        }
    }
    for bit in 0..32 {
        let mut other = opening;
        other.index ^= 1 << bit;
        assert!(!Verifier::new().accepts(&tree, &other));
    }
}

/// What has the right root, and is no opening.
#[test]
fn there_is_one_opening_of_a_row() {
    let (tree, opening) = opened();
    let verifier = Verifier::new();
    // The same element, in another word.
    let mut other = opening;
    other.siblings[0][3] = P;
    assert!(!verifier.accepts(&tree, &other));
    // A node as a row: hashed, it is what it is beside a node of zeros.
    let [row, left] = [verifier.sponge.hash_row(&opening.row), opening.siblings[1]];
    let upper = Opening {
        index: 1,
        row,
        siblings: [left],
    };
    let shallow = Tree { rows: 2, ..tree };
    assert!(verifier.accepts(&shallow, &upper), "what the depth is for");
    assert!(!verifier.accepts(&tree, &upper));
}

#[test]
fn a_tree_is_as_deep_as_its_rows_ask_for() {
    let depth = |rows| Tree { root: [0; 4], rows }.depth();
    let depths = [0, 1, 2, 3, 4, 5, 8, 9, u32::MAX].map(depth);
    assert_eq!(depths, [0, 0, 1, 2, 2, 3, 3, 4, 32]);
}

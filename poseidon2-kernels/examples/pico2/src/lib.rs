//! Verifies that a row is one of a Merkle tree's, whose root the program `merkle_root` printed. It needs no
//! operating system and no allocator.

#![no_std]

use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};

const P: u64 = 0xffff_ffff_0000_0001;

/// A digest: a row's, or a pair of nodes'.
pub type Node = [u64; 4];

/// What a verifier knows of a tree before it sees an opening.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    /// Its root.
    pub root: Node,
    /// How many rows it has.
    pub rows: u32,
}

impl Tree {
    /// Layers below the root. Each is filled up with a node of zeros if its number of nodes is odd.
    const fn depth(&self) -> usize {
        (u32::BITS - self.rows.saturating_sub(1).leading_zeros()) as usize
    }
}

/// A row, and the nodes beside its path to the root, from the row's own layer upwards. A verifier knows the
/// number of columns, too: rows of other lengths may have the same digest.
#[derive(Clone, Copy, Debug)]
pub struct Opening<const COLUMNS: usize, const DEPTH: usize> {
    /// The row's place in the tree.
    pub index: u32,
    /// The row.
    pub row: [u64; COLUMNS],
    /// The nodes.
    pub siblings: [Node; DEPTH],
}

/// Who verifies.
#[derive(Clone, Debug)]
pub struct Verifier {
    sponge: Sponge<Poseidon2Goldilocks<8>, 8, 4, 4>,
    two_to_one: Compression<Poseidon2Goldilocks<8>, 2, 4, 8>,
}

impl Verifier {
    /// For trees as `merkle_root` makes them.
    #[must_use]
    pub fn new() -> Self {
        let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
        Self {
            sponge: Sponge::new(poseidon2.clone()),
            two_to_one: Compression::new(poseidon2),
        }
    }

    /// Whether the row is in the tree, at that place. There is one opening of each: other words for the same
    /// elements, and places that only their low bits tell from another one's, are refused.
    #[must_use]
    pub fn accepts<const COLUMNS: usize, const DEPTH: usize>(
        &self,
        tree: &Tree,
        opening: &Opening<COLUMNS, DEPTH>,
    ) -> bool {
        let siblings = &opening.siblings;
        let mut words = opening.row.iter().chain(siblings.as_flattened());
        if DEPTH != tree.depth() || opening.index >= tree.rows || words.any(|&word| word >= P) {
            return false;
        }
        let leaf = self.sponge.hash_row(&opening.row);
        let path = siblings.iter().enumerate();
        let root = path.fold(leaf, |node, (layer, &sibling)| {
            let right = opening.index >> layer & 1 == 1;
            let pair = if right {
                [sibling, node]
            } else {
                [node, sibling]
            };
            self.two_to_one.compress_group(pair)
        });
        root == tree.root
    }
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

/// What [`trials`] tampers with.
pub const TAMPERED: [&str; 4] = ["the row", "a sibling", "the root", "the index"];

/// Whether an opening is accepted, and then whether it is with one bit of each of [`TAMPERED`] flipped.
#[must_use]
pub fn trials<const COLUMNS: usize, const DEPTH: usize>(
    tree: &Tree,
    opening: &Opening<COLUMNS, DEPTH>,
) -> (bool, [bool; TAMPERED.len()]) {
    const { assert!(COLUMNS > 0 && DEPTH > 0, "nothing to tamper with") };
    let (mut row, mut sibling, mut root, mut index) = (*opening, *opening, *tree, *opening);
    row.row[COLUMNS / 2] ^= 1;
    sibling.siblings[DEPTH / 2][1] ^= 1;
    root.root[3] ^= 1;
    index.index ^= 1;
    let verifier = Verifier::new();
    let accepts = |tree, opening| verifier.accepts(tree, opening);
    let tampered = [
        (tree, &row),
        (tree, &sibling),
        (&root, opening),
        (tree, &index),
    ];
    (
        accepts(tree, opening),
        tampered.map(|(tree, opening)| accepts(tree, opening)),
    )
}

#[cfg(test)]
mod tests;

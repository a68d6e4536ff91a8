//! The same hashing by Plonky3 alone, in the way of its `MerkleTree`: packed, and one by one what is
//! left over.

use std::array::from_fn;

use p3_field::{Field, PackedValue, PrimeField64};
use p3_goldilocks::{Goldilocks, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
};

use crate::tree::{Hashing, Node};

type Packing = <Goldilocks as Field>::Packing;

/// Plonky3's own sponge and compression on its own permutation.
pub(crate) struct Stock {
    sponge: PaddingFreeSponge<Poseidon2Goldilocks<8>, 8, 4, 4>,
    two_to_one: TruncatedPermutation<Poseidon2Goldilocks<8>, 2, 4, 8>,
}

impl Stock {
    pub(crate) fn new() -> Self {
        let poseidon2 = default_goldilocks_poseidon2_8();
        Self {
            sponge: PaddingFreeSponge::new(poseidon2.clone()),
            two_to_one: TruncatedPermutation::new(poseidon2),
        }
    }
}

impl Hashing for Stock {
    fn rows(&self, words: &[u64], digests: &mut [Node]) {
        let Some(columns) = words.len().checked_div(digests.len()) else {
            return;
        };
        let of_group = columns * Packing::WIDTH;
        let (mut groups, mut rest) = (words.chunks_exact(of_group), digests);
        for rows in &mut groups {
            let (group, behind) = rest.split_at_mut(Packing::WIDTH);
            let column = |n| Packing::from_fn(|lane| Goldilocks::new(rows[lane * columns + n]));
            unpack(self.sponge.hash_iter((0..columns).map(column)), group);
            rest = behind;
        }
        let rows = groups.remainder().chunks_exact(columns);
        for (row, digest) in rows.zip(rest) {
            let hashed = self
                .sponge
                .hash_iter(row.iter().copied().map(Goldilocks::new));
            *digest = hashed.map(|element| element.as_canonical_u64());
        }
    }

    fn pairs(&self, pairs: &[[Node; 2]], nodes: &mut [Node]) {
        let (groups, single) = pairs.as_chunks::<{ Packing::WIDTH }>();
        let mut rest = nodes;
        for group in groups {
            let (nodes, behind) = rest.split_at_mut(Packing::WIDTH);
            let element = |side: usize, n: usize| {
                Packing::from_fn(|lane| Goldilocks::new(group[lane][side][n]))
            };
            let children = from_fn(|side| from_fn(|n| element(side, n)));
            unpack(self.two_to_one.compress(children), nodes);
            rest = behind;
        }
        for (pair, node) in single.iter().zip(rest) {
            let children = pair.map(|child| child.map(Goldilocks::new));
            *node = self
                .two_to_one
                .compress(children)
                .map(|element| element.as_canonical_u64());
        }
    }
}

/// Stores the lanes of a packed digest.
fn unpack(digest: [Packing; 4], nodes: &mut [Node]) {
    for (lane, node) in nodes.iter_mut().enumerate() {
        *node = from_fn(|n| digest[n].as_slice()[lane].as_canonical_u64());
    }
}

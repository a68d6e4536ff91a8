//! What the Merkle root of a file of leaves is: of the program `merkle_root`, and of the page in
//! `examples/browser`.

use poseidon2_kernels::{Compression, Poseidon2Goldilocks, Sponge};

const P: u64 = 0xffff_ffff_0000_0001;

/// Nodes of a layer that are compressed at once.
const BATCH: usize = 1 << 10;

/// A digest: a row's, or a pair of nodes'.
pub(crate) type Node = [u64; 4];

/// Who hashes.
pub(crate) trait Hashing {
    /// Hashes as many rows as there are digests, which lie back to back.
    fn rows(&self, words: &[u64], digests: &mut [Node]);

    /// Compresses each pair to the node in its place.
    fn pairs(&self, pairs: &[[Node; 2]], nodes: &mut [Node]);
}

/// These kernels.
pub(crate) struct Ours {
    sponge: Sponge<Poseidon2Goldilocks<8>, 8, 4, 4>,
    two_to_one: Compression<Poseidon2Goldilocks<8>, 2, 4, 8>,
}

impl Ours {
    pub(crate) fn new() -> Self {
        let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
        Self {
            sponge: Sponge::new(poseidon2.clone()),
            two_to_one: Compression::new(poseidon2),
        }
    }
}

impl Hashing for Ours {
    fn rows(&self, words: &[u64], digests: &mut [Node]) {
        let hashed = self.sponge.hash_rows_into(words, digests);
        hashed.expect("whole rows");
    }

    fn pairs(&self, pairs: &[[Node; 2]], nodes: &mut [Node]) {
        let compressed = self.two_to_one.compress_layer_into(pairs, nodes);
        compressed.expect("a node for each pair");
    }
}

/// A tree that keeps of each layer only the nodes that wait for others.
pub(crate) struct Tree<H> {
    hashing: H,
    columns: usize,
    /// From the rows' digests upwards.
    layers: Vec<Vec<Node>>,
}

impl<H: Hashing> Tree<H> {
    /// A tree without leaves. Rows have that many words, and at least one.
    pub(crate) fn new(hashing: H, columns: usize) -> Self {
        Self {
            hashing,
            columns,
            layers: vec![Vec::new()],
        }
    }

    /// Adds whole rows behind those that are there.
    pub(crate) fn add(&mut self, words: &[u64]) {
        let bottom = &mut self.layers[0];
        let before = bottom.len();
        bottom.resize(before + words.len() / self.columns, Node::default());
        self.hashing.rows(words, &mut bottom[before..]);
        let mut layer = 0;
        while self.layers[layer].len() >= BATCH {
            self.compress(layer);
            layer += 1;
        }
    }

    /// The root, once all rows are there. A layer of an odd number of nodes gets a node of zeros, as in
    /// Plonky3's `MerkleTreeMmcs`.
    pub(crate) fn root(mut self) -> Result<Node, String> {
        let mut layer = 0;
        loop {
            let top = layer + 1 == self.layers.len();
            let nodes = &mut self.layers[layer];
            if top && nodes.len() <= 1 {
                return nodes.pop().ok_or_else(|| "there are no leaves".into());
            }
            if !nodes.len().is_multiple_of(2) {
                nodes.push(Node::default());
            }
            self.compress(layer);
            layer += 1;
        }
    }

    /// Moves a layer's pairs up. One node may stay behind.
    fn compress(&mut self, layer: usize) {
        if layer + 1 == self.layers.len() {
            self.layers.push(Vec::new());
        }
        let [nodes, above] = &mut self.layers[layer..layer + 2] else {
            return;
        };
        let before = above.len();
        above.resize(before + nodes.len() / 2, Node::default());
        let (pairs, _) = nodes.as_chunks();
        self.hashing.pairs(pairs, &mut above[before..]);
        nodes.drain(..nodes.len() / 2 * 2);
    }
}

/// The word, if it is an element.
pub(crate) fn below_p(word: u64) -> Result<u64, String> {
    if word < P {
        Ok(word)
    } else {
        Err(format!("{word} is not below 2^64 - 2^32 + 1"))
    }
}

/// Checks that a binary file of that length is whole rows.
pub(crate) fn whole_rows(bytes: u64, columns: u32) -> Result<(), String> {
    if bytes.is_multiple_of(8 * u64::from(columns)) {
        return Ok(());
    }
    Err(format!(
        "{bytes} bytes do not divide into rows of {columns} words"
    ))
}

/// Adds the words of whole rows of a binary file to others. So many rows come before them in the file.
pub(crate) fn decode(
    bytes: &[u8],
    columns: u32,
    before: u64,
    words: &mut Vec<u64>,
) -> Result<(), String> {
    let (chunks, _) = bytes.as_chunks::<8>();
    for (n, chunk) in (0_u64..).zip(chunks) {
        let word = below_p(u64::from_le_bytes(*chunk));
        let row = before + n / u64::from(columns) + 1;
        words.push(word.map_err(|error| format!("row {row}: {error}"))?);
    }
    Ok(())
}

/// Words as they are told.
pub(crate) fn line(words: &[u64]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{word:016x}")).collect();
    words.join(" ")
}

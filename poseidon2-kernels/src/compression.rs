//! Compression of the nodes of a tree.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use crate::field::Field;
use crate::length::LengthMismatch;
use crate::poseidon2::Poseidon2;

/// Compresses `N` nodes of `CHUNK` words to one, many groups at a time.
///
/// It is the truncated permutation, Plonky3's `TruncatedPermutation` with the same parameters in
/// the same order: the nodes, one after the other, and zeros are permuted, and the first `CHUNK`
/// words are the new node.
///
/// ```
/// use poseidon2_kernels::{Compression, Poseidon2Goldilocks};
///
/// // Two to one on width 8, up to the root.
/// let two_to_one = Compression::<_, 2, 4, 8>::new(Poseidon2Goldilocks::<8>::plonky3());
/// let mut layer: Vec<[u64; 4]> = (0..64).map(|leaf| [leaf; 4]).collect();
/// while layer.len() > 1 {
///     let (pairs, _) = layer.as_chunks::<2>();
///     layer = two_to_one.compress_layer(pairs);
/// }
/// assert_eq!(layer[0][0], 0x2d81_4812_7eeb_42db);
///
/// // Four to one on width 16, without an allocator.
/// let four_to_one = Compression::<_, 4, 4, 16>::new(Poseidon2Goldilocks::<16>::plonky3());
/// let mut parents = [[0; 4]; 2];
/// four_to_one.compress_layer_into(&[[[7; 4]; 4]; 2], &mut parents)?;
/// assert_eq!(parents, [four_to_one.compress_group([[7; 4]; 4]); 2]);
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
///
/// With the feature `plonky3` it is Plonky3's `PseudoCompressionFunction`, too.
#[derive(Clone, Copy, Debug)]
pub struct Compression<P, const N: usize, const CHUNK: usize, const W: usize> {
    permutation: P,
}

impl<P, const N: usize, const CHUNK: usize, const W: usize> Compression<P, N, CHUNK, W> {
    /// A compression on that permutation.
    ///
    /// `N` nodes of `CHUNK` words must fit in `W`; anything else does not compile.
    #[must_use]
    pub const fn new(permutation: P) -> Self {
        const { assert!(0 < N && 0 < CHUNK && N * CHUNK <= W) };
        Self { permutation }
    }

    /// The permutation.
    #[must_use]
    pub const fn permutation(&self) -> &P {
        &self.permutation
    }
}

impl<F: Field, S, const N: usize, const CHUNK: usize, const W: usize>
    Compression<Poseidon2<F, W, S>, N, CHUNK, W>
{
    /// Compresses one group. To compress many, use
    /// [`compress_layer_into`](Self::compress_layer_into).
    #[must_use]
    pub fn compress_group(&self, group: [[F::Word; CHUNK]; N]) -> [F::Word; CHUNK] {
        let mut node = [F::Word::default(); CHUNK];
        self.compress(&[group], core::slice::from_mut(&mut node));
        node
    }

    /// Compresses each group to the node in its place.
    ///
    /// # Errors
    /// If there are not as many groups as nodes.
    pub fn compress_layer_into(
        &self,
        groups: &[[[F::Word; CHUNK]; N]],
        nodes: &mut [[F::Word; CHUNK]],
    ) -> Result<(), LengthMismatch> {
        if groups.len() != nodes.len() {
            return Err(LengthMismatch::Nodes {
                groups: groups.len(),
                nodes: nodes.len(),
            });
        }
        self.compress(groups, nodes);
        Ok(())
    }

    /// Compresses each group.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn compress_layer(&self, groups: &[[[F::Word; CHUNK]; N]]) -> Vec<[F::Word; CHUNK]> {
        let mut nodes = vec![[F::Word::default(); CHUNK]; groups.len()];
        self.compress(groups, &mut nodes);
        nodes
    }

    /// The lengths are checked.
    fn compress(&self, groups: &[[[F::Word; CHUNK]; N]], nodes: &mut [[F::Word; CHUNK]]) {
        let engine = self.permutation.engine();
        engine.compress(groups, nodes, F::from_residue, F::to_residue);
    }
}

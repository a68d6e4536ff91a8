//! The truncated permutation.

use super::{Lengths, Mode, Order, States};
use crate::compression::Compressor;
use crate::field::Field;

/// Compresses `N` nodes of `CHUNK` words to one, many groups at a time.
///
/// This is Plonky3's `TruncatedPermutation`, with the same parameters in the same order: it permutes the nodes,
/// one after the other, followed by zeros, and the first `CHUNK` words are the new node. Its mode is
/// [`Truncated`].
///
/// ```
/// # #[cfg(feature = "alloc")] {
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
/// # }
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
///
/// With the feature `plonky3` it implements Plonky3's `PseudoCompressionFunction`.
pub type Compression<P, const N: usize, const CHUNK: usize, const W: usize> =
    Compressor<P, Truncated, N, CHUNK, W>;

/// The permutation, truncated.
///
/// The whole message overwrites the front of the state; the remaining elements are zero, or as
/// [given](Compressor::starting_from), and then at least one must remain. The digest is the front of the permuted
/// state.
///
/// This is a `PseudoCompressionFunction` in Plonky3's sense: according to Plonky3's documentation, it may be
/// collision-resistant only in trees, where the inputs are themselves outputs. If the children together have
/// `N * CHUNK = W` words, they determine the whole state, and a permutation can be inverted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Truncated;

impl<F: Field, const W: usize> Mode<F, W> for Truncated {
    const ORDER: Order = Order::LeftToRight;
    const LENGTHS: Lengths = Lengths {
        most: W,
        ..Lengths::ANY
    };
    const MORE: Lengths = Lengths {
        most: W - 1,
        ..Lengths::ANY
    };
    const BLOCK: usize = W;
    const READABLE: usize = W;

    fn absorb(&self, states: &mut impl States<F, W>) {
        states.overwrite(0..W);
        states.permute();
    }
}

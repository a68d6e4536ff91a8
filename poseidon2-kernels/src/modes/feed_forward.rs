//! Compression with feed-forward.

use super::{Lengths, Mode, Order, States};
use crate::compression::Compressor;
use crate::field::Field;

/// Compresses `N` nodes of `CHUNK` words to one by [`FeedForward`], many groups at a time.
///
/// The state x consists of the nodes, one after the other, followed by zeros. The new node is the first `CHUNK`
/// words of P(x) + x.
///
/// ```
/// use poseidon2_kernels::Poseidon2KoalaBear;
/// use poseidon2_kernels::modes::FeedForwardCompression;
///
/// let poseidon2 = Poseidon2KoalaBear::<16>::plonky3();
/// let two_to_one = FeedForwardCompression::<_, 2, 8, 16>::new(poseidon2.clone());
/// let node = two_to_one.compress_group([[1; 8], [2; 8]]);
///
/// let mut state = core::array::from_fn(|i| if i < 8 { 1 } else { 2 });
/// poseidon2.permute_one(&mut state);
/// assert_eq!(node[0], (state[0] + 1) % 0x7f00_0001);
/// ```
pub type FeedForwardCompression<P, const N: usize, const CHUNK: usize, const W: usize> =
    Compressor<P, FeedForward, N, CHUNK, W>;

/// The permutation with feed-forward, truncated: P(x) + x.
///
/// The whole message overwrites the front of the state; the remaining elements are zero, or as
/// [given](Compressor::starting_from), and then at least one must remain. This is x, and the digest is the front
/// of P(x) + x, added element by element. Messages that differ only in zeros at their end collide, so the caller
/// must fix their length.
///
/// This mode is `poseidon_compress` of leanSig (`src/symmetric/tweak_hash/poseidon.rs`) and the compression of
/// leanVM. The construction is that of Davies and Meyer with a permutation in place of a cipher. On compression
/// by permutations over fields: *Poseidon2* (eprint 2023/323); *Anemoi Permutations and Jive Compression Mode*
/// (eprint 2022/840).
#[derive(Clone, Copy, Debug, Default)]
pub struct FeedForward;

impl<F: Field, const W: usize> Mode<F, W> for FeedForward {
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
        states.feed_forward();
    }
}

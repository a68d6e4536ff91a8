//! The linear hash of pil2-proofman.

use super::{Lengths, Mode, Order, States};
use crate::field::Field;
use crate::sponge::Hasher;

/// Hashes rows by [`Linear`], many at a time.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use poseidon2_kernels::Poseidon2Goldilocks;
/// use poseidon2_kernels::modes::LinearHash;
///
/// let leaves = LinearHash::<_, 16, 12, 4>::new(Poseidon2Goldilocks::<16>::plonky3());
/// assert_eq!(leaves.hash_rows(&[7; 3000], 30)?.len(), 100);
/// # }
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
pub type LinearHash<P, const W: usize, const RATE: usize, const OUT: usize> =
    Hasher<P, Linear<RATE>, W, OUT>;

/// The linear hash of pil2-proofman.
///
/// Before each permutation, the next `RATE` words, from the left, overwrite the front of the state; zeros pad
/// the last block. The last `W - RATE` elements are zero at first, or as [given](Hasher::starting_from); later
/// they are the front of the permutation's previous output. The digest is the front, at most `W - RATE` words.
/// For an empty message, nothing is permuted. Rows that differ only in zeros at their end collide, so the
/// caller must fix the length of a row.
///
/// This mode is `linear_hash_seq` in pil2-proofman (`fields/src/merkle.rs`), where `W - RATE` is 4. Earlier
/// versions of that function return rows of at most four words as they are; this mode hashes them.
///
/// Like the digest, what passes from one block to the next is the front of the output. On hashing by iterated
/// compression: Damgård, *A design principle for hash functions* (1989).
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear<const RATE: usize>;

impl<F: Field, const W: usize, const RATE: usize> Mode<F, W> for Linear<RATE> {
    const ORDER: Order = Order::LeftToRight;
    const LENGTHS: Lengths = Lengths::ANY;
    const BLOCK: usize = RATE;
    const READABLE: usize = {
        assert!(
            0 < RATE && RATE < W && W - RATE <= RATE,
            "the rate must be less than the width, and at least half of it"
        );
        W - RATE
    };

    fn absorb(&self, states: &mut impl States<F, W>) {
        loop {
            let count = states.overwrite(0..RATE);
            if count == 0 {
                return;
            }
            states.clear(count..RATE);
            states.permute();
            states.copy(0..W - RATE, RATE);
        }
    }
}

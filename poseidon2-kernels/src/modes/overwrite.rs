//! The sponge in overwrite mode.

use super::{Lengths, Mode, Order, States, rate};
use crate::field::Field;
use crate::sponge::Hasher;

/// Hashes rows of words to digests of `OUT` words, many rows at a time.
///
/// This is the overwrite-mode sponge without padding, Plonky3's `PaddingFreeSponge`, with the same parameters
/// in the same order. Its mode is [`Overwrite`].
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use poseidon2_kernels::{Poseidon2Goldilocks, Sponge};
///
/// // Width 8: four words are absorbed at a time, four are the digest.
/// let sponge = Sponge::<_, 8, 4, 4>::new(Poseidon2Goldilocks::<8>::plonky3());
///
/// let matrix: Vec<u64> = (0..1000).collect();
/// let digests = sponge.hash_rows(&matrix, 10)?;
/// assert_eq!(digests.len(), 100);
/// assert_eq!(digests[99], sponge.hash_row(&matrix[990..]));
///
/// let refusal = sponge.hash_rows(&matrix, 7).unwrap_err();
/// assert_eq!(refusal.to_string(), "1000 words do not divide into rows of 7");
/// # }
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
///
/// With the feature `plonky3` it implements Plonky3's `CryptographicHasher`.
pub type Sponge<P, const W: usize, const RATE: usize, const OUT: usize> =
    Hasher<P, Overwrite<RATE>, W, OUT>;

/// The sponge in overwrite mode, from left to right, without padding.
///
/// The state starts as zeros, or [as given](Hasher::starting_from); its capacity is the last `W - RATE`
/// elements. Blocks of `RATE` words, of which the last may be shorter, overwrite the front, and a permutation
/// follows each block. The digest is the front, at most `RATE` words. For an empty message, nothing is
/// permuted.
///
/// Rows of different lengths can collide (one may end in the words that the other leaves unchanged), so the
/// caller must fix the length of a row, as a matrix does.
///
/// On sponges that overwrite: Bertoni, Daemen, Peeters, Van Assche, *Duplexing the sponge* (2011). On
/// sponges over fields, and what belongs in the capacity: *SAFE* (eprint 2023/522).
#[derive(Clone, Copy, Debug, Default)]
pub struct Overwrite<const RATE: usize>;

impl<F: Field, const W: usize, const RATE: usize> Mode<F, W> for Overwrite<RATE> {
    const ORDER: Order = Order::LeftToRight;
    const LENGTHS: Lengths = Lengths::ANY;
    const BLOCK: usize = RATE;
    const READABLE: usize = rate(RATE, W);

    fn absorb(&self, states: &mut impl States<F, W>) {
        while states.overwrite(0..RATE) > 0 {
            states.permute();
        }
    }
}

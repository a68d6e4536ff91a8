//! Sponges that begin with the last words, as in leanVM.

use super::{Lengths, Mode, Order, States, rate};
use crate::field::Field;
use crate::sponge::Hasher;

/// Hashes rows by [`RightToLeft`], many at a time.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use poseidon2_kernels::Poseidon2KoalaBear;
/// use poseidon2_kernels::modes::RightToLeftSponge;
///
/// let sponge = RightToLeftSponge::<_, 16, 8, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
/// assert_eq!(sponge.hash_rows(&[7; 2400], 24)?.len(), 100);
///
/// let refusal = sponge.hash_rows(&[7; 2000], 20).unwrap_err();
/// assert_eq!(
///     refusal.to_string(),
///     "a message of 20 words: the mode takes 16 and a multiple of 8 more"
/// );
/// # }
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
pub type RightToLeftSponge<P, const W: usize, const RATE: usize, const OUT: usize> =
    Hasher<P, RightToLeft<RATE>, W, OUT>;

/// Hashes rows by [`MatyasMeyerOseas`], many at a time.
///
/// ```
/// use poseidon2_kernels::Poseidon2KoalaBear;
/// use poseidon2_kernels::modes::MmoSponge;
///
/// let sponge = MmoSponge::<_, 16, 12, 8>::new(Poseidon2KoalaBear::<16>::plonky3());
///
/// // Rows that end in zeros: the state after these is computed once.
/// let mut row = [7; 40];
/// row[12..].fill(0);
/// let state = sponge.state_after(&row[12..])?;
/// let rest = sponge.clone().starting_from(state);
/// assert_eq!(rest.try_hash_row(&row[..12])?, sponge.try_hash_row(&row)?);
/// # Ok::<(), poseidon2_kernels::LengthMismatch>(())
/// ```
pub type MmoSponge<P, const W: usize, const RATE: usize, const OUT: usize> =
    Hasher<P, MatyasMeyerOseas<RATE>, W, OUT>;

/// The sponge in overwrite mode, from right to left, with feed-forward.
///
/// The last `W` words of the message are the state x, which becomes P(x) + x. Then each earlier block of `RATE`
/// words, from right to left, overwrites the last `RATE` elements, and x becomes P(x) + x again. The words of a
/// block keep their order. The digest is the front. A message has `W` words plus a multiple of `RATE`; from a
/// [given state](Hasher::starting_from), it has a multiple of `RATE`.
///
/// This mode is the leaf hash of leanEthereum's leanVM, where `W` is 16 and `RATE` is 8. To hash many messages
/// that end in the same zeros, compute the state after these once, with [`state_after`](Hasher::state_after).
///
/// On sponges that overwrite: Bertoni, Daemen, Peeters, Van Assche, *Duplexing the sponge* (2011). These
/// sponges have no feed-forward.
#[derive(Clone, Copy, Debug, Default)]
pub struct RightToLeft<const RATE: usize>;

/// The sponge of Matyas, Meyer and Oseas, from right to left.
///
/// Like [`RightToLeft`], but blocks are *added* to the last `RATE` elements. It is leanVM's leaf hash as of
/// leanEthereum's pull request 216, where `W` is 16 and `RATE` is 12. The elements that a block does not reach
/// are fed forward, too.
///
/// On the construction with block ciphers: Matyas, Meyer, Oseas, *Generating strong one-way functions with
/// cryptographic algorithm* (1985); Black, Rogaway, Shrimpton, *Black-box analysis of the block-cipher-based
/// hash-function constructions from PGV* (eprint 2002/066).
#[derive(Clone, Copy, Debug, Default)]
pub struct MatyasMeyerOseas<const RATE: usize>;

macro_rules! right_to_left {
    ($mode:ident: $absorb:ident) => {
        impl<F: Field, const W: usize, const RATE: usize> Mode<F, W> for $mode<RATE> {
            const ORDER: Order = Order::RightToLeft;
            const LENGTHS: Lengths = Lengths {
                least: W,
                ..<Self as Mode<F, W>>::MORE
            };
            const MORE: Lengths = Lengths {
                step: RATE,
                ..Lengths::ANY
            };
            const BLOCK: usize = RATE;
            const READABLE: usize = {
                rate(RATE, W);
                W
            };

            fn start(&self, states: &mut impl States<F, W>) {
                states.overwrite(0..W);
                states.feed_forward();
            }

            fn absorb(&self, states: &mut impl States<F, W>) {
                while states.$absorb(W - RATE..W) > 0 {
                    states.feed_forward();
                }
            }
        }
    };
}

right_to_left!(RightToLeft: overwrite);
right_to_left!(MatyasMeyerOseas: add);

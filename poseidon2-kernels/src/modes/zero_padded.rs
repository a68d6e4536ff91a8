//! The sponge in overwrite mode, whose last block is padded with zeros, as in Miden.

use super::{Lengths, Mode, Order, States, rate};
use crate::field::Field;
use crate::sponge::Hasher;

/// Hashes rows by [`ZeroPadded`], many at a time.
///
/// ```
/// use poseidon2_kernels::Poseidon2Goldilocks;
/// use poseidon2_kernels::modes::{State, ZeroPaddedSponge};
///
/// let columns = 10;
/// let sponge = ZeroPaddedSponge::<_, 12, 8, 4>::new(Poseidon2Goldilocks::<12>::plonky3());
/// // Miden's `hash_elements_in_domain(row, 5)`.
/// let mut state = [0; 12];
/// (state[8], state[9]) = (columns % 8, 5);
/// let in_domain = sponge.clone().starting_from(State::new(state));
/// assert_ne!(in_domain.hash_row(&[7; 10]), sponge.hash_row(&[7; 10]));
/// ```
pub type ZeroPaddedSponge<P, const W: usize, const RATE: usize, const OUT: usize> =
    Hasher<P, ZeroPadded<RATE>, W, OUT>;

/// Like [`Overwrite`](super::Overwrite), but zeros pad the last block.
///
/// Words are absorbed from the left. The state starts as zeros, or [as given](Hasher::starting_from); its
/// capacity is the last `W - RATE` elements. Rows that differ only in zeros at their end collide, unless the
/// capacity differs.
///
/// This mode is `hash_elements_in_domain` of miden-crypto 0.29 (`hash/algebraic_sponge/mod.rs`; `W` is 12,
/// `RATE` is 8), except for an empty message, if the capacity starts as the number of elements modulo `RATE`,
/// the domain, and zeros. leanSig's `poseidon_replacement_sponge` pads in the same way, but has its capacity in
/// front.
///
/// On sponges over fields, and what belongs in the capacity: *SAFE* (eprint 2023/522).
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroPadded<const RATE: usize>;

impl<F: Field, const W: usize, const RATE: usize> Mode<F, W> for ZeroPadded<RATE> {
    const ORDER: Order = Order::LeftToRight;
    const LENGTHS: Lengths = Lengths::ANY;
    const BLOCK: usize = RATE;
    const READABLE: usize = rate(RATE, W);

    fn absorb(&self, states: &mut impl States<F, W>) {
        loop {
            let count = states.overwrite(0..RATE);
            if count == 0 {
                return;
            }
            states.clear(count..RATE);
            states.permute();
        }
    }
}

//! The sponge in overwrite mode with a last block that zeros fill up, as Miden has it.

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

/// As [`Overwrite`](super::Overwrite), but zeros take the place of the words that the last block is short
/// of.
///
/// Words are absorbed from the left. The state is zero, or [as given](Hasher::starting_from), its capacity
/// being the last `W - RATE` elements. Rows that differ in zeros at their end alone collide, unless the
/// capacity differs.
///
/// It is `hash_elements_in_domain` of miden-crypto 0.29 (`hash/algebraic_sponge/mod.rs`; `W` is 12, `RATE` is
/// 8), except for a message without elements, from a capacity of the number of elements modulo `RATE`, the
/// domain, and zeros. leanSig's `poseidon_replacement_sponge` pads in the same way, but has its capacity in
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

//! Plonky3's traits, for its own field elements.

use p3_goldilocks::Goldilocks;
use p3_symmetric::{CryptographicPermutation, Permutation};

use crate::field::{self, Width};
use crate::goldilocks::Poseidon2Goldilocks;

/// The words of Plonky3's states, in place.
///
/// ```
/// use p3_goldilocks::Goldilocks;
/// use poseidon2_kernels::{Poseidon2Goldilocks, plonky3::words_mut};
///
/// let mut states = [[Goldilocks::new(7); 12]; 5];
/// Poseidon2Goldilocks::<12>::plonky3().permute_many(words_mut(&mut states));
/// ```
#[must_use]
pub const fn words_mut<const W: usize>(states: &mut [[Goldilocks; W]]) -> &mut [[u64; W]] {
    const {
        assert!(size_of::<Goldilocks>() == size_of::<u64>());
        assert!(align_of::<Goldilocks>() == align_of::<u64>());
    }
    let length = states.len();
    // SAFETY: `Goldilocks` is `repr(transparent)` over a `u64` (compared in part above), of which
    // every value is valid: `Goldilocks::new` takes any. So both element types have one layout and
    // the same valid values, and the borrow is passed on whole.
    unsafe { core::slice::from_raw_parts_mut(states.as_mut_ptr().cast(), length) }
}

impl<const W: usize> Permutation<[Goldilocks; W]> for Poseidon2Goldilocks<W>
where
    field::Goldilocks: Width<W>,
{
    #[inline]
    fn permute_mut(&self, state: &mut [Goldilocks; W]) {
        let [state] = words_mut(core::slice::from_mut(state)) else {
            return;
        };
        self.permute_one(state);
    }
}

impl<const W: usize> CryptographicPermutation<[Goldilocks; W]> for Poseidon2Goldilocks<W> where
    field::Goldilocks: Width<W>
{
}

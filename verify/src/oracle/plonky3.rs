//! Oracle 2: Plonky3's own permutations, from crates.io, with its default constants.

use p3_field::integers::QuotientMap;
use p3_field::{PrimeField32, PrimeField64};
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16};
use p3_symmetric::Permutation;

use super::Instance;

/// A permutation of residues.
pub type Permute = Box<dyn Fn(&mut [u64])>;

/// Plonky3's permutation for an instance, where it has one. States are as long as the instance is
/// wide; Goldilocks words may be any `u64`, KoalaBear words must be below p.
#[must_use]
pub fn permutation(instance: &Instance) -> Option<Permute> {
    let width = instance.permutation.width();
    match (instance.parameter_set, instance.field.name, width) {
        ("plonky3", "goldilocks", 8) => Some(goldilocks(default_goldilocks_poseidon2_8())),
        ("plonky3", "goldilocks", 12) => Some(goldilocks(default_goldilocks_poseidon2_12())),
        ("plonky3", "goldilocks", 16) => Some(goldilocks(default_goldilocks_poseidon2_16())),
        ("plonky3", "koala-bear", 16) => Some(koala_bear(default_koalabear_poseidon2_16())),
        _ => None,
    }
}

fn goldilocks<const W: usize>(peer: impl Permutation<[Goldilocks; W]> + 'static) -> Permute {
    Box::new(move |state| {
        let mut words: [Goldilocks; W] = std::array::from_fn(|i| Goldilocks::new(state[i]));
        peer.permute_mut(&mut words);
        for (x, y) in state.iter_mut().zip(words) {
            *x = y.as_canonical_u64();
        }
    })
}

fn koala_bear<const W: usize>(peer: impl Permutation<[KoalaBear; W]> + 'static) -> Permute {
    Box::new(move |state| {
        let mut words: [KoalaBear; W] = std::array::from_fn(|i| KoalaBear::from_int(state[i]));
        peer.permute_mut(&mut words);
        for (x, y) in state.iter_mut().zip(words) {
            *x = u64::from(y.as_canonical_u32());
        }
    })
}

//! The generated kernels compute what this crate's own implementation computes.

use core::array;

use p3_field::{Field, PackedValue};
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{RF, RP};
use crate::{Goldilocks, Poseidon2GoldilocksGenerated, Poseidon2GoldilocksStock};

type Packing = <Goldilocks as Field>::Packing;

const P: u64 = 0xffff_ffff_0000_0001;

/// Words round which carries and borrows turn.
const EDGES: [u64; 9] = [0, 1, 0xffff_ffff, 1 << 32, P - 1, P, P + 1, u64::MAX - 1, u64::MAX];

/// Random words, edges among them: uniform words are at or above the modulus once in 2^32.
fn word(rng: &mut SmallRng) -> Goldilocks {
    let edge: u8 = rng.random();
    Goldilocks::new(match EDGES.get(usize::from(edge % 16)) {
        Some(edge) => *edge,
        None => rng.random(),
    })
}

fn same<const WIDTH: usize>(rounds_f: usize, rounds_p: usize)
where
    Poseidon2GoldilocksGenerated<WIDTH>:
        Permutation<[Goldilocks; WIDTH]> + Permutation<[Packing; WIDTH]>,
    Poseidon2GoldilocksStock<WIDTH>:
        Permutation<[Goldilocks; WIDTH]> + Permutation<[Packing; WIDTH]>,
{
    for seed in 0..8 {
        let rng = || SmallRng::seed_from_u64(seed);
        let ours =
            Poseidon2GoldilocksGenerated::<WIDTH>::new_from_rng(rounds_f, rounds_p, &mut rng());
        let stock = Poseidon2GoldilocksStock::<WIDTH>::new_from_rng(rounds_f, rounds_p, &mut rng());
        let mut rng = rng();
        for _ in 0..32 {
            let state: [Goldilocks; WIDTH] = array::from_fn(|_| word(&mut rng));
            assert_eq!(ours.permute(state), stock.permute(state), "{state:?}");
            let state: [Packing; WIDTH] =
                array::from_fn(|_| Packing::from_fn(|_| word(&mut rng)));
            assert_eq!(ours.permute(state), stock.permute(state), "{state:?}");
        }
    }
}

#[test]
fn rounds_of_the_kernels() {
    same::<8>(RF, RP);
    same::<12>(RF, RP);
    same::<16>(RF, RP);
    same::<20>(RF, RP);
}

#[test]
fn other_rounds() {
    same::<8>(RF, RP + 1);
    same::<8>(RF - 2, RP);
}

//! Plonky3's own permutations, called once for a tracer to watch.

use p3_field::{Field, PackedValue, PrimeField64};
use p3_goldilocks::{
    Goldilocks, default_goldilocks_poseidon2_8, default_goldilocks_poseidon2_12,
    default_goldilocks_poseidon2_16,
};
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16};
use p3_symmetric::Permutation;

use super::{expected, residues};
use crate::oracle::{self, Instance};
use crate::request::{Traced, verify_anchor};

/// The peer's permutation of one state of width 8, under a name of the same kind as ours. With
/// `_lanes`, it is that of as many as its packed type holds.
pub const PEER: &str = "peer/goldilocks/w8";

/// Runs the peer's permutation of this name once. None: it has none.
pub(super) fn trace(name: &str) -> Option<Traced> {
    let kind = name.strip_prefix("peer/")?;
    let (kind, lanes) = match kind.strip_suffix("_lanes") {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    match kind {
        "goldilocks/w8" => {
            of::<Goldilocks, _, _>("goldilocks", &default_goldilocks_poseidon2_8(), lanes)
        }
        "goldilocks/w12" => {
            of::<Goldilocks, _, _>("goldilocks", &default_goldilocks_poseidon2_12(), lanes)
        }
        "goldilocks/w16" => {
            of::<Goldilocks, _, _>("goldilocks", &default_goldilocks_poseidon2_16(), lanes)
        }
        "koala_bear/w16" => {
            of::<KoalaBear, _, _>("koala-bear", &default_koalabear_poseidon2_16(), lanes)
        }
        _ => None,
    }
}

fn of<F, P, const W: usize>(field: &str, peer: &P, lanes: bool) -> Option<Traced>
where
    F: Field + PrimeField64,
    P: Permutation<[F; W]> + Permutation<[F::Packing; W]>,
{
    let instance = oracle::find("plonky3", field, W)?;
    if lanes {
        Some(call::<F, F::Packing, P, W>(&instance, peer))
    } else {
        Some(call::<F, F, P, W>(&instance, peer))
    }
}

fn call<F, S, P, const W: usize>(instance: &Instance, peer: &P) -> Traced
where
    F: Field + PrimeField64,
    S: PackedValue<Value = F>,
    P: Permutation<[S; W]>,
{
    let residues: Vec<_> = residues(instance, S::WIDTH).collect();
    let mut state: [S; W] =
        std::array::from_fn(|i| S::from_fn(|lane| F::from_u64(residues[lane][i])));
    let permute = std::hint::black_box(permute::<P, [S; W]> as fn(&_, &mut _));
    permute(peer, &mut state);
    let state = std::hint::black_box(state);
    Traced {
        entry: permute as usize as u64,
        anchor: verify_anchor as *const () as u64,
        states: S::WIDTH,
        agrees: expected(instance, S::WIDTH).all(|(lane, residues)| {
            let got = |i: usize| state[i].extract(lane).as_canonical_u64();
            (0..W).all(|i| got(i) == residues[i])
        }),
    }
}

#[inline(never)]
fn permute<P: Permutation<S>, S: Clone>(peer: &P, state: &mut S) {
    peer.permute_mut(state);
}

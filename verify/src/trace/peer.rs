//! Plonky3's own permutations, called once for a tracer to watch.

use p3_field::{Field, PackedValue, PrimeField64};
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
    macro_rules! find {
        ($($set:ident $field:ident $width:literal {
            rounds: $rounds:tt,
            module: ($first:ident::$module:ident::$constants:ident $kernels:ident),
            plonky3: ($krate:ident $own:ident $default:ident),
        })+) => {
            match kind {
                $(concat!(stringify!($module), "/w", $width) => {
                    of::<$krate::$field, _, $width>(&$krate::$default(), lanes)
                })+
                _ => None,
            }
        };
    }
    poseidon2_generated::each_permutation!(find)
}

fn of<F, P, const W: usize>(peer: &P, lanes: bool) -> Option<Traced>
where
    F: Field + PrimeField64,
    P: Permutation<[F; W]> + Permutation<[F::Packing; W]>,
{
    let field = oracle::fields().find(|field| field.modulus == F::ORDER_U64)?;
    let instance = oracle::find("plonky3", field.name, W)?;
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

//! What the tests of every permutation share.

use poseidon2_kernels::field::{Goldilocks, Width};
use poseidon2_kernels::{Poseidon2Goldilocks, supported};
use verify::oracle::{Instance, Poseidon2, find};

/// The instance as the reference has it.
pub(crate) fn instance(field: &str, width: usize) -> Instance {
    find("plonky3", field, width).expect("the reference knows every instance")
}

/// What the reference makes of a state.
pub(crate) fn image<const W: usize>(reference: &Poseidon2, mut state: [u64; W]) -> [u64; W] {
    reference.permute(&mut state);
    state
}

/// The permutation on each instruction set that can run here.
pub(crate) fn on_each_isa<const W: usize>(
    poseidon2: Poseidon2Goldilocks<W>,
) -> impl Iterator<Item = Poseidon2Goldilocks<W>>
where
    Goldilocks: Width<W>,
{
    supported().map(move |isa| {
        let poseidon2 = poseidon2.with_isa(isa).expect("it is supported");
        assert_eq!(poseidon2.isa(), isa, "Goldilocks has kernels for each");
        poseidon2
    })
}

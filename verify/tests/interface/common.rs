//! What the tests of every permutation share.

use poseidon2_kernels::field::Field;
use poseidon2_kernels::{ParameterSet, Plonky3, Poseidon2 as Ours, supported};
use verify::oracle::{Instance, Permutation, find};

/// The instance as the reference has it.
pub(crate) fn instance(field: &str, width: usize) -> Instance {
    find("plonky3", field, width).expect("the reference knows every instance")
}

/// What the reference makes of a state.
pub(crate) fn image<const W: usize>(reference: &Permutation, mut state: [u64; W]) -> [u64; W] {
    reference.permute(&mut state);
    state
}

/// The permutation on each instruction set that can run here.
pub(crate) fn on_each_isa<F: Field, const W: usize>(
    poseidon2: Ours<F, W>,
) -> impl Iterator<Item = Ours<F, W>>
where
    Plonky3: ParameterSet<F, W>,
{
    supported().map(move |isa| {
        let poseidon2 = poseidon2.clone().with_isa(isa).expect("it is supported");
        let has_all = F::NAME == "goldilocks";
        assert!(
            !has_all || poseidon2.isa() == isa,
            "Goldilocks has kernels for each"
        );
        poseidon2
    })
}

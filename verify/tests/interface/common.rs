//! What the tests of every permutation share.

use poseidon2_kernels::field::Field;
use poseidon2_kernels::{Isa, ParameterSet, Plonky3, Poseidon2 as Ours, supported};
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
    for isa in detected() {
        let is_left_out = supported().all(|own| own != isa);
        let has_kernels = F::KERNELS.iter().any(|kernel| kernel.isa == isa);
        assert!(!(has_kernels && is_left_out), "{} is here", isa.name());
    }
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

/// The vectors that this CPU has as the standard library tells it, with all that kernels for them need.
#[cfg(target_arch = "x86_64")]
fn detected() -> impl Iterator<Item = Isa> {
    use std::arch::is_x86_feature_detected as has;
    let avx512 = has!("avx512f") && has!("avx512vl") && has!("avx512dq");
    let all = [
        (Isa::Avx2, has!("avx2")),
        (Isa::Avx512, avx512),
        (Isa::Avx512ifma, avx512 && has!("avx512ifma")),
    ];
    all.into_iter().filter(|(_, has)| *has).map(|(isa, _)| isa)
}

/// Every such CPU has these.
#[cfg(not(target_arch = "x86_64"))]
fn detected() -> impl Iterator<Item = Isa> {
    cfg!(target_arch = "aarch64")
        .then_some(Isa::Neon)
        .into_iter()
}

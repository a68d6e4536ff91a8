//! Which kernels are used: overruled by the environment. Alone in its process, which asks once.

// Without the standard library nobody asks.
#![cfg(feature = "std")]

use poseidon2_kernels::{ENVIRONMENT_VARIABLE, Isa, Poseidon2Goldilocks, Reason, selected};

#[test]
fn the_environment_overrules_detection() {
    // SAFETY: this is the only test of its process, so nothing else reads the environment.
    unsafe { std::env::set_var(ENVIRONMENT_VARIABLE, "Scalar") };
    let selection = selected();
    assert_eq!(
        (selection.isa, selection.reason),
        (Isa::Scalar, Reason::Environment)
    );
    assert_eq!(selection.to_string(), "scalar: set by POSEIDON2_KERNEL");
    let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
    assert_eq!(poseidon2.isa(), Isa::Scalar);

    // SAFETY: as above.
    unsafe { std::env::remove_var(ENVIRONMENT_VARIABLE) };
    assert_eq!(selected(), selection, "it is asked once");
}

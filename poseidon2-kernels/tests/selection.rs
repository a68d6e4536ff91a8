//! Which kernels are used: asked for by the program, and told.

use poseidon2_kernels::{
    Isa, Poseidon2Goldilocks, Reason, Sponge, UnsupportedIsa, is_supported, select, selected,
    supported,
};

#[test]
fn a_program_selects_for_what_it_builds_next() {
    let before = Poseidon2Goldilocks::<8>::plonky3();
    let isa_before = before.isa();
    let expected = Sponge::<_, 8, 4, 4>::new(before).hash_rows(&[7; 1000], 10);
    assert_eq!(expected.as_ref().map(Vec::len), Ok(100));
    for isa in supported() {
        select(isa).unwrap();
        assert_eq!(
            (selected().isa, selected().reason),
            (isa, Reason::Requested)
        );
        let poseidon2 = Poseidon2Goldilocks::<8>::plonky3();
        assert_eq!(poseidon2.isa(), isa);
        // Its own kernels go first, and they are what hashes.
        assert!(
            poseidon2
                .kernels()
                .next()
                .is_some_and(|kernel| kernel.isa == isa)
        );
        let digests = Sponge::<_, 8, 4, 4>::new(poseidon2).hash_rows(&[7; 1000], 10);
        assert_eq!(digests, expected);
        assert_eq!(
            selected().to_string(),
            format!("{}: selected by the program", isa.name())
        );
    }
    assert_eq!(before.isa(), isa_before);
    assert!(supported().all(is_supported));
    let foreign = if cfg!(target_arch = "aarch64") {
        Isa::Avx2
    } else {
        Isa::Neon
    };
    assert_eq!(select(foreign), Err(UnsupportedIsa { isa: foreign }));
    let error = before.with_isa(foreign).unwrap_err().to_string();
    let head = format!(
        "no {} kernels can run here; there are scalar",
        foreign.name()
    );
    assert!(error.starts_with(&head), "{error}");
}

#[test]
fn the_kernels_in_use_are_told() {
    let poseidon2 = Poseidon2Goldilocks::<16>::plonky3()
        .with_isa(Isa::Scalar)
        .unwrap();
    let names: Vec<_> = poseidon2.kernels().map(|kernel| kernel.name).collect();
    assert_eq!(
        names,
        ["b4", "b2", "b1"].map(|b| format!("plonky3/goldilocks/w16_scalar_{b}"))
    );
}

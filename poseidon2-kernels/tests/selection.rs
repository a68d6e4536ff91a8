//! Which kernels are used: asked for by the program, and told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use poseidon2_kernels::{
    Isa, Poseidon2Goldilocks, Reason, Shape, Sponge, UnsupportedIsa, is_supported, select,
    selected, supported,
};

/// What is selected is the whole program's, so tests that select or tell of it take turns.
fn in_turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of a hundred rows, also where nothing may be allocated.
fn digests(poseidon2: Poseidon2Goldilocks<8>) -> [[u64; 4]; 100] {
    let mut digests = [[0; 4]; 100];
    let sponge = Sponge::<_, 8, 4, 4>::new(poseidon2);
    sponge.hash_rows_into(&[7; 1000], &mut digests).unwrap();
    digests
}

#[test]
fn a_program_selects_for_what_it_builds_next() {
    let _turn = in_turn();
    let before = Poseidon2Goldilocks::<8>::plonky3();
    let isa_before = before.isa();
    let expected = digests(before.clone());
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
        assert_eq!(digests(poseidon2), expected);
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
    for shape in Shape::ALL {
        let kernels: Vec<_> = poseidon2.kernels_for(shape).collect();
        assert!(kernels.iter().all(|kernel| kernel.isa == Isa::Scalar));
        assert!(kernels.is_sorted_by_key(|kernel| std::cmp::Reverse(kernel.states())));
        assert_eq!(kernels.last().map(|kernel| kernel.states()), Some(1));
    }
    assert_eq!(poseidon2.kernels_for(Shape::One).count(), 1);
}

#[test]
fn the_rows_of_the_tuning_table_are_told() {
    let _turn = in_turn();
    let selection = selected();
    let told = format!("{selection:#}");
    let (line, rows) = told.split_once('\n').unwrap();
    assert_eq!(line, selection.to_string());
    assert!(rows.contains(selection.tuned_for()), "{rows}");
    assert_eq!(rows.lines().count(), 1 + selection.rows().count());
    for ((shape, row), line) in selection.rows().zip(rows.lines().skip(1)) {
        let name = format!("{} w{:<2} {}", row.field, row.width, shape.name());
        assert!(line.contains(&name), "{line}");
        let kernel = row.steps[0].kernel.rsplit('/').next().unwrap();
        let handed_over = cfg!(feature = "plonky3") && line.contains("Plonky3's own");
        assert!(line.contains(kernel) || handed_over, "{rows}");
    }
}

/// A row for each permutation and shape, whatever instruction set has kernels for it.
#[test]
fn rows_are_of_every_permutation() {
    let _turn = in_turn();
    let rows: Vec<_> = selected().rows().collect();
    for (field, width) in [
        ("goldilocks", 8),
        ("goldilocks", 12),
        ("goldilocks", 16),
        ("koala-bear", 16),
        ("koala-bear", 24),
        ("baby-bear", 16),
        ("baby-bear", 24),
    ] {
        for shape in Shape::ALL {
            let same = rows
                .iter()
                .filter(|(of, row)| (row.field, row.width, *of) == (field, width, shape));
            assert_eq!(same.count(), 1, "{field} {width} {}", shape.name());
        }
    }
}

//! What reviews had the checker accept of kernels' names, and what must be refused since.

use super::review::{ACROSS, RADIX52, SCALAR, X86_64};
use super::*;
use crate::reader::registry::Entry;
use std::collections::BTreeMap;

/// A kernel has the name of what its certificate is about, and stands in its field's list.
#[test]
fn kernels_of_other_names() {
    let (text, shape) = kernel(KERNELS[0].0, KERNELS[0].1);
    let facts = read(&text, &shape).unwrap();
    for name in [
        "plonky3/goldilocks/w16_neon_b2",
        "plonky3/koala_bear/w8_neon_b2",
        "other/goldilocks/w8_neon_b2",
    ] {
        let entry = Entry {
            program: &shape,
            facts: &facts,
        };
        let source = format!(
            "#[rustfmt::skip] pub static GOLDILOCKS: &[Kernel<u64>] = &[Kernel {{ name: {name:?} }}];"
        );
        let what = registry::read(&source, &BTreeMap::from([(name.to_owned(), entry)]));
        let what = what.unwrap_err();
        assert!(what.contains("rests on"), "{what}");
    }
    let (text, read) = (source("registry"), shipped());
    let other = text.replacen("pub static KOALA_BEAR:", "pub static BABY_BEAR:", 1);
    assert!(read.check("registry", &other).is_err());
}

/// Why a kernel of a certificate is refused by that name, if it needs such features, too.
fn listed([name, program]: [&str; 2], as_named: &str, needs: &[&str]) -> String {
    let (text, shape) = kernel(name, program);
    listed_of(&text, &shape, as_named, needs)
}

fn listed_of(text: &str, program: &Program, as_named: &str, needs: &[&str]) -> String {
    let mut facts = super::read(text, program).unwrap();
    let needs = needs.iter().map(|need| (*need).to_owned());
    facts.features.extend(needs);
    let entry = Entry {
        program,
        facts: &facts,
    };
    let (field, word) = match as_named.contains("goldilocks") {
        true => ("GOLDILOCKS", "u64"),
        false => ("KOALA_BEAR", "u32"),
    };
    let source = format!(
        "#[rustfmt::skip] pub static {field}: &[Kernel<{word}>] = &[Kernel {{ name: {as_named:?} }}];"
    );
    let kernels = BTreeMap::from([(as_named.to_owned(), entry)]);
    registry::read(&source, &kernels).unwrap_err()
}

/// A kernel's name says which instructions it is of, and what nobody asks a CPU for it does not need.
#[test]
fn kernels_of_other_instructions() {
    let what = listed(X86_64, "plonky3/goldilocks/w8_scalar_redc_b1", &[]);
    assert!(what.contains("is for Some(X86_64)"), "{what}");
    let own = "plonky3/koala_bear/w24_scalar_radix52_b1";
    let what = listed(RADIX52, own, &["bmi2"]);
    assert!(what.contains("compiled with [\"bmi2\"]"), "{what}");
    let what = listed(RADIX52, own, &[]);
    assert!(what.contains("the registry must say"), "{what}");
}

/// A kernel's name says layout, strategy and batch, too.
#[test]
fn names_that_say_something_else() {
    let said = |own, leaf: &str| listed(own, &format!("plonky3/koala_bear/{leaf}"), &[]);
    let staggered = [
        "koala_bear/w16_avx512ifma_staggered_radix52_b2",
        "koala_bear/w16_radix52",
    ];
    for (own, wrong) in [
        (
            SCALAR,
            &[
                "w16_scalar_eager_b1",
                "w16_scalar_b2",
                "w16_scalar_lanes_b1",
                "w16_scalar_b1_b1",
            ][..],
        ),
        (
            RADIX52,
            &[
                "w24_scalar_b1",
                "w24_scalar_redc_b1",
                "w24_scalar_lanes_radix52_b1",
                "w24_scalar_staggered_radix52_b8",
                "w24_scalar_radix52_x86_64_b1",
            ],
        ),
        (
            ACROSS,
            &["w16_avx2_lanes_uniform_b1", "w16_avx2_uniform_across_b1"],
        ),
        (staggered, &["w16_avx512ifma_across_radix52_b2"]),
    ] {
        let leaf = own[0].split('/').next_back().unwrap();
        let what = said(own, leaf);
        assert!(what.contains("the registry must say"), "{leaf}: {what}");
        for name in wrong {
            let what = said(own, name);
            assert!(what.contains("rests on"), "{name}: {what}");
        }
    }
}

/// Words of two registers are that by whatever name: LLVM makes wrong code of them on 32-bit RISC-V.
#[test]
fn wide_words_by_another_name() {
    let (text, _) = kernel(RADIX52[0], RADIX52[1]);
    let path = generated().join("proofs/plonky3");
    let proof = std::fs::read_to_string(path.join("koala_bear/w24_radix52.cert")).unwrap();
    let proof = proof.replacen("koala_bear/w24_radix52", "koala_bear/w24_quick", 1);
    let named = "plonky3/koala_bear/w24_scalar_quick_b1";
    let what = listed_of(&text, &check(&proof).unwrap(), named, &[]);
    assert!(what.contains("not(target_arch = \"riscv32\")"), "{what}");
}

/// Half a round apart are the states of kernels that say so, and no others.
#[test]
fn kernels_of_other_layouts() {
    let program = "koala_bear/w16_radix52";
    for [own, other] in [
        [
            "w16_avx512ifma_radix52_b2",
            "w16_avx512ifma_staggered_radix52_b2",
        ],
        [
            "w16_avx512ifma_staggered_radix52_b2",
            "w16_avx512ifma_lanes_radix52_b2",
        ],
    ] {
        let own = format!("koala_bear/{own}");
        let what = listed([&own, program], &format!("plonky3/koala_bear/{other}"), &[]);
        assert!(what.contains("rests on"), "{own} as {other}: {what}");
    }
}

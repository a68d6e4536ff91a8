//! The specs of the repository.

mod answers;
mod edit;
mod errors;
mod folders;
mod layers;
mod reference;
mod shipping;
mod syntax;

use super::{Spec, load_all, select};
use crate::names::{BATCHES, Isa, Layout, Strategy};

fn specs() -> Vec<Spec> {
    load_all(concat!(env!("CARGO_MANIFEST_DIR"), "/specs"))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_specs_of_the_repository_are_valid() {
    let specs = specs();
    let names: Vec<_> = specs
        .iter()
        .map(|spec| format!("{} {}", spec.instance.field.name, spec.instance.width))
        .collect();
    assert_eq!(
        names,
        [
            "baby-bear 16",
            "baby-bear 24",
            "goldilocks 8",
            "goldilocks 12",
            "goldilocks 16",
            "koala-bear 16",
            "koala-bear 24"
        ]
    );
    for spec in &specs {
        for kernel in &spec.kernels {
            assert!(spec.source.text()[kernel.span.clone()].starts_with("[[kernel]]"));
            assert!(kernel.batches.iter().all(|b| BATCHES.contains(b)));
            assert_eq!(
                kernel.proof.is_some(),
                kernel.strategy.takes_proofs(),
                "{kernel:?}"
            );
        }
    }
    let kernels: Vec<_> = specs[2]
        .kernels
        .iter()
        .map(|kernel| (kernel.isa, kernel.layout, kernel.strategy))
        .collect();
    assert_eq!(
        kernels,
        [
            (Isa::Scalar, Layout::Registers, Strategy::Eager),
            (Isa::Armv8m, Layout::Registers, Strategy::Eager),
            (Isa::Neon, Layout::Registers, Strategy::Eager),
            (Isa::Neon, Layout::Lanes, Strategy::Eager),
            (Isa::Neon, Layout::Lanes, Strategy::Columns),
            (Isa::Neon, Layout::Lanes, Strategy::Columns),
            (Isa::Avx2, Layout::Lanes, Strategy::Eager),
            (Isa::Avx512, Layout::Lanes, Strategy::Eager),
            (Isa::Scalar, Layout::Registers, Strategy::Redc),
            (Isa::Scalar, Layout::Registers, Strategy::Redc),
            (Isa::Scalar, Layout::Registers, Strategy::Radix48),
            (Isa::X86_64, Layout::Registers, Strategy::Redc),
            (Isa::X86_64, Layout::Registers, Strategy::Redc),
            (Isa::X86_64, Layout::Across, Strategy::Beside),
            (Isa::Avx512, Layout::Across, Strategy::Beside),
            (Isa::Avx2, Layout::Lanes, Strategy::Halves),
            (Isa::Avx512, Layout::Lanes, Strategy::Halves),
            (Isa::Avx512Ifma, Layout::Lanes, Strategy::Limbs),
            (Isa::Avx512Ifma, Layout::Lanes, Strategy::Accumulated),
            (Isa::Wasm, Layout::Lanes, Strategy::Eager),
            (Isa::Wasm, Layout::Lanes, Strategy::Halves),
        ]
    );
}

#[test]
fn selection_by_field_and_width() {
    let specs = specs();
    let found = |field, width| select(&specs, field, width).unwrap().len();
    assert_eq!(found(None, None), 7);
    assert_eq!(found(Some("goldilocks"), None), 3);
    assert_eq!(found(None, Some(16)), 3);
    assert_eq!(found(Some("koala-bear"), Some(16)), 1);
    let told = |specs: &[Spec], field, width| {
        let error = select(specs, field, width).unwrap_err();
        format!("{error}; {}", error.help_text().unwrap())
    };
    assert_eq!(
        told(&specs, Some("koala-bear"), Some(8)),
        "no spec over koala-bear has width 8; valid: `16`, `24`"
    );
    assert_eq!(
        told(&specs, Some("mersenne-31"), None),
        "no spec has field mersenne-31; valid: `baby-bear`, `goldilocks`, `koala-bear`"
    );
    assert_eq!(
        told(&specs, Some("goldilock"), None),
        "unknown field `goldilock`; did you mean `goldilocks`? valid: `baby-bear`, `goldilocks`, `koala-bear`"
    );
    let one = [Spec::parse("good.toml", errors::VALID).unwrap()];
    assert_eq!(
        told(&one, None, Some(12)),
        "good.toml has width 8, not 12; leave `--width` out"
    );
    assert_eq!(
        told(&one, Some("koala-bear"), Some(8)),
        "good.toml has field goldilocks, not koala-bear; leave `--field` out"
    );
}

/// The parameters say what the Grain LFSR gives; the name says nothing to it.
#[test]
fn derived_constants_are_those_of_the_parameters() {
    let text = include_str!("../../../specs/koala-bear-w16.toml");
    let known = Spec::parse("spec.toml", text).unwrap();
    let own = text.replace("\"plonky3\"", "\"mine\"");
    let own = Spec::parse("spec.toml", &own).unwrap();
    assert_eq!(own.instance.parameter_set, "mine");
    assert_eq!(own.instance.constants, known.instance.constants);
    let fewer = text
        .replace("\"plonky3\"", "\"mine\"")
        .replace("internal-rounds = 20", "internal-rounds = 13");
    let fewer = Spec::parse("spec.toml", &fewer).unwrap();
    assert_eq!(fewer.instance.constants.internal.len(), 13);
    assert_ne!(
        fewer.instance.constants.external,
        known.instance.constants.external
    );
}

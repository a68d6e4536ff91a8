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
    let found = |field, width| select(&specs, field, width).map(|found| found.len());
    assert_eq!(found(None, None), Ok(7));
    assert_eq!(found(Some("goldilocks"), None), Ok(3));
    assert_eq!(found(None, Some(16)), Ok(3));
    assert_eq!(found(Some("koala-bear"), Some(16)), Ok(1));
    let error = found(Some("koala-bear"), Some(8)).unwrap_err();
    assert_eq!(
        (error.to_string(), error.help()),
        ("unknown width `8`".into(), "valid: `16`, `24`".into())
    );
    let error = found(Some("goldilock"), None).unwrap_err();
    assert_eq!(
        error.help(),
        "did you mean `goldilocks`? valid: `baby-bear`, `goldilocks`, `koala-bear`"
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

use std::collections::BTreeMap;

use super::*;
use crate::params::{GOLDILOCKS, KOALA_BEAR, instance};

fn kernel(name: &str, isa: &str, layout: &str, arch: Option<&str>) -> KernelInfo {
    let field = if name.contains("koala") {
        &KOALA_BEAR
    } else {
        &GOLDILOCKS
    };
    KernelInfo {
        name: name.to_owned(),
        parameter_set: "plonky3".to_owned(),
        field: field.name.to_owned(),
        width: if field.is_montgomery() { 16 } else { 8 },
        external_rounds: 8,
        internal_rounds: 22,
        isa: isa.to_owned(),
        layout: layout.to_owned(),
        strategy: "eager".to_owned(),
        batch: 2,
        lanes: 1,
        features: arch.iter().map(|_| isa.to_owned()).collect(),
        target_arch: arch.map(str::to_owned),
        word_bits: field.word_bits(),
        parts: 1,
        preparation: None,
        code: String::new(),
        file: format!("src/{name}.rs"),
        certificate: format!("src/{name}.cert"),
        sites: 96,
        elided: 90,
        kept: 6,
        counts: BTreeMap::from([
            ("add".to_owned(), 3000),
            ("canonicalisations".to_owned(), 7),
        ]),
    }
}

fn kernels() -> Vec<KernelInfo> {
    vec![
        kernel(
            "plonky3/koala_bear/w16_avx2_b2",
            "avx2",
            "lanes",
            Some("x86_64"),
        ),
        kernel(
            "plonky3/goldilocks/w8_neon_lanes_b2",
            "neon",
            "lanes",
            Some("aarch64"),
        ),
        kernel(
            "plonky3/goldilocks/w8_neon_b2",
            "neon",
            "registers",
            Some("aarch64"),
        ),
        kernel(
            "plonky3/goldilocks/w8_scalar_b2",
            "scalar",
            "registers",
            None,
        ),
    ]
}

#[test]
fn the_files_around_four_kernels() {
    let instances = [
        instance("plonky3", &GOLDILOCKS, 8).unwrap(),
        instance("plonky3", &KOALA_BEAR, 16).unwrap(),
    ];
    let instances: Vec<_> = instances.iter().collect();
    let mut files = FileSet::new();
    scaffold(
        &kernels(),
        &instances,
        &crate::tuning::resolve(&[], &Default::default()),
        PACKAGE,
        "codegen generate --all",
        &mut files,
    )
    .unwrap();
    let mut text = String::new();
    for (path, file) in files.iter() {
        if !path.contains("constants") && !path.ends_with("types.rs") {
            text += &format!("==== {path}\n{file}\n");
        }
    }
    // The repository's version is not ours to fix.
    insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    let read = read_manifest(files.get(MANIFEST).unwrap()).unwrap();
    assert_eq!(read, in_order(&kernels()));
}

#[test]
fn sets_that_become_one_type_are_refused() {
    let sets = ["mine", "other", "mine_"].map(str::to_owned);
    let refused = distinct(sets.iter()).unwrap_err();
    let message = "parameter sets `mine` and `mine_` both become the type `Mine`";
    assert_eq!(refused.message(), message);
    assert!(distinct(sets[..2].iter()).is_ok());
}

#[test]
fn the_table_of_the_readme() {
    insta::assert_snapshot!(kernel_table(&kernels()).unwrap());
}

use std::collections::BTreeMap;

use super::*;
use crate::kernel::KernelInfo;

/// A kernel of width 8 for AVX-512 that needs `features` beyond it.
fn kernel(name: &str, features: &[&str], instructions: u64) -> Generated {
    let all = [&["avx512f"], features].concat();
    let info = KernelInfo {
        name: format!("plonky3/goldilocks/{name}"),
        parameter_set: "plonky3".to_owned(),
        field: "goldilocks".to_owned(),
        width: 8,
        external_rounds: 8,
        internal_rounds: 22,
        isa: "avx512".to_owned(),
        layout: "lanes".to_owned(),
        strategy: "eager".to_owned(),
        batch: 1,
        lanes: 8,
        features: all.into_iter().map(str::to_owned).collect(),
        target_arch: Some("x86_64".to_owned()),
        word_bits: 64,
        parts: 1,
        file: String::new(),
        certificate: String::new(),
        sites: 0,
        elided: 0,
        kept: 0,
        counts: BTreeMap::from([("add".to_owned(), instructions)]),
    };
    Generated {
        info,
        source: "pub fn permute() {}\n".to_owned(),
        certificate: String::new(),
        sites: Vec::new(),
        preparation: None,
    }
}

fn best(kernels: &[Generated]) -> Vec<&str> {
    let best = Slots::best(kernels).into_iter();
    best.filter_map(|kernel| kernel.info.name.rsplit('/').next())
        .collect()
}

#[test]
fn a_feature_is_asked_for_only_where_it_helps() {
    let plain = || kernel("plain", &[], 100);
    let with = |instructions| kernel("ifma", &["avx512ifma"], instructions);
    assert_eq!(best(&[plain(), with(90)]), ["plain", "ifma"]);
    assert_eq!(best(&[plain(), with(100)]), ["plain"]);
    assert_eq!(best(&[with(100)]), ["ifma"]);
    assert_eq!(best(&[plain(), kernel("better", &[], 99)]), ["better"]);
}

#[test]
fn where_a_feature_is_missing_the_next_best_is_compiled() {
    let files = |kernels: &[Generated]| {
        let slots = Slots::of(kernels).unwrap();
        let mut files = FileSet::new();
        texts::insert(&slots, "command", &mut files).unwrap();
        let path = "src/x86_64_avx512/poseidon2_generated/mod.rs";
        let text = files.get(path).unwrap();
        let before_width_12 = text.split("Goldilocks; 12]").next().unwrap();
        let packed = text
            .split("impl Permutation<[PackedGoldilocksAVX512; 8]>")
            .nth(1);
        format!(
            "{}\n…\n{}",
            before_width_12.split("impl ").next().unwrap(),
            text.split("Goldilocks; 20]> for Poseidon2GoldilocksGenerated<20> {}")
                .nth(1)
                .or(packed)
                .unwrap()
                .split("AVX512; 12]")
                .next()
                .unwrap()
        )
    };
    let both = [
        kernel("plain", &[], 100),
        kernel("ifma", &["avx512ifma"], 90),
    ];
    insta::assert_snapshot!("both", files(&both));
    // Without the feature there is none but the crate's own.
    let one = [kernel("ifma", &["avx512ifma"], 90)];
    insta::assert_snapshot!("one", files(&one));
}

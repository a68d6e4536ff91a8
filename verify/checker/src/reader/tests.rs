use std::path::Path;

use super::*;
use crate::below;
use crate::{check, check_crate};

/// A kernel that ships, and what its certificate has it compute.
fn kernel(name: &str, program: &str) -> (String, Program) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let read = |path: String| {
        std::fs::read_to_string(folder.join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let text = read(format!("src/plonky3/{name}.rs"));
    let checked = check(&read(format!("proofs/plonky3/{program}.cert"))).unwrap();
    (text, checked)
}

/// The kernels that are attacked: one word an element, two, and S-boxes on other registers.
const KERNELS: [(&str, &str); 4] = [
    ("goldilocks/w8_neon_b2", "goldilocks/w8_eager"),
    ("goldilocks/w8_avx2_columns_b1", "goldilocks/w8_columns"),
    ("goldilocks/w8_avx512ifma_limbs_b2", "goldilocks/w8_limbs"),
    (
        "goldilocks/w12_neon_lanes_columns_b2",
        "goldilocks/w12_columns",
    ),
];

#[test]
fn kernels_are_what_their_certificates_prove() {
    for (name, program) in KERNELS {
        let (text, shape) = kernel(name, program);
        assert_eq!(read(&text, &shape).err(), None, "{name}");
    }
}

/// A second arm, and instructions where macro-ops belong, are no way round the reader.
#[test]
fn macros_are_of_one_arm() {
    let (text, shape) = kernel(KERNELS[1].0, KERNELS[1].1);
    let from = "macro_rules! plus {";
    assert!(text.contains(from));
    let two = text.replacen(from, "macro_rules! plus { () => { 0 };", 1);
    assert!(read(&two, &shape).is_err());
    let unread = format!("{text}\nmacro_rules! join {{ () => {{ 0 }}; }}\n");
    assert!(!read(&unread, &shape).unwrap().read);
}

/// What a review of the project put into kernels without a certificate noticing.
#[test]
fn attacks_are_refused() {
    let attacks: [(&str, usize, &str, &str); 11] = [
        (
            "a round loop that starts at 1",
            0,
            "for round in 0..22",
            "for round in 1..22",
        ),
        (
            "a step loop that starts at 1",
            1,
            "for step in 0..=8",
            "for step in 1..=8",
        ),
        (
            "internal rounds at the wrong half",
            1,
            "if step == 4",
            "if step == 5",
        ),
        (
            "a normalisation one round late",
            1,
            "if round == 11",
            "if round == 12",
        ),
        (
            "the constant of another element",
            0,
            "constants.external[step - 1][element]",
            "constants.external[step - 1][element & 6]",
        ),
        (
            "the constant of another round",
            0,
            "constants.internal[round]",
            "constants.internal[round * 0]",
        ),
        (
            "the other part of a constant",
            1,
            "constants.internal[round][1]",
            "constants.internal[round][0]",
        ),
        (
            "another element read",
            1,
            "let v2 = group[1][0];",
            "let v2 = group[2][0];",
        ),
        (
            "another element written",
            1,
            "words[1].0 = v21;",
            "words[2].0 = v21;",
        ),
        (
            "one more store",
            1,
            "words[7].0 = v39;",
            "words[7].0 = v39; words[0].0 = v39;",
        ),
        (
            "a lane that takes the other's value",
            3,
            "vector!(v10_0_1_lane_0, v10_0_1_lane_1)",
            "vector!(v10_0_1_lane_0, v10_0_1_lane_0)",
        ),
    ];
    for (what, at, from, to) in attacks {
        let (name, program) = KERNELS[at];
        let (text, shape) = kernel(name, program);
        assert!(text.contains(from), "{what}: {name} has no `{from}`");
        let attacked = text.replacen(from, to, 1);
        assert!(read(&attacked, &shape).is_err(), "{what}");
    }
}

/// Every line of a kernel made wrong: left out, with another number, with operands exchanged.
#[test]
fn every_line_counts() {
    for (name, program) in [KERNELS[1]] {
        let (text, shape) = kernel(name, program);
        let (before, body) = text.split_once("\npub fn permute(").unwrap();
        let lines: Vec<&str> = body.lines().collect();
        let end = lines.iter().position(|line| *line == "}").unwrap();
        let mut tried = 0;
        for at in 1..end {
            for changed in wrong(lines[at]) {
                let mut lines = lines.clone();
                lines[at] = &changed;
                let text = format!("{before}\npub fn permute({}", lines.join("\n"));
                let outcome = read(&text, &shape);
                assert!(outcome.is_err(), "{name}: `{changed}` for `{}`", lines[at]);
                tried += 1;
            }
        }
        assert!(tried > 400, "{tried}");
    }
}

fn wrong(line: &str) -> Vec<String> {
    let code = line.trim();
    let mut all = Vec::new();
    if code.is_empty() || code.starts_with("//") {
        return all;
    }
    if code.ends_with(';') {
        all.push(String::new());
    }
    if let Some((head, operands)) = code.split_once("!(")
        && let Some((a, b)) = operands.trim_end_matches(");").split_once(", ")
        && a != b
    {
        all.push(format!("{head}!({b}, {a});"));
    }
    // Indices and bounds, not names.
    for (at, digit) in code.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let part_of_a_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !part_of_a_name && !before.ends_with(".0") && !before.ends_with(").") {
            let other = if digit == '9' {
                '8'
            } else {
                char::from(digit as u8 + 1)
            };
            all.push(format!("{before}{other}{after}"));
        }
    }
    all
}

/// Tables of constants and the registry, each made wrong in a copy of the crate.
#[test]
fn tables_made_wrong_are_refused() {
    let wrong: [&[(&str, &str, &str)]; 6] = [
        &[
            (
                "plonky3/goldilocks/constants_w8.rs",
                "0xdd5743e7",
                "0xdd5743e8",
            ),
            (
                "plonky3/koala_bear/constants_w16.rs",
                "internal: [",
                "internal: [0x0, ",
            ),
            ("registry.rs", "lanes: 4,", "lanes: 8,"),
        ],
        &[(
            "registry.rs",
            "w8_avx2_columns_b1::permute_raw",
            "w8_avx2_columns_b2::permute_raw",
        )],
        &[("registry.rs", "features: &[\"avx2\"]", "features: &[]")],
        &[(
            "tuning.rs",
            "kernel: \"plonky3/goldilocks/w8_scalar_redc_b1\"",
            "kernel: \"plonky3/goldilocks/w12_scalar_redc_b1\"",
        )],
        &[(
            "tuning.rs",
            "kernel: \"plonky3/goldilocks/w8_scalar_redc_b1\"",
            "kernel: \"plonky3/goldilocks/w8_avx2_columns_b1\"",
        )],
        // Not read is not passed: that kernel, and the registry that lists it.
        &[
            (
                "plonky3/goldilocks/w8_avx2_columns_b1.rs",
                "macro_rules! plus {",
                "macro_rules! join { () => { 0 }; }\nmacro_rules! plus {",
            ),
            ("registry.rs", "//! Every kernel", "//! Each kernel"),
        ],
    ];
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    for changes in wrong {
        let copy = tempfile::tempdir().unwrap();
        for (folder, extension) in [("proofs", "cert"), ("src", "rs")] {
            for path in below(&generated.join(folder), extension).unwrap() {
                let to = copy.path().join(path.strip_prefix(&generated).unwrap());
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                std::fs::copy(path, to).unwrap();
            }
        }
        for (path, from, to) in changes {
            let path = copy.path().join("src").join(path);
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "no `{from}`");
            std::fs::write(path, text.replacen(from, to, 1)).unwrap();
        }
        let refused = check_crate(copy.path()).unwrap().refused(copy.path());
        for (path, ..) in changes {
            let named = refused.iter().any(|refused| refused.contains(path));
            assert!(named, "{path}: {refused:#?}");
        }
    }
}

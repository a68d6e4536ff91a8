mod bounds;
mod crates;
mod definitions;
mod hidden;
mod mixed;
mod names;
mod review;

use std::path::{Path, PathBuf};

use super::*;
use crate::{Crate, check};

/// The crate that ships.
fn generated() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated")
}

fn shipped() -> Crate {
    Crate::read(&generated()).unwrap()
}

/// The text of one of its files.
fn source(file: &str) -> String {
    let path = generated().join(format!("src/{file}.rs"));
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// A kernel that ships, and what its certificate has it compute.
fn kernel(name: &str, program: &str) -> (String, Program) {
    let read = |path: String| {
        std::fs::read_to_string(generated().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let text = read(format!("src/plonky3/{name}.rs"));
    let checked = check(&read(format!("proofs/plonky3/{program}.cert"))).unwrap();
    (text, checked)
}

/// The kernels that are attacked: one word an element, two, S-boxes on other registers, and an order
/// of our own.
const KERNELS: [(&str, &str); 7] = [
    ("goldilocks/w8_neon_b2", "goldilocks/w8_eager"),
    ("goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves"),
    ("goldilocks/w8_avx512ifma_limbs_b2", "goldilocks/w8_limbs"),
    (
        "goldilocks/w12_neon_lanes_columns_b2",
        "goldilocks/w12_columns",
    ),
    (
        "goldilocks/w8_neon_lanes_columns_b1",
        "goldilocks/w8_columns",
    ),
    ("goldilocks/w8_x86_64_redc_b1", "goldilocks/w8_redc"),
    (
        "koala_bear/w16_avx2_across_uniform_b1",
        "koala_bear/w16_uniform",
    ),
];

#[test]
fn kernels_are_what_their_certificates_prove() {
    for (name, program) in KERNELS {
        let (text, shape) = kernel(name, program);
        assert_eq!(read(&text, &shape).err(), None, "{name}");
    }
}

/// A second arm is no way round the reader.
#[test]
fn macros_are_of_one_arm() {
    let (text, shape) = kernel(KERNELS[1].0, KERNELS[1].1);
    let from = "macro_rules! plus {";
    assert!(text.contains(from));
    let two = text.replacen(from, "macro_rules! plus { () => { 0 };", 1);
    assert!(read(&two, &shape).is_err());
}

/// Where one state lies across lanes, each move of words between them matters.
#[test]
fn words_in_other_lanes_are_refused() {
    let (text, shape) = kernel(KERNELS[6].0, KERNELS[6].1);
    let attacks = [
        ("pairs!(v0)", "neighbours!(v0)"),
        ("= next!(v0)", "= v0"),
        ("blocks!(v", "pairs!(v"),
        ("<0x4E>", "<0xB1>"),
        ("<0x39>", "<0x93>"),
        ("extract_epi32::<0>", "extract_epi32::<1>"),
        ("blend_epi32::<1>", "blend_epi32::<2>"),
        ("$b.cast_signed()", "$a.cast_signed()"),
        ("broadcast!(first)", "broadcast!(constants.internal[0])"),
        (
            "with_first!(state[0][0], broadcast!(first))",
            "with_first!(broadcast!(first), state[0][0])",
        ),
        (
            "constants.external[step - 1][3]",
            "constants.external[step - 1][4]",
        ),
        ("broadcast!(0_u32)", "broadcast!(1_u32)"),
        (
            "[[words[0][0].0, words[0][1].0]]",
            "[[words[0][1].0, words[0][0].0]]",
        ),
        (
            "words[0][1].0 = state[0][1];",
            "words[0][1].0 = state[0][0];",
        ),
        ("struct Vector(__m256i)", "struct Vector(__m512i)"),
        ("[[Vector; 2]; 1]", "[[Vector; 1]; 2]"),
        ("canonicalise_general!(", "canonicalise_signed_general!("),
        (
            "inlateout(ymm_reg) vector,",
            "out(\"ymm0\") _, inlateout(ymm_reg) vector,",
        ),
        ("\"/* {0} */\"", "\"vpxor {0}, {0}, {0}\""),
    ];
    for (from, to) in attacks {
        assert!(text.contains(from), "{from}");
        assert!(read(&text.replacen(from, to, 1), &shape).is_err(), "{from}");
    }
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

/// Where elements are normalised between several rounds, each of them counts.
#[test]
fn every_normalisation_is_in_its_round() {
    let name = "koala_bear/w16_avx512ifma_radix52_b1";
    let (text, shape) = kernel(name, "koala_bear/w16_radix52");
    assert_eq!(read(&text, &shape).err(), None);
    let rounds = "round == 6 || round == 13";
    assert!(text.contains(rounds), "{name}");
    for other in [
        "round == 6",
        "round == 6 || round == 12",
        "round == 6 || round == 13 || round == 14",
        "round == 6 && round == 13",
        "round == 6 || round != 13",
        "round == 6 || true",
    ] {
        let attacked = text.replacen(rounds, other, 1);
        assert!(read(&attacked, &shape).is_err(), "{other}");
    }
}

/// What has the stack aligned has no hold of anything, and gives nothing.
#[test]
fn nothing_but_room_is_made_on_the_stack() {
    let (text, shape) = kernel("koala_bear/w16_avx2_signed_b1", "koala_bear/w16_signed");
    assert_eq!(read(&text, &shape).err(), None);
    let room = "core::hint::black_box(&core::mem::MaybeUninit::<__m256i>::uninit());";
    assert!(text.contains(room));
    let attacks = [
        "core::hint::black_box(&mut *states);",
        "core::hint::black_box(&words[0][0]);",
        "core::hint::black_box(core::mem::MaybeUninit::<__m256i>::uninit().assume_init());",
        "let room = core::hint::black_box(&core::mem::MaybeUninit::<__m256i>::uninit());",
        "core::hint::black_box(&core::mem::MaybeUninit::<Vector>::uninit());",
    ];
    for attack in attacks {
        let attacked = text.replacen(room, attack, 1);
        assert!(read(&attacked, &shape).is_err(), "{attack}");
    }
}

/// What keeps loads where they are may stand anywhere, with nothing in it.
#[test]
fn nothing_is_done_where_loads_stay() {
    let (text, shape) = kernel("goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves");
    let at = "let v4_0_0 = plus!(v0_0_0, constant_low_0);";
    assert!(text.contains(at));
    let with = |statement: &str| {
        let changed = text.replacen(at, &format!("{statement}\n{at}"), 1);
        read(&changed, &shape).err()
    };
    assert_eq!(with("core::hint::black_box(());"), None);
    let attacks = [
        "black_box(());",
        "core::hint::black_box((v0_0_0 = v1_0_0));",
        "core::hint::black_box({ state[0][0][0] = v1_0_0; });",
        "core::hint::black_box((state,));",
        "core::hint::black_box(&mut state);",
        "let nothing = core::hint::black_box(());",
    ];
    for attack in attacks {
        assert!(with(attack).is_some(), "{attack}");
    }
}

/// A constant's name stands for a variable only if that has the constant's value, and keeps it; and a variable that
/// is made anew has its new value from there on.
#[test]
fn hidden_constants_are_what_they_are_called() {
    let (text, shape) = kernel("goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves");
    let variable = "let sign = core::hint::black_box(SIGN!());";
    let name = "macro_rules! SIGN {\n        () => {\n            sign\n        };\n    }";
    let attacks = [
        (variable, "let sign = core::hint::black_box(EPSILON!());"),
        (variable, "let epsilon = core::hint::black_box(SIGN!());"),
        (variable, "let mut sign = core::hint::black_box(SIGN!());"),
        (variable, "let sign = core::hint::black_box(words[0][0].0);"),
        (variable, ""),
        ("() => {\n            sign", "() => {\n            epsilon"),
        (
            "() => {\n            sign",
            "() => {\n            EPSILON!()",
        ),
        (name, "macro_rules! plus { () => { sign }; }"),
        (
            name,
            "let sign = EPSILON!();\n    macro_rules! SIGN(() => (sign););",
        ),
        (name, "macro_rules! SIGN { ($x:expr) => { sign }; }"),
        (
            "let words: &mut",
            "let constants = core::hint::black_box(SIGN!());\n    let words: &mut",
        ),
        (
            "let mut state = [",
            "let words = core::hint::black_box(SIGN!());\n    let mut state = [",
        ),
    ];
    for (from, to) in attacks {
        let (before, body) = text.split_once("pub fn permute").expect("a kernel");
        assert!(body.contains(from), "{from}");
        let attacked = format!("{before}pub fn permute{}", body.replacen(from, to, 1));
        assert!(read(&attacked, &shape).is_err(), "{from}: {to}");
    }
}

/// Tables of constants, their preparation, the registry and the tuning tables, each made wrong.
#[test]
fn tables_made_wrong_are_refused() {
    let wrong = [
        (
            "plonky3/goldilocks/constants_w8",
            "0xdd5743e7",
            "0xdd5743e8",
        ),
        (
            "plonky3/koala_bear/constants_w16",
            "internal: [",
            "internal: [0x0, ",
        ),
        ("registry", "lanes: 4,", "lanes: 8,"),
        (
            "registry",
            "w8_avx2_halves_b1::permute_raw",
            "w8_avx2_halves_b2::permute_raw",
        ),
        (
            "tuning",
            "kernel: \"plonky3/goldilocks/w8_scalar_redc_b1\"",
            "kernel: \"plonky3/goldilocks/w12_scalar_redc_b1\"",
        ),
        (
            "tuning",
            "kernel: \"plonky3/goldilocks/w8_scalar_redc_b1\"",
            "kernel: \"plonky3/goldilocks/w8_avx2_halves_b1\"",
        ),
        ("registry", "features: &[\"avx2\"]", "features: &[]"),
        ("registry", ", target_feature = \"sse2\"", ""),
        ("registry", "target_feature = \"neon\", ", ""),
        (
            "registry",
            "pub static GOLDILOCKS",
            "#[cfg(any())]\npub static GOLDILOCKS",
        ),
        ("tuning", "Kernel { step: 0, ", "Kernel { step: 9, "),
        (
            "tuning",
            "pub static TUNINGS",
            "#[cfg(any())]\npub static TUNINGS",
        ),
        ("goldilocks_columns", "[v3, v4]", "[v4, v3]"),
        (
            "goldilocks_limbs",
            "while n < constants.len()",
            "while n + 1 < constants.len()",
        ),
        (
            "goldilocks_redc",
            "let constant = constants[n];",
            "let constant = constants[0];",
        ),
        (
            "goldilocks_columns",
            "chunks[n] = [v3, v4];",
            "chunks[n] = [v3, v4];\n chunks[0] = [v3, v4];",
        ),
        ("goldilocks_limbs", "split!(constant)", "split!(n)"),
        (
            "goldilocks_redc",
            "macro_rules! split {",
            "#[cfg(test)]\nmacro_rules! split {",
        ),
    ];
    let read = shipped();
    assert_eq!(read.refused(&generated()), Vec::<String>::new());
    let [certificates, kernels] = read.counts();
    assert!(certificates > 0 && kernels > certificates);
    for (name, from, to) in wrong {
        let text = source(name);
        assert!(text.contains(from), "no `{from}`");
        assert_eq!(read.check(name, &text), Ok(true));
        let refused = read.check(name, &text.replacen(from, to, 1));
        assert!(refused.is_err(), "{name}: `{to}`");
    }
}

//! What a second review of the checker had it accept, and what must be refused since.

use super::*;
use crate::lemma::{Lemma, Lemmas};
use crate::reader::registry::Entry;
use std::collections::BTreeMap;

/// Why a text with one change is refused.
fn refused(name: &str, program: &str, from: &str, to: &str) -> String {
    let (text, shape) = kernel(name, program);
    assert!(text.contains(from), "{name}: no `{from}`");
    let read = shape.lemmas_of(&text.replacen(from, to, 1));
    read.expect_err(&format!("{name}: `{to}`")).what
}

const WIDE: [&str; 2] = [
    "koala_bear/w16_avx512ifma_radix52_b1",
    "koala_bear/w16_radix52",
];

/// A body is proved for one lane, so it must leave words in theirs.
#[test]
fn bodies_that_change_lanes() {
    let from = "let r = vaddq_u64(a, b);\n        r\n";
    let to = r#"let s = vaddq_u64(a, b);
        let r: uint64x2_t;
        unsafe {
            core::arch::asm!(
                "fmov {x}, {s:d}",
                "fmov {r:d}, {x}",
                s = in(vreg) s,
                x = out(reg) _,
                r = out(vreg) r,
                options(pure, nomem, nostack)
            );
        }
        r
"#;
    let [name, program] = [
        "goldilocks/w12_neon_lanes_columns_b2",
        "goldilocks/w12_columns",
    ];
    let what = refused(name, program, from, to);
    assert_eq!(what, "`plus` takes words out of their lanes");
}

/// What is read by its name has one text, in kernels of wide words too.
#[test]
fn macros_of_known_names() {
    let doubling = |name: &str| {
        format!(
            "macro_rules! {name} {{ ($a:expr) => {{{{ let a = $a; \
             let r = _mm512_add_epi64(a, a); r }}}}; }}\nmacro_rules! plus {{"
        )
    };
    for name in [
        "opaque",
        "first",
        "vector",
        "words",
        "with_first",
        "next",
        "pairs",
    ] {
        let what = refused(WIDE[0], WIDE[1], "macro_rules! plus {", &doubling(name));
        assert_eq!(what, format!("`{name}` is not what it is called"));
    }
}

/// Moves of words of 32 bits are none of longer ones.
#[test]
fn moves_of_other_words() {
    let moves = [
        (
            "next",
            "_mm256_shuffle_epi32::<0x39>($vector)",
            "$vector:expr",
        ),
        (
            "neighbours",
            "_mm256_shuffle_epi32::<0xB1>($vector)",
            "$vector:expr",
        ),
        (
            "with_first",
            "_mm256_blend_epi32::<1>($vector, $first)",
            "$vector:expr, $first:expr",
        ),
    ];
    for (name, text, operands) in moves {
        let item = format!("macro_rules! {name} {{ ({operands}) => {{ {text} }}; }}");
        let to = format!("{item}\nmacro_rules! plus {{");
        let [kernel, program] = ["goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves"];
        let what = refused(kernel, program, "macro_rules! plus {", &to);
        assert_eq!(what, format!("`{name}` is not what it is called"));
    }
}

/// A vector that is not as long as its states would be read and written beyond them.
#[test]
fn vectors_of_other_lengths() {
    let [kernel, program] = ["goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves"];
    let what = refused(kernel, program, "Vector(__m256i)", "Vector(__m512i)");
    assert!(what.contains("512 bits"), "{what}");
}

/// All features count, and nothing else may be enabled beside them.
#[test]
fn features_that_are_not_listed() {
    let [kernel, program] = ["goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves"];
    let from = "#[target_feature(enable = \"avx2\")]";
    for to in [
        "#[target_feature(enable = \"avx2\", enable = \"avx512f\")]",
        "#[target_feature(enable = \"avx2\")]\n#[target_feature(enable = \"avx512f\")]",
        "#[target_feature(enable = \"avx2\")]\n#[inline(never)]",
        "#[target_feature(enable = r\"avx2\")]",
    ] {
        refused(kernel, program, from, to);
    }
}

/// A word that is taken as signed is another one where lanes are wider.
#[test]
fn signs_of_constants() {
    let from = "broadcast!(constants.external[step - 1][0])";
    let to = "broadcast!(constants.external[step - 1][0].cast_signed())";
    let what = refused(WIDE[0], WIDE[1], from, to);
    assert!(what.contains("cast_signed"), "{what}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/proofs/plonky3");
    let text = std::fs::read_to_string(path.join("koala_bear/w16_radix52.cert")).unwrap();
    let (before, rest) = text.split_once("block constant").unwrap();
    let (_, after) = rest.split_once("\nblock ").unwrap();
    let less = "\nv1 = constant(2130706433)\nv2 = minus v0 v1\noutput v2\nblock ";
    let what = check(&format!("{before}block constant{less}{after}"))
        .unwrap_err()
        .what;
    assert_eq!(what, "a prepared constant may be negative");
}

/// The names of the loop that prepares constants are its own.
#[test]
fn constants_prepared_elsewhere() {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let read = Crate::read(&generated).unwrap();
    let name = "koala_bear_radix52";
    let text = std::fs::read_to_string(generated.join("src").join(name).with_extension("rs"));
    let text = text.unwrap();
    assert_eq!(read.check(name, &text), Ok(()));
    for shadow in [
        "let mut chunks = [[0u32; 1]; 4096];",
        "let n = 0;",
        "let constants = [constant];",
    ] {
        let altered = text.replacen("chunks[n] =", &format!("{shadow} chunks[n] ="), 1);
        assert!(read.check(name, &altered).is_err(), "{shadow}");
    }
}

/// Operations of one name and of words of other lengths are lemmas of their own.
#[test]
fn lemmas_of_other_words() {
    let (_, shape) = kernel(WIDE[0], WIDE[1]);
    let mut lemmas = Lemmas::new();
    crate::lemma::gather_ranges(&shape, &mut lemmas);
    let named = |lemma: &&Lemma| lemma.to_string() == "ranges koala-bear mul-add";
    assert_eq!(lemmas.values().filter(named).count(), 2);
}

/// A kernel has the name of what its certificate is about, and stands in its field's list.
#[test]
fn kernels_of_other_names() {
    let (text, shape) = kernel(KERNELS[0].0, KERNELS[0].1);
    let facts = read(&text, &shape).unwrap();
    for name in [
        "plonky3/goldilocks/w12_neon_b2",
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
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let text = std::fs::read_to_string(generated.join("src/registry.rs")).unwrap();
    let read = Crate::read(&generated).unwrap();
    let other = text.replacen("pub static KOALA_BEAR:", "pub static BABY_BEAR:", 1);
    assert!(read.check("registry", &other).is_err());
}

/// Files are those that lists of modules name, and nothing else is in such a list.
#[test]
fn modules_from_elsewhere() {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let read = Crate::read(&generated).unwrap();
    let text = std::fs::read_to_string(generated.join("src/lib.rs")).unwrap();
    assert_eq!(read.check("lib", &text), Ok(()));
    for (from, to) in [
        ("pub mod plonky3;", "#[path = \"x.rs\"] pub mod plonky3;"),
        ("pub mod plonky3;", "#[macro_use] pub mod plonky3;"),
        (
            "pub mod plonky3;",
            "#[cfg_attr(all(), path = \"x.rs\")] pub mod plonky3;",
        ),
        (
            "pub mod plonky3;",
            "pub mod plonky3 { pub mod goldilocks {} }",
        ),
        ("mod types;", "mod types; macro_rules! plus { () => {} }"),
        ("mod types;", "mod types; extern crate std as core;"),
        ("mod types;", "mod types; include!(\"x.rs\");"),
        ("pub use types::{Constants,", "pub use each::{Constants,"),
        ("pub use cpu::Cpu;", "pub use cpu::Cpu as Constants;"),
        ("#![no_std]", "#![no_std]\n#![feature(x)]"),
    ] {
        assert!(text.contains(from), "no `{from}`");
        let altered = text.replacen(from, to, 1);
        assert!(read.check("lib", &altered).is_err(), "{to}");
    }
    assert!(read.check("other", "pub const fn other() {}").is_err());
}

/// Files that are missing, or not recognised, and permutations that nothing states.
#[test]
fn crates_with_parts_left_out() {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let folder = std::env::temp_dir().join(format!("poseidon2-checker-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let shipped = |path: &str| std::fs::read_to_string(generated.join(path)).unwrap();
    let certificate = "proofs/plonky3/koala_bear/w16_radix52.cert";
    let kernel = "src/plonky3/koala_bear/w16_scalar_radix52_b1.rs";
    for path in [certificate, kernel] {
        write(path, &shipped(path));
    }
    let prepares = shipped("src/koala_bear_radix52.rs");
    write(
        "src/koala_bear_radix52.rs",
        &prepares.replacen("pub const fn", "pub  const fn", 1),
    );
    let other = shipped(certificate)
        .replace("parameter-set plonky3", "parameter-set x")
        .replace("program plonky3/", "program x/");
    write("proofs/x/koala_bear/w16_radix52.cert", &other);
    let read = Crate::read(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let refused = read.refused(&folder).join("\n");
    for what in [
        "src/koala_bear_radix52.rs: line 1: no file that crates have",
        "src/registry.rs: line 1: is not there",
        "src/tuning.rs: line 1: is not there",
        "src/plonky3/koala_bear/constants_w16.rs: line 1: is not there",
        "nothing states parameter set x",
    ] {
        assert!(refused.contains(what), "{what}:\n{refused}");
    }
}

const SCALAR: [&str; 2] = ["koala_bear/w16_scalar_b1", "koala_bear/w16_eager"];
const ACROSS: [&str; 2] = [
    "koala_bear/w16_avx2_across_uniform_b1",
    "koala_bear/w16_uniform",
];
const RADIX52: [&str; 2] = ["koala_bear/w16_scalar_radix52_b1", "koala_bear/w16_radix52"];
const ORDERED: [&str; 2] = [
    "goldilocks/w8_neon_lanes_columns_b1",
    "goldilocks/w8_columns",
];
const NEON: [&str; 2] = [
    "goldilocks/w12_neon_lanes_columns_b2",
    "goldilocks/w12_columns",
];
const ARMV8M: [&str; 2] = ["goldilocks/w8_armv8m_b1", "goldilocks/w8_eager"];
const X86_64: [&str; 2] = ["goldilocks/w8_x86_64_redc_b1", "goldilocks/w8_redc"];

/// Each would be another program to the compiler than to a reader that takes it.
#[test]
fn texts_that_mean_something_else() {
    let attacks: [(&str, [&str; 2], &str, &str, &str); 17] = [
        (
            "a macro by its raw name",
            SCALAR,
            "macro_rules! mul {",
            "macro_rules! r#plus { () => { 0 }; }\nmacro_rules! mul {",
            "written otherwise",
        ),
        (
            "a variable by its raw name",
            SCALAR,
            "let v5 = mul!(v4, v3);",
            "let v5 = mul!(v4, v3); let r#v5 = v4;",
            "written otherwise",
        ),
        (
            "a name that is not ASCII",
            SCALAR,
            "let v5 = mul!(v4, v3);",
            "let v5 = mul!(v4, v3); let v\u{e9} = v4;",
            "written otherwise",
        ),
        (
            "a module of another file",
            RADIX52,
            "macro_rules! plus {",
            "#[allow(unused_macros)]\nmod core;\nmacro_rules! plus {",
            "no item",
        ),
        (
            "a macro that is not there",
            SCALAR,
            "mul!(v4, v3)",
            "first!(mul!(v4, v3))",
            "there is no `first`",
        ),
        (
            "a name for a number",
            RADIX52,
            "let t2 = x >> 2;",
            "let t2 = x >> _2;",
            "no one instruction",
        ),
        (
            "an octal number",
            X86_64,
            ", 32\"",
            ", 032\"",
            "another number to an assembler",
        ),
        (
            "two results in one register",
            ARMV8M,
            "adccs {t0}, {t0}, #0",
            "adccs {t8}, {t8}, #0",
            "writes what it may not",
        ),
        (
            "a store into a copy of a reference",
            SCALAR,
            "let state = states;",
            "let state = states; for group in state.iter_mut() { let mut x = group; x[0][0] = 0_u32; }",
            "",
        ),
        (
            "an assignment to a name",
            SCALAR,
            "let state = states;",
            "let state = states; \
             for (group, result) in state.iter_mut().zip(state.iter_mut()) { group = result[0]; }",
            "",
        ),
        (
            "a second cast of states",
            ACROSS,
            "let words: &mut [[Vector; 2]; 1] = unsafe { &mut *core::ptr::from_mut(states).cast() };",
            "let words: &mut [[Vector; 2]; 1] = unsafe { &mut *core::ptr::from_mut(states).cast() };
             let words: &mut [[Vector; 2]; 1] = unsafe { &mut *core::ptr::from_mut(states).cast() };",
            "no cast",
        ),
        (
            "words of states beside vectors",
            ACROSS,
            "let words: &mut",
            "let (a, b) = (states[0][0], states[0][1]); let words: &mut",
            "states as they are",
        ),
        (
            "a member of what is no vector",
            SCALAR,
            "for round in 0..20",
            "let mut often = ([0, 0, 0],); for _x in often.0 {} for round in 0..20",
            "no vector",
        ),
        (
            "a word with a sign",
            SCALAR,
            "mul!(v4, v3)",
            "mul!(v4, v3.cast_signed())",
            "no expression",
        ),
        (
            "a number that may be negative",
            SCALAR,
            "for round in 0..20",
            "for i in 2..3 { if i * 2000000000 > 0 {} } for round in 0..20",
            "no index",
        ),
        (
            "a short word where a long one is read",
            RADIX52,
            "broadcast!(constants.internal[round])",
            "constants.internal[round]",
            "other words",
        ),
        (
            "a broadcast of no vector",
            NEON,
            "vdupq_n_u64($word)",
            "$word",
            "not what it is called",
        ),
    ];
    for (what, [name, program], from, to, says) in attacks {
        let said = refused(name, program, from, to);
        assert!(said.contains(says), "{what}: {said}");
    }
}

/// A constant in half a register leaves the other lanes empty.
#[test]
fn half_a_register() {
    let (text, shape) = kernel(ORDERED[0], ORDERED[1]);
    let text = text.replacen(
        "vdupq_n_u64(0x2000000020000000)",
        "vreinterpretq_u64_u32(vdupq_n_u32(0x20000000))",
        1,
    );
    assert_eq!(read(&text, &shape).err(), None);
    let half = "macro_rules! WIDE_LOW_HALF { () => { vdup_n_u32(0x20000000) }; }";
    let at = text.rfind("WIDE_LOW!()").unwrap();
    let (before, after) = text.split_at(at);
    let after = after.replacen("WIDE_LOW", "WIDE_LOW_HALF", 1);
    let text = format!("{before}{after}").replacen(
        "macro_rules! WIDE_LOW {",
        &format!("{half}\nmacro_rules! WIDE_LOW {{"),
        1,
    );
    let what = read(&text, &shape).unwrap_err();
    assert!(what.contains("other words"), "{what}");
}

/// Of tables that choose kernels nothing is hidden, and a kernel's name says what it is compiled for.
#[test]
fn choices_that_are_not_seen() {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let read = Crate::read(&generated).unwrap();
    let text = std::fs::read_to_string(generated.join("src/tuning.rs")).unwrap();
    assert!(text.contains("width: 8,"));
    let altered = text.replacen("width: 8,", "width: { 8 },", 1);
    let what = read.check("tuning", &altered).unwrap_err().what;
    assert!(what.contains("plain"), "{what}");

    let (text, shape) = kernel(ACROSS[0], ACROSS[1]);
    let facts = super::read(&text, &shape).unwrap();
    let name = "plonky3/koala_bear/w16_scalar_uniform_b1";
    let entry = Entry {
        program: &shape,
        facts: &facts,
    };
    let source = format!(
        "#[rustfmt::skip] pub static KOALA_BEAR: &[Kernel<u32>] = &[Kernel {{ name: {name:?} }}];"
    );
    let what = registry::read(&source, &BTreeMap::from([(name.to_owned(), entry)])).unwrap_err();
    assert!(what.contains("is compiled with"), "{what}");
}

/// Blocks of assembler take vectors by their names: a number would be in one lane alone.
#[test]
fn numbers_for_vectors() {
    let name = "goldilocks/w12_neon_lanes_b2";
    let (text, shape) = kernel(name, "goldilocks/w12_eager");
    let at = text.find("macro_rules! canonicalise {").unwrap();
    let (before, body) = text.split_at(at);
    let products = |b: &str| {
        let block = format!(
            r#"let x = $x;
        let d = {{
            let (first, second): (int64x2_t, int64x2_t);
            unsafe {{
                core::arch::asm!(
                    "smull {{first:v}}.2d, {{a:v}}.2s, {{b:v}}.2s",
                    "smull2 {{second:v}}.2d, {{a:v}}.4s, {{b:v}}.4s",
                    a = in(vreg) x,
                    b = in(vreg) {b},
                    first = out(vreg) first,
                    second = lateout(vreg) second,
                    options(nomem, nostack)
                );
            }}
            (first, second)
        }};
        let y = vreinterpretq_u64_s32(vuzp1q_s32(
            vreinterpretq_s32_s64(d.0),
            vreinterpretq_s32_s64(d.1),
        ));"#
        );
        let ones = "macro_rules! ONES { () => { 0x100000001_u64 }; }";
        format!(
            "{before}{ones}\n{}",
            body.replacen("let x = $x;", &block, 1)
                .replacen("(x, P", "(y, P", 1)
        )
    };
    assert_eq!(read(&products("x"), &shape).err(), None);
    let what = read(&products("ONES!()"), &shape).unwrap_err();
    assert!(what.contains("no one instruction"), "{what}");
}

/// A permutation is stated once, where its proofs are.
#[test]
fn other_statements() {
    let folder = tempfile::tempdir().unwrap();
    let proofs = folder.path().join("proofs/mine/koala_bear");
    std::fs::create_dir_all(&proofs).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let text = "poseidon2-instance 1\nparameter-set mine\nfield koala-bear\nwidth 16\n\
                external-rounds 8\ninternal-rounds 20\nalpha 3\n\
                diagonal -2 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\nconstants grain\n";
    for name in ["w16", "w16_other"] {
        std::fs::write(proofs.join(format!("{name}.instance")), text).unwrap();
    }
    let read = Crate::read(folder.path()).unwrap();
    let outcomes = read.outcomes.iter().map(|(path, outcome)| {
        let what = outcome.as_ref().err().map(|refused| refused.what.as_str());
        (path.file_name().unwrap().to_str().unwrap(), what)
    });
    let mut outcomes: Vec<_> = outcomes.collect();
    outcomes.sort_unstable();
    let elsewhere = "that is to be stated in proofs/mine/koala_bear/w16.instance";
    let wanted = [
        ("w16.instance", None),
        ("w16_other.instance", Some(elsewhere)),
    ];
    assert_eq!(outcomes, wanted);
}

//! What a second review of the checker had it accept, and what must be refused since.

use super::*;
use crate::lemma::{Lemma, Lemmas};

/// Why a text with one change is refused.
pub(super) fn refused(name: &str, program: &str, from: &str, to: &str) -> String {
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
    let what = refused(NEON[0], NEON[1], from, to);
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
    let path = generated().join("proofs/plonky3");
    let text = std::fs::read_to_string(path.join("koala_bear/w16_radix52.cert")).unwrap();
    let (before, rest) = text.split_once("block constant").unwrap();
    let (_, after) = rest.split_once("\nblock ").unwrap();
    let less = "\nv1 = constant(2130706433)\nv2 = minus v0 v1\noutput v2\nblock ";
    let what = check(&format!("{before}block constant{less}{after}"))
        .unwrap_err()
        .what;
    assert_eq!(what, "a prepared constant may be negative");
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

pub(super) const SCALAR: [&str; 2] = ["koala_bear/w16_scalar_b1", "koala_bear/w16_eager"];
pub(super) const ACROSS: [&str; 2] = [
    "koala_bear/w16_avx2_across_uniform_b1",
    "koala_bear/w16_uniform",
];
pub(super) const RADIX52: [&str; 2] =
    ["koala_bear/w24_scalar_radix52_b1", "koala_bear/w24_radix52"];
pub(super) const ORDERED: [&str; 2] = [
    "goldilocks/w8_neon_lanes_columns_b1",
    "goldilocks/w8_columns",
];
const NEON: [&str; 2] = [
    "goldilocks/w12_neon_lanes_columns_b2",
    "goldilocks/w12_columns",
];
const ARMV8M: [&str; 2] = ["goldilocks/w8_armv8m_b1", "goldilocks/w8_eager"];
pub(super) const X86_64: [&str; 2] = ["goldilocks/w8_x86_64_redc_b1", "goldilocks/w8_redc"];

/// Each would be another program to the compiler than to a reader that takes it.
#[test]
fn texts_that_mean_something_else() {
    let attacks: [(&str, [&str; 2], &str, &str, &str); 20] = [
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
            "constants.internal[round][0]",
            "other words",
        ),
        (
            "a word above a constant",
            WIDE,
            "broadcast!(constants.external[step - 1][0])",
            "broadcast!([constants.external[step - 1][0][0], 1_u32])",
            "no word with a zero above it",
        ),
        (
            "a round's constants in place of one",
            WIDE,
            "broadcast!(constants.external[step - 1][0])",
            "broadcast!(constants.external[step - 1])",
            "no word with a zero above it",
        ),
        (
            "halves of a constant that overlap",
            WIDE,
            "i64::from($pair[1]) << 32",
            "i64::from($pair[1]) << 31",
            "not what it is called",
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
    let half = "macro_rules! WIDE_LOW_HALF(() => (vdup_n_u32(0x20000000)););
                macro_rules! beside { ($a:expr) => {{
                    let a = $a;
                    let r = vaddq_u64(a, a);
                    (r, WIDE_LOW_HALF!())
                }}; }";
    let at = text.rfind("WIDE_LOW!()").unwrap();
    let (before, after) = text.split_at(at);
    for (to, says) in [
        ("WIDE_LOW_HALF!()", "other registers"),
        ("beside!(v137).1", "what no instruction does"),
    ] {
        let after = after.replacen("WIDE_LOW!()", to, 1);
        let text = format!("{before}{after}").replacen(
            "macro_rules! WIDE_LOW(",
            &format!("{half}\nmacro_rules! WIDE_LOW("),
            1,
        );
        let what = read(&text, &shape).err().unwrap_or_default();
        assert!(what.contains(says), "{to}: {what}");
    }
}

/// Blocks of assembler take vectors by their names: a number would be in one lane alone.
#[test]
fn numbers_for_vectors() {
    let (text, shape) = kernel(NEON[0], NEON[1]);
    let at = text.find("macro_rules! offset_wide_low {").unwrap();
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
        let ones = "macro_rules! ONES(() => (0x100000001_u64););";
        format!(
            "{before}{ones}\n{}",
            body.replacen("let x = $x;", &block, 1)
                .replacen("(x, WIDE_LOW", "(y, WIDE_LOW", 1)
        )
    };
    assert_eq!(read(&products("x"), &shape).err(), None);
    let what = read(&products("ONES!()"), &shape).unwrap_err();
    assert!(what.contains("no one instruction"), "{what}");
    // A register is no vector either.
    let register = r#"let x = $x;
        let ones: u64;
        unsafe {
            core::arch::asm!(
                "mov {ones}, {c}",
                c = in(reg) ONES!(),
                ones = lateout(reg) ones,
                options(pure, nomem, nostack)
            );
        }"#;
    let text = products("ones");
    let (before, body) = text.split_at(text.find("macro_rules! offset_wide_low {").unwrap());
    let text = format!("{before}{}", body.replacen("let x = $x;", register, 1));
    assert!(text.contains("lateout(reg) ones"));
    assert!(read(&text, &shape).is_err());
}

//! What a third review had the checker accept, and what must be refused since: parts of a text that were not looked at.

use super::review::{SCALAR, refused};
use super::*;

const STORE: &str = "state[0][element][0] = v5;";

/// Text that is compiled and never executed, and types that are not asked for: each could change the type of a counter,
/// or be a function that runs before all others.
#[test]
fn parts_of_kernels() {
    let avx2 = ["koala_bear/w16_avx2_signed_b1", "koala_bear/w16_signed"];
    let attacks: [(&str, [&str; 2], &str, &str, &str); 11] = [
        (
            "a branch that is not taken",
            SCALAR,
            STORE,
            "for n in 3..4 { if 0 > 1 { let _: u8 = n; } if n * 100 > 250 { state[0][element][0] = v5; } }",
            "never executed",
        ),
        (
            "a loop of no turns",
            SCALAR,
            STORE,
            "state[0][element][0] = v5; for _never in 0..0 { #[used] static F: fn() = main; }",
            "never executed",
        ),
        (
            "types of a method",
            SCALAR,
            STORE,
            "for (_first, n) in constants.internal.iter().zip::<core::ops::Range<u8>>(3..4) \
             { if n * 100 > 250 { state[0][element][0] = v5; } }",
            "types of a method",
        ),
        (
            "parameters of a type",
            avx2,
            "struct Vector(",
            "struct Vector<const N: usize = { 0 }>(",
            "no struct",
        ),
        (
            "a reference in a tuple",
            SCALAR,
            "let state = states;",
            "let state = states; \
             for pair in state.iter_mut().zip(0..1) { let mut z = pair.0; z[0][0] = 0_u32; }",
            "a reference, and no value",
        ),
        (
            "a list of references in a tuple",
            SCALAR,
            "let state = states;",
            "let state = states; for pair in state.iter_mut().zip(0..1) { for x in pair.0 {} }",
            "a reference, and no value",
        ),
        (
            "a macro behind the functions",
            SCALAR,
            "/// # Safety",
            "macro_rules! line { () => { 0x7f000001_u32 }; }\n/// # Safety",
            "no item",
        ),
        (
            "an array that no stack holds",
            SCALAR,
            "let state = states;",
            "let state = states; let mut _room = [5_u32; 400000];",
            "more arrays than a stack holds",
        ),
        (
            "many arrays that no stack holds",
            SCALAR,
            "let state = states;",
            "let state = states; let a = [0_u32; 2000]; let b = [a, a, a, a, a];",
            "more arrays than a stack holds",
        ),
        (
            "a name that borrows memory",
            SCALAR,
            "let state = states;",
            "let ref mut alias = states[0][0]; alias[0] = 0_u32; let state = states;",
            "no pattern",
        ),
        (
            "a second name in a pattern",
            SCALAR,
            "let state = states;",
            "let word = states[0][0][0]; let zero = 0_u32; let mut _all @ word = zero; \
             states[0][0][0] = word; let state = states;",
            "no pattern",
        ),
    ];
    for (what, [name, program], from, to, says) in attacks {
        let said = refused(name, program, from, to);
        assert!(said.contains(says), "{what}: {said}");
    }
}

/// An instruction on two words at once is another one where words have changed places; and only of NEON the checker
/// knows which registers are half as long.
#[test]
fn instructions_in_an_order_of_their_own() {
    for (name, program, op, place) in [
        (
            "koala_bear/w16_avx2_across_uniform_b1",
            "koala_bear/w16_uniform",
            "mul_signed",
            "macro_rules! canonicalise_signed {",
        ),
        (
            "goldilocks/w8_scalar_redc_b1",
            "goldilocks/w8_redc",
            "plus",
            "macro_rules! minus {",
        ),
    ] {
        let (text, shape) = kernel(name, program);
        let at = text.find(&format!("macro_rules! {op} {{")).unwrap();
        let end = at + text[at..].find("\n}\n").unwrap() + 3;
        let whole = &text[at..end];
        let ordered = format!("#[allow(unused_macros)]\nmod whole {{\n{whole}}}\n{place}");
        assert!(text.contains(place) && read(&text, &shape).is_ok());
        let what = read(&text.replacen(place, &ordered, 1), &shape)
            .err()
            .unwrap_or_default();
        assert!(what.contains("no order of their own"), "{name}: {what}");
    }
}

/// Tests execute the code in documentation, and the compiler reads files for it.
#[test]
fn documentation_that_is_code() {
    for line in [
        "/// ```\n/// std::fs::write(\"file\", \"text\").unwrap();\n/// ```",
        "/// Text.\n///\n///     std::fs::write(\"file\", \"text\").unwrap();",
        "///Text.\n///\n///    std::fs::write(\"file\", \"text\").unwrap();\n///",
        "/// -     std::fs::write(\"file\", \"text\").unwrap();",
        "#[doc = \"Text.\\r\\r    std::fs::write(1, 2);\"]",
        "#[doc = include_str!(\"/etc/hostname\")]",
    ] {
        let what = refused(
            SCALAR[0],
            SCALAR[1],
            "/// Permutes ",
            &format!("{line}\n/// Permutes "),
        );
        assert!(what.contains("attributes"), "{line}: {what}");
    }
    let crate_ = shipped();
    for (file, before) in [
        ("plonky3/goldilocks/constants_w8", "pub static CONSTANTS"),
        ("registry", "pub const GOLDILOCKS_TABLES"),
        ("registry", "pub static GOLDILOCKS"),
        ("goldilocks_redc", "pub const fn prepare"),
    ] {
        let text = source(file);
        assert!(text.contains(before), "{file}: {before}");
        for (line, holds) in [
            ("/// Text.", true),
            ("/// ```\n/// main();\n/// ```", false),
        ] {
            let text = text.replacen(before, &format!("{line}\n{before}"), 1);
            assert_eq!(crate_.check(file, &text).is_ok(), holds, "{file}: {line}");
        }
    }
}

/// A comment changes nothing.
#[test]
fn comments_are_not_read() {
    let (text, shape) = kernel(SCALAR[0], SCALAR[1]);
    for comment in ["// See the cfg of the crate.", "/// No `asm !` is in it."] {
        let text = text.replacen("/// Permutes ", &format!("{comment}\n/// Permutes "), 1);
        assert_eq!(read(&text, &shape).err(), None, "{comment}");
    }
}

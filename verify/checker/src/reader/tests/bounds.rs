//! Texts that would take for ever, or more stack than there is: found by `cargo verify fuzz`, or made
//! after what it found.

use super::review::{ACROSS, ORDERED};
use super::*;

/// Why `from` is refused with `to` in its place.
fn refused(from: &str, to: &str) -> String {
    let (text, shape) = kernel(KERNELS[0].0, KERNELS[0].1);
    assert!(text.contains(from), "no `{from}`");
    read(&text.replacen(from, to, 1), &shape).expect_err(to)
}

#[test]
fn no_loop_is_endless() {
    for range in [
        "0..2147483647",
        "0..=2147483647",
        "1..=1000000",
        "core::hint::black_box()",
    ] {
        let what = refused("for round in 0..22", &format!("for round in {range}"));
        let known = ["more than 1000000 steps", "black_box ()"];
        assert!(known.iter().any(|known| what.contains(known)), "{what}");
    }
    let nested = "for a in 0..100 { for b in 0..100 { for c in 0..100 { if 0 > 1 {} } } }";
    let what = refused(
        "for round in 0..22",
        &format!("{nested} for round in 0..22"),
    );
    assert!(what.contains("more than 1000000 steps"), "{what}");
}

#[test]
fn no_value_is_endless() {
    let double = |n| format!("let x{} = [x{n}, x{n}]; ", n + 1);
    let doubled: String = (0..60).map(double).collect();
    let all = format!("let x0 = 0; {doubled} for round in 0..22");
    let what = refused("for round in 0..22", &all);
    assert!(what.contains("more arrays than a stack holds"), "{what}");
}

#[test]
fn states_are_few() {
    let (text, shape) = kernel(KERNELS[0].0, KERNELS[0].1);
    let (from, to) = ("[[u64; 1]; 8]; 2]", "[[u64; 1]; 8]; 999999999999]");
    let all = text.replace(from, to);
    assert_ne!(all, text);
    let what = read(&all, &shape).expect_err(to);
    assert!(what.contains("more than 64 states"), "{what}");
}

/// Brackets, and what nests without them: operators, conditions, generics, closures.
#[test]
fn no_text_is_deep() {
    let nests = [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("mul!(", ")"),
        ("{0} + ", ""),
        ("x.", "x"),
        ("x + ", "x"),
        ("x = ", "x"),
        ("x as u8 as ", "u8"),
        ("-", "x"),
        ("!", "x"),
        ("&", "x"),
        ("if ", "x"),
        ("if x {} else ", "{}"),
        ("for A {} in ", ""),
        ("return ", "x"),
        ("|x, y| ", "x"),
        ("x::<A, ", ">"),
    ];
    for (open, close) in nests {
        for depth in [150, 100_000] {
            let nested = format!("let x = {}x{};", open.repeat(depth), close.repeat(depth));
            let all = format!("{nested} for round in 0..22");
            let what = refused("for round in 0..22", &all);
            let known = ["more than 150 tokens", "token stream"];
            assert!(
                known.iter().any(|known| what.contains(known)),
                "{open}: {what}"
            );
        }
    }
}

/// Names that are looked up in each turn of a loop, and numbers, of which a parser computes each digit.
#[test]
fn no_token_is_endless() {
    for word in ["9".repeat(20_000), "x".repeat(20_000)] {
        let what = refused(
            "for round in 0..22",
            &format!("let {word} = {word}; for round in 0..22"),
        );
        assert!(what.contains("longer than 100"), "{what}");
    }
}

/// What is just not too deep is read, with the stack of a thread; it is wrong in other ways.
#[test]
fn the_stack_is_deep_enough() {
    for (open, close, depth) in [
        ("(", ")", 110),
        ("{", "}", 55),
        ("[", "]", 110),
        ("-", "", 110),
        ("if ", "", 110),
        ("x.", "", 55),
        ("x + ", "", 55),
        ("|x| ", "", 25),
    ] {
        let nested = format!("let x = {}x{};", open.repeat(depth), close.repeat(depth));
        let all = format!("{nested} for round in 0..22");
        let what = refused("for round in 0..22", &all);
        assert!(!what.contains("more than 150 tokens"), "{open}: {what}");
    }
}

/// What is prepared may be written where nothing gets.
#[test]
fn what_is_never_prepared_is_refused() {
    let crate_ = shipped();
    let text = source("goldilocks_columns");
    let from = "chunks[n] = [v3, v4];";
    assert!(text.contains(from));
    let to = "if 0 > 1 { chunks[n] = [v3]; } let x = [v4];";
    crate_
        .check("goldilocks_columns", &text.replacen(from, to, 1))
        .expect_err(to);
}

/// A macro of kernels that reads memory has none to read where constants are prepared.
#[test]
fn what_is_prepared_is_read_from_no_memory() {
    let crate_ = shipped();
    let text = source("koala_bear_radix52");
    let entry = "macro_rules! entry { ($matrix:expr, $vector:literal, $lane:literal) => { \
        vreinterpretq_u64_u32(vdupq_laneq_u32::<$lane>(vreinterpretq_u32_u64($matrix[$vector].0))) }; }";
    let (from, to) = ("/// Makes ", "let constant = constants[n];");
    assert!(text.contains(from) && text.contains(to));
    let text = text.replacen(from, &format!("{entry}\n{from}"), 1);
    let text = text.replacen(to, &format!("{to} let x = entry!(constant, 0, 0);"), 1);
    let refused = crate_.check("koala_bear_radix52", &text);
    let refused = refused.expect_err("there is no matrix");
    assert!(refused.to_string().contains("no such memory"), "{refused}");
}

/// Texts that take long to compare, and programs that are computed for each state, whatever a kernel does.
#[test]
fn all_steps_are_counted() {
    let what = refused(
        "let state = states;",
        "let state = states; for a in 0..20000 { core::hint::black_box(()); }",
    );
    assert!(what.contains("more than 1000000 steps"), "{what}");
    for (value, turn) in [
        (
            "mut big = [0_u32; 9000]",
            "for (_b, _c) in big.iter().zip(0..1) {}",
        ),
        ("big = ([0_u32; 4500], 0_u32)", "let _b = big.1;"),
    ] {
        let (name, program) = ("koala_bear/w16_scalar_b1", "koala_bear/w16_eager");
        let to = format!("let state = states; let {value}; for _a in 0..300 {{ {turn} }}");
        let what = super::review::refused(name, program, "let state = states;", &to);
        assert!(what.contains("more than 1000000 steps"), "{turn}: {what}");
    }

    let table = "static MATRIX: [[u32; 8]; 1] = [[0, 0, 0, 0, 0, 0, 0, 0]];";
    let cast = "let _table: &[Vector; 1] = unsafe { \
                &*core::ptr::from_ref(core::hint::black_box(&MATRIX)).cast() };";
    let casts = format!(
        "for _a in 0..1000 {{ let _b = {{ {} 0 }}; }}",
        cast.repeat(200)
    );
    let (text, shape) = kernel(ACROSS[0], ACROSS[1]);
    let (packed, state) = ("#[repr(C, packed(4))]", "let mut state = [[words");
    let text = text.replacen(packed, &format!("{table}\n{packed}"), 1);
    let what = read(
        &text.replacen(state, &format!("{casts} {state}"), 1),
        &shape,
    )
    .unwrap_err();
    assert!(what.contains("more than 1000000 steps"), "{what}");

    let folder = generated().join("proofs/plonky3");
    let certificate = std::fs::read_to_string(folder.join("goldilocks/w8_eager.cert")).unwrap();
    let (before, sbox) = certificate.split_once("block external-sbox").unwrap();
    let (lines, after) = sbox.split_once("output v").unwrap();
    let last: usize = after.lines().next().unwrap().parse().unwrap();
    let longer = |more: usize, idle: fn(usize) -> String| {
        let idle = (last..last + more).map(|n| format!("v{} = {}\n", n + 1, idle(n)));
        let idle: String = idle.collect();
        format!("{before}block external-sbox{lines}{idle}output v{after}")
    };
    let long = longer(33_000, |_| "constant(1)".to_owned());
    let what = check(&long).unwrap_err().what;
    assert!(what.contains("more than 16000000 steps"), "{what}");
    let longer = longer(300, |n| format!("canonicalise v{n}"));
    let program = check(&longer).unwrap();
    let (text, _) = kernel(KERNELS[0].0, KERNELS[0].1);
    let (macros, _) = text.split_once("pub fn permute(").unwrap();
    let nothing = format!(
        "{macros}pub fn permute(states: &mut [[[u64; 1]; 8]; 64], constants: &Constants<u64, 8, 8, 22>) {{}}"
    );
    let what = read(&nothing, &program).unwrap_err();
    assert!(what.contains("more than 1000000 steps"), "{what}");

    // Where macro-ops are the instructions of their bodies, those count.
    let (text, shape) = kernel(ORDERED[0], ORDERED[1]);
    let (code, whole) = text.split_once("mod macro_ops {").unwrap();
    let (before, square) = whole.split_once("macro_rules! square {").unwrap();
    let adds = (0..5000).map(|n| format!("let s{} = vaddq_u64(s{n}, s{n});\n", n + 1));
    let long: String = adds.collect();
    let to = format!("let x = $x;\nlet s0 = vaddq_u64(x, x);\n{long}");
    let square = square.replacen("let x = $x;", &to, 1);
    let whole = format!("{before}macro_rules! square {{{square}");
    let what = read(&format!("{code}mod macro_ops {{{whole}"), &shape)
        .err()
        .unwrap_or_default();
    assert!(what.contains("more than 1000000 steps"), "{what}");
}

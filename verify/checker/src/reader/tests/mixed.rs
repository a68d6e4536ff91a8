//! What a review had the checker accept, and what must be refused since: values that are not those of one body,
//! tables that are no vectors, and kernels that are no plain Rust.

use super::review::{ACROSS, ORDERED, RADIX52, SCALAR};
use super::*;

/// Of two bodies of an operation each keeps its promise. The first result of one and the second of the other keep none,
/// and a word of one is no word of the other.
#[test]
fn results_of_two_bodies() {
    let (text, shape) = kernel("goldilocks/w8_avx512_halves_b1", "goldilocks/w8_halves");
    let at = text.find("macro_rules! mul_columns_halves {").unwrap();
    let end = at + text[at..].find("\n}\n").unwrap() + 3;
    let own = &text[at..end];
    let other = own
        .replacen("mul_columns_halves", "mul_columns_halves_general", 1)
        .replacen("let rl = ", "let u20 = ", 1)
        .replacen(
            "let rh = _mm512_sub_epi64(t19, t15);",
            "let u21 = _mm512_sub_epi64(t19, t15);
             let u22 = _mm512_srli_epi64::<63>(u20);
             let u23 = _mm512_slli_epi64::<32>(u22);
             let rl = _mm512_add_epi64(u20, u23);
             let rh = _mm512_sub_epi64(u21, u22);",
            1,
        );
    let text = format!("{}{own}{other}{}", &text[..at], &text[end..]);
    assert_eq!(read(&text, &shape).err(), None);
    let call = "let (v24, v25) = mul_columns_halves!(v22, v23);";
    assert!(text.contains(call));
    let with = |to: &str| read(&text.replacen(call, to, 1), &shape).err();
    assert_eq!(
        with("let (v24, v25) = mul_columns_halves_general!(v22, v23);"),
        None
    );
    let first = "let (v24, _high) = mul_columns_halves!(v22, v23);";
    let second = "let (_low, v25) = mul_columns_halves_general!(v22, v23);";
    let what = with(&format!("{first} {second}"));
    assert!(what.is_some_and(|what| what.contains("other words")));
}

/// A register of half words is none of words, and lines of assembler take either: what is moved from the one to the
/// other is not what it is called.
#[test]
fn halves_that_are_moved_as_words() {
    let (text, shape) = kernel(ORDERED[0], ORDERED[1]);
    let whole = "let v96 = vmovn_u64!(v53);";
    assert!(text.contains(whole));
    let with = |to: &str| read(&text.replacen(whole, to, 1), &shape).err();
    let words = "let (a, b) = (take_0!(v53), take_1!(v53));";
    let joined = format!("{words} let v96 = vmovn_u64!(join!(a, b));");
    assert_eq!(with(&joined), None);
    // In its low half the register has twice the first.
    let halves = format!(
        "{words} let (a, b) = (vmovn_u64!(join!(a, a)), vmovn_u64!(join!(b, b)));
         let v96 = join!(take_0!(a), take_0!(b));"
    );
    let what = with(&halves).unwrap_or_default();
    assert!(what.contains("other registers"), "{what}");
    let copy = r#"macro_rules! copy { ($a:expr) => {{
        let a = $a;
        let r0: uint64x2_t;
        unsafe {
            core::arch::asm!(
                "mov {t0:v}.16b, {a:v}.16b",
                a = in(vreg) a,
                t0 = lateout(vreg) r0,
                options(nomem, nostack)
            );
        }
        r0
    }}; }
    macro_rules! take_0 {"#;
    let copied = halves.replace(
        "join!(take_0!(a), take_0!(b))",
        "vector!(words!(copy!(a)).0, words!(copy!(b)).0)",
    );
    let text = text
        .replacen(whole, &copied, 1)
        .replacen("macro_rules! take_0 {", copy, 1);
    let what = read(&text, &shape).err().unwrap_or_default();
    assert!(what.contains("what no instruction does"), "{what}");
}

/// What is read by its name is nothing that a body could be of.
#[test]
fn other_bodies_of_known_names() {
    let (text, shape) = kernel(RADIX52[0], RADIX52[1]);
    let body = "macro_rules! wide_general { ($a:expr) => {{ let a = $a; let r = a >> 1; r }}; }";
    let text = text.replacen(
        "macro_rules! plus {",
        &format!("{body}\nmacro_rules! plus {{"),
        1,
    );
    assert_eq!(read(&text, &shape).err(), None);
    assert!(text.contains("(wide!("));
    assert!(read(&text.replacen("(wide!(", "(wide_general!(", 1), &shape).is_err());
}

/// A vector across lanes is eight words of a table, and not one.
#[test]
fn tables_that_are_shorter_than_vectors() {
    let (text, shape) = kernel(ACROSS[0], ACROSS[1]);
    let with = |row: &str, words: usize| {
        let table = format!("static MATRIX: [[u32; {words}]; 1] = [[{row}]];");
        let cast = "let _table: &[Vector; 1] = unsafe { \
                    &*core::ptr::from_ref(core::hint::black_box(&MATRIX)).cast() };";
        let (packed, state) = ("#[repr(C, packed(4))]", "let mut state = [[words");
        assert!(text.contains(packed) && text.contains(state));
        let text = text.replacen(packed, &format!("{table}\n{packed}"), 1);
        read(&text.replacen(state, &format!("{cast} {state}"), 1), &shape).err()
    };
    assert_eq!(with("1, 2, 3, 4, 5, 6, 7, 8", 8), None);
    assert!(with("5", 1).is_some_and(|what| what.contains("no cast")));
}

/// A vector of a table has another word in each lane. It is not its first word, where one lane is read for all.
#[test]
fn vectors_that_are_taken_for_words() {
    let [name, program] = ["koala_bear/w16_avx2_signed_b1", "koala_bear/w16_signed"];
    let (text, shape) = kernel(name, program);
    let word = "let constant_128 = core::hint::black_box(constant_128!());";
    let (packed, row) = ("#[repr(C, packed(4))]", "[[128, 2, 3, 4, 5, 6, 7, 8]]");
    assert!(text.contains(word) && text.contains(packed));
    let with = |vector: &str| {
        let cast = "let table: &[Vector; 1] = unsafe { \
                    &*core::ptr::from_ref(core::hint::black_box(&MATRIX)).cast() };";
        let table = format!("static MATRIX: [[u32; 8]; 1] = {row};\n{packed}");
        let text = text.replacen(word, &format!("{cast} {vector}"), 1);
        read(&text.replacen(packed, &table, 1), &shape).err()
    };
    assert_eq!(with(word), None);
    for vector in [
        "let [row] = table; let constant_128 = row.0;",
        "let other = table; let [row] = other; let constant_128 = row.0;",
        "let (tables,) = ([table],); let [[row]] = tables; let constant_128 = row.0;",
        "let row = table[0]; let constant_128 = row.0;",
        "let rows = [table[0]]; let [row] = rows; let constant_128 = row.0;",
        "for row in table { let _first = row.0; }",
    ] {
        let what = with(vector).unwrap_or_default();
        assert!(what.contains("no word of it"), "{vector}: {what}");
    }
}

/// A member of a pair is a reference. Another one in its place leaves what it referred to as it was: here zeros, which
/// the kernel would take for its states.
#[test]
fn references_that_are_assigned() {
    let [name, program] = ["goldilocks/w8_scalar_redc_b1", "goldilocks/w8_redc"];
    let (text, shape) = kernel(name, program);
    let states = "let words = states;";
    let at = text.find(states).unwrap() + states.len();
    let end = at + text[at..].find("]];").unwrap();
    let taken = text[at..end].replace("words[", "taken[");
    let with = |pairs: &str| {
        let copied = format!("let mut copy = [[[[0_u64]; 8]]]; {pairs}");
        let text = format!("{}{copied}{taken}{}", &text[..at], &text[end..]);
        read(&text, &shape).unwrap_err()
    };
    for (pairs, says) in [
        (
            "for pair in copy.iter_mut().zip(words.iter()) { pair.0[0] = pair.1; } let [taken] = copy;",
            "a reference, and no value",
        ),
        (
            "for mut pair in copy.iter_mut().zip(0..1) { pair.0 = words; } let [taken] = copy;",
            "no place in memory",
        ),
        (
            "for pair in copy.iter_mut().zip(0..1) { let (mut pair, _n) = (pair, 0); pair.0 = words; }
             let taken = copy[0];",
            "no place in memory",
        ),
    ] {
        let what = with(pairs);
        assert!(what.contains(says), "{pairs}: {what}");
    }
    let text = text.replacen(
        states,
        "let words = states; let mut copy = [[0_u64]]; copy[0][0] = 1_u64;",
        1,
    );
    assert_eq!(read(&text, &shape).err(), None);
}

/// Assembler, and intrinsics of one architecture, are not plain Rust.
#[test]
fn what_is_not_plain_rust() {
    let (text, shape) = kernel(SCALAR[0], SCALAR[1]);
    let at = text.find("macro_rules! add {").unwrap();
    let end = at + text[at..].find("\n}\n").unwrap() + 3;
    let add = r#"macro_rules! add { ($a:expr, $b:expr) => {{
        let a = $a;
        let b = $b;
        let t = u32::wrapping_add(a, b);
        let r: u32;
        unsafe {
            core::arch::asm !("mov {r}, {t}", t = in(reg) t, r = out(reg) r, options(pure, nomem, nostack));
        }
        r
    }}; }
"#;
    let assembler = format!("{}{add}{}", &text[..at], &text[end..]);
    let target = read(&assembler, &shape).map(|facts| facts.target);
    assert_ne!(target, Ok(Some(Target::Scalar)));
    let uses = "use crate::Constants;";
    let intrinsics = text.replacen(uses, &format!("{uses}\nuse core::arch::x86_64::*;"), 1);
    let what = read(&intrinsics, &shape).unwrap_err();
    assert!(what.contains("no item"), "{what}");
}

/// A lane of a vector holds two short words, and a general register one, with anything above it.
#[test]
fn short_words_in_long_registers() {
    let text = r#"macro_rules! twice_general { ($a:expr) => {{
        let a = $a;
        let r: u64;
        unsafe {
            core::arch::asm!("mov {r}, {a}", a = in(reg) a, r = out(reg) r, options(pure, nomem, nostack));
        }
        r
    }}; }"#;
    let (_, short) = kernel(SCALAR[0], SCALAR[1]);
    let (_, long) = kernel(ORDERED[0], ORDERED[1]);
    let with = |shape: &Program, target| body(text, (&shape.field, None), target).map(drop);
    for target in [Target::Neon, Target::Sse2] {
        assert_eq!(with(&long, target), Ok(()));
        let what = with(&short, target).unwrap_err();
        assert!(what.contains("is not written"), "{what}");
    }
}

/// A number in half of a general register is none in both halves of a lane.
#[test]
fn short_numbers_in_long_lanes() {
    let (text, shape) = kernel(ORDERED[0], ORDERED[1]);
    let text = text.replacen(
        "vdupq_n_u64(0x2000000020000000)",
        "vreinterpretq_u64_u32(vdupq_n_u32(0x20000000))",
        1,
    );
    assert_eq!(read(&text, &shape).err(), None);
    let (before, after) = text.split_at(text.rfind("WIDE_LOW!()").unwrap());
    let with = |number: &str| {
        let joined = format!("join!({number}, {number})");
        format!("{before}{}", after.replacen("WIDE_LOW!()", &joined, 1))
    };
    let what = read(&with("0x20000000_u32"), &shape).unwrap_err();
    assert!(what.contains("no number"), "{what}");
    let table = "static MATRIX: [[u32; 1]; 1] = [[0x20000000]];";
    let text = with("MATRIX[0][0]").replacen("#[repr(C", &format!("{table}\n#[repr(C"), 1);
    let what = read(&text, &shape).unwrap_err();
    assert!(what.contains("no item"), "{what}");
}

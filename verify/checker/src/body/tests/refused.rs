//! Bodies that are almost right.

use super::*;

/// No line of it is an instruction of a table.
const MOVE: &str = "($a:expr) => {{
    let a = $a;
    let r: u64;
    unsafe {
        core::arch::asm!(
            \"mov {r}, {a}\",
            a = in(reg) a,
            r = out(reg) r,
            options(pure, nomem, nostack)
        );
    }
    r
}};";

#[test]
fn bodies_that_are_not_understood_are_refused() {
    let cases = [
        (
            "a value that is not there",
            RUST,
            Target::Neon,
            "(high)",
            "(hi)",
        ),
        (
            "a constant that is not there",
            RUST,
            Target::Neon,
            "HALF!",
            "HALVES!",
        ),
        (
            "a word for a half",
            RUST,
            Target::Neon,
            "low, t2, HALF",
            "low, t2, EPSILON",
        ),
        (
            "an immediate out of bounds",
            RUST,
            Target::Neon,
            "::<32>",
            "::<33>",
        ),
        (
            "no instruction",
            RUST,
            Target::Neon,
            "vandq_u64(",
            "vandq_u32(",
        ),
        (
            "a row of another target",
            RUST,
            Target::Avx2,
            "$low",
            "$low",
        ),
        (
            "an operand evaluated again",
            RUST,
            Target::Neon,
            "(high)",
            "($high)",
        ),
        (
            "operands exchanged",
            RUST,
            Target::Neon,
            "let low = $low",
            "let low = $high",
        ),
        (
            "a second arm",
            RUST,
            Target::Neon,
            "}};",
            "}}; () => {{ 0 }};",
        ),
        (
            "a branch",
            RUST,
            Target::Neon,
            "let t5",
            "if t4 == t3 { return } let t5",
        ),
        (
            "a result too many",
            RUST,
            Target::Neon,
            "let t5",
            "let (t5, t6)",
        ),
        (
            "an undeclared register",
            ADD,
            Target::Aarch64,
            "t1 = out(reg) _,",
            "",
        ),
        (
            "a register of a name",
            ADD,
            Target::Aarch64,
            "t1 = out(reg) _,",
            "out(\"x9\") _,",
        ),
        (
            "an unknown option",
            ADD,
            Target::Aarch64,
            "pure,",
            "preserves_flags,",
        ),
        (
            "options left out",
            ADD,
            Target::Aarch64,
            "options(pure, nomem, nostack),",
            "",
        ),
        (
            "an operand that is written",
            ADD,
            Target::Aarch64,
            "csetm {t1:w}",
            "csetm {a:w}",
        ),
        (
            "an output never written",
            ADD,
            Target::Aarch64,
            "t0 = out(reg) _",
            "t0 = out(reg) r",
        ),
        (
            "an output not written yet",
            ADD,
            Target::Aarch64,
            "{t2}, {t0}, {t1}",
            "{t0}, {t2}, {t1}",
        ),
        (
            "late, with operands to be read",
            ADD,
            Target::Aarch64,
            "t0 = out",
            "t0 = lateout",
        ),
        ("flags of nothing", ADD, Target::Aarch64, "\"adds", "\"add"),
        (
            "two in a line",
            ADD,
            Target::Aarch64,
            "cs\"",
            "cs; add {t1}, {t1}, {a}\"",
        ),
        (
            "another view",
            ADD,
            Target::Aarch64,
            "{t2}, {t0}, {t1}",
            "{t2:w}, {t0:w}, {t1:w}",
        ),
        (
            "a line of no instruction",
            ADD,
            Target::Aarch64,
            "csetm {t1:w}",
            "csetm {t1}",
        ),
        (
            "an address",
            ADD,
            Target::Aarch64,
            "\"adds",
            "\"str {a}, [{b}]\", \"adds",
        ),
        (
            "a branch in assembler",
            ADD,
            Target::Aarch64,
            "\"adds",
            "\"cbz {a}, 2f\", \"adds",
        ),
        (
            "another declared type",
            ADD,
            Target::Aarch64,
            "let r: u64",
            "let r: u32",
        ),
        (
            "a carry that is gone",
            SUB,
            Target::X86_64,
            "mov {t1}, {b}",
            "shl {t1}, 1",
        ),
        (
            "a carry overwritten",
            SUB,
            Target::X86_64,
            "mov {t1}, {b}\"",
            "mov {t1}, {b}\", \"shl {t1}, 1\"",
        ),
        (
            "a move of nothing",
            SUB,
            Target::X86_64,
            "mov {t1}, {b}",
            "mov {t1}, {t0}",
        ),
        (
            "a move to an operand",
            SUB,
            Target::X86_64,
            "mov {t1}, {b}",
            "mov {b}, {a}",
        ),
        (
            "a may be where b is",
            SUB,
            Target::X86_64,
            "inout(reg)",
            "inlateout(reg)",
        ),
        (
            "a half for a word",
            VECTOR,
            Target::Neon,
            "{a:v}.2d, {c:v}.2d",
            "{a:v}.2d, {t0:v}.2d",
        ),
        (
            "a word in a vector's place",
            VECTOR,
            Target::Neon,
            "in(vreg) c",
            "in(vreg) EPSILON_GENERAL!()",
        ),
        (
            "a product where its factors still are",
            BLOCK,
            Target::Neon,
            " = out(vreg)",
            " = lateout(vreg)",
        ),
        (
            "one line of two",
            BLOCK,
            Target::Neon,
            "smull2 {second:v}.2d, {a:v}.4s",
            "smull2 {second:v}.2d, {b:v}.4s",
        ),
        (
            "a word for a vector",
            VECTOR,
            Target::Neon,
            "let r0: uint64x2_t",
            "let r0: u64",
        ),
        (
            "a result that is not declared as wide as it is",
            HALVES,
            Target::Armv8m,
            "let t5: u32",
            "let t5: u64",
        ),
        (
            "two results in one register",
            HALVES,
            Target::Armv8m,
            "umull {t0}, {t1}",
            "umull {t0}, {t0}",
        ),
        (
            "a carry that the line between has changed",
            HALVES,
            Target::Armv8m,
            "            \"itt",
            "            \"and {t1}, {t1}, #1\",\n            \"itt",
        ),
        (
            "a word that is overwritten elsewhere",
            HALVES,
            Target::Armv8m,
            "subscs {t0}, {t0}",
            "subscs {t0}, {t1}",
        ),
        (
            "a block after a block",
            VECTOR,
            Target::Neon,
            "    r0\n",
            "    unsafe { core::arch::asm!(options(pure, nomem, nostack)); }\n    r0\n",
        ),
        ("assembler of plain Rust", MOVE, Target::Scalar, "", ""),
        ("assembler of WebAssembly", MOVE, Target::Wasm, "", ""),
    ];
    for (what, text, target, from, to) in cases {
        let changed = text.replacen(from, to, 1);
        assert!(changed != text || from == to, "{what}: {from}");
        assert!(
            body(&changed, target).is_err(),
            "{what}: {:?}",
            body(&changed, target)
        );
    }
}

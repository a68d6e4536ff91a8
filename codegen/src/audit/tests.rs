use std::collections::BTreeMap;

use super::*;
use crate::isa::Kind;

const SCALAR: &str = include_str!("tests/samples/scalar.rs");
const NEON: &str = include_str!("tests/samples/neon.rs");

fn info(features: &[&str]) -> KernelInfo {
    KernelInfo {
        name: "plonky3/goldilocks/w8_test_b2".to_owned(),
        parameter_set: "plonky3".to_owned(),
        field: "goldilocks".to_owned(),
        width: 8,
        external_rounds: 8,
        internal_rounds: 22,
        isa: "test".to_owned(),
        layout: "registers".to_owned(),
        strategy: "eager".to_owned(),
        batch: 2,
        lanes: 1,
        features: features.iter().map(ToString::to_string).collect(),
        target_arch: None,
        word_bits: 64,
        parts: 1,
        code: String::new(),
        file: String::new(),
        certificate: String::new(),
        sites: 3,
        elided: 1,
        kept: 2,
        counts: BTreeMap::new(),
    }
}

/// The flow of a sample.
fn flow(internal: &[Step]) -> Vec<Step> {
    let linear = Step::Once(BlockKind::ExternalLinear);
    let before = [linear, Step::External(0..4)];
    [&before, internal, &[Step::External(4..8)]].concat()
}

fn words(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(ToString::to_string).collect()
}

fn scalar(source: &str) -> String {
    let plan = Plan {
        info: &info(&[]),
        allowed: &words(&[
            "u64::overflowing_add",
            "u64::wrapping_mul",
            "u64::wrapping_add",
            "u64::from",
            "cast",
            "^",
        ]),
        computing: &words(&[
            "u64::overflowing_add",
            "u64::wrapping_mul",
            "u64::wrapping_add",
            "^",
        ]),
        flow: &flow(&[
            Step::Internal(0..11),
            Step::Once(BlockKind::InternalNormalise),
            Step::Internal(11..22),
        ]),
        unsafe_blocks: 1,
        sites: &BTreeSet::from([
            "external[*].sbox.rc",
            "external[*].mds.out[0]",
            "internal.rc",
        ]),
    };
    list(&audit(source, &plan))
}

fn neon(source: &str) -> String {
    let plan = Plan {
        info: &info(&["neon"]),
        allowed: &words(&[
            "ldr",
            "str",
            "adds",
            "csel",
            "add",
            "umulh",
            "as_mut_ptr",
            "cast",
            "core::ptr::from_ref",
        ]),
        computing: &words(&["adds", "csel", "umulh"]),
        flow: &flow(&[Step::Internal(0..22)]),
        unsafe_blocks: 3,
        sites: &BTreeSet::from(["external[*].mds.out[0]", "internal.rc"]),
    };
    list(&audit(source, &plan))
}

fn list(findings: &[Finding]) -> String {
    let lines: Vec<_> = findings.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// What the audit says of `sample` after each change, one paragraph a change.
fn mutated(sample: &str, audit: fn(&str) -> String, changes: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (from, to) in changes {
        assert!(sample.contains(from), "{from}");
        let found = audit(&sample.replacen(from, to, 1));
        assert!(!found.is_empty(), "accepted: {from} -> {to}");
        text += &format!("{} -> {}\n{found}\n\n", from.trim(), to.trim());
    }
    text
}

#[test]
fn kernels_as_planned_are_accepted() {
    assert_eq!(scalar(SCALAR), "");
    assert_eq!(neon(NEON), "");
}

#[test]
fn every_departure_in_plain_rust_is_found() {
    let changes = [
        ("u64::wrapping_add(t2, t4)", "u64::wrapping_sub(t2, t4)"),
        ("u64::wrapping_add(t2, t4)", "t2 + t4"),
        ("u64::wrapping_add(t2, t4)", "t2.wrapping_add(t4)"),
        ("add!(group[0], group[1])", "mul!(group[0], group[1])"),
        ("add!(group[0], group[1])", "group[0] ^ group[1]"),
        ("add!(group[0], group[1])", "std::hint::black_box(group[0])"),
        ("add!(group[0], group[1])", "u64::from(group[0] < group[1])"),
        ("add!(group[0], group[1])", "group[0] as u32"),
        // On words that are rare: no test with random words would see it.
        ("group[0] = v9;", "if group[1] == 5 { group[0] = v9; }"),
        (
            "group[0] = v9;",
            "match group[1] { 5 => {} _ => group[0] = v9 }",
        ),
        (
            "group[0] = v9;",
            "let step = group[1]; if step == 4 { group[0] = v9; }",
        ),
        (
            "group[0] = v9;",
            "if group[1] == 5 { continue } group[0] = v9;",
        ),
        (
            "group[0] = v9;",
            "let _ = group[1] == 5 && { group[0] = v9; true };",
        ),
        ("if step == 4", "if step == 4 && state[0][0] != 5"),
        // Nothing proves what stands outside of macro-ops.
        (
            "group[0] = v9;",
            "group[0] = u64::wrapping_add(v9, group[2]);",
        ),
        ("group[0] = v9;", "group[0] = v9 ^ group[2];"),
        ("group[0] = v9;", "group[0] ^= v9;"),
        // Another flow.
        ("if step == 4", "if step == 3"),
        ("if step > 0", "if step > 1"),
        ("if round == 11", "if round == 12"),
        ("if round == 11", "if round == 12 {}\n if round == 11"),
        ("0..=8", "0..8"),
        ("0..22", "0..21"),
        ("0..22", "0..rounds"),
        ("for round in 0..22", "while round < 22"),
        (
            "pub fn permute(",
            "#[target_feature(enable = \"avx2\")]\npub fn permute(",
        ),
        ("// site: internal.rc\n", "\n"),
        ("internal.rc", "internal.sum[1]"),
        ("{ permute(", "{ states.write(0); permute("),
        ("group[0] = v9;", "unsafe { group[0] = v9 };"),
        ("macro_rules! EPSILON", "macro_rules! add"),
        ("pub unsafe fn permute_raw", "pub unsafe fn raw"),
        ("pub fn permute(", "pub fn permute("[..8].trim_end()),
    ];
    insta::assert_snapshot!(mutated(SCALAR, scalar, &changes));
}

#[test]
fn every_departure_in_assembly_is_found() {
    let changes = [
        ("csel x5, x3, xzr, hs", "csneg x5, x3, xzr, hs"),
        ("csel x5, x3, xzr, hs", "csel x7, x3, xzr, hs"),
        ("csel x5, x3, xzr, hs", "csel x3, x3, xzr, hs"),
        ("umulh x6, x4, x4", "umulh w18, x4, x4"),
        ("ldr x4, [x0]", "ldr x4, [sp]"),
        ("ldr x4, [x0]", "ldr x4, [x0], #8"),
        ("ldr x4, [x0]", "ldr x5, [x0]"),
        ("out(\"x4\") _", "lateout(\"x4\") _"),
        ("out(\"x5\") _,", ""),
        ("options(nostack)", "options(nostack, preserves_flags)"),
        ("options(nostack)", "options(nostack, nomem)"),
        ("in(\"x0\") state", "sym state"),
        ("enable = \"neon\"", "enable = \"neon,sha3\""),
        ("#[target_feature(enable = \"neon\")]", ""),
    ];
    insta::assert_snapshot!(mutated(NEON, neon, &changes));
}

#[test]
fn late_outputs_are_those_of_the_last_line() {
    let found = |source: &str| {
        let reading = Reading::of(&format!("fn f() {{ unsafe {{ {source} }} }}")).unwrap();
        let mut findings = Vec::new();
        registers::check(&reading.asm[0], &mut findings);
        list(&findings)
    };
    let operands = "a = in(reg) x, r = out(reg) y, late = lateout(reg) z, options(nomem, nostack)";
    let right = format!("asm!(\"adds {{r}}, {{a}}, {{a}}\", \"csetm {{late:w}}, cs\", {operands})");
    assert_eq!(found(&right), "");
    let wrong = format!("asm!(\"mov {{late}}, {{a}}\", \"add {{r}}, {{a}}, {{a}}\", {operands})");
    assert!(found(&wrong).contains("late"), "{}", found(&wrong));
}

#[test]
fn registers_of_every_form_are_recognised() {
    let effect = |text: &str| {
        let (reads, writes) = asm::effect(text);
        format!("{} <- {}", writes.join(" "), reads.join(" "))
    };
    assert_eq!(effect("madd x1, x2, w3, xzr"), "x1 <- x2 x3");
    assert_eq!(effect("ldp x1, x2, [x3, #16]"), "x1 x2 <- x3");
    assert_eq!(effect("stp x1, x2, [x3, #-16]!"), "x3 <- x1 x2 x3");
    assert_eq!(effect("ldr q1, [x2], #16"), "v1 x2 <- x2");
    assert_eq!(effect("ld1 {{v0.2d, v1.2d}}, [x0]"), "v0 v1 <- x0");
    assert_eq!(effect("umlal v0.2d, v1.2s, v2.2s"), "v0 <- v0 v1 v2");
    assert_eq!(effect("ins v0.d[1], x1"), "v0 <- v0 x1");
    assert_eq!(effect("adds {t}, {a:x}, x5, lsl #32"), "{t} <- {a} x5");
    assert_eq!(effect("cmp x1, x2"), " <- x1 x2");
    assert_eq!(effect("b.lo 2b"), " <- ");
}

/// What the audit knows of the instructions' operands, and what their rows say of them.
#[test]
fn rows_and_audit_agree_on_what_lines_read_and_write() {
    use crate::isa::{Operand, Target, join, table, take};
    let rows = Target::all()
        .iter()
        .flat_map(|&target| table(target).rows());
    for row in rows.chain(take()).chain(join()) {
        let line = row.line_with(|hole| match hole.operand {
            Operand::Result(n) => format!("{{{}}}", hole.viewed(&format!("r{n}"))),
            Operand::Source(n) => format!("{{{}}}", hole.viewed(&format!("s{n}"))),
            Operand::Immediate(_) => "1".to_owned(),
        });
        let Some(text) = line else {
            continue;
        };
        let named = |operand| row.line_names(operand);
        let sources = 0..row.sources.len();
        let mut reads: BTreeSet<String> = sources
            .filter(|&n| named(Operand::Source(n)))
            .map(|n| format!("{{s{n}}}"))
            .collect();
        let register = |kind: &Kind| !matches!(kind, Kind::Bit | Kind::Flags);
        let overwritten = row.sources.first().is_some_and(register) && !named(Operand::Source(0));
        reads.extend(overwritten.then(|| "{r0}".to_owned()));
        let writes = named(Operand::Result(0)).then(|| "{r0}".to_owned());
        let (read, written) = asm::effect(&text);
        assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), reads, "{text}");
        assert_eq!(written, writes.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

mod refused;

use super::*;

fn body(text: &str, target: Target) -> Result<String, String> {
    let constants = Constants::from([
        (
            "EPSILON".to_owned(),
            ((Value::Constant(0xffff_ffff, 64), 64), true),
        ),
        (
            "HALF".to_owned(),
            ((Value::Constant(0xffff_ffff, 32), 32), true),
        ),
        (
            "EPSILON_GENERAL".to_owned(),
            ((Value::Constant(0xffff_ffff, 64), 64), false),
        ),
    ]);
    Body::read(&tokens(text), &constants, target, 64).map(|body| body.to_string())
}

/// A body in words, to compare.
impl std::fmt::Display for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ->", self.operands)?;
        for step in &self.steps {
            let name = &step.instruction.meanings[0];
            write!(f, " {name}{:?}{:?};", step.immediates, step.sources)?;
        }
        write!(f, " {:?}", self.results)
    }
}

const RUST: &str = "($low:expr, $high:expr) => {{
    let low = $low;
    let high = $high;
    let t2 = vshrn_n_u64::<32>(high);
    let t3 = vmlal_u32(low, t2, HALF!());
    let t4 = vreinterpretq_u64_s64(vqaddq_s64(
        vreinterpretq_s64_u64(t3),
        vreinterpretq_s64_u64(low),
    ));
    let t5 = vandq_u64(t4, EPSILON!());
    (t3, t5)
}};";

const ADD: &str = "($a:expr, $b:expr) => {{
    let a = $a;
    let b = $b;
    let r: u64;
    unsafe {
        core::arch::asm!(
            \"adds {t0}, {a}, {b}\",
            \"csetm {t1:w}, cs\",
            \"add {t2}, {t0}, {t1}\",
            \"and {t2}, {t2}, {epsilon}\",
            a = in(reg) a,
            b = in(reg) b,
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) r,
            epsilon = in(reg) EPSILON_GENERAL!(),
            options(pure, nomem, nostack),
        );
    }
    r
}};";

const SUB: &str = "($a:expr, $b:expr) => {{
    let a = $a;
    let b = $b;
    let r: u64;
    unsafe {
        core::arch::asm!(
            \"sub {a}, {b}\",
            \"mov {t1}, {b}\",
            \"sbb {t0:e}, {t0:e}\",
            \"sub {a}, {t0}\",
            a = inout(reg) a => r,
            b = in(reg) b,
            t0 = out(reg) _,
            t1 = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    r
}};";

const VECTOR: &str = "($a:expr, $b:expr, $c:expr) => {{
    let a = $a;
    let b = $b;
    let c = $c;
    let r0: uint64x2_t;
    unsafe {
        core::arch::asm!(
            \"shrn {t0:v}.2s, {b:v}.2d, #32\",
            \"umlal {a:v}.2d, {t0:v}.2s, {t0:v}.2s\",
            \"usra {a:v}.2d, {c:v}.2d, #1\",
            a = inout(vreg) a => r0,
            b = in(vreg) b,
            c = in(vreg) c,
            t0 = out(vreg) _,
            options(nomem, nostack),
        );
    }
    r0
}};";

/// Rust takes words apart before a block and puts them together behind it.
const HALVES: &str = "($a:expr, $b:expr) => {{
    let a = $a;
    let b = $b;
    let t2 = a as u32;
    let t3 = b as u32;
    let t5: u32;
    let t6: u32;
    unsafe {
        core::arch::asm!(
            \"umull {t0}, {t1}, {t2}, {t3}\",
            \"adds {t1}, {t1}, {t2}\",
            \"itt cs; subscs {t0}, {t0}, #1; adccs {t1}, {t1}, #0\",
            t2 = in(reg) t2,
            t3 = in(reg) t3,
            t0 = out(reg) t5,
            t1 = out(reg) t6,
            options(pure, nomem, nostack),
        );
    }
    let t7 = u64::from(t5);
    let t8 = u64::from(t6);
    let t9 = t8 << 32;
    let r = t9 | t7;
    r
}};";

/// Two lines that are one instruction, of a value in two registers.
const BLOCK: &str = "($a:expr, $b:expr) => {{
    let a = $a;
    let b = $b;
    let r0 = {
        let (first, second): (int64x2_t, int64x2_t);
        unsafe {
            core::arch::asm!(
                \"smull {first:v}.2d, {a:v}.2s, {b:v}.2s\",
                \"smull2 {second:v}.2d, {a:v}.4s, {b:v}.4s\",
                a = in(vreg) a,
                b = in(vreg) b,
                first = out(vreg) first,
                second = lateout(vreg) second,
                options(nomem, nostack)
            );
        }
        (first, second)
    };
    r0
}};";

#[test]
fn bodies_are_steps_in_order() {
    let cases = [
        (
            HALVES,
            Target::Armv8m,
            "2 -> |as u32|[][Operand(0)]; |as u32|[][Operand(1)]; \
             |t32 umull|[][Result(0, 0), Result(1, 0)]; |t32 adds|[][Result(2, 1), Result(0, 0)]; \
             |t32 itt|[][Result(2, 0), Result(3, 0), Result(3, 1)]; |u64::from|[][Result(4, 0)]; \
             |u64::from|[][Result(4, 1)]; |u64 <<|[32][Result(6, 0)]; \
             |u64 or|[][Result(7, 0), Result(5, 0)]; [Result(8, 0)]",
        ),
        (
            RUST,
            Target::Neon,
            "2 -> vshrn_n_u64[32][Operand(1)]; \
             vmlal_u32[][Operand(0), Result(0, 0), Constant(4294967295, 32)]; \
             vqaddq_s64[][Result(1, 0), Operand(0)]; \
             vandq_u64[][Result(2, 0), Constant(4294967295, 64)]; [Result(1, 0), Result(3, 0)]",
        ),
        (
            ADD,
            Target::Aarch64,
            "2 -> |a64 adds|[][Operand(0), Operand(1)]; |a64 csetm w cs|[][Result(0, 1)]; \
             |a64 add|[][Result(0, 0), Result(1, 0)]; \
             |a64 and|[][Result(2, 0), Constant(4294967295, 64)]; [Result(3, 0)]",
        ),
        (
            SUB,
            Target::X86_64,
            "2 -> |x64 sub|[][Operand(0), Operand(1)]; |x64 sbb32|[][Result(0, 1)]; \
             |x64 sub|[][Result(0, 0), Result(1, 0)]; [Result(2, 0)]",
        ),
        (
            VECTOR,
            Target::Neon,
            "3 -> vshrn_n_u64[32][Operand(1)]; \
             vmlal_u32[][Operand(0), Result(0, 0), Result(0, 0)]; \
             vsraq_n_u64[1][Result(1, 0), Operand(2)]; [Result(2, 0)]",
        ),
        (
            BLOCK,
            Target::Neon,
            "2 -> vmull_s32x4[][Operand(0), Operand(1)]; [Result(0, 0)]",
        ),
    ];
    for (text, target, wanted) in cases {
        assert_eq!(body(text, target).as_deref(), Ok(wanted));
    }
}

/// What is read otherwise, though it is a body.
#[test]
fn every_operand_counts() {
    let cases = [
        (
            RUST,
            Target::Neon,
            "vmlal_u32(low, t2, HALF!())",
            "vmlal_u32(high, t2, HALF!())",
        ),
        (RUST, Target::Neon, "(t3, t5)", "(t5, t3)"),
        (RUST, Target::Neon, "::<32>", "::<31>"),
        (ADD, Target::Aarch64, "{t0}, {a}, {b}", "{t0}, {b}, {a}"),
        (ADD, Target::Aarch64, ", cs", ", cc"),
        // Flags are those of the last instruction that leaves any.
        (
            ADD,
            Target::Aarch64,
            "\"csetm",
            "\"subs {t2}, {a}, {b}\", \"csetm",
        ),
        (VECTOR, Target::Neon, "#1", "#2"),
        (BLOCK, Target::Neon, "a = in(vreg) a", "a = in(vreg) b"),
    ];
    for (text, target, from, to) in cases {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert_ne!(
            body(&changed, target).unwrap(),
            body(text, target).unwrap(),
            "{to}"
        );
    }
}

#[test]
fn constants_are_what_their_macros_say() {
    let read =
        |text: &str| constant(&tokens(text)).map(|((value, bits), lanes)| (value, bits, lanes));
    let known = [
        (
            "() => (0xffff_ffff_u64);",
            (Value::Constant(0xffff_ffff, 64), 64, false),
        ),
        (
            "() => (0x78000001_u32);",
            (Value::Constant(0x7800_0001, 32), 32, false),
        ),
        (
            "() => (_mm256_set1_epi64x(-1));",
            (Value::Constant(u64::MAX, 64), 64, true),
        ),
        (
            "() => (_mm256_set1_epi32(-2));",
            (Value::Constant(0xffff_fffe, 32), 64, true),
        ),
        (
            "() => (vdup_n_u32(0xffffffff));",
            (Value::Constant(0xffff_ffff, 32), 32, true),
        ),
    ];
    for (text, wanted) in known {
        assert_eq!(read(text), Some(wanted), "{text}");
    }
    let unknown = [
        "() => (vdup_n_u32(0x100000000));",
        "() => (_mm256_set_epi64x(1, 2, 3, 4));",
        "() => (_mm256_set1_epi64x(1 + 1));",
        "() => (5);",
        "($a:expr) => (5u64);",
    ];
    for text in unknown {
        assert_eq!(read(text), None, "{text}");
    }
}

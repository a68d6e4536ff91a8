use super::*;
use crate::isa::{Target, join, table};

/// Instructions over registers of their own: results, sources.
fn code(
    kinds: &[Kind],
    operands: usize,
    rows: &[(&'static crate::isa::Row, &[u32], &[u32])],
) -> Body {
    let registers = |numbers: &[u32]| numbers.iter().map(|&n| Reg(n)).collect::<Vec<_>>();
    let instructions = rows.iter().map(|(row, results, sources)| Instruction {
        row,
        results: registers(results),
        sources: registers(sources).into_iter().map(Source::Reg).collect(),
        immediates: Vec::new(),
    });
    let written = rows.iter().flat_map(|(_, results, _)| *results);
    let words = written.filter(|n| !is_flags(kinds[**n as usize]));
    Body {
        registers: kinds.to_vec(),
        operands: (0..operands as u32).map(Reg).collect(),
        results: words.map(|&n| Reg(n)).collect(),
        instructions: instructions.collect(),
    }
}

fn outside(body: &Body, types: &[&'static str]) -> Face {
    let letters = ["a", "b", "c"].map(str::to_owned);
    Face {
        operands: letters[..body.operands.len()].to_vec(),
        results: (0..body.results.len()).map(|n| format!("r{n}")).collect(),
        types: types.to_vec(),
        state: Kind::Word,
        side: Side::Main,
        pure: false,
    }
}

/// A sum, and which of two to take by its carry.
fn select() -> (Body, impl Fn() -> Face) {
    let row = |name| table(Target::Aarch64).row(name).unwrap();
    let kinds = [
        Kind::Word,
        Kind::Word,
        Kind::Word,
        Kind::Word,
        Kind::Flags,
        Kind::Word,
    ];
    let rows: [(_, &[u32], &[u32]); 2] = [
        (row("adds"), &[3, 4], &[0, 1]),
        (row("csel cs"), &[5], &[3, 2, 4]),
    ];
    let body = code(&kinds, 3, &rows);
    let outer = body.clone();
    (body, move || outside(&outer, &["u64"; 6]))
}

#[test]
fn accumulators_are_in_the_register_of_the_result() {
    let row = table(Target::Neon).row("vmlal_u32").unwrap();
    let kinds = [Kind::Word, Kind::Half, Kind::Half, Kind::Word];
    let body = code(&kinds, 3, &[(row, &[3], &[0, 1, 2])]);
    let types = ["uint64x2_t", "uint32x2_t", "uint32x2_t", "uint64x2_t"];
    let text = Inline::new(&body, outside(&body, &types)).text("it");
    assert!(
        text.contains("umlal {a:v}.2d, {b:v}.2s, {c:v}.2s"),
        "{text}"
    );
    assert!(text.contains("a = inlateout(vreg) a => r0,"), "{text}");
    assert_eq!(text.matches("late").count(), 1, "{text}");
}

#[test]
fn only_the_last_line_may_write_over_operands() {
    let rows: [(_, &[u32], &[u32]); 2] = [(&join()[0], &[2], &[0]), (&join()[1], &[3], &[2, 1])];
    let mut body = code(&[Kind::Word; 4], 2, &rows);
    body.results = vec![Reg(3)];
    let types = ["u64", "u64", "uint64x2_t", "uint64x2_t"];
    let text = Inline::new(&body, outside(&body, &types)).text("it");
    assert!(text.contains("fmov {t0:d}, {a}"), "{text}");
    assert!(text.contains("t0 = out(vreg) r0,"), "{text}");
    let (body, face) = select();
    let text = Inline::new(&body, face()).text("it");
    assert!(text.contains("t0 = out(reg) r0,"), "{text}");
    assert!(text.contains("t1 = lateout(reg) r1,"), "{text}");
}

/// The same instructions with their operands in other places are another macro.
#[test]
fn macros_are_told_apart_by_their_text() {
    let (body, face) = select();
    let mut other = body.clone();
    other.instructions[1].sources.swap(0, 1);
    let mut macros = Macros::default();
    assert_eq!(macros.define("it", &body, face()), "it");
    assert_eq!(macros.define("it", &other, face()), "it_2");
    assert_eq!(macros.define("it", &body, face()), "it");
    assert_eq!(macros.0.len(), 2);
}

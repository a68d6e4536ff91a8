use std::path::Path;

use super::*;
use crate::row::Reading;
use crate::{check, reader};

/// A kernel that ships, and what its certificate has it compute.
fn kernel(name: &str, program: &str) -> (String, Program) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated");
    let read = |path: String| {
        std::fs::read_to_string(folder.join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    let text = read(format!("src/plonky3/{name}.rs"));
    let program = check(&read(format!("proofs/plonky3/{program}.cert"))).unwrap();
    (text, program)
}

/// The lemma of a macro-op, where the text of a macro says something else.
fn lemma(kernel: &(String, Program), op: &str, edit: [&str; 3]) -> Lemma {
    let ((text, program), [name, from, to]) = (kernel, edit);
    let start = ["(", " {"]
        .iter()
        .find_map(|open| text.find(&format!("macro_rules! {name}{open}")));
    let (before, own) = text.split_at(start.unwrap_or_else(|| panic!("no {name}")));
    assert!(own.contains(from), "{name}: {from}");
    let text = before.to_owned() + &own.replacen(from, to, 1);
    let facts = reader::read(&text, program).unwrap_or_else(|e| panic!("{op}: {e}"));
    let mut lemmas = Lemmas::new();
    gather(program, false, &facts.bodies, &mut lemmas).unwrap();
    let found = lemmas.into_values().find(|lemma| lemma.op == op);
    found.unwrap_or_else(|| panic!("no {op}"))
}

/// One solver: what is proved is asked of all of them nightly.
fn solver() -> Solver {
    let found = SOLVERS.into_iter().find_map(Solver::find);
    found.expect("there is a solver after `cargo verify setup`")
}

const COLUMNS: [&str; 2] = ["goldilocks/w8_avx2_halves_b1", "goldilocks/w8_halves"];
const EAGER: [&str; 2] = ["goldilocks/w8_neon_b2", "goldilocks/w8_eager"];
const REDC: [&str; 2] = ["goldilocks/w8_scalar_redc_b1", "goldilocks/w8_redc"];
const WIDE: [&str; 2] = [
    "koala_bear/w16_avx512ifma_radix52_b1",
    "koala_bear/w16_radix52",
];
const HALVES: [&str; 2] = ["koala_bear/w16_avx2_signed_b1", "koala_bear/w16_signed"];

/// The macro-op; the macro, what it says, and what is put there.
type Attack = (
    &'static str,
    [&'static str; 2],
    &'static str,
    [&'static str; 3],
);

#[rustfmt::skip]
const ATTACKS: [Attack; 9] = [
    ("wrong where one operand is one word", REDC, "plus", ["plus", "let r = u64::wrapping_add(a, b);",
        "let t0 = a ^ WIDE_LOW!(); let t1 = u64::wrapping_neg(t0); let t2 = t0 | t1; \
         let t3 = t2 >> 63; let t4 = u64::wrapping_neg(t3); let t5 = u64::wrapping_add(a, b); \
         let r = t5 & t4;"]),
    ("a select with the wrong condition", EAGER, "canonicalise", ["canonicalise", ", cs\"", ", cc\""]),
    ("a constant that is one less", COLUMNS, "split", ["EPSILON", "4294967295", "4294967294"]),
    ("a shift by 31", COLUMNS, "pack", ["pack", "slli_epi64::<32>", "slli_epi64::<31>"]),
    ("operands of a subtraction exchanged", HALVES, "sub", ["sub", "(a, b)", "(b, a)"]),
    ("a correction left out", HALVES, "sub", ["sub", "(t2, t3)", "(t2, t2)"]),
    ("an element that disturbs its neighbour", HALVES, "add", ["add", "_add_epi32", "_add_epi64"]),
    ("half of a product left out", WIDE, "mul-add", ["mul_add", "(t5, t4, P!())", "(c, t4, P!())"]),
    ("a sign that is not flipped", COLUMNS, "square-halves", ["square_halves", "SIGNS!()", "SIGN!()"]),
];

/// Each with operands, what the body makes of them, and what the row wants.
#[test]
fn attacks_are_refuted() {
    let solver = solver();
    for (what, [name, program], op, edit) in ATTACKS {
        let kernel = kernel(name, program);
        let Verdict::Refuted(found) = lemma(&kernel, op, edit).prove(&solver) else {
            panic!("{solver}: {what} is not refuted");
        };
        let given = found.gives.iter().zip(&found.wants);
        let differs = |(gives, wants): (&u64, &Vec<u64>)| !wants.contains(gives);
        assert!({ given }.any(differs), "{what}: {found}");
        let unchanged = [edit[0], edit[1], edit[1]];
        // That of a product takes a minute.
        if op != "square-halves" {
            let own = lemma(&kernel, op, unchanged).prove(&solver);
            assert_eq!(own, Verdict::Proved, "{solver}: {op}");
        }
    }
}

/// No half of a product, though it may seem to be several.
#[test]
fn pairs_of_long_products_are_no_parts_of_one() {
    let kernel = kernel(
        "goldilocks/w12_neon_lanes_columns_b2",
        "goldilocks/w12_columns",
    );
    let low = "vget_low_s32(vreinterpretq_s32_u64(a))";
    let whole = "vreinterpretq_s32_u64(a)";
    let pair =
        format!("let d = (vmull_s32({low}, {low}), vmull_high_s32({whole}, {whole}));\n(rl, rh)");
    let lemma = lemma(&kernel, "mul-columns", ["mul_columns", "(rl, rh)", &pair]);
    assert_eq!(lemma.prove(&solver()), Verdict::Proved);
}

/// The word for which the first of the attacks is made is found.
#[test]
fn a_counterexample_is_directed() {
    let (_, [name, program], op, edit) = ATTACKS[0];
    let verdict = lemma(&kernel(name, program), op, edit).prove(&solver());
    let Verdict::Refuted(found) = &verdict else {
        panic!("{verdict}");
    };
    assert_eq!(
        (found.operands[0], found.gives[0]),
        (0x2000_0000_2000_0000, 0)
    );
    let sum = found.operands[0].wrapping_add(found.operands[1]);
    assert_eq!(found.wants, [[sum]]);
}

/// What solvers are told of products of signed half words is true: were it not, all would follow from it.
#[test]
fn what_is_told_of_signed_products_is_true() {
    let edges = [
        i32::MIN,
        -(1 << 30),
        -(1 << 16),
        -1,
        0,
        1,
        1 << 16,
        1 << 30,
        i32::MAX,
    ];
    let factors = edges
        .into_iter()
        .flat_map(|x| (-3..=3).map(move |by| x.wrapping_add(by)));
    let factors: Vec<i32> = factors.chain([0x1234_5678, -0x7654_3210]).collect();
    let pairs = factors
        .iter()
        .flat_map(|a| factors.iter().map(move |b| [*a, *b]));
    let wrong = |[a, b]: [i32; 2]| {
        let word = |x: i32| text::literal(x.cast_unsigned().into(), 32);
        let product = (i64::from(a) * i64::from(b)).cast_unsigned();
        let product = text::literal(product.into(), 64);
        format!(
            " (not {})",
            halves::near_the_least(&product, &word(a), &word(b))
        )
    };
    let any: String = pairs.map(wrong).collect();
    let question = format!("(set-logic QF_BV)\n(assert (or{any}))\n(check-sat)\n");
    assert_eq!(solver().answer(&question, 0), solver::Answer::Impossible);
}

/// The same of all products, as rows have them: of each of these operands, what is told is what multiplication does.
#[test]
fn what_is_told_of_products_is_true() {
    use products::Whole::{Function, Halves, Short};
    let edges = [31, 32, 42, 51, 52, 63].map(|bit| 1u64 << bit);
    let edges = edges.map(|edge| [edge - 1, edge, edge + 1]).concat();
    let words = [&edges[..], &[0, 1, u64::MAX, 0x9e37_79b9_7f4a_7c15]].concat();
    let solver = solver();
    let [goldilocks, koala_bear] = [reference::GOLDILOCKS, reference::KOALA_BEAR];
    for (field, wide, op) in [
        (goldilocks, None, "mul"),
        (goldilocks, None, "square-halves"),
        (goldilocks, None, "mul-halves"),
        (goldilocks, None, "mul-chained"),
        (goldilocks, None, "square-limbs(cube)"),
        (koala_bear, None, "mul"),
        (koala_bear, None, "dot(9)"),
        (koala_bear, Some(52), "accumulate"),
        (koala_bear, Some(52), "mul-add"),
        (koala_bear, Some(64), "mul-add"),
    ] {
        let row = &crate::ops::find(&field, wide, op).expect(op);
        let (bits, from) = (row.bits, 0);
        let claim = Claim { row, bits, from };
        for (n, whole) in (0..3 * words.len()).zip([Function, Halves, Short].into_iter().cycle()) {
            let given = (0..row.operands).map(|operand| {
                let word = words[(n / 3 + 5 * operand * (1 + n % 3)) % words.len()];
                let word = match row.reads {
                    Reading::Shifted => word << crate::ops::SHIFT,
                    _ => word & u64::MAX >> (64 - bits),
                };
                let word = text::literal(word.into(), bits);
                text::define(&format!("x{operand}"), bits, &word)
            });
            let told = given.collect::<String>() + &claim.operands(whole) + "(check-sat)\n";
            let question = text::script(&told, &BTreeSet::new(), text::Products::Exact);
            let answer = solver.answer(&question, 0);
            assert_eq!(
                answer,
                solver::Answer::Possible(vec![]),
                "{op} {whole:?} {n}"
            );
        }
    }
}

/// A term with the wrong sign leaves pieces that do not cancel, or stands for something else.
#[test]
fn a_wrong_sign_in_a_row_is_refused() {
    for [name, program] in [COLUMNS, EAGER, REDC, HALVES] {
        let program = kernel(name, program).1;
        for operation in program.operations(false) {
            let meaning =
                |row: &Row| row.meaning(&program.permutation, program.field.montgomery_bits);
            for (n, sum) in operation.row.results.iter().enumerate() {
                for (m, (k, _)) in sum.terms.iter().enumerate() {
                    // More of p or less is the same residue; that it divides is the lemmas' concern.
                    if k % i128::from(program.field.modulus) == 0 {
                        continue;
                    }
                    let mut wrong = operation.row.clone();
                    wrong.results[n].terms[m].0 *= -1;
                    let differs = meaning(&wrong).as_ref() != Some(&operation.meaning);
                    assert!(differs, "{} {n} {m}", operation.op);
                }
            }
        }
    }
}

/// A derived range with either bound moved inwards by one is refused.
#[test]
fn ranges_that_are_too_narrow_are_refused() {
    let [name, program] = COLUMNS;
    let program = kernel(name, program).1;
    let solver = solver();
    for op in ["split", "mul-wide", "mul-columns", "mul-columns-redc"] {
        let row = crate::ops::find(&program.field, None, op).unwrap();
        let operands = vec![(0, u64::MAX.into()); row.operands];
        let derived = row.ranges(&operands);
        let ask = |derived: &[Range]| {
            solver.answer(&ranges::leaves(&row, &[(&operands, derived.to_vec())]), 0)
        };
        assert_eq!(ask(&derived), solver::Answer::Impossible);
        for n in 0..derived.len() {
            // The ranges of products are rounded outwards.
            let by = match row.operands {
                1 => 1,
                _ => (derived[n].1 - derived[n].0) / 32,
            };
            for by in [(by, 0), (0, -by)] {
                let mut narrow = derived.clone();
                narrow[n] = (narrow[n].0 + by.0, narrow[n].1 + by.1);
                assert_eq!(ask(&narrow), solver::Answer::Possible(vec![]), "{op} {n}");
            }
        }
    }
}

const DOT: &str = "
macro_rules! MU(() => (_mm512_set1_epi64(-9151314436357619711)););
macro_rules! P(() => (_mm512_set1_epi64(9151314449242521601)););
macro_rules! dot_2 {
    ($ a0 : expr , $ b0 : expr , $ a1 : expr , $ b1 : expr) => {{
        let a0 = $a0;
        let b0 = $b0;
        let a1 = $a1;
        let b1 = $b1;
        let t4 = _mm512_shuffle_epi32::<0xF5>(a0);
        let t5 = _mm512_shuffle_epi32::<0xF5>(b0);
        let t6 = _mm512_mul_epi32(a0, b0);
        let t7 = _mm512_mul_epi32(t4, t5);
        let t8 = _mm512_shuffle_epi32::<0xF5>(a1);
        let t9 = _mm512_shuffle_epi32::<0xF5>(b1);
        let t10 = _mm512_mul_epi32(a1, b1);
        let t11 = _mm512_mul_epi32(t8, t9);
        let t12 = _mm512_add_epi64(t6, t10);
        let t13 = _mm512_add_epi64(t7, t11);
        let t14 = _mm512_mul_epi32(t12, MU!());
        let t15 = _mm512_mul_epi32(t13, MU!());
        let t16 = _mm512_mul_epi32(t14, P!());
        let t17 = _mm512_mul_epi32(t15, P!());
        let t18 = _mm512_sub_epi64(t12, t16);
        let t19 = _mm512_sub_epi64(t13, t17);
        let r = _mm512_mask_shuffle_epi32::<0xF5>(t19, 0x5555, t18);
        r
    }};
}
";

/// The same with a pair of words in a step.
const DOT_OF_PAIRS: &str = "
macro_rules! MU(() => (vdupq_n_u64(0x8100000181000001)););
macro_rules! P(() => (vdupq_n_u64(0x7f0000017f000001)););
macro_rules! dot_2 {
    ($ a0 : expr , $ b0 : expr , $ a1 : expr , $ b1 : expr) => {{
        let a0 = $a0;
        let b0 = $b0;
        let a1 = $a1;
        let b1 = $b1;
        let t4 = (
            vmull_s32(vget_low_s32(vreinterpretq_s32_u64(a0)), vget_low_s32(vreinterpretq_s32_u64(b0))),
            vmull_high_s32(vreinterpretq_s32_u64(a0), vreinterpretq_s32_u64(b0)),
        );
        let t5 = (
            vmlal_s32(t4.0, vget_low_s32(vreinterpretq_s32_u64(a1)), vget_low_s32(vreinterpretq_s32_u64(b1))),
            vmlal_high_s32(t4.1, vreinterpretq_s32_u64(a1), vreinterpretq_s32_u64(b1)),
        );
        let t6 = vreinterpretq_u64_s32(vuzp1q_s32(vreinterpretq_s32_s64(t5.0), vreinterpretq_s32_s64(t5.1)));
        let t7 = vreinterpretq_u64_u32(vmulq_u32(vreinterpretq_u32_u64(t6), vreinterpretq_u32_u64(MU!())));
        let t8 = (
            vmlsl_s32(t5.0, vget_low_s32(vreinterpretq_s32_u64(t7)), vget_low_s32(vreinterpretq_s32_u64(P!()))),
            vmlsl_high_s32(t5.1, vreinterpretq_s32_u64(t7), vreinterpretq_s32_u64(P!())),
        );
        let r = vreinterpretq_u64_s32(vuzp2q_s32(vreinterpretq_s32_s64(t8.0), vreinterpretq_s32_s64(t8.1)));
        r
    }};
}
";

/// A sum of products is any word once a step is proved to be it; bodies that sum something else, or reduce it
/// otherwise, are not proved.
#[test]
fn sums_of_products_are_proved_in_steps() {
    let edits = [
        ("(t7, t11)", "(t7, t7)"),
        ("(t13, MU!())", "(t13, P!())"),
        ("_sub_epi64(t12, t16)", "_add_epi64(t12, t16)"),
    ];
    let edits_of_pairs = [
        ("vuzp2q_s32", "vuzp1q_s32"),
        (
            "vreinterpretq_u32_u64(MU!())",
            "vreinterpretq_u32_u64(P!())",
        ),
        (
            "(vreinterpretq_s32_s64(t5.0), vreinterpretq_s32_s64(t5.1))",
            "(vreinterpretq_s32_s64(t4.0), vreinterpretq_s32_s64(t4.1))",
        ),
    ];
    let solver = solver();
    let texts = [
        (Target::Avx512, DOT, &edits[..]),
        (Target::Neon, DOT_OF_PAIRS, &edits_of_pairs),
    ];
    for (target, right, edits) in texts {
        let verdict = |text: &str| {
            let lemma = Lemma::of_macro(("koala-bear", None), "dot(2)", target, text);
            lemma.unwrap().prove(&solver)
        };
        assert_eq!(verdict(right), Verdict::Proved);
        for (from, to) in edits {
            assert!(right.contains(from), "{from}");
            let wrong = verdict(&right.replacen(from, to, 1));
            assert!(matches!(wrong, Verdict::Refuted(_)), "{to}: {wrong:?}");
        }
    }
}

/// A sum of more bits than a number has here: of such bodies it is told what they make, not what they should.
#[test]
fn a_long_sum_is_refuted() {
    let text = "macro_rules! P(() => (0x7f000001_u64);); macro_rules! MU(() => (0x81000001_u64);); \
        macro_rules! mul_add { ($c:expr, $a:expr, $b:expr) => {{ let c = $c; let a = $a; let b = $b; \
        let (lo, hi) = u64::carrying_mul(a, b, 0); let q = u64::wrapping_mul(lo, MU!()); \
        let (_s, s) = u64::carrying_mul(q, P!(), 0); let h = u64::wrapping_add(c, hi); \
        let r = u64::wrapping_sub(s, h); r }}; }";
    let field = ("koala-bear", Some(64));
    let lemma = Lemma::of_macro(field, "mul-add", Target::Scalar, text).unwrap();
    let verdict = lemma.prove(&solver());
    let Verdict::Refuted(found) = &verdict else {
        panic!("{verdict}");
    };
    assert!(found.wants.is_empty(), "{found}");
}

use std::path::{Path, PathBuf};

use super::TemplateSet;
use crate::isa::Target;
use crate::ops::{Contract, MacroOp};
use crate::params::{Field, GOLDILOCKS, KOALA_BEAR};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")
}

const OPS: [MacroOp; 12] = [
    MacroOp::Add,
    MacroOp::Sub,
    MacroOp::Canonicalise,
    MacroOp::Halve,
    MacroOp::Mul,
    MacroOp::Square,
    MacroOp::Div2Exp(1),
    MacroOp::Div2Exp(2),
    MacroOp::Div2Exp(8),
    MacroOp::Div2Exp(24),
    MacroOp::Div2Exp(31),
    MacroOp::Div2Exp(32),
];

/// Every target and field that has templates for words.
fn kernels() -> impl Iterator<Item = (Target, &'static Field)> {
    let few = [
        Target::Avx512Ifma,
        Target::Avx512IfmaDq,
        Target::X86_64,
        Target::Armv8m,
        Target::Sse2,
    ];
    let words = move |target: &&Target| !few.contains(target);
    let targets = Target::all().iter().filter(words);
    let goldilocks = targets.map(|&target| (target, &GOLDILOCKS));
    goldilocks.chain([(Target::Scalar, &KOALA_BEAR), (Target::Avx2, &KOALA_BEAR)])
}

#[test]
fn every_template_is_read() {
    let templates = TemplateSet::load(&directory()).unwrap_or_else(|e| panic!("{e}"));
    for (target, field) in kernels() {
        for op in OPS {
            if Contract::of(field, op).is_some() {
                let rendered = templates.render_body(target, field, op);
                let rendered = rendered.unwrap_or_else(|e| panic!("{e}"));
                println!(
                    "{:16} {:10} {:12} {}",
                    target.folder(),
                    field.name,
                    op.to_string(),
                    rendered.body.instructions.len()
                );
            }
        }
    }
}

/// What is said of a template with this text, with the folder's name left out.
fn refusal(target: Target, field: &'static Field, op: MacroOp, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(TemplateSet::name(target, field, op));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    let read = TemplateSet::load(folder.path())
        .and_then(|templates| templates.render_body(target, field, op));
    let message = read.map(|_| ()).unwrap_err().to_string();
    message.replace(&folder.path().display().to_string(), "templates")
}

fn asm(text: &str) -> String {
    refusal(Target::Aarch64, &GOLDILOCKS, MacroOp::Add, text)
}

fn avx2(text: &str) -> String {
    refusal(Target::Avx2, &GOLDILOCKS, MacroOp::Add, text)
}

#[test]
fn unknown_instructions_are_refused_with_similar_ones() {
    insta::assert_snapshot!(asm("{#\n about\n#}\naddx t, a, b\nadd r, t, b\n"));
    insta::assert_snapshot!(avx2("let r = _mm256_add_epi46(a, b);\n"));
}

#[test]
fn wrong_operands_are_refused_with_the_right_form() {
    insta::assert_snapshot!(asm("adds t, a, b\ncsetm m, cs\nadd r, t, m\n"));
    insta::assert_snapshot!(avx2(
        "let t = _mm256_srli_epi64::<64>(a);\nlet r = _mm256_add_epi64(t, b);\n"
    ));
    insta::assert_snapshot!(refusal(
        Target::Scalar,
        &GOLDILOCKS,
        MacroOp::Add,
        "let (t, c) = u64::overflowing_add(a, b);\nlet r = u64::wrapping_add(t, c);\n"
    ));
}

#[test]
fn assembler_among_rust_is_refused_where_a_carry_is_lost_or_it_begins_again() {
    let x86_64 = |text| refusal(Target::X86_64, &GOLDILOCKS, MacroOp::Sub, text);
    insta::assert_snapshot!(x86_64(
        "let (t, c) = sub(a, b);\nlet u = shl::<1>(t);\nlet r = sbb(u, b, c);\n"
    ));
    insta::assert_snapshot!(x86_64(
        "let (t, c) = sub(a, b);\nlet m = sbb32(c);\nlet u = t << 1;\nlet (r, _) = sub(u, m);\n"
    ));
    insta::assert_snapshot!(x86_64(
        "let (t, c) = sub(a, b);\nlet m = u64::from(c);\nlet r = u64::wrapping_sub(t, m);\n"
    ));
}

#[test]
fn every_wrong_line_is_told_at_once() {
    insta::assert_snapshot!(asm(
        "csetm m:w, cs\nadds t, a, c\nsubs t, t, b\nlsl u, t, #1\nadd P, a, b\n"
    ));
}

#[test]
fn broken_templates_are_refused_by_line() {
    insta::assert_snapshot!(asm("adds t, a, b\n{% if %}\nadd r, t, b\n"));
    insta::assert_snapshot!(asm("adds t, a, {{ kk }}\nadd r, t, b\n"));
    insta::assert_snapshot!(asm("{% for i in [1, 2] %}\nadd r, a, b\n{% endfor %}\n"));
    insta::assert_snapshot!(asm("adds t, a, b\nadd r, t, b\n{% if x %}\n"));
    let long = "{% elif k == 9 %}\nadd r, a, b\n".repeat(1000);
    insta::assert_snapshot!(asm(&format!("{{% if k == 8 %}}\n{long}{{% endif %}}\n")));
}

#[test]
fn missing_templates_are_named() {
    let templates = TemplateSet::load(&directory()).unwrap();
    let refused = templates.render_body(Target::Aarch64, &KOALA_BEAR, MacroOp::Add);
    let message = refused.map(|_| ()).unwrap_err().to_string();
    let folder = directory().display().to_string();
    insta::assert_snapshot!(message.replace(&folder, "templates"));
}

/// Another macro-op's template, or another target's, is in its place already.
#[test]
fn only_a_file_that_no_macro_op_uses_may_be_the_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let advice = |files: &[&str]| {
        let place = folder.path().join("neon/lanes/goldilocks");
        std::fs::create_dir_all(place.join("parts")).unwrap();
        for file in files {
            std::fs::write(place.join(file), "").unwrap();
        }
        let templates = TemplateSet::load(folder.path()).unwrap();
        let refused = templates.render_body(Target::Neon, &GOLDILOCKS, MacroOp::MulColumns);
        refused.map(|_| ()).unwrap_err().to_string()
    };
    let told = advice(&["mul-columns-redc.tera", "mul.tera", "parts/mul-colums.tera"]);
    assert!(!told.contains("rename"), "{told}");
    let told = advice(&["mul-colums.tera"]);
    assert!(
        told.contains("rename `neon/lanes/goldilocks/mul-colums.tera`"),
        "{told}"
    );
}

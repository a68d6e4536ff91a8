//! What the pipeline says and makes, fixed by snapshots: programs, certificates, refusals.

use codegen::ir::{Block, FieldOp, Program};
use codegen::names::{Isa, Layout, Strategy};
use codegen::pipeline;
use codegen::spec::{KernelSpec, Spec};
use codegen::template::TemplateSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(name: &str) -> String {
    let path = root().join("codegen/specs").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn spec(name: &str) -> Spec {
    Spec::parse(name, &text(name)).unwrap()
}

/// What the prover says of the first kernel of a changed spec.
fn refusal(name: &str, from: &str, to: &str) -> String {
    let changed = text(name).replacen(from, to, 1);
    assert_ne!(changed, text(name), "`{from}` is not in the spec");
    let spec = Spec::parse(name, &changed).unwrap();
    let error = pipeline::prove_program(&spec, &spec.kernels[0]).unwrap_err();
    error.render_plain()
}

/// A block of a field-level program, line by line.
fn listing(block: &Block) -> String {
    let mut lines = vec![format!("block {}", block.kind.name())];
    let inputs = block.inputs.iter().enumerate();
    lines.extend(inputs.map(|(n, input)| format!("  v{n} = {input}")));
    lines.extend(block.operations.iter().map(|operation| {
        let op = match operation.op {
            FieldOp::Add(a, b) => format!("{a} + {b}"),
            FieldOp::Sub(a, b) => format!("{a} - {b}"),
            FieldOp::Div2Exp(x, k) => format!("{x} / 2^{k}"),
            FieldOp::Mul(a, b) => format!("{a} * {b}"),
            FieldOp::Square(x) => format!("{x}^2"),
            FieldOp::Constant(x) => x.to_string(),
        };
        format!("  {} = {op}  ; {}", operation.result, operation.name)
    }));
    let outputs = block.outputs.iter().enumerate();
    lines.extend(outputs.map(|(n, output)| format!("  state[{n}] <- {output}")));
    lines.join("\n") + "\n"
}

#[test]
fn programs() {
    for (file, name) in [
        ("goldilocks-w8.toml", "goldilocks_w8"),
        ("koala-bear-w16.toml", "koala_bear_w16"),
    ] {
        let program = Program::build(&spec(file).instance);
        for block in &program.blocks {
            insta::assert_snapshot!(
                format!("program_{name}_{}", block.kind.name()),
                listing(block)
            );
        }
    }
}

/// A strategy on parts, from the arithmetic program to the certificate.
#[test]
fn columns() {
    let templates = TemplateSet::load(&root().join("templates")).unwrap();
    let spec = spec("goldilocks-w8.toml");
    let mut kernels = spec.kernels.iter();
    let columns = |k: &&KernelSpec| k.strategy == Strategy::Columns && k.isa == Isa::Neon;
    let kernel = kernels.find(columns).unwrap();
    let made = pipeline::generate(&spec, kernel, 1, &templates).unwrap();
    insta::assert_snapshot!("certificate_w8_columns", made.program.certificate);
    let (path, text) = made.program.preparation.clone().unwrap();
    assert_eq!(path, "src/goldilocks_columns.rs");
    insta::assert_snapshot!("preparation_columns", text);
}

/// Whoever calls a kernel on raw memory is told whose words it reads: its own strategy's.
#[test]
fn safety_texts_name_what_prepares_the_constants() {
    let templates = TemplateSet::load(&root().join("templates")).unwrap();
    let spec = spec("goldilocks-w8.toml");
    for (strategy, isa) in [
        (Strategy::Columns, Isa::Neon),
        (Strategy::Halves, Isa::Avx2),
        (Strategy::Redc, Isa::Scalar),
        (Strategy::Limbs, Isa::Avx512Ifma),
        (Strategy::Accumulated, Isa::Avx512Ifma),
    ] {
        let mut kernels = spec.kernels.iter();
        let kernel = kernels.find(|kernel| (kernel.strategy, kernel.isa) == (strategy, isa));
        let made = pipeline::generate(&spec, kernel.unwrap(), 1, &templates).unwrap();
        let (path, _) = made.program.preparation.as_ref().unwrap();
        let module = path
            .trim_start_matches("src/")
            .trim_end_matches(".rs")
            .to_owned();
        let named: Vec<&str> = made.source.matches("::prepare`]").collect();
        assert_eq!(named.len(), 1, "{strategy}");
        assert!(
            made.source
                .contains(&format!("made by [`crate::{module}::prepare`]")),
            "{strategy}"
        );
    }
}

#[test]
fn parts_of_a_31_bit_field_are_refused() {
    insta::assert_snapshot!(refusal(
        "koala-bear-w16.toml",
        "proof = \"eager\"",
        "strategy = \"columns\"",
    ));
}

#[test]
fn certificate_of_words() {
    let templates = TemplateSet::load(&root().join("templates")).unwrap();
    let spec = spec("goldilocks-w8.toml");
    let mut kernels = spec.kernels.iter();
    let kernel = kernels.find(|k| k.isa == Isa::Neon && k.layout == Layout::Registers);
    let made = pipeline::generate(&spec, kernel.unwrap(), 1, &templates).unwrap();
    insta::assert_snapshot!("certificate_w8_eager", made.program.certificate);
}

#[test]
fn an_unprovable_elision_is_refused() {
    insta::assert_snapshot!(refusal(
        "goldilocks-w8.toml",
        "site = \"external[*].mds.block[*].t01\"\ncanonicalise = \"a\"",
        "site = \"external[*].mds.block[*].t01\"\nclaim = { range = { a = \"2^64-1\", b = \"2^64-1\" } }",
    ));
}

#[test]
fn a_false_claim_is_refused() {
    insta::assert_snapshot!(refusal(
        "goldilocks-w8.toml",
        "site = \"internal.rc\"\nclaim = \"canonicalised-at-construction\"",
        "site = \"internal.rc\"\nclaim = \"zero\"",
    ));
}

#[test]
fn a_claim_about_the_output_of_nothing_is_refused() {
    insta::assert_snapshot!(refusal(
        "goldilocks-w8.toml",
        "site = \"internal.rc\"\nclaim = \"canonicalised-at-construction\"",
        "site = \"internal.rc\"\nclaim = { output-of = \"internal.sun[1]\" }",
    ));
}

#[test]
fn a_claim_about_nothing_is_refused() {
    insta::assert_snapshot!(refusal(
        "goldilocks-w8.toml",
        "site = \"internal.rc\"",
        "site = \"internal[3].rc\"",
    ));
}

#[test]
fn contradictory_claims_are_refused() {
    insta::assert_snapshot!(refusal(
        "goldilocks-w8.toml",
        "site = \"internal.diag[0].0\"",
        "site = \"internal.diag[*].0\"",
    ));
}

#[test]
fn a_31_bit_output_above_p_is_refused() {
    insta::assert_snapshot!(refusal(
        "koala-bear-w16.toml",
        "[[proof.eager]]\n",
        "[[proof.eager]]\nsite = \"external[*].mds.out[0].output\"\nclaim = { range = { a = \"2*p-2\", b = \"2*p-2\" } }\n\n[[proof.eager]]\n",
    ));
}

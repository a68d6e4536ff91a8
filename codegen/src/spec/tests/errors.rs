//! The wording of every error, fixed by snapshots.

use crate::diag::Diagnostics;
use crate::spec::Spec;

/// A valid spec; each case breaks it.
pub(super) const VALID: &str = r#"[permutation]
parameter-set = "plonky3"
field = "goldilocks"
width = 8
external-rounds = 8
internal-rounds = 22
sbox = 7
diagonal = ["-2", "1", "2", "1/2", "3", "-1/2", "-3", "-4"]
constants = "grain"

[[kernel]]
isa = "neon"
batch = [1, 2]
proof = "eager"

[[proof.eager]]
site = "external[*].mds.block[*].t01"
claim = { output-of = "canonicalise" }
"#;

/// Parameters of one's own: two external rounds, one internal.
pub(super) const OWN: &str = r#"[permutation]
parameter-set = "mine"
field = "koala-bear"
width = 8
external-rounds = 2
internal-rounds = 1
sbox = 3
diagonal = ["-2", "1", "2", "1/2", "3", "-1/2", "-3", "-4"]

[permutation.constants]
external = [
    [1, 2, 3, 4, 5, 6, 7, 8],
    [9, 10, 11, 12, 13, 14, 15, 16],
]
internal = [0x7f000000]
"#;

pub(super) fn errors(text: &str) -> Diagnostics {
    Spec::parse("specs/case.toml", text).expect_err("the spec should be refused")
}

/// The valid spec with one text in place of another.
pub(super) fn with(spec: &str, old: &str, new: &str) -> String {
    assert_eq!(
        spec.matches(old).count(),
        1,
        "{old:?} should stand in the spec once"
    );
    spec.replace(old, new)
}

pub(super) fn snapshot(name: &str, text: &str) {
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("error_{name}"), errors(text).render_plain());
    });
}

/// One error message each: a name, what stands in the valid spec, what takes its place.
pub(super) fn cases(spec: &str, cases: &[(&str, &str, &str)]) {
    for (name, old, new) in cases {
        let text = with(spec, old, new);
        let found = errors(&text);
        assert_eq!(found.len(), 1, "{name}: {found}");
        // What is not TOML has the parser's reason instead.
        let is_told = found.iter().all(|error| {
            error.location().is_some() && (error.help_text().is_some() || name.starts_with("toml"))
        });
        assert!(is_told, "{name}: {found}");
        snapshot(name, &text);
    }
}

#[test]
fn the_base_specs_are_valid() {
    for text in [VALID, OWN] {
        Spec::parse("specs/case.toml", text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn strategies() {
    let with_strategy = "isa = \"neon\"\nstrategy = \"columns\"";
    cases(
        VALID,
        &[
            ("strategy_without_proofs", "isa = \"neon\"", with_strategy),
            (
                "sboxes_none",
                "batch = [1, 2]",
                "batch = [1, 2]\nsboxes = 0",
            ),
            (
                "sboxes_many",
                "batch = [1, 2]",
                "batch = [1, 2]\nsboxes = 17",
            ),
            (
                "sboxes_of_words",
                "batch = [1, 2]",
                "batch = [1, 2]\nsboxes = 4",
            ),
            (
                "overlap_of_words",
                "batch = [1, 2]",
                "batch = [1, 2]\noverlap = [1]",
            ),
            (
                "general_elsewhere",
                "batch = [1, 2]",
                "batch = [1, 2]\ngeneral = 1",
            ),
            (
                "order_elsewhere",
                "batch = [1, 2]",
                "batch = [1, 2]\norder = \"neoverse-n1\"",
            ),
            (
                "order_unknown",
                "batch = [1, 2]",
                "batch = [1, 2]\norder = \"neoverse-n9\"",
            ),
        ],
    );
    let many = "isa = \"neon\"\nlayout = \"lanes\"\nstrategy = \"columns\"\ngeneral = 2";
    snapshot("general_many", &with(VALID, "isa = \"neon\"", many));
    let long = "isa = \"neon\"\nlayout = \"lanes\"\nstrategy = \"long\"";
    let long = with(
        &with(VALID, "isa = \"neon\"", long),
        "\nproof = \"eager\"",
        "",
    );
    snapshot("long_by_compiler", &long);
}

#[test]
fn shape() {
    cases(
        VALID,
        &[
            ("unknown_key", "sbox = 7", "sbox = 7\nintenral-rounds = 22"),
            ("unknown_table", "[[kernel]]", "[[kernels]]\n[[kernel]]"),
            ("missing_key", "sbox = 7\n", ""),
            ("wrong_type", "field = \"goldilocks\"", "field = 31"),
            ("kernel_not_array", "[[kernel]]", "[kernel]"),
            ("negative", "internal-rounds = 22", "internal-rounds = -22"),
        ],
    );
    snapshot("empty", "");
    snapshot("nothing_but_a_comment", "# soon\n");
}

#[test]
fn names() {
    cases(
        VALID,
        &[
            ("bad_set_name", "\"plonky3\"", "\"../plonky3\""),
            ("unknown_field", "\"goldilocks\"", "\"goldylocks\""),
            ("unknown_isa", "\"neon\"", "\"neno\""),
            (
                "unknown_layout",
                "batch = [1, 2]",
                "batch = [1, 2]\nlayout = \"lane\"",
            ),
            (
                "strategy_of_other_layout",
                "batch = [1, 2]",
                "batch = [1, 2]\nlayout = \"lanes\"\nstrategy = \"uniform\"",
            ),
            (
                "batches_across_lanes",
                "isa = \"neon\"\nbatch = [1, 2]\n",
                "isa = \"avx2\"\nlayout = \"across\"\nbatch = [1, 2]\n\n[[kernel]]\nisa = \"neon\"\nbatch = [1]\n",
            ),
            (
                "layout_of_other_isa",
                "isa = \"neon\"",
                "isa = \"avx2\"\nlayout = \"registers\"",
            ),
            (
                "unknown_strategy",
                "batch = [1, 2]",
                "batch = [1, 2]\nstrategy = \"lazy\"",
            ),
            ("unknown_batch", "batch = [1, 2]", "batch = [1, 3]"),
            ("empty_batch", "batch = [1, 2]", "batch = []"),
            (
                "kernel_twice",
                "[[proof.eager]]",
                "[[kernel]]\nisa = \"neon\"\nbatch = [2, 4]\n\n[[proof.eager]]",
            ),
            ("batch_twice", "batch = [1, 2]", "batch = [1, 1]"),
        ],
    );
}

#[test]
fn parameters() {
    cases(
        VALID,
        &[
            ("width_not_in_blocks", "width = 8", "width = 10"),
            ("width_unknown", "width = 8", "width = 28"),
            (
                "external_rounds_odd",
                "external-rounds = 8",
                "external-rounds = 7",
            ),
            (
                "internal_rounds_zero",
                "internal-rounds = 22",
                "internal-rounds = 0",
            ),
            (
                "rounds_too_many",
                "internal-rounds = 22",
                "internal-rounds = 2000",
            ),
            (
                "internal_rounds_differ",
                "internal-rounds = 22",
                "internal-rounds = 21",
            ),
            ("diagonal_differs", "\"1/2\"", "\"1/2^2\""),
            ("diagonal_entry", "\"1/2\"", "\"1/3\""),
            ("diagonal_text", "\"1/2\"", "\"half\""),
            ("diagonal_length", ", \"-4\"]", "]"),
            ("constants_word", "\"grain\"", "\"grian\""),
        ],
    );
    snapshot("sbox_not_coprime", &with(VALID, "sbox = 7", "sbox = 5"));
    snapshot("sbox_linear", &with(VALID, "sbox = 7", "sbox = 1"));
    let text = with(VALID, "\"goldilocks\"", "\"koala-bear\"");
    snapshot("width_not_in_set", &with(&text, "sbox = 7", "sbox = 3"));
}

#[test]
fn explicit_constants() {
    cases(
        OWN,
        &[
            ("constant_not_below_p", "12, 13", "0x7f000001, 13"),
            ("constant_beyond_words", "0x7f000000", "0x10000000000000000"),
            ("constant_row_short", ", 15, 16]", ", 15]"),
            (
                "constants_rounds",
                "internal-rounds = 1",
                "internal-rounds = 2",
            ),
            ("constants_of_named_set", "\"mine\"", "\"plonky3\""),
            ("internal_layer_singular", "\"-2\", \"1\"", "\"0\", \"0\""),
            ("diagonal_above_p", "\"-4\"", "\"2130706433\""),
        ],
    );
    // The right shape under a name that promises other constants.
    let rows = format!("    {:?},\n", [1; 8]).repeat(8);
    let own = format!(
        "{{\n  external = [\n{rows}  ],\n  internal = {:?},\n}}",
        [2; 22]
    );
    snapshot("constants_differ", &with(VALID, "\"grain\"", &own));
}

#[test]
fn a_pattern_without_sites() {
    let spec = Spec::parse(
        "specs/case.toml",
        &with(VALID, "external[*]", "external[2]"),
    )
    .unwrap();
    let sites = ["external[*].mds.block[0].t01", "internal.rc"];
    let error: Diagnostics = spec.unmatched(&spec.proofs["eager"][0], &sites).into();
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("error_pattern_without_sites", error.render_plain());
    });
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        start in 0..VALID.len(),
        length in 0..40_usize,
        text in "\\PC{0,12}|[\\[\\]{}=\"0-9a-z.,*^\n -]{0,12}",
    ) {
        let mut spec = VALID.to_owned();
        spec.replace_range(start..(start + length).min(VALID.len()), &text);
        if let Err(errors) = Spec::parse("specs/case.toml", &spec) {
            proptest::prop_assert!(errors.has_errors() && !errors.render_plain().is_empty());
        }
    }
}

#[test]
fn proofs() {
    let site = "site = \"external[*].mds.block[*].t01\"";
    let claim = "claim = { output-of = \"canonicalise\" }";
    cases(
        VALID,
        &[
            (
                "proof_missing",
                "proof = \"eager\"",
                "proof = \"eager\"\n\n[[kernel]]\nisa = \"avx2\"\nbatch = [1]\nproof = \"eagre\"",
            ),
            ("proof_unused", "proof = \"eager\"\n", ""),
            (
                "proof_none",
                "[[proof.eager]]\nsite = \"external[*].mds.block[*].t01\"\nclaim = { output-of = \"canonicalise\" }\n",
                "",
            ),
            ("pattern_syntax", site, "site = \"external[*.mds\""),
            ("pattern_empty", site, "site = \"\""),
            ("claim_missing", claim, ""),
            ("claim_word", claim, "claim = \"constant-tabel\""),
            (
                "claim_on_an_unknown_output",
                "\"canonicalise\"",
                "\"canonicalize\"",
            ),
            ("claim_on_no_output", "\"canonicalise\"", "\"x\""),
            (
                "claim_two_statements",
                claim,
                "claim = { output-of = \"x\", range = { a = 1, b = 2 } }",
            ),
            (
                "claim_and_canonicalise",
                claim,
                "claim = \"zero\"\ncanonicalise = \"b\"",
            ),
            (
                "operand_and_canonicalise",
                claim,
                "operand = \"a\"\ncanonicalise = \"b\"",
            ),
            (
                "operand_unknown",
                claim,
                "claim = \"zero\"\noperand = \"c\"",
            ),
            (
                "bound_syntax",
                claim,
                "claim = { range = { a = \"2^64-1\", b = \"q-1\" } }",
            ),
            (
                "bound_negative",
                claim,
                "claim = { range = { a = \"2^64-1\", b = \"1-p\" } }",
            ),
            (
                "bound_missing",
                claim,
                "claim = { range = { a = \"2^64-1\" } }",
            ),
            (
                "claim_twice",
                claim,
                "claim = \"zero\"\n\n[[proof.eager]]\nsite = \"external[*].mds.block[*].t01\"\nclaim = \"constant-table\"",
            ),
            (
                "claim_against_kept",
                claim,
                "claim = \"zero\"\n\n[[proof.eager]]\nsite = \"external[*].mds.block[*].t01\"\ncanonicalise = \"a\"",
            ),
        ],
    );
}

#[test]
fn every_error_at_once_in_the_order_of_lines() {
    let text = VALID
        .replace("goldilocks", "silverlocks")
        .replace("width = 8", "width = 9")
        .replace("sbox = 7", "sbox = \"seven\"")
        .replace("isa = \"neon\"", "isa = \"mmx\"\ncolour = 3")
        .replace("batch = [1, 2]", "batch = [5]")
        .replace("external[*].mds", "external[*]..mds");
    let found = errors(&text);
    let lines: Vec<_> = found
        .iter()
        .filter_map(|error| Some(error.location()?.1))
        .collect();
    assert!(lines.is_sorted());
    assert_eq!(lines.len(), 7);
    snapshot("all_at_once", &text);
}

#[test]
fn both_operands_may_be_claimed() {
    let second = "\n[[proof.eager]]\nsite = \"external[*].mds.block[*].t01\"\noperand = \"a\"\nclaim = \"zero\"\n";
    assert!(Spec::parse("specs/case.toml", &format!("{VALID}{second}")).is_ok());
}

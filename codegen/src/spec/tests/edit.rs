//! Writing claims back.

use std::sync::LazyLock;

use crate::names::Operand;
use crate::params::GOLDILOCKS;
use crate::spec::{ClaimKind, ClaimText, Spec, assign, write_proof};

/// A spec that relies on no proof set yet.
static SPEC: LazyLock<String> = LazyLock::new(|| {
    let text = include_str!("../../../specs/goldilocks-w8.toml");
    let (before, _) = text.split_once("\n[[proof.").unwrap_or((text, ""));
    before.replace("proof = \"eager\"\n", "")
});

fn claims() -> Vec<ClaimText> {
    let p = u128::from(GOLDILOCKS.modulus);
    [
        (
            "external[*].mds.block[*].t01",
            Operand::B,
            ClaimKind::OutputOf("canonicalise".into()),
        ),
        ("internal.rc", Operand::B, ClaimKind::ConstantTable),
        (
            "internal.sum.*",
            Operand::A,
            ClaimKind::Range {
                a: p - 1,
                b: (1 << 64) - 1,
            },
        ),
        ("internal.diag[5].0", Operand::A, ClaimKind::Canonicalise),
    ]
    .into_iter()
    .map(|(site, operand, kind)| ClaimText {
        site: site.to_owned(),
        operand,
        kind,
    })
    .collect()
}

/// Adds the set to the text, and its name to the kernels that should rely on it.
fn add(text: &str, claims: &[ClaimText]) -> String {
    let text = write_proof(text, &GOLDILOCKS, "eager", claims).unwrap();
    assign(&text, &[0, 2], "proof", "eager").unwrap()
}

#[test]
fn windows_line_ends_stay() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    let written = add(&windows(&SPEC), &claims());
    assert_eq!(written, windows(&add(&SPEC, &claims())));
}

fn lines_not_in<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    text.lines()
        .filter(|line| !other.lines().any(|known| known == *line))
        .collect()
}

#[test]
fn what_is_written_is_read_back() {
    let spec = Spec::parse("spec.toml", &add(&SPEC, &claims())).unwrap();
    let read: Vec<_> = spec.proofs["eager"]
        .iter()
        .map(|claim| ClaimText {
            site: claim.pattern.to_string(),
            operand: claim.operand,
            kind: claim.kind.clone(),
        })
        .collect();
    assert_eq!(read, claims());
    let proofs: Vec<_> = spec
        .kernels
        .iter()
        .map(|kernel| kernel.proof.as_deref())
        .collect();
    let written = [Some("eager"), None, Some("eager")];
    assert_eq!(proofs[..3], written);
    assert!(proofs[3..].iter().all(Option::is_none));
}

#[test]
fn only_the_claims_are_new() {
    let text = add(&SPEC, &claims());
    assert_eq!(lines_not_in(&SPEC, &text), [""; 0]);
    let introduction = SPEC.find("# An addition of two words").unwrap();
    let added = text.find("[[proof.eager]]\nsite").unwrap();
    assert!(
        introduction < added,
        "the comment that explains claims stands above them"
    );
    insta::assert_snapshot!("added_claims", text[added - 1..].trim_start());
}

#[test]
fn writing_again_changes_nothing() {
    let text = add(&SPEC, &claims());
    assert_eq!(add(&text, &claims()), text);
}

#[test]
fn comments_follow_their_claims() {
    let text = add(&SPEC, &claims()).replace(
        "[[proof.eager]]\nsite = \"internal.rc\"",
        "# Mine.\n[[proof.eager]]\nsite = \"internal.rc\"",
    ) + "\n# The end.\n";
    let mut changed = claims();
    changed.swap(1, 2);
    changed.truncate(3);
    changed[2].kind = ClaimKind::CanonicalisedAtConstruction;
    let text = add(&text, &changed);
    assert!(
        text.contains(
            "# Mine.\n[[proof.eager]]\nsite = \"internal.rc\"\nclaim = \"canonicalised-at"
        )
    );
    assert!(text.ends_with("# The end.\n"));
    assert!(!text.contains("\nsite = \"internal.diag[5].0\""));
    assert_eq!(lines_not_in(&SPEC, &text), [""; 0]);
}

#[test]
fn another_set_stays() {
    let text = add(&SPEC, &claims());
    let text = write_proof(&text, &GOLDILOCKS, "other", &claims()[..1]).unwrap();
    let text = assign(&text, &[1], "proof", "other").unwrap();
    let text = write_proof(&text, &GOLDILOCKS, "eager", &claims()[1..]).unwrap();
    let spec = Spec::parse("spec.toml", &text).unwrap();
    assert_eq!(
        (spec.proofs["eager"].len(), spec.proofs["other"].len()),
        (3, 1)
    );
}

#[test]
fn a_set_may_become_empty_and_full_again() {
    let empty = add(&add(&SPEC, &claims()), &[]);
    let spec = Spec::parse("spec.toml", &empty).unwrap();
    assert!(spec.proofs["eager"].is_empty());
    let spec = Spec::parse("spec.toml", &add(&empty, &claims())).unwrap();
    assert_eq!(spec.proofs["eager"].len(), 4);
}

/// What stands for a literal while the text is edited is nothing that stands there already.
#[test]
fn integers_beyond_63_bits_stay_as_they_are_written() {
    let text = "# \"integer0\"\na = [\"integer_1\", 0xFFFF_ffff_ffff_ffff, 9223372036854775808]\n";
    let text = text.to_owned() + "b = 9223372036854775809 # last\n";
    let edited = write_proof(&text, &GOLDILOCKS, "eager", &claims()).unwrap();
    assert!(edited.starts_with(&text), "{edited}");
}

#[test]
fn inline_forms_are_refused() {
    let error = write_proof("proof = { eager = [] }", &GOLDILOCKS, "eager", &claims()).unwrap_err();
    assert_eq!(
        error.message(),
        "cannot edit proof sets that are written inline"
    );
    let error = assign("kernel = [{ isa = \"neon\" }]", &[0], "proof", "eager").unwrap_err();
    assert_eq!(error.help_text(), Some("write them as [[kernel]] tables"));
    assert!(write_proof("[", &GOLDILOCKS, "eager", &[]).is_err());
}

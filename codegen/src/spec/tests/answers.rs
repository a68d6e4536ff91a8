//! Known answers.

use super::errors::{VALID, cases, snapshot, with};
use crate::spec::Spec;

#[test]
fn known_answers() {
    let answer = "[[known-answer]]\nfrom = \"a test\"\nin = [0, 1, 2, 3, 4, 5, 6, 7]\n\
                  out = [0x20cf04a1b214d14, \"?\", \"?\", \"?\", \"?\", \"?\", \"?\", \"?\"]\n\n[[kernel]]";
    let spec = with(VALID, "[[kernel]]", answer);
    let read = Spec::parse("specs/case.toml", &spec).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.answers[0].image[..2], [Some(0x20cf04a1b214d14), None]);
    let unknown = spec.replace("0x20cf04a1b214d14", "\"?\"");
    snapshot("answer_of_nothing", &unknown);
    cases(
        &spec,
        &[
            (
                "answer_of_another",
                "0x20cf04a1b214d14",
                "0x20cf04a1b214d15",
            ),
            ("answer_too_short", "6, 7]", "6]"),
            ("answer_not_a_residue", "6, 7]", "6, 0xffffffff00000001]"),
            ("answer_without_a_state", "6, 7]", "6, \"?\"]"),
        ],
    );
}

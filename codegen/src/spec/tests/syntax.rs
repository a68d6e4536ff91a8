//! What is said of text that is not TOML.

use super::errors::{VALID, cases, errors, snapshot, with};

#[test]
fn not_toml() {
    cases(
        VALID,
        &[
            ("toml_value", "width = 8", "width = = 8"),
            ("toml_string", "isa = \"neon\"", "isa = \"neon"),
            ("toml_duplicate_key", "width = 8", "width = 8\nwidth = 12"),
        ],
    );
    for (name, text) in [
        ("toml_ends_in_a_header", "[permutation"),
        (
            "toml_ends_in_a_string",
            "[permutation]\nfield = \"\"\"gold\n",
        ),
    ] {
        assert_eq!(errors(text).len(), 1, "{name}");
        snapshot(name, text);
    }
    let open = with(VALID, "\"-4\"]", "\"-4\"");
    for (name, text) in [
        ("toml_array", open.as_str()),
        ("toml_array_after_comma", &with(&open, "\"-4\"", "\"-4\",")),
    ] {
        assert_eq!(errors(text).len(), 1, "{name}");
        snapshot(name, text);
    }
    snapshot(
        "toml_twice",
        &with(&with(VALID, "width = 8", "width ="), "sbox = 7", "sbox = x"),
    );
}

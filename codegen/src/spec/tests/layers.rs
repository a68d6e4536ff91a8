//! The wording of errors about linear layers and about where constants are from.

use super::errors::{OWN, VALID, cases, snapshot};

#[test]
fn other_layers_and_orders_than_the_named_set_has() {
    cases(
        VALID,
        &[
            (
                "constants_order",
                "\"grain\"",
                "{ grain = \"internal-first\" }",
            ),
            (
                "constants_twice",
                "\"grain\"",
                "{ grain = \"initial-internal-final\", file = \"here.toml\" }",
            ),
            (
                "constants_differ_in_order",
                "\"grain\"",
                "{ grain = \"initial-final-internal\" }",
            ),
            ("scale_differs", "sbox = 7", "sbox = 7\nscale = \"1/2^32\""),
            (
                "layer_differs",
                "sbox = 7",
                "sbox = 7\nexternal-layer = { m4 = \"horizen\" }",
            ),
        ],
    );
}

#[test]
fn layers_of_ones_own() {
    cases(
        OWN,
        &[
            ("internal_layer_subspace", "\"1/2\", \"3\"", "\"3\", \"3\""),
            ("set_is_a_keyword", "\"mine\"", "\"crate\""),
            ("set_is_a_module", "\"mine\"", "\"types\""),
            ("set_is_no_type", "\"mine\"", "\"self_\""),
            ("set_is_another_type", "\"mine\"", "\"field_\""),
            ("sbox_degree", "sbox = 3", "sbox = 65"),
            ("entry_negative", "\"-3\"", "-3"),
            ("entry_float", "\"-1/2\"", "-0.5"),
            ("entry_decimal", "\"-1/2\"", "0.1"),
            ("scale_zero", "sbox = 3", "sbox = 3\nscale = \"0\""),
            ("scale_text", "sbox = 3", "sbox = 3\nscale = \"1/3\""),
            (
                "m4_unknown",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { m4 = \"horizon\" }",
            ),
            (
                "m4_shape",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { m4 = [[1, 2, 3, 4], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]] }",
            ),
            (
                "m4_singular",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { m4 = [[1, 2, 3, 4], [2, 4, 6, 8], [0, 0, 1, 0], [0, 0, 0, 1]] }",
            ),
            (
                "m4_entry",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { m4 = [[1, 2, 3, \"-x\"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] }",
            ),
            (
                "order_unknown_layer",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { order = \"rows\" }",
            ),
            (
                "initial_not_boolean",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { initial = 1 }",
            ),
            (
                "layer_key",
                "sbox = 3",
                "sbox = 3\nexternal-layer = { matrix = 1 }",
            ),
        ],
    );
    let (head, _) = OWN.split_once("\n[permutation.constants]").unwrap();
    let file = format!("{head}constants = {{ file = \"absent.toml\" }}\n");
    snapshot("constants_file_missing", &file);
}

const POSEIDON1: &str = r#"[permutation]
kind = "poseidon1"
parameter-set = "mine"
field = "koala-bear"
width = 8
full-rounds = 2
partial-rounds = 1
sbox = 3
mds = [7, 1, 3, 8, 8, 3, 4, 9]
constants = "grain"
"#;

#[test]
fn matrices_of_poseidon1() {
    let row = "[7, 1, 3, 8, 8, 3, 4, 9]";
    cases(
        POSEIDON1,
        &[
            ("mds_singular", row, "[1, 1, 1, 1, 1, 1, 1, 1]"),
            ("mds_subspace", row, "[7, 1, 3, 8, 9, 8, 3, 1]"),
        ],
    );
}

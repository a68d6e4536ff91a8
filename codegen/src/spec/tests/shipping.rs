//! Batches: what goes into `generated/`, what only `codegen package` makes, and what a layout is for.

use super::errors::{VALID, cases};

#[test]
fn batches_that_ship_or_are_packaged() {
    let batch = "batch = [1, 2]";
    cases(
        VALID,
        &[
            ("ship_unasked", batch, "batch = [1, 2]\nship = [4]"),
            ("packaged_unasked", batch, "batch = [1, 2]\npackaged = [4]"),
            (
                "ship_and_packaged",
                batch,
                "batch = [1, 2]\nship = [1, 2]\npackaged = [2]",
            ),
        ],
    );
}

#[test]
fn two_groups_are_staggered_with_two_s_boxes_at_least() {
    let old = "isa = \"neon\"\nbatch = [1, 2]\n";
    let kernel = "isa = \"avx512ifma\"\nlayout = \"staggered\"\n";
    let other = "\n[[kernel]]\nisa = \"neon\"\nbatch = [1]\n";
    let one = format!("{kernel}batch = [1]\n{other}");
    let alone = format!("{kernel}batch = [2]\nsboxes = 1\n{other}");
    cases(
        VALID,
        &[
            ("one_group_staggered", old, &one),
            ("one_sbox_staggered", old, &alone),
        ],
    );
}

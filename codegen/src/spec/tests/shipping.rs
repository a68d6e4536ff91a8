//! What goes into `generated/`, and what only `codegen package` makes.

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

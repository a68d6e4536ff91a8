//! Tables, ranges and lists as text.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::kernel::KernelInfo;
use crate::ops::Range;
use crate::params::Field;

/// A table without frames; columns from `numbers` on are aligned to the right.
#[must_use]
pub fn table(header: &[&str], numbers: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header)
        .add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index >= numbers {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// A bound as kernel engineers write it: relative to the modulus where it is near.
fn bound(value: i128, field: &Field) -> String {
    let p = i128::from(field.modulus);
    for (multiple, name) in [(p, "p"), (2 * p, "2p")] {
        match value - multiple {
            0 => return name.to_owned(),
            near @ -9..=-1 => return format!("{name}{near}"),
            near @ 1..=9 => return format!("{name}+{near}"),
            _ => {}
        }
    }
    // `Range` knows powers of two.
    let text = Range::new(value, value).to_string();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Both ends of a range.
pub(super) fn range(range: &Range, field: &Field) -> String {
    format!("{}..={}", bound(range.lo, field), bound(range.hi, field))
}

/// Operation counts in a line.
pub(super) fn counts(info: &KernelInfo) -> String {
    let classes: Vec<_> = info
        .classes()
        .map(|(class, n)| format!("{class} {n}"))
        .collect();
    format!(
        "{} instructions: {}",
        info.instructions(),
        classes.join(", ")
    )
}

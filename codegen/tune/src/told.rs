//! Figures for people.

use codegen::tuning::{Figure, Key, TuningCell, Workload};
use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, presets};

/// Figures of a cell, as a table.
pub(crate) fn told(cell: &TuningCell, modelled: bool) -> String {
    let Key {
        field, width, isa, ..
    } = &cell.key;
    let unit = if modelled { "cycles" } else { "ns" };
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    let mut header = vec![format!("{field} w{width} {isa}"), "states".to_owned()];
    let workloads: &[Workload] = if modelled {
        &Workload::ALL[..1]
    } else {
        &Workload::ALL
    };
    for workload in workloads {
        let workload = if modelled { "a call" } else { workload.name() };
        header.extend([
            format!("{workload} {unit}"),
            "ratio".to_owned(),
            "±".to_owned(),
            String::new(),
        ]);
    }
    grid.set_header(header);
    for figure in &cell.figures[0] {
        let mut row = vec![figure.kernel.clone(), figure.states.to_string()];
        for figures in &cell.figures[..workloads.len()] {
            let same = |other: &&Figure| other.kernel == figure.kernel;
            if let Some(figure) = figures.iter().find(same) {
                row.push(format!("{:.1}", figure.time));
                row.push(format!("{:.2}", figure.ratio));
                row.push(format!("{:.1} %", figure.spread * 100.0));
                row.push(if figure.used { "used" } else { "" }.to_owned());
            }
        }
        grid.add_row(row);
    }
    for (index, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = grid.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.chain(["\n".to_owned()]).collect()
}

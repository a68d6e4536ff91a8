//! Figures for people.

use codegen::cli::text::table;
use codegen::tuning::{Figure, Key, TuningCell, Workload};

/// Figures of a cell, as a table.
pub(crate) fn told(cell: &TuningCell, modelled: bool) -> String {
    let Key {
        field, width, isa, ..
    } = &cell.key;
    // A model knows no workloads.
    let (unit, workloads) = if modelled {
        ("cycles", &Workload::ALL[..1])
    } else {
        ("ns", &Workload::ALL[..])
    };
    let mut header = vec![format!("{field} w{width} {isa}"), "states".to_owned()];
    for workload in workloads {
        let workload = if modelled { "a call" } else { workload.name() };
        header.push(format!("{workload} {unit}"));
        header.extend(["ratio", "±", ""].map(str::to_owned));
    }
    let row = |figure: &Figure| {
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
        row
    };
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table(&header, 1, cell.figures[0].iter().map(row).collect()) + "\n"
}

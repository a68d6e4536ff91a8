//! What tables do not know, for people.

use codegen::kernel::KernelInfo;
use codegen::tuning::{Gaps, TuningTable, gaps};

/// Of one table: a paragraph for each gap, nothing if there is none.
pub(crate) fn one(table: &TuningTable, kernels: &[KernelInfo]) -> String {
    let Gaps {
        missing,
        stale,
        unrecorded,
    } = gaps(table, kernels);
    let how = if table.modelled { "models" } else { "times" };
    let told = [missing, stale, unrecorded].into_iter().flatten();
    told.map(|gap| {
        let cells: String = gap.cells.iter().map(|cell| format!("  {cell}\n")).collect();
        let (message, command) = (gap.message, gap.command);
        format!("{message}\n{cells}  what {how} them: {command}\n")
    })
    .collect()
}

/// Of all tables.
pub(crate) fn all(tables: &[TuningTable], kernels: &[KernelInfo]) -> String {
    let told = tables.iter().map(|table| match one(table, kernels) {
        told if told.is_empty() => {
            let cpu = &table.cpu;
            format!("tuning table of {cpu}: has every kernel, as it is generated now\n")
        }
        told => told,
    });
    told.collect()
}

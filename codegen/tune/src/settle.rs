//! Which settings of knobs are the best.

use std::io::Write;

use codegen::cli::places::shown;
use codegen::cli::tell;
use codegen::diag::Diagnostics;
use codegen::kernel::kernel_name;
use codegen::names::Isa;
use codegen::spec::Spec;
use codegen::tuning::{Key, TuningCell};

use crate::knobs::{best_sboxes, with_sboxes};
use crate::told::told;

/// A better setting than that of a spec.
pub(crate) struct Better {
    /// The spec's index.
    pub(crate) spec: usize,
    /// The kernel's in the spec.
    pub(crate) kernel: usize,
    /// The setting.
    pub(crate) sboxes: usize,
}

/// Of a cell with all variants what the spec will have, and what is told about it.
pub(crate) fn settle(
    specs: &[Spec],
    mut cell: TuningCell,
    write: bool,
    better: &mut Vec<Better>,
    out: &mut dyn Write,
) -> Result<TuningCell, Diagnostics> {
    let mut notes = Vec::new();
    for (spec_index, spec) in specs.iter().enumerate() {
        for (index, kernel) in spec.kernels.iter().enumerate() {
            if key(spec, kernel.isa) != cell.key {
                continue;
            }
            let name = |&batch: &usize| {
                let name = kernel_name(&spec.instance, kernel, batch);
                (
                    batch,
                    name.rsplit('/').next().unwrap_or_default().to_owned(),
                )
            };
            let names: Vec<_> = kernel.batches.iter().map(name).collect();
            let best = best_sboxes(&cell, &names, kernel);
            if best != kernel.sboxes {
                let strategy = kernel.strategy;
                notes.push(format!(
                    "{}: `sboxes = {best}` is faster than {} for {} {strategy}",
                    shown(&spec.path),
                    kernel.sboxes,
                    kernel.isa,
                ));
                better.push(Better {
                    spec: spec_index,
                    kernel: index,
                    sboxes: best,
                });
                if !write {
                    tell(out, &told(&cell, false))?;
                }
            }
            let sboxes = if write { best } else { kernel.sboxes };
            cell = with_sboxes(&cell, &names, kernel, sboxes);
        }
    }
    for note in notes {
        tell(out, &format!("{note}\n"))?;
    }
    Ok(cell)
}

/// Of the kernels of a spec on an instruction set.
pub(crate) fn key(spec: &Spec, isa: Isa) -> Key {
    Key {
        parameters: spec.instance.parameter_set.clone(),
        field: spec.instance.field.name.to_owned(),
        width: spec.instance.width,
        isa,
    }
}

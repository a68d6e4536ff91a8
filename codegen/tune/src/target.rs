//! Which table figures go to.

use std::path::Path;

use codegen::diag::Diagnostic;
use codegen::tuning::cpu::Cpu;
use codegen::tuning::{CpuPattern, TuningTable};

use crate::host::cpu_name;

/// Cores that programs can tell from others, by a CPU feature that these lack.
const CORES: &[(&str, &str)] = &[("neoverse-v2", "sve2")];

/// The index of the table that knows this CPU, or that has its name, or of a new one.
pub(crate) fn own(
    tables: &mut Vec<TuningTable>,
    name: Option<&str>,
    folder: &Path,
) -> Result<usize, Diagnostic> {
    let here = Cpu::here();
    let knows = |table: &TuningTable| {
        let pattern = table.known_by.as_ref();
        pattern.zip(here.as_ref()).is_some_and(|(pattern, cpu)| {
            let family = pattern.family.unwrap_or(0);
            let vendor = pattern.vendor.as_ref();
            vendor.is_some_and(|vendor| cpu.is_of(vendor, family, &pattern.models))
        })
    };
    let found = match name {
        Some(name) => tables.iter().position(|table| table.cpu == name),
        None => tables.iter().position(knows),
    };
    if let Some(index) = found {
        return Ok(index);
    }
    let Some(name) = name else {
        let known: Vec<_> = tables.iter().map(|table| table.cpu.as_str()).collect();
        let message = format!("{} has no tuning table", cpu_name());
        let help = format!("--cpu NAME makes one; there are {}", known.join(", "));
        return Err(Diagnostic::new(message).help(help));
    };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        let message = format!("`{name}` cannot be the name of a CPU");
        return Err(Diagnostic::new(message).help("letters, digits and hyphens, such as zen4"));
    }
    let known_by = here.map(|cpu| CpuPattern {
        vendor: Some(cpu.vendor().to_owned()),
        family: Some(cpu.family),
        // One family, one core; elsewhere all cores since 1995 are of family 6.
        models: if cpu.vendor() == "AuthenticAMD" {
            Vec::new()
        } else {
            vec![cpu.model]
        },
        features: Vec::new(),
    });
    Ok(add(tables, name, std::env::consts::ARCH, known_by, folder))
}

/// The index of the table of a core that is modelled, or of a new one.
pub(crate) fn of_core(tables: &mut Vec<TuningTable>, core: &str, folder: &Path) -> usize {
    let found = tables.iter().position(|table| table.cpu == core);
    found.unwrap_or_else(|| {
        let feature = CORES.iter().find(|(name, _)| *name == core);
        let known_by = feature.map(|(_, feature)| CpuPattern {
            features: vec![(*feature).to_owned()],
            ..CpuPattern::default()
        });
        let index = add(tables, core, "aarch64", known_by, folder);
        tables[index].modelled = true;
        index
    })
}

/// Adds a table: the default of its architecture, if that has none.
fn add(
    tables: &mut Vec<TuningTable>,
    cpu: &str,
    arch: &str,
    known_by: Option<CpuPattern>,
    folder: &Path,
) -> usize {
    let mut others = tables.iter();
    let default = !others.any(|table| table.default && table.arch == arch);
    tables.push(TuningTable {
        path: folder.join(format!("{cpu}.toml")),
        cpu: cpu.to_owned(),
        arch: arch.to_owned(),
        default,
        modelled: false,
        note: String::new(),
        known_by,
        kin: Vec::new(),
        cells: Vec::new(),
    });
    tables.len() - 1
}

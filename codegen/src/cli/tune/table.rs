//! Which table figures go to.

use std::path::Path;

use super::host::cpu_name;
use crate::diag::Diagnostic;
use crate::tuning::cpu::Cpu;
use crate::tuning::{KnownBy, Table};

/// Cores that programs can tell from others, by a CPU feature that these lack.
const CORES: &[(&str, &str)] = &[("neoverse-v2", "sve2")];

/// The index of the table that knows this CPU, or that has its name, or of a new one.
pub(super) fn own(
    tables: &mut Vec<Table>,
    name: Option<&str>,
    folder: &Path,
) -> Result<usize, Diagnostic> {
    let here = Cpu::here();
    let knows = |table: &Table| match (&table.known_by, &here) {
        (
            KnownBy::Cpuid {
                vendor,
                family,
                models,
            },
            Some(cpu),
        ) => {
            cpu.vendor() == vendor
                && cpu.family == *family
                && (models.is_empty() || models.contains(&cpu.model))
        }
        _ => false,
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
    let known_by = here.map_or(KnownBy::Nothing, |cpu| KnownBy::Cpuid {
        vendor: cpu.vendor().to_owned(),
        family: cpu.family,
        // One family, one core; elsewhere all cores since 1995 are of family 6.
        models: if cpu.vendor() == "AuthenticAMD" {
            Vec::new()
        } else {
            vec![cpu.model]
        },
    });
    Ok(add(tables, name, std::env::consts::ARCH, known_by, folder))
}

/// The index of the table of a core that is modelled, or of a new one.
pub(super) fn of_core(tables: &mut Vec<Table>, core: &str, folder: &Path) -> usize {
    let found = tables.iter().position(|table| table.cpu == core);
    found.unwrap_or_else(|| {
        let feature = CORES.iter().find(|(name, _)| *name == core);
        let known_by = feature.map_or(KnownBy::Nothing, |(_, feature)| {
            KnownBy::Features(vec![(*feature).to_owned()])
        });
        let index = add(tables, core, "aarch64", known_by, folder);
        tables[index].modelled = true;
        index
    })
}

/// Adds a table: the default of its architecture, if that has none.
fn add(tables: &mut Vec<Table>, cpu: &str, arch: &str, known_by: KnownBy, folder: &Path) -> usize {
    let mut others = tables.iter();
    let default = !others.any(|table| table.default && table.arch == arch);
    tables.push(Table {
        path: folder.join(format!("{cpu}.toml")),
        cpu: cpu.to_owned(),
        arch: arch.to_owned(),
        default,
        modelled: false,
        known_by,
        cells: Vec::new(),
    });
    tables.len() - 1
}

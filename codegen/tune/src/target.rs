//! Which table figures go to.

use std::path::Path;

use codegen::cli::places::shown;
use codegen::diag::Diagnostic;
use codegen::tuning::cpu::Cpu;
use codegen::tuning::{CpuPattern, TuningTable};

use crate::host::{cpu_name, has, is_of};
use crate::record::Record;

/// Cores that programs can tell from others, by a CPU feature that these lack.
const CORES: &[(&str, &str)] = &[("neoverse-v2", "sve2")];

/// The index of the table of this CPU, or that has its name, or of a new one. Unless figures are from
/// `elsewhere`, a table of that name must not be about other CPUs; if they are, it must be there: what is
/// known of this CPU says nothing of theirs.
pub(crate) fn own(
    tables: &mut Vec<TuningTable>,
    name: Option<&str>,
    elsewhere: bool,
    folder: &Path,
) -> Result<usize, Diagnostic> {
    let knows = |table: &TuningTable| !table.modelled && table.known_by.as_ref().is_some_and(is_of);
    let found = match name {
        Some(name) => tables.iter().position(|table| table.cpu == name),
        None => tables.iter().position(knows),
    };
    if let Some(index) = found {
        let table = &tables[index];
        let other = table.known_by.as_ref().is_some_and(|known| !is_of(known))
            || table.arch != std::env::consts::ARCH;
        if !elsewhere && (table.modelled || other) {
            let cpu = &table.cpu;
            let how = if table.modelled {
                "is modelled"
            } else {
                "is another CPU"
            };
            let message = format!("{} is timed here, and {cpu} {how}", cpu_name());
            let help = format!(
                "`--model {cpu}` if it is modelled; else time it where it is, and bring its figures here by --figures"
            );
            return Err(Diagnostic::new(message).help(help));
        }
        return Ok(index);
    }
    let there = there(tables);
    let Some(name) = name else {
        let message = format!("{} has no tuning table", cpu_name());
        let help = format!("--cpu NAME makes one; {there}");
        return Err(Diagnostic::new(message).help(help));
    };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        let message = format!("`{name}` cannot be the name of a CPU");
        return Err(Diagnostic::new(message).help("letters, digits and hyphens, such as zen4"));
    }
    if elsewhere {
        let message = format!("there is no tuning table `{name}` for figures of a file");
        let help = format!(
            "{there}; a new one begins on its own CPU, by `cargo run -p tune -- --all --cpu {name}`"
        );
        return Err(Diagnostic::new(message).help(help));
    }
    if let Some(table) = tables.iter().find(|table| knows(table)) {
        let (cpu, path) = (&table.cpu, shown(&table.path));
        let message = format!("{} has a tuning table: {cpu}", cpu_name());
        let help = format!(
            "leave out `--cpu {name}`; or take this CPU out of `known_by` in {path}, if another table shall have it"
        );
        return Err(Diagnostic::new(message).help(help));
    }
    let known_by = Cpu::here().map(|cpu| {
        // AMD's cores differ by family, those of family 25 (Zen 3 and 4) by AVX-512; elsewhere all cores
        // since 1995 are of family 6.
        let amd = cpu.vendor() == "AuthenticAMD";
        let features = ["avx512f"]
            .into_iter()
            .filter(|feature| amd && has(feature));
        CpuPattern {
            vendor: Some(cpu.vendor().to_owned()),
            family: Some(cpu.family),
            models: if amd { Vec::new() } else { vec![cpu.model] },
            features: features.map(str::to_owned).collect(),
        }
    });
    Ok(add(tables, name, std::env::consts::ARCH, known_by, folder))
}

fn there(tables: &[TuningTable]) -> String {
    let names: Vec<_> = tables.iter().map(|table| table.cpu.as_str()).collect();
    match names.join(", ") {
        names if names.is_empty() => "there is none yet".to_owned(),
        names => format!("there are {names}"),
    }
}

/// Figures of a file without the name of their table: what a file tells of its CPU names none, and this
/// CPU need not be that one.
pub(crate) fn unnamed(records: &[Record], tables: &[TuningTable], file: &Path) -> Diagnostic {
    let told = records.iter().find_map(|record| {
        let core = record
            .core
            .as_ref()
            .map(|core| format!("modelled on {core}"));
        core.or_else(|| Some(format!("measured on {}", record.origin.cpu.as_ref()?)))
    });
    let told = told.map_or_else(
        || "it names no CPU".to_owned(),
        |how| format!("they were {how}"),
    );
    let there = there(tables);
    Diagnostic::new(format!(
        "{}: which table do its figures belong to?",
        file.display()
    ))
    .help(format!(
        "{told}; `--cpu NAME` names the table ({there}), or `--model CORE` if LLVM models it"
    ))
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

/// Refuses figures that are not of a table: those of a core belong into its own, and no others do.
pub(crate) fn belong(
    records: &[Record],
    table: &TuningTable,
    file: &Path,
) -> Result<(), Diagnostic> {
    let core = table.modelled.then_some(&table.cpu);
    let stray = |record: &&Record| record.core.as_ref() != core;
    let Some(Record { kernel, core, .. }) = records.iter().find(stray) else {
        return Ok(());
    };
    let (file, cpu) = (file.display(), &table.cpu);
    let (of, help) = match core {
        Some(core) => (
            format!("modelled on {core}"),
            format!(
                "`--cpu {core}`, or `--model {core}` if LLVM models it, in place of `--cpu {cpu}`"
            ),
        ),
        None => (
            "measured".to_owned(),
            format!("--cpu names the table of the CPU that ran it; {cpu} is modelled"),
        ),
    };
    let message = format!("{file}: {kernel} was {of}, so its figures are not of {cpu}");
    Err(Diagnostic::new(message).help(help))
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
        known_by,
        ..TuningTable::default()
    });
    tables.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cpu: &str, known_by: Option<CpuPattern>, modelled: bool) -> TuningTable {
        let mut tables = Vec::new();
        let arch = std::env::consts::ARCH;
        add(&mut tables, cpu, arch, known_by, Path::new(""));
        tables[0].modelled = modelled;
        tables.remove(0)
    }

    #[test]
    fn figures_do_not_go_into_the_table_of_another_cpu() {
        let other = CpuPattern {
            vendor: Some("NobodysCPUs".to_owned()),
            ..CpuPattern::default()
        };
        let core = CpuPattern {
            features: vec!["sve2".to_owned()],
            ..CpuPattern::default()
        };
        let mut tables = vec![
            table("other", Some(other), false),
            table("core", Some(core), true),
            table("anybody", None, false),
        ];
        let folder = Path::new("");
        for (name, index) in [("other", 0), ("core", 1)] {
            let refused = own(&mut tables, Some(name), false, folder).unwrap_err();
            assert!(refused.message().contains(name), "{}", refused.message());
            // What was measured there is brought here.
            assert_eq!(own(&mut tables, Some(name), true, folder).unwrap(), index);
        }
        assert_eq!(own(&mut tables, Some("anybody"), false, folder).unwrap(), 2);
        tables[2].arch = "wasm32".to_owned();
        let refused = own(&mut tables, Some("anybody"), false, folder).unwrap_err();
        assert!(refused.message().contains("anybody is another CPU"));
        // A new one is of this CPU, if that can be told; and so not for what was measured elsewhere.
        let refused = own(&mut tables, Some("mine"), true, folder).unwrap_err();
        assert!(refused.message().contains("no tuning table `mine`"));
        assert_eq!(own(&mut tables, Some("mine"), false, folder).unwrap(), 3);
        assert_eq!(tables[3].known_by.is_some(), Cpu::here().is_some());
        if Cpu::here().is_some() {
            assert_eq!(own(&mut tables, None, false, folder).unwrap(), 3);
            let refused = own(&mut tables, Some("again"), false, folder).unwrap_err();
            assert!(refused.message().ends_with("has a tuning table: mine"));
        }
    }

    #[test]
    fn figures_go_into_the_table_of_their_own_core() {
        let figures = |core: &str| -> Vec<Record> {
            let record = format!(r#"[{{"kernel": "k", "verified": true, "core": {core}}}]"#);
            serde_json::from_str(&record).unwrap()
        };
        let [measured, modelled] = [false, true].map(|modelled| table("n1", None, modelled));
        let refused = |core: &str, table: &TuningTable| {
            let refused = belong(&figures(core), table, Path::new("file.json")).err();
            refused.map(|refused| refused.message().to_owned())
        };
        assert_eq!(refused("null", &measured), None);
        assert_eq!(refused("\"n1\"", &modelled), None);
        for (core, table, was) in [
            ("\"n1\"", &measured, "modelled on n1"),
            ("\"v2\"", &modelled, "modelled on v2"),
            ("null", &modelled, "measured"),
        ] {
            let told = format!("file.json: k was {was}, so its figures are not of n1");
            assert_eq!(refused(core, table), Some(told));
        }
    }
}

//! Tables as files: TOML that people read. The package `tune` writes them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{CpuPattern, Figure, Key, Provenance, TuningCell, TuningTable};
use crate::diag::{Diagnostic, Diagnostics, Source, UnknownName};
use crate::names::Isa;

const HELP: &str =
    "`cargo run -p tune -- --all` writes the tables of this machine and of its models anew";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableToml {
    cpu: String,
    arch: String,
    #[serde(default)]
    default: bool,
    #[serde(default)]
    packaged: bool,
    #[serde(default)]
    modelled: bool,
    #[serde(default)]
    note: String,
    known_by: Option<CpuPattern>,
    #[serde(default)]
    kin: Vec<CpuPattern>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    cell: Vec<CellToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CellToml {
    parameters: String,
    field: String,
    width: usize,
    isa: String,
    command: String,
    machine: String,
    compiler: String,
    peer: String,
    seed: u64,
    #[serde(default)]
    chain: Vec<Figure>,
    #[serde(default)]
    independent: Vec<Figure>,
    #[serde(default)]
    merkle: Vec<Figure>,
    #[serde(default)]
    code: BTreeMap<String, String>,
}

/// The tables of a folder, by name; none if there is no such folder.
///
/// # Errors
/// Everything that is wrong with them.
pub fn load_all(folder: &Path) -> Result<Vec<TuningTable>, Diagnostics> {
    let cannot = |path: &Path, error: std::io::Error| {
        Diagnostic::new(format!("cannot read {}: {error}", path.display()))
    };
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| cannot(folder, error))? {
        let path = entry.map_err(|error| cannot(folder, error))?.path();
        if path.extension().is_some_and(|kind| kind == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut tables, mut errors) = (Vec::<TuningTable>::new(), Diagnostics::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| cannot(&path, error))?;
        match read(&path, &text) {
            Ok(table) => tables.push(table),
            Err(error) => errors.push(error),
        }
    }
    errors.extend(clashes(&tables));
    errors.into_result().map(|()| tables)
}

/// Two tables that want to serve the same CPUs.
fn clashes(tables: &[TuningTable]) -> Diagnostics {
    let mut found = Diagnostics::new();
    for (index, table) in tables.iter().enumerate() {
        for other in tables[..index].iter().filter(|o| o.arch == table.arch) {
            let (a, b) = (&other.cpu, &table.cpu);
            if table.default && other.default {
                let message = format!("{a} and {b} are both the default of {}", table.arch);
                let help = "drop `default = true` from one of them";
                found.push(Diagnostic::new(message).help(help));
            }
            if table.known_by.is_some() && table.known_by == other.known_by {
                let message = format!("{a} and {b} are `known_by` the same");
                let help = "programs could not tell which to use: add models or features";
                found.push(Diagnostic::new(message).help(help));
            }
            if table.kin.iter().any(|kin| other.kin.contains(kin)) {
                let message = format!("{a} and {b} have the same `kin`");
                let help = "leave the CPUs to the nearer one, or tell them apart by features";
                found.push(Diagnostic::new(message).help(help));
            }
        }
    }
    found
}

/// Reads a table's text; `path` is for messages.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path, text: &str) -> Result<TuningTable, Diagnostic> {
    let wrong = |message: String| {
        let place = path.display();
        Diagnostic::new(format!("{place}: {message}")).help(HELP)
    };
    let toml: TableToml = toml::from_str(text).map_err(|error| {
        let source = Source::new(path.display().to_string(), text);
        let span = error.span().unwrap_or(0..0);
        let message = format!("{} is no tuning table", path.display());
        Diagnostic::new(message)
            .at(&source, span, error.message())
            .help(HELP)
    })?;
    for pattern in toml.known_by.iter().chain(&toml.kin) {
        check(pattern).map_err(|why| wrong(why.to_owned()))?;
    }
    let isa = |name: &str| -> Result<Isa, Diagnostic> {
        name.parse()
            .map_err(|unknown: UnknownName| wrong(unknown.to_string()))
    };
    let lacks: Vec<_> = toml
        .lacks
        .iter()
        .map(|name| isa(name))
        .collect::<Result<_, _>>()?;
    let mut cells = Vec::new();
    for cell in toml.cell {
        let isa = isa(&cell.isa)?;
        if lacks.contains(&isa) {
            return Err(wrong(format!(
                "has figures of {isa}, which the CPU `lacks`"
            )));
        }
        let figures = [cell.chain, cell.independent, cell.merkle];
        let odd = |figure: &&Figure| {
            figure.states == 0
                || figure.lanes == 0
                || !figure.states.is_multiple_of(figure.lanes)
                || !figure.time.is_normal()
                || figure.time < 0.0
        };
        if let Some(figure) = figures.iter().flatten().find(odd) {
            return Err(wrong(format!(
                "a figure of {} makes no sense",
                figure.kernel
            )));
        }
        cells.push(TuningCell {
            key: Key {
                parameters: cell.parameters,
                field: cell.field,
                width: cell.width,
                isa,
            },
            made: Provenance {
                command: cell.command,
                machine: cell.machine,
                compiler: cell.compiler,
                peer: cell.peer,
                seed: cell.seed,
            },
            figures,
            code: cell.code,
        });
    }
    Ok(TuningTable {
        path: path.to_owned(),
        cpu: toml.cpu,
        arch: toml.arch,
        default: toml.default,
        packaged: toml.packaged,
        modelled: toml.modelled,
        note: toml.note,
        known_by: toml.known_by,
        kin: toml.kin,
        lacks,
        cells,
    })
}

/// Refuses a pattern that says nothing, or what says nothing by itself.
fn check(pattern: &CpuPattern) -> Result<(), &'static str> {
    let CpuPattern {
        vendor,
        family,
        models,
        features,
    } = pattern;
    if vendor.is_none() && family.is_some() {
        return Err("`family` says something of a `vendor` only");
    }
    if family.is_none() && !models.is_empty() {
        return Err("`models` say something of a `family` only");
    }
    if vendor.is_none() && features.is_empty() {
        return Err("a pattern without `vendor` and `features` would be of every CPU");
    }
    Ok(())
}

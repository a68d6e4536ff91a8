//! Tables as files: TOML that people read. The package `tune` writes them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{CpuPattern, Figure, Key, Provenance, TuningCell, TuningTable};
use crate::diag::{Diagnostic, Diagnostics, Source};

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
    modelled: bool,
    #[serde(default)]
    note: String,
    known_by: Option<PatternToml>,
    #[serde(default)]
    kin: Vec<PatternToml>,
    #[serde(default)]
    cell: Vec<CellToml>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternToml {
    vendor: Option<String>,
    family: Option<u32>,
    #[serde(default)]
    models: Vec<u32>,
    #[serde(default)]
    features: Vec<String>,
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
    chain: Vec<FigureToml>,
    #[serde(default)]
    independent: Vec<FigureToml>,
    #[serde(default)]
    merkle: Vec<FigureToml>,
    #[serde(default)]
    code: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureToml {
    kernel: String,
    states: usize,
    lanes: usize,
    time: f64,
    ratio: f64,
    spread: f64,
    used: bool,
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
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
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
    let read = |toml: PatternToml| pattern(toml).map_err(|why| wrong(why.to_owned()));
    let known_by = toml.known_by.map(read).transpose()?;
    let kin = toml.kin.into_iter().map(read).collect::<Result<_, _>>()?;
    let mut cells = Vec::new();
    for cell in toml.cell {
        let isa = cell.isa.parse();
        let isa = isa.map_err(|unknown: crate::diag::UnknownName| wrong(unknown.to_string()))?;
        let figures = [cell.chain, cell.independent, cell.merkle];
        let odd = |figure: &FigureToml| {
            let lanes = figure.lanes.max(1);
            figure.states == 0
                || !figure.states.is_multiple_of(lanes)
                || !figure.time.is_normal()
                || figure.time < 0.0
        };
        if let Some(figure) = figures.iter().flatten().find(|figure| odd(figure)) {
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
            figures: figures.map(|figures| figures.into_iter().map(Figure::from).collect()),
            code: cell.code,
        });
    }
    Ok(TuningTable {
        path: path.to_owned(),
        cpu: toml.cpu,
        arch: toml.arch,
        default: toml.default,
        modelled: toml.modelled,
        note: toml.note,
        known_by,
        kin,
        cells,
    })
}

/// A pattern, or why it is none.
fn pattern(toml: PatternToml) -> Result<CpuPattern, &'static str> {
    let PatternToml {
        vendor,
        family,
        models,
        features,
    } = toml;
    if vendor.is_none() && family.is_some() {
        return Err("`family` says something of a `vendor` only");
    }
    if family.is_none() && !models.is_empty() {
        return Err("`models` say something of a `family` only");
    }
    if vendor.is_none() && features.is_empty() {
        return Err("a pattern without `vendor` and `features` would be of every CPU");
    }
    Ok(CpuPattern {
        vendor,
        family,
        models,
        features,
    })
}

impl From<FigureToml> for Figure {
    fn from(figure: FigureToml) -> Self {
        Self {
            kernel: figure.kernel,
            states: figure.states,
            lanes: figure.lanes.max(1),
            time: figure.time,
            ratio: figure.ratio,
            spread: figure.spread,
            used: figure.used,
        }
    }
}

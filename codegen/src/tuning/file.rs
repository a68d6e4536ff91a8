//! Tables as files: TOML that people read.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::decide::why_not;
use super::{Cell, Figure, Key, KnownBy, Made, Shape, Table};
use crate::diag::{Diagnostic, Diagnostics, Source};

const HELP: &str = "`codegen tune --all` writes the tables of this machine and of its models anew";

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
    known_by: KnownByToml,
    #[serde(default)]
    cell: Vec<CellToml>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownByToml {
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
pub fn load_all(folder: &Path) -> Result<Vec<Table>, Diagnostics> {
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
    let (mut tables, mut errors) = (Vec::<Table>::new(), Diagnostics::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| cannot(&path, error))?;
        match read(&path, &text) {
            Ok(table) => tables.push(table),
            Err(error) => errors.push(error),
        }
    }
    for (index, table) in tables.iter().enumerate() {
        let mut before = tables[..index].iter();
        if table.default
            && let Some(other) = before.find(|other| other.default && other.arch == table.arch)
        {
            let message = format!(
                "{} and {} are both the default of {}",
                other.cpu, table.cpu, table.arch
            );
            errors.push(Diagnostic::new(message).help("drop `default = true` from one of them"));
        }
    }
    errors.into_result().map(|()| tables)
}

/// Reads a table's text; `path` is for messages.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path, text: &str) -> Result<Table, Diagnostic> {
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
    let known = toml.known_by;
    let known_by = match (known.vendor, known.family) {
        (Some(vendor), Some(family)) => KnownBy::Cpuid {
            vendor,
            family,
            models: known.models,
        },
        (None, None) if !known.features.is_empty() => KnownBy::Features(known.features),
        (None, None) => KnownBy::Nothing,
        _ => return Err(wrong("`vendor` and `family` go together".to_owned())),
    };
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
        cells.push(Cell {
            key: Key {
                parameters: cell.parameters,
                field: cell.field,
                width: cell.width,
                isa,
            },
            made: Made {
                command: cell.command,
                machine: cell.machine,
                compiler: cell.compiler,
                peer: cell.peer,
                seed: cell.seed,
            },
            figures: figures.map(|figures| figures.into_iter().map(Figure::from).collect()),
        });
    }
    Ok(Table {
        path: path.to_owned(),
        cpu: toml.cpu,
        arch: toml.arch,
        default: toml.default,
        modelled: toml.modelled,
        known_by,
        cells,
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

/// A table's text.
#[must_use]
pub fn write(table: &Table) -> String {
    let unit = if table.modelled {
        "modelled cycles"
    } else {
        "nanoseconds"
    };
    let mut text = format!(
        "\
# Which kernels are the fastest on this CPU, and so which of them programs use there. Written by
# `codegen tune`, which docs/performance.md explains; `codegen generate --all` puts it into generated/.
#
# time    {unit} for a permutation, the median
# ratio   how often it fits into Plonky3's time for the same work
# spread  the interval of the middle half of the samples, by the median
# used    of as many states the fastest, if it is faster for a permutation than all smaller ones;
#         beside the others stands why not

"
    );
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    line("cpu", quoted(&table.cpu));
    line("arch", quoted(&table.arch));
    line("default", table.default.to_string());
    line("modelled", table.modelled.to_string());
    match &table.known_by {
        KnownBy::Cpuid {
            vendor,
            family,
            models,
        } => {
            let vendor = quoted(vendor);
            let value = format!("{{ vendor = {vendor}, family = {family}, models = {models:?} }}");
            line("known_by", value);
        }
        KnownBy::Features(features) => {
            line("known_by", format!("{{ features = {features:?} }}"));
        }
        KnownBy::Nothing => {}
    }
    for cell in &table.cells {
        let (key, made) = (&cell.key, &cell.made);
        text.push_str("\n[[cell]]\n");
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "{name} = {value}");
        };
        line("parameters", quoted(&key.parameters));
        line("field", quoted(&key.field));
        line("width", key.width.to_string());
        line("isa", quoted(key.isa.name()));
        line("command", quoted(&made.command));
        line("machine", quoted(&made.machine));
        line("compiler", quoted(&made.compiler));
        line("peer", quoted(&made.peer));
        line("seed", made.seed.to_string());
        for (shape, figures) in Shape::ALL.iter().zip(&cell.figures) {
            let _ = writeln!(text, "{} = [", shape.name());
            let widest = figures.iter().map(|f| f.kernel.len()).max().unwrap_or(0) + 2;
            for figure in figures {
                let note =
                    why_not(figure, figures).map_or_else(String::new, |why| format!(" # {why}"));
                let _ = writeln!(
                    text,
                    "  {{ kernel = {:<widest$}, states = {:>2}, lanes = {:>2}, time = {:>8.1}, ratio = {:.3}, spread = {:.3}, used = {:<5} }},{note}",
                    quoted(&figure.kernel),
                    figure.states,
                    figure.lanes,
                    figure.time,
                    figure.ratio,
                    figure.spread,
                    figure.used,
                );
            }
            text.push_str("]\n");
        }
    }
    text
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Writes a table to its file, in whole or not at all.
///
/// # Errors
/// It cannot be written; then nothing was changed.
pub fn save(table: &Table) -> Result<(), Diagnostic> {
    let cannot = |error: std::io::Error| {
        Diagnostic::new(format!("cannot write {}: {error}", table.path.display()))
    };
    let folder = table.path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(cannot)?;
    file.write_all(write(table).as_bytes()).map_err(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let readable = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(readable).map_err(cannot)?;
    }
    file.persist(&table.path)
        .map(drop)
        .map_err(|error| cannot(error.error))
}

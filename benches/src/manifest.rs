//! All kernels, whatever machine they are for.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde::Deserialize;

use crate::cell::{Filter, among};
use crate::host::{self, root};
use crate::shape::Shape;

/// A kernel as `generated/manifest.json` lists it; the manifest says more than is read here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Listed {
    /// The full name.
    pub name: String,
    /// The field.
    pub field: String,
    /// Elements in a state.
    pub width: usize,
    /// The instruction set.
    pub isa: String,
    /// Where states live.
    pub layout: String,
    /// How values are represented.
    pub strategy: String,
    /// Interleaved groups of states.
    pub batch: usize,
    /// The hash of its code.
    pub code: String,
    /// States in a group.
    pub lanes: usize,
    /// CPU features that it needs.
    pub features: Vec<String>,
    /// The architecture that it compiles for; none: all of them.
    pub target_arch: Option<String>,
}

/// The kernels that ship.
///
/// # Errors
/// A message, where the manifest is missing or cannot be read.
pub fn read() -> Result<Vec<Listed>, String> {
    read_from(&root().join("generated/manifest.json"))
}

/// All kernels that the specs ask for, those that do not ship, too; generates them first.
///
/// # Errors
/// A message, where they cannot be generated.
pub fn candidates() -> Result<Vec<Listed>, String> {
    codegen(&["generate", "--all", "--candidates"].map(OsStr::new))?;
    read_from(&host::target().join("candidates/manifest.json"))
}

/// The kernels that `codegen package` makes of a spec, into a folder; makes them first.
///
/// # Errors
/// A message, where they cannot be made.
pub fn package(spec: &Path, folder: &Path) -> Result<Vec<Listed>, String> {
    let spec = std::path::absolute(spec).map_err(|io| io.to_string())?;
    let [verb, of, into] = ["package", "--spec", "--into"].map(OsStr::new);
    codegen(&[verb, of, spec.as_os_str(), into, folder.as_os_str()])?;
    read_from(&folder.join("generated/manifest.json"))
}

fn codegen(arguments: &[&OsStr]) -> Result<(), String> {
    let mut codegen = host::cargo();
    codegen.args(["run", "--quiet", "--package", "codegen", "--"]);
    let status = codegen.args(arguments).stdout(Stdio::null()).status();
    let status = status.map_err(|io| io.to_string())?;
    if !status.success() {
        return Err(format!("cargo run -p codegen: {status}"));
    }
    Ok(())
}

fn read_from(path: &Path) -> Result<Vec<Listed>, String> {
    let fix = "`cargo run -p codegen -- generate --all` writes it";
    let error = |error: String| format!("{}: {error}; {fix}", path.display());
    let text = fs::read_to_string(path).map_err(|io| error(io.to_string()))?;
    serde_json::from_str(&text).map_err(|json| error(json.to_string()))
}

impl Listed {
    /// Whether a filter lets it through, in some shape.
    #[must_use]
    pub fn admitted_by(&self, filter: &Filter) -> bool {
        among(&filter.fields, &self.field)
            && among(&filter.widths, &self.width)
            && among(&filter.isas, &self.isa)
            && among(&filter.batches, &self.batch)
            && among(&filter.strategies, &self.strategy)
    }
}

/// Tells which names of a filter mean nothing, and what would.
///
/// # Errors
/// A line for each of them; or one, where they mean something each but no kernel is all of it.
pub fn check(filter: &Filter, kernels: &[Listed]) -> Result<(), String> {
    let mut unknown = Vec::new();
    let mut look_up = |what: &str, asked: &[String], known: BTreeSet<String>| {
        for name in asked.iter().filter(|name| !known.contains(*name)) {
            let known = known
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            unknown.push(format!("no {what} `{name}`; there are: {known}"));
        }
    };
    let of = |name: fn(&Listed) -> String| kernels.iter().map(name).collect();
    let numbers = |numbers: &[usize]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
    look_up("field", &filter.fields, of(|k| k.field.clone()));
    look_up(
        "width",
        &numbers(&filter.widths),
        of(|k| k.width.to_string()),
    );
    look_up("ISA", &filter.isas, of(|k| k.isa.clone()));
    look_up(
        "batch",
        &numbers(&filter.batches),
        of(|k| k.batch.to_string()),
    );
    look_up("strategy", &filter.strategies, of(|k| k.strategy.clone()));
    let shapes = Shape::ALL.iter().map(ToString::to_string);
    let families = Shape::FAMILIES.map(str::to_owned);
    look_up("shape", &filter.shapes, shapes.chain(families).collect());
    if unknown.is_empty() && !kernels.iter().any(|kernel| kernel.admitted_by(filter)) {
        unknown.push("no kernel has all of what is asked".to_owned());
    }
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(unknown.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_read() {
        let kernels = read().expect("it is committed");
        assert!(kernels.iter().any(|kernel| kernel.isa == "neon"));
        assert_eq!(check(&Filter::default(), &kernels), Ok(()));
    }

    #[test]
    fn unknown_names_are_told_with_the_known_ones() {
        let kernels = read().expect("it is committed");
        let filter = Filter {
            isas: vec!["avx3".to_owned()],
            shapes: vec!["merkle".to_owned(), "tree".to_owned()],
            ..Filter::default()
        };
        let message = check(&filter, &kernels).expect_err("two names are wrong");
        assert_eq!(message.lines().count(), 2);
        assert!(message.contains("no ISA `avx3`"));
        assert!(message.contains("merkle-16"));
    }

    #[test]
    fn an_empty_selection_is_an_error() {
        let kernels = read().expect("it is committed");
        let filter = Filter {
            fields: vec!["koala-bear".to_owned()],
            isas: vec!["neon".to_owned()],
            widths: vec![8],
            ..Filter::default()
        };
        assert!(check(&filter, &kernels).is_err());
    }
}

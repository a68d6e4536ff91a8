//! The specs of a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Spec;
use crate::diag::{Diagnostic, Diagnostics, UnknownName};
use crate::params::Field;

/// Reads every `*.toml` in `dir`; ordered by parameter set, field and width.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn load_all(dir: impl AsRef<Path>) -> Result<Vec<Spec>, Diagnostics> {
    read_all(dir.as_ref(), false)
}

/// The same by [`Spec::read`].
pub(crate) fn read_all(dir: &Path, to_infer: bool) -> Result<Vec<Spec>, Diagnostics> {
    let (mut specs, mut errors) = (Vec::new(), Diagnostics::new());
    for path in toml_files(dir)? {
        specs.extend(errors.keep(Spec::read(&path, to_infer)));
    }
    errors.extend(duplicates(&specs));
    errors.into_result()?;
    specs.sort_by(|a, b| a.instance.key().cmp(&b.instance.key()));
    Ok(specs)
}

fn toml_files(dir: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let entries = fs::read_dir(dir);
    let paths = entries.and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = paths.map_err(|error: std::io::Error| {
        let dir = dir.display();
        Diagnostic::new(format!("cannot read the folder of specs {dir}: {error}"))
    })?;
    paths.retain(|path| path.extension().is_some_and(|it| it == "toml"));
    paths.sort();
    if paths.is_empty() {
        return Err(Diagnostic::new(format!(
            "no spec (*.toml) in {}",
            dir.display()
        )));
    }
    Ok(paths)
}

/// Two files for one instance would write the same kernels.
fn duplicates(specs: &[Spec]) -> Diagnostics {
    let again = specs.iter().enumerate().filter_map(|(index, spec)| {
        let mut before = specs[..index].iter();
        let before = before.find(|before| before.instance.key() == spec.instance.key())?;
        let (path, before) = (spec.path.display(), before.path.display());
        let message = format!("{path} and {before} describe the same instance");
        Some(Diagnostic::new(message).help("put all kernels of an instance into one file"))
    });
    again.collect()
}

/// The specs over `field` of `width`, either of which may be left open.
///
/// # Errors
/// The field is unknown, or no spec has that width; names what there is.
pub fn select<'s>(
    specs: &'s [Spec],
    field: Option<&str>,
    width: Option<usize>,
) -> Result<Vec<&'s Spec>, UnknownName> {
    let mut names: Vec<_> = specs.iter().map(|spec| spec.instance.field.name).collect();
    names.dedup();
    if let Some(field) = field.filter(|field| !names.contains(field)) {
        let kind = if Field::by_name(field).is_some() {
            "field of a spec"
        } else {
            "field"
        };
        return Err(UnknownName::new(kind, field, names));
    }
    let of_field = specs
        .iter()
        .filter(|spec| field.is_none_or(|field| spec.instance.field.name == field));
    let widths: BTreeSet<usize> = of_field.clone().map(|spec| spec.instance.width).collect();
    if let Some(width) = width.filter(|width| !widths.contains(width)) {
        let valid = widths.iter().map(ToString::to_string);
        return Err(UnknownName::new("width", width.to_string(), valid));
    }
    let chosen = of_field.filter(|spec| width.is_none_or(|width| spec.instance.width == width));
    Ok(chosen.collect())
}

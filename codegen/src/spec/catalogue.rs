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
/// No spec is over that field or has that width; names what there is.
pub fn select<'s>(
    specs: &'s [Spec],
    field: Option<&str>,
    width: Option<usize>,
) -> Result<Vec<&'s Spec>, Diagnostic> {
    let over = |spec: &&Spec| field.is_none_or(|field| spec.instance.field.name == field);
    let of_field: Vec<&Spec> = specs.iter().filter(over).collect();
    if let Some(field) = field.filter(|_| of_field.is_empty()) {
        let names = specs.iter().map(|spec| spec.instance.field.name);
        let unknown = UnknownName::new("field", field, names.collect::<BTreeSet<_>>());
        return Err(match Field::by_name(field) {
            Some(_) => without(specs, "no spec", &unknown),
            None => unknown.into(),
        });
    }
    let wide = |spec: &&Spec| width.is_none_or(|width| spec.instance.width == width);
    let chosen: Vec<&Spec> = of_field.iter().copied().filter(wide).collect();
    if let Some(width) = width.filter(|_| chosen.is_empty()) {
        let widths = of_field.iter().map(|spec| spec.instance.width);
        let widths = widths.collect::<BTreeSet<_>>();
        let widths = widths.iter().map(ToString::to_string);
        let unknown = UnknownName::new("width", width.to_string(), widths);
        let of_field = field.map_or_else(String::new, |field| format!(" over {field}"));
        return Err(without(specs, &format!("no spec{of_field}"), &unknown));
    }
    Ok(chosen)
}

/// The error that none of the specs has that field or width: the only one, or else what is called `none`.
fn without(specs: &[Spec], none: &str, unknown: &UnknownName) -> Diagnostic {
    let (kind, given) = (unknown.kind, &unknown.given);
    match specs {
        [only] => {
            let (path, own) = (only.path.display(), unknown.valid.join(", "));
            let error = Diagnostic::new(format!("{path} has {kind} {own}, not {given}"));
            error.help(format!("leave `--{kind}` out"))
        }
        _ => Diagnostic::new(format!("{none} has {kind} {given}")).help(unknown.help()),
    }
}

//! The specs of a folder.

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
    each(dir.as_ref(), |path| Spec::load(path))
}

/// The same by [`Spec::load_to_infer`].
pub(crate) fn load_all_to_infer(dir: impl AsRef<Path>) -> Result<Vec<Spec>, Diagnostics> {
    each(dir.as_ref(), |path| Spec::load_to_infer(path))
}

fn each(
    dir: &Path,
    load: impl Fn(PathBuf) -> Result<Spec, Diagnostics>,
) -> Result<Vec<Spec>, Diagnostics> {
    let (mut specs, mut errors) = (Vec::new(), Diagnostics::new());
    for path in toml_files(dir)? {
        match load(path) {
            Ok(spec) => specs.push(spec),
            Err(found) => errors.extend(found),
        }
    }
    errors.extend(duplicates(&specs));
    errors.into_result()?;
    specs.sort_by(|a, b| {
        let key = |spec: &Spec| (spec.instance.field.name, spec.instance.width);
        (&a.instance.parameter_set, key(a)).cmp(&(&b.instance.parameter_set, key(b)))
    });
    Ok(specs)
}

fn toml_files(dir: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let unreadable = |error: std::io::Error| {
        Diagnostic::new(format!(
            "cannot read the folder of specs {}: {error}",
            dir.display()
        ))
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            paths.push(path);
        }
    }
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
fn duplicates(specs: &[Spec]) -> Vec<Diagnostic> {
    let same = |a: &Spec, b: &Spec| {
        let (a, b) = (&a.instance, &b.instance);
        (&a.parameter_set, a.field, a.width) == (&b.parameter_set, b.field, b.width)
    };
    let pairs = specs.iter().enumerate().filter_map(|(index, spec)| {
        Some((
            spec,
            specs[..index].iter().find(|before| same(before, spec))?,
        ))
    });
    pairs
        .map(|(spec, before)| {
            let (path, before) = (spec.path.display(), before.path.display());
            Diagnostic::new(format!("{path} and {before} describe the same instance"))
                .help("put all kernels of an instance into one file")
        })
        .collect()
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
    let of_field: Vec<_> = specs
        .iter()
        .filter(|spec| field.is_none_or(|field| spec.instance.field.name == field))
        .collect();
    let Some(width) = width else {
        return Ok(of_field);
    };
    let mut widths: Vec<_> = of_field.iter().map(|spec| spec.instance.width).collect();
    widths.sort_unstable();
    widths.dedup();
    if !widths.contains(&width) {
        let valid = widths.iter().map(ToString::to_string);
        return Err(UnknownName::new("width", width.to_string(), valid));
    }
    Ok(of_field
        .into_iter()
        .filter(|spec| spec.instance.width == width)
        .collect())
}

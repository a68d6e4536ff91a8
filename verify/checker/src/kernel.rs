//! A generated crate: its certificates, the kernels that rest on them, its constants and registry.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::reader::{self, registry, registry::Entry, tuning};
use crate::below;
use crate::certificate::Program;
use crate::lemma::{self, Lemma, Lemmas};
use crate::{Refused, check};

/// Outcomes by file.
pub type Outcomes<T> = Vec<(PathBuf, Result<T, Refused>)>;

/// The kernels whose blocks may be in an order of our own. No other may go unread.
const ORDERED: &str = "_neon_lanes_columns_b1";

/// Everything under a generated crate.
#[derive(Clone, Debug)]
pub struct Crate {
    /// The certificates of its programs.
    pub proofs: Outcomes<Program>,
    /// The kernels, and whether the text of each was executed. Blocks in an order of our own are not:
    /// they are made of instructions, not of macro-ops.
    pub kernels: Outcomes<bool>,
    /// Tables of constants, and the registry.
    pub tables: Outcomes<()>,
    /// What is to be proved of the bodies of macros, in the kernels that were read.
    pub lemmas: Vec<Lemma>,
}

impl Crate {
    /// The kernels that hold whose text was not executed, by file name.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        let kernels = self.kernels.iter();
        let unread = kernels.filter(|(_, outcome)| matches!(outcome, Ok(false)));
        unread.filter_map(|(path, _)| path.file_stem()?.to_str())
    }

    /// What is refused, in words.
    pub fn refused(&self, root: &Path) -> Vec<String> {
        let proofs = self
            .proofs
            .iter()
            .map(|(path, outcome)| (path, outcome.as_ref().err()));
        let kernels = self
            .kernels
            .iter()
            .map(|(path, outcome)| (path, outcome.as_ref().err()));
        let tables = self
            .tables
            .iter()
            .map(|(path, outcome)| (path, outcome.as_ref().err()));
        let refused = proofs.chain(kernels).chain(tables);
        let tell = |(path, refused): (&PathBuf, Option<&Refused>)| {
            Some(format!(
                "{}: {}",
                path.strip_prefix(root).unwrap_or(path).display(),
                refused?
            ))
        };
        refused.filter_map(tell).collect()
    }
}

/// Checks every certificate of a generated crate, that the text of each kernel computes what one of
/// them proves, and that constants and the registry are what they must be.
pub fn check_crate(folder: &Path) -> std::io::Result<Crate> {
    let mut proofs = Vec::new();
    let mut programs = BTreeMap::new();
    for path in below(&folder.join("proofs"), "cert")? {
        let outcome = check(&std::fs::read_to_string(&path)?).and_then(|checked| {
            if path.with_extension("").ends_with(&checked.name) {
                return Ok(checked);
            }
            let what = format!("this is the certificate of {}", checked.name);
            Err(Refused::new(1, what))
        });
        if let Ok(checked) = &outcome {
            let name = path.strip_prefix(folder).unwrap_or(&path);
            programs.insert(name.to_string_lossy().into_owned(), checked.clone());
        }
        proofs.push((path, outcome));
    }
    let source = folder.join("src");
    let (mut kernels, mut tables) = (Vec::new(), Vec::new());
    let (mut entries, mut lemmas) = (BTreeMap::new(), Lemmas::new());
    for path in below(&source, "rs")? {
        let text = std::fs::read_to_string(&path)?;
        let name = path.with_extension("");
        let name = name
            .strip_prefix(&source)
            .unwrap_or(&name)
            .to_string_lossy()
            .into_owned();
        if let Some((place, width)) = name.split_once("/constants_w") {
            let outcome = constants(&text, place, width);
            tables.push((path, outcome.map_err(|what| Refused::new(1, what))));
        } else if text
            .lines()
            .any(|line| line.starts_with("pub unsafe fn permute_raw"))
        {
            let outcome = rests(&text, &programs).and_then(|checked| {
                let facts = reader::read(&text, checked);
                let facts = facts.map_err(|what| Refused::new(1, what))?;
                let read = facts.read;
                if read {
                    let gathered = lemma::gather(checked, &facts, &mut lemmas);
                    gathered.map_err(|what| Refused::new(1, what))?;
                }
                if !read && !name.ends_with(ORDERED) {
                    let what = "blocks of instructions where the certificate has macro-ops";
                    return Err(Refused::new(1, what.to_owned()));
                }
                entries.insert(name, (checked, facts));
                Ok(read)
            });
            kernels.push((path, outcome));
        }
    }
    let entries = entries.iter().map(|(name, (checked, facts))| {
        let program = *checked;
        (name.clone(), Entry { program, facts })
    });
    let entries = entries.collect();
    for (name, read) in [
        ("registry.rs", registry::read as fn(&str, &_) -> _),
        ("tuning.rs", tuning::read),
    ] {
        let path = source.join(name);
        let outcome = read(&std::fs::read_to_string(&path)?, &entries);
        tables.push((path, outcome.map_err(|what| Refused::new(1, what))));
    }
    Ok(Crate {
        proofs,
        kernels,
        tables,
        lemmas: lemmas.into_values().collect(),
    })
}

/// Compares a table of constants with those of the instance whose place it has.
fn constants(text: &str, place: &str, width: &str) -> Result<(), String> {
    let instances = reference::instances();
    let instance = instances.iter().find(|instance| {
        let field = instance.field.name.replace('-', "_");
        place == format!("{}/{field}", instance.parameter_set)
            && width == instance.permutation.width().to_string()
    });
    let instance =
        instance.ok_or_else(|| format!("no reference knows {place} of width {width}"))?;
    reader::constants::read(text, instance)
}

/// The certificate of a kernel whose header names it and a body for each macro-op.
fn rests<'a>(text: &str, programs: &'a BTreeMap<String, Program>) -> Result<&'a Program, Refused> {
    let mut header = text.lines().enumerate();
    let certificate = header.find_map(|(n, line)| {
        let rest = line.strip_prefix("//! - certificate `")?;
        Some((n + 1, rest.strip_suffix('`')?))
    });
    let Some((line, path)) = certificate else {
        let what = "the header names no certificate".to_owned();
        return Err(Refused::new(1, what));
    };
    let Some(checked) = programs.get(path) else {
        let what = format!("{path} is no certificate that holds");
        return Err(Refused::new(line, what));
    };
    let bodies: Vec<&str> = header
        .filter_map(|(_, line)| {
            let (op, hash) = line.strip_prefix("//!   - `")?.split_once("` ")?;
            let hex = |c: char| c.is_ascii_hexdigit();
            (hash.len() == 64 && hash.chars().all(hex)).then_some(op)
        })
        .collect();
    match checked
        .macro_ops()
        .into_iter()
        .find(|op| !bodies.contains(op))
    {
        None => Ok(checked),
        Some(op) => {
            let what = format!("{path} has macro-op `{op}`, for which no body is named");
            Err(Refused::new(line, what))
        }
    }
}

//! Which files on disk differ from what would be generated. Writes nothing.

use std::fmt;
use std::path::Path;

use super::{FileSet, Scope, header, orphans};
use crate::diag::Diagnostic;
use crate::names::vocabulary;

vocabulary!(
    /// How a file differs from what would be generated.
    Kind, {
        /// Generated from older specs, templates or by an older generator.
        Stale = "stale",
        /// Not there.
        Missing = "missing",
        /// Carries our marker, but nothing asks for it.
        Orphaned = "orphaned",
        /// Does not match its own hash.
        EditedByHand = "edited by hand",
        /// Differs in line ends only.
        LineEnds = "line ends",
        /// In the place of a generated file, but never written by us.
        Foreign = "not ours",
    }
);

/// One file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What is wrong.
    pub kind: Kind,
    /// The file, relative to the output folder where it lies inside.
    pub path: String,
    /// The command that fixes it.
    pub fix: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<14}  {}", self.kind, self.path)
    }
}

/// A line for each, and what fixes them, once where it is the same.
#[must_use]
pub fn listed(found: &[Mismatch]) -> String {
    let runs = found.chunk_by(|one, next| one.fix == next.fix);
    let told = runs.map(|run| {
        let lines: String = run.iter().map(|one| format!("{one}\n")).collect();
        format!("{lines}{:16}fix: {}\n", "", run[0].fix)
    });
    told.collect()
}

/// Compares the files under `root` with `set`; `whole` is the command that writes them all.
///
/// # Errors
/// Something cannot be read.
pub fn check(
    set: &FileSet,
    root: &Path,
    scope: Scope,
    whole: &str,
) -> Result<Vec<Mismatch>, Diagnostic> {
    let mut found = Vec::new();
    for (path, file, kind) in set.compared(root)? {
        found.extend(kind.map(|kind| Mismatch {
            kind,
            path: path.clone(),
            fix: match kind {
                Kind::Foreign => format!("move it away, then {}", file.command),
                _ => file.command.clone(),
            },
        }));
    }
    if scope == Scope::Whole {
        found.extend(orphans(set, root)?.into_iter().map(|path| Mismatch {
            kind: Kind::Orphaned,
            path,
            fix: whole.to_owned(),
        }));
    }
    Ok(found)
}

/// How the text of the file `path` differs from what is wanted.
#[must_use]
pub fn compare(path: &str, now: &str, wanted: &str) -> Option<Kind> {
    if now == wanted {
        return None;
    }
    let unix = now.replace("\r\n", "\n");
    Some(if unix == wanted {
        Kind::LineEnds
    } else if !header::has_header(path) {
        Kind::Stale
    } else if !header::is_owned(now) {
        Kind::Foreign
    } else if header::is_intact(&unix) {
        Kind::Stale
    } else {
        Kind::EditedByHand
    })
}

/// The same of a file without a header; the list of hashes tells what we wrote there.
pub(super) fn compare_bare(path: &str, now: &str, wanted: &str, hashes: &str) -> Option<Kind> {
    if now == wanted {
        return None;
    }
    let unix = now.replace("\r\n", "\n");
    let mut lines = hashes.lines().filter_map(|line| line.split_once("  "));
    let written = lines.find_map(|(hash, own)| (own == path).then_some(hash));
    Some(match written {
        _ if unix == wanted => Kind::LineEnds,
        None => Kind::Foreign,
        Some(hash) if hash == &*blake3::hash(unix.as_bytes()).to_hex() => Kind::Stale,
        Some(_) => Kind::EditedByHand,
    })
}

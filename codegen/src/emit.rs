//! Generated files on disk: written all or not at all, recognised again, compared.
//!
//! Every file opens with a header that names its owner, the command that writes it and the hash
//! of the rest. So a file that matches its own hash but not what would be generated is *stale*,
//! one that does not match its own hash was *edited by hand*, and one that carries the marker but
//! is not asked for is an *orphan*.

mod check;
mod header;
mod region;
mod write;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use check::{Kind, Mismatch, check, compare};
pub use header::{MARKER, is_intact, is_owned};
pub use region::Region;
pub use write::{Outcome, bless};

use crate::diag::Diagnostic;

/// Whether the files at hand are everything that belongs into their folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything: other files that carry the marker are orphans.
    Whole,
    /// Some of it: other files are none of our business.
    Part,
}

/// Files to be, by their path relative to the output folder.
#[derive(Clone, Debug, Default)]
pub struct FileSet {
    files: BTreeMap<String, File>,
    /// Files that others own, as they should be; written after ours, which they may rely on.
    others: BTreeMap<String, File>,
    regions: Vec<Region>,
}

/// One file to be.
#[derive(Clone, Debug)]
struct File {
    /// With header, line ends LF.
    text: String,
    /// The command that writes it.
    command: String,
}

impl FileSet {
    /// No file yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `body` under its header; `command` writes exactly this file.
    ///
    /// A second file of the same path replaces the first: the caller's names are unique.
    pub fn insert(&mut self, path: impl Into<String>, command: impl Into<String>, body: &str) {
        let (path, command) = (path.into(), command.into());
        let text = header::add(&path, &command, &body.replace("\r\n", "\n"));
        self.files.insert(path, File { text, command });
    }

    /// Adds a file that is not ours, as it should be in whole: no header is added.
    pub fn insert_whole(
        &mut self,
        path: impl Into<String>,
        command: impl Into<String>,
        text: impl Into<String>,
    ) {
        let (text, command) = (text.into(), command.into());
        self.others.insert(path.into(), File { text, command });
    }

    /// Adds a region of a file that is otherwise written by hand.
    pub fn insert_region(&mut self, region: Region) {
        self.regions.push(region);
    }

    /// Paths and whole texts, header included.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .chain(&self.others)
            .map(|(path, file)| (path.as_str(), file.text.as_str()))
    }

    /// The whole text of one file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| file.text.as_str())
    }
}

/// Files under `root` that carry our marker but are not in `set`; none if there is no `root`.
fn orphans(set: &FileSet, root: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        let unreadable = |error| cannot("read", &folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            if entry.file_type().map_err(unreadable)?.is_dir() {
                if entry.file_name() != "target" {
                    folders.push(path);
                }
            } else if !set.files.contains_key(&relative(root, &path)) && is_ours(&path)? {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_ours(path: &Path) -> Result<bool, Diagnostic> {
    Ok(read(path)?.is_some_and(|text| header::is_owned(&text)))
}

/// The text of a file; `None` if there is no such file. What is not UTF-8 was not written by us.
fn read(path: &Path) -> Result<Option<String>, Diagnostic> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

/// With `/` on every host, so that messages and keys are the same everywhere.
fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    parts.join("/")
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests;

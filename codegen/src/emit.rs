//! Generated files on disk: written all or not at all, recognised again, compared.
//!
//! Every file opens with a header that names its owner, the command that writes it and the hash
//! of the rest. So a file that matches its own hash but not what would be generated is *stale*,
//! one that does not match its own hash was *edited by hand*, and one that carries the marker but
//! is not asked for is an *orphan*. Where files without a header are ours alone, a list of their hashes
//! tells the same of them.

mod check;
mod header;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub use check::{Kind, Mismatch, check, compare, listed};
pub use header::{MARKER, command, is_intact, is_owned};
pub use write::{Outcome, bless, replace};

use crate::diag::Diagnostic;

/// The list of hashes of files without a header, as `b3sum` writes it.
const HASHES: &str = "B3SUMS";

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
    files: BTreeMap<(Owner, String), File>,
    /// Of another run, and no orphans.
    left: BTreeSet<String>,
}

/// Whose a file is. Those of others come after ours, which they may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Us,
    Others,
}

/// One file to be.
#[derive(Clone, Debug)]
struct File {
    /// With header, line ends LF.
    text: String,
    /// The command that writes it.
    command: String,
}

/// Path, file, and what is wrong with the one on disk.
type Compared<'a> = (&'a String, &'a File, Option<Kind>);

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
        self.files.insert((Owner::Us, path), File { text, command });
    }

    /// Adds a file that is not ours, as it should be in whole: no header is added.
    pub fn insert_whole(
        &mut self,
        path: impl Into<String>,
        command: impl Into<String>,
        text: impl Into<String>,
    ) {
        let (text, command) = (text.into(), command.into());
        self.files
            .insert((Owner::Others, path.into()), File { text, command });
    }

    /// Adds a list of the hashes of all files without a header, by which they are recognised again: another
    /// text in the place of one is not overwritten.
    pub fn insert_hashes(&mut self, command: &str) {
        let bare = self.iter().filter(|(_, text)| !is_owned(text));
        let line = |(path, text): (&str, &str)| {
            let hash = blake3::hash(text.as_bytes());
            format!("{hash}  {path}\n")
        };
        let lines: String = bare.map(line).collect();
        self.insert(HASHES, command, &lines);
    }

    /// Leaves a file of another run as it is.
    pub fn leave(&mut self, path: impl Into<String>) {
        self.left.insert(path.into());
    }

    /// Adds all files of another set, in a folder.
    pub fn insert_below(&mut self, folder: &str, others: Self) {
        let others = others.files.into_iter();
        let below = |((owner, path), file)| ((owner, format!("{folder}/{path}")), file);
        self.files.extend(others.map(below));
    }

    /// Adds the file at `path`, which is written by hand but for `body` between `<!-- NAME:begin -->`
    /// and `<!-- NAME:end -->`.
    ///
    /// # Errors
    /// It cannot be read, or has no such region.
    pub fn insert_region(
        &mut self,
        path: &Path,
        name: &str,
        command: impl Into<String>,
        body: &str,
    ) -> Result<(), Diagnostic> {
        let [begin, end] = ["begin", "end"].map(|side| format!("<!-- {name}:{side} -->"));
        let text = read(path)?.unwrap_or_default();
        let parts = text.split_once(&begin).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(&end)?;
            Some((before, after))
        });
        let path = path.display().to_string();
        let Some((before, after)) = parts else {
            let help =
                format!("put the lines `{begin}` and `{end}` where the generated text belongs");
            return Err(Diagnostic::new(format!("{path} has no region `{name}`")).help(help));
        };
        let body = body.replace("\r\n", "\n");
        let text = format!("{before}{begin}\n\n{}\n\n{end}{after}", body.trim());
        self.insert_whole(path, command, text);
        Ok(())
    }

    /// Paths and whole texts, header included.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter();
        files.map(|((_, path), file)| (path.as_str(), file.text.as_str()))
    }

    /// How many files are ours.
    #[must_use]
    pub fn ours(&self) -> usize {
        self.files
            .keys()
            .filter(|(owner, _)| *owner == Owner::Us)
            .count()
    }

    /// The whole text of one file of ours.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&str> {
        let file = self.files.get(&(Owner::Us, path.to_owned()));
        file.map(|file| file.text.as_str())
    }

    /// Whether it has a file there, whosever.
    fn has(&self, path: &str) -> bool {
        self.files.keys().any(|(_, own)| own == path)
    }

    /// Every file with what is wrong with the one under `root`.
    fn compared(&self, root: &Path) -> Result<Vec<Compared<'_>>, Diagnostic> {
        let hashes = match self.get(HASHES) {
            Some(_) => Some(read(&root.join(HASHES))?.unwrap_or_default()),
            None => None,
        };
        let compared = self.files.iter().map(|((owner, path), file)| {
            let Some(now) = read(&root.join(path))? else {
                return Ok((path, file, Some(Kind::Missing)));
            };
            let wrong = match (owner, &hashes) {
                (_, Some(hashes)) if !is_owned(&file.text) => {
                    check::compare_bare(path, &now, &file.text, hashes)
                }
                (Owner::Us, _) => compare(path, &now, &file.text),
                (Owner::Others, _) => (now != file.text).then_some(Kind::Stale),
            };
            Ok((path, file, wrong))
        });
        compared.collect()
    }
}

/// Files under `root` that carry our marker but are not in `set`, relative to `root`; none if there
/// is no `root`. Those of other crates below it are not ours to judge.
///
/// # Errors
/// Something cannot be read.
pub fn orphans(set: &FileSet, root: &Path) -> Result<Vec<String>, Diagnostic> {
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
                let manifest = path.join("Cargo.toml");
                let is_other = manifest.is_file() && !set.has(&relative(root, &manifest));
                if entry.file_name() != "target" && !is_other {
                    folders.push(path);
                }
                continue;
            }
            let inside = relative(root, &path);
            if set.get(&inside).is_some() || set.left.contains(&inside) {
                continue;
            }
            if read(&path)?.is_some_and(|text| header::is_owned(&text)) {
                found.push(inside);
            }
        }
    }
    found.sort();
    Ok(found)
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

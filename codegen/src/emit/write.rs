//! Writing: everything is staged beside its destination first, then renamed into place.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{FileSet, Kind, Scope, cannot, orphans};
use crate::diag::{Diagnostic, Diagnostics};

/// What writing changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Files written, relative to the output folder where they lie inside.
    pub written: Vec<String>,
    /// Files that already were as they should be.
    pub unchanged: Vec<String>,
    /// Orphans deleted.
    pub deleted: Vec<String>,
    /// Of the files written, those that had been edited by hand.
    pub edited: Vec<String>,
}

impl Outcome {
    /// The files of which edits are gone, a line each.
    #[must_use]
    pub fn told_of_edits(&self) -> String {
        let lines = self.edited.iter();
        let line = |path| format!("{path} was edited by hand, and is as generated again\n");
        lines.map(line).collect()
    }
}

/// Makes the files under `root` those of `set`. Files that are already right are not touched.
///
/// # Errors
/// A file there is not ours, or something cannot be written; then nothing was changed.
pub fn bless(set: &FileSet, root: &Path, scope: Scope) -> Result<Outcome, Diagnostics> {
    let mut outcome = Outcome::default();
    let mut refused = Diagnostics::new();
    let mut stage = Stage::default();
    let files = set.compared(root)?;
    for &(path, _, kind) in &files {
        match kind {
            None => outcome.unchanged.push(path.clone()),
            Some(Kind::Foreign) => {
                let path = root.join(path);
                let path = path.display();
                let message =
                    format!("refusing to overwrite {path}: it was not written by codegen");
                let help = "move it away, or choose another folder";
                refused.push(Diagnostic::new(message).help(help));
            }
            Some(kind) => {
                outcome.written.push(path.clone());
                let edited = (kind == Kind::EditedByHand).then(|| path.clone());
                outcome.edited.extend(edited);
            }
        }
    }
    refused.into_result()?;
    if scope == Scope::Whole {
        outcome.deleted = orphans(set, root)?;
    }
    for (path, file, _) in files.into_iter().filter(|(.., kind)| kind.is_some()) {
        stage.add(&root.join(path), &file.text)?;
    }
    stage.commit()?;
    for path in outcome.deleted.iter().map(|path| root.join(path)) {
        fs::remove_file(&path).map_err(|error| cannot("delete", &path, &error))?;
        remove_empty_folders(root, &path);
    }
    Ok(outcome)
}

/// Puts another text into a file, in whole or not at all.
///
/// # Errors
/// It cannot be written; then nothing was changed.
pub fn replace(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let mut stage = Stage::default();
    stage.add(path, text)?;
    stage.commit()
}

/// Files written under temporary names, and the folders made for them. Dropped before it is
/// committed, it takes everything back.
#[derive(Default)]
struct Stage {
    files: Vec<(NamedTempFile, PathBuf)>,
    folders: Vec<PathBuf>,
}

impl Stage {
    fn add(&mut self, path: &Path, text: &str) -> Result<(), Diagnostic> {
        let failed = |error| cannot("write", path, &error);
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        self.make(folder)
            .map_err(|error| cannot("make the folder", folder, &error))?;
        let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        // Temporary files are private; what we write is not.
        match fs::metadata(path) {
            Ok(old) => file.as_file().set_permissions(old.permissions()),
            Err(_) => allow_reading(file.as_file()),
        }
        .map_err(failed)?;
        self.files.push((file, path.to_owned()));
        Ok(())
    }

    fn make(&mut self, folder: &Path) -> std::io::Result<()> {
        let missing = folder.ancestors().take_while(|folder| {
            // "" is the current folder.
            !folder.as_os_str().is_empty() && !folder.exists()
        });
        let missing: Vec<_> = missing.map(Path::to_owned).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(&folder)?;
            self.folders.push(folder);
        }
        Ok(())
    }

    fn commit(mut self) -> Result<(), Diagnostic> {
        for (file, path) in std::mem::take(&mut self.files) {
            file.persist(&path)
                .map_err(|error| cannot("write", &path, &error.error))?;
        }
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.files.clear();
        for folder in self.folders.iter().rev() {
            // Whoever put something into it meanwhile wants to keep it.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(unix)]
fn allow_reading(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn allow_reading(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}

fn remove_empty_folders(root: &Path, path: &Path) {
    for folder in path.ancestors().skip(1).take_while(|f| *f != root) {
        // Stops at the first that is not empty.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

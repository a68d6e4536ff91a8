//! Files in folders.

use std::io;
use std::path::{Path, PathBuf};

/// Files below a folder whose names end so, in order.
pub fn below(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            // It may lead around in circles.
            if kind.is_symlink() {
                let what = format!("{} is a link", path.display());
                return Err(io::Error::other(what));
            }
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

//! Running the program as its users do.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One kernel: that of the README's tour.
pub(crate) const ONE: [&str; 8] = [
    "--isa",
    "neon",
    "--layout",
    "registers",
    "--width",
    "8",
    "--batch",
    "2",
];

/// Exit code, standard output and standard error of a run, as one text.
///
/// `folder` and its parts are written as `OUT`, so that texts are the same everywhere.
pub(crate) fn codegen(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_codegen"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    told(&output)
        .replace(&from_root(folder), "OUT")
        .replace(&folder.display().to_string(), "OUT")
        .replace(&root().display().to_string(), "ROOT")
}

/// A folder as commands name it that are given in the repository.
fn from_root(folder: &Path) -> String {
    let root = root();
    let inside = |ancestor: &&Path| folder.starts_with(ancestor);
    let shared = root.ancestors().find(inside).unwrap();
    let up = root
        .strip_prefix(shared)
        .unwrap()
        .components()
        .map(|_| "..");
    let path: PathBuf = up.collect();
    let path = path.join(folder.strip_prefix(shared).unwrap());
    path.display().to_string()
}

/// A line for the shell, in which `$CODEGEN` is the program.
pub(crate) fn shell(line: &str, here: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("CODEGEN", env!("CARGO_BIN_EXE_codegen"))
        .env("NO_COLOR", "1")
        .current_dir(here)
        .output()
        .unwrap();
    told(&output)
}

fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap();
    format!("exit {code}\n{out}{err}")
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.unwrap().to_owned()
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The files under a folder.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inside = path.strip_prefix(folder).unwrap();
                found.push(inside.display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(from.join(&file), target).unwrap();
    }
}

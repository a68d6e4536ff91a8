//! A copy of the published crate, and the program run on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ::vendor::{PACKAGES, Package};
use tempfile::TempDir;

/// A crate as cargo downloaded it for this workspace.
fn published(package: &Package) -> PathBuf {
    let Package { name, version, .. } = package;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let found = packages
        .iter()
        .find(|package| package["name"] == *name && package["version"] == *version);
    let manifest = found.unwrap()["manifest_path"].as_str().unwrap();
    Path::new(manifest).parent().unwrap().to_owned()
}

/// Texts of all files, by path.
fn files(root: &Path) -> BTreeMap<String, String> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// A copy of the crate, to be worked on.
pub(crate) struct Copy(TempDir);

impl Copy {
    /// A folder with nothing in it.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Of `p3-goldilocks`.
    pub(crate) fn new() -> Self {
        Self::of(&PACKAGES[0])
    }

    pub(crate) fn of(package: &Package) -> Self {
        let copy = Self::empty();
        for (name, text) in files(&published(package)) {
            copy.write(&name, &text);
        }
        copy
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{name} has no `{from}`");
        self.write(name, &text.replace(from, to));
    }

    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        files(self.0.path())
    }

    /// Exit code and all that is said, the folder written as `COPY`.
    pub(crate) fn vendor(&self, arguments: &[&str]) -> String {
        self.named(&vendor(self.0.path(), arguments))
    }

    /// What is said, with `COPY` for the folder.
    pub(crate) fn named(&self, told: &str) -> String {
        told.replace(&self.0.path().display().to_string(), "COPY")
    }
}

pub(crate) fn vendor(into: &Path, arguments: &[&str]) -> String {
    run(&[&["--into", into.to_str().unwrap()], arguments].concat())
}

/// Exit code and all that is said, but for progress.
pub(crate) fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_vendor"))
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (told, complaints) = (text(&output.stdout), text(&output.stderr));
    let complaints = complaints.split_inclusive('\n');
    let complaints: String = complaints.filter(|line| !is_progress(line)).collect();
    let code = output.status.code().unwrap();
    format!("exit {code}\n{told}{complaints}")
}

/// Whether a line says how many kernels are done, as runs on a slow machine do.
fn is_progress(line: &str) -> bool {
    let count = line.split_once(" of ").map(|(count, _)| count);
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

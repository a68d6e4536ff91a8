//! Which folder is a checkout of a crate that we know.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::Table;

use codegen::cli::places::quoted;
use codegen::diag::{Diagnostic, Diagnostics};

use super::package::{PACKAGES, Package};

/// A folder of a crate that is known: a copy of the published crate, or its folder in a clone of Plonky3.
#[derive(Debug)]
pub(crate) struct Checkout {
    pub(crate) package: &'static Package,
    pub(crate) root: PathBuf,
}

impl Checkout {
    /// Recognises the folder.
    ///
    /// # Errors
    /// It is something else; the error says what was expected and what was found.
    pub(crate) fn open(root: &Path) -> Result<Self, Diagnostics> {
        owned_by_cargo(root)?;
        let manifest = manifest(root)?;
        let package = manifest.get("package").and_then(|value| value.as_table());
        let name = package.and_then(|package| package.get("name")?.as_str());
        let named = |known: &&Package| name == Some(known.name);
        let Some(first) = PACKAGES.iter().find(named) else {
            let found = match (name, manifest.contains_key("workspace")) {
                (Some(name), _) => format!("the package `{name}`"),
                (None, true) => "a workspace".to_owned(),
                (None, false) => "no package".to_owned(),
            };
            return Err(unexpected(root, &found, &members(root)).into());
        };
        let version = package.and_then(|package| version(root, package.get("version")?));
        let mut known = PACKAGES.iter().filter(named);
        let Some(package) = known.find(|known| version.as_deref() == Some(known.version)) else {
            let version = version.as_deref();
            let version = version
                .unwrap_or("without a version of its own, and no workspace above it has one");
            let found = format!("{} {version}", first.name);
            return Err(unexpected(root, &found, &[]).into());
        };
        Ok(Self {
            package,
            root: root.to_owned(),
        })
    }

    /// The text of a file in it; none: there is no such file.
    pub(crate) fn read(&self, path: &str) -> Result<Option<String>, Diagnostic> {
        read(&self.root.join(path))
    }
}

fn read(path: &Path) -> Result<Option<String>, Diagnostic> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {error}", path.display());
            Err(Diagnostic::new(message))
        }
    }
}

/// Cargo's own copies of crates are for cargo alone.
fn owned_by_cargo(root: &Path) -> Result<(), Diagnostic> {
    let path = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let parts: Vec<_> = path.iter().collect();
    let cache = parts.windows(2).any(|pair| pair == ["registry", "src"]);
    let what = if cache {
        "cargo's cache, which every build on this machine shares"
    } else if root.join(".cargo-checksum.json").exists() {
        "a folder of `cargo vendor`, where cargo refuses changed files"
    } else {
        return Ok(());
    };
    let message = format!("{} is in {what}; nothing was changed", root.display());
    let help = "copy it elsewhere, vendor into the copy, and name that under `[patch.crates-io]`";
    Err(Diagnostic::new(message).help(help))
}

fn manifest(root: &Path) -> Result<Table, Diagnostic> {
    if root.is_file() {
        return Err(unexpected(root, "a file", &[]));
    }
    let Some(text) = read(&root.join("Cargo.toml"))? else {
        let found = if root.is_dir() {
            "no Cargo.toml"
        } else {
            "no folder"
        };
        return Err(unexpected(root, found, &[]));
    };
    text.parse().map_err(|error: toml::de::Error| {
        let found = format!("a Cargo.toml that is not TOML: {}", error.message());
        unexpected(root, &found, &[])
    })
}

/// A version, written there or inherited from the workspace above.
fn version(root: &Path, written: &toml::Value) -> Option<String> {
    if let Some(version) = written.as_str() {
        return Some(version.to_owned());
    }
    let root = root.canonicalize().ok()?;
    let above = root.ancestors().skip(1);
    let workspace = above
        .filter_map(|folder| manifest(folder).ok())
        .find_map(|manifest| manifest.get("workspace").cloned())?;
    let version = workspace.get("package")?.get("version")?;
    Some(version.as_str()?.to_owned())
}

/// The folders in a clone of Plonky3 that may have been meant.
fn members(root: &Path) -> Vec<PathBuf> {
    let folders: BTreeSet<&str> = PACKAGES.iter().map(|package| package.folder).collect();
    let folders = folders.into_iter().map(|folder| root.join(folder));
    folders
        .filter(|folder| Checkout::open(folder).is_ok())
        .collect()
}

fn unexpected(root: &Path, found: &str, instead: &[PathBuf]) -> Diagnostic {
    let known = PACKAGES.map(|package| format!("{} {}", package.name, package.version));
    let message = format!(
        "{} is not a checkout that is known\nexpected: {}: the published crate or its folder in a \
         clone of Plonky3\nfound: {found}",
        root.display(),
        known.join(", "),
    );
    let help = if instead.is_empty() {
        "copy the published crate out of cargo's registry, or check out Plonky3 at one of these \
         versions, and name the folder with the package's Cargo.toml"
            .to_owned()
    } else {
        let option = |folder: &PathBuf| {
            let folder = quoted(&folder.display().to_string());
            format!("`--into {folder}`")
        };
        let options: Vec<_> = instead.iter().map(option).collect();
        format!("did you mean {}?", options.join(" or "))
    };
    Diagnostic::new(message).help(help)
}

//! Which folder is a checkout of a crate that we know.

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
            return Err(unexpected(root, &found, member(root)).into());
        };
        let version = package.and_then(|package| version(root, package.get("version")?));
        let mut known = PACKAGES.iter().filter(named);
        let Some(package) = known.find(|known| version.as_deref() == Some(known.version)) else {
            let version = version.as_deref().unwrap_or("of unknown version");
            let found = format!("{} {version}", first.name);
            return Err(unexpected(root, &found, None).into());
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
    let Some(text) = read(&root.join("Cargo.toml"))? else {
        let found = if root.is_dir() {
            "no Cargo.toml"
        } else {
            "no folder"
        };
        return Err(unexpected(root, found, None));
    };
    text.parse().map_err(|error: toml::de::Error| {
        let found = format!("a Cargo.toml that is not TOML: {}", error.message());
        unexpected(root, &found, None)
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

/// The folder in a clone of Plonky3 that was meant.
fn member(root: &Path) -> Option<PathBuf> {
    let mut folders = PACKAGES.iter().filter_map(|package| {
        let folder = root.join(package.folder);
        let manifest = manifest(&folder).ok()?;
        let name = manifest.get("package")?.get("name")?.as_str()?;
        (name == package.name).then_some(folder)
    });
    folders.next()
}

fn unexpected(root: &Path, found: &str, instead: Option<PathBuf>) -> Diagnostic {
    let known = PACKAGES.map(|package| format!("{} {}", package.name, package.version));
    let message = format!(
        "{} is not a checkout that is known\nexpected: {}: the published crate or its folder in a \
         clone of Plonky3\nfound: {found}",
        root.display(),
        known.join(", "),
    );
    let help = match instead {
        Some(folder) => {
            let folder = quoted(&folder.display().to_string());
            format!("did you mean `--into {folder}`?")
        }
        None => "copy the published crate out of cargo's registry, or check out Plonky3 at that \
                 version, and name the folder with the package's Cargo.toml"
            .to_owned(),
    };
    Diagnostic::new(message).help(help)
}

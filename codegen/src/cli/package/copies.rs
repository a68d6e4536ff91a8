//! What a package has of this repository: the interface, the checker and the reference, as they are, with
//! manifests of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use askama::Template;

use crate::cli::places::Workspace;
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::FileSet;
use crate::params::Field;
use crate::scaffold::render;

/// A package of the repository, its folder in the crate, the library's name, and whether it is for tests.
struct Copied {
    from: &'static str,
    to: &'static str,
    library: &'static str,
}

const COPIED: [Copied; 3] = [
    Copied {
        from: "poseidon2-kernels",
        to: "kernels",
        library: "poseidon2_kernels",
    },
    Copied {
        from: "verify/checker",
        to: "checker",
        library: "checker",
    },
    Copied {
        from: "verify/reference",
        to: "reference",
        library: "reference",
    },
];

/// What the checker needs from elsewhere.
const FOREIGN: [&str; 3] = ["proc-macro2", "quote", "syn"];

/// What the repository's own tools ask of packages that Plonky3 needs, and a package does not.
const UNASKED: [&str; 2] = ["chacha20", "getrandom"];

/// Of the interface to Plonky3, what a package has no use for: other versions, and tests beside Plonky3's
/// own permutations.
const NOT_COPIED: [&str; 5] = [
    "plonky3/sets.rs",
    "plonky3/tests.rs",
    "plonky3/v0_4.rs",
    "plonky3/v0_6.rs",
    "plonky3/v0_9.rs",
];

/// Plonky3's packages that the feature `plonky3` stands for, with their versions.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers(BTreeMap<String, Peer>);

#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) version: String,
    /// Whether features that it has unasked are left out.
    pub(super) bare: bool,
}

impl Peers {
    /// As the interface's own manifest has them; none if Plonky3's elements of the field are not the words
    /// that kernels work on.
    pub(super) fn of(workspace: &Workspace, field: &Field) -> Result<Self, Diagnostics> {
        let path = workspace.root().join("poseidon2-kernels/Cargo.toml");
        let unreadable =
            |what: String| Diagnostic::new(format!("cannot read {}: {what}", path.display()));
        let text = read(&path)?;
        let manifest: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| unreadable(error.message().to_owned()))?;
        let found = peers(&manifest)
            .ok_or_else(|| unreadable("the feature `plonky3` names no packages".to_owned()))?;
        let has = found.contains_key(&format!("p3-{}", field.name));
        Ok(if has { Self(found) } else { Self::default() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Peer)> {
        self.0.iter().map(|(name, peer)| (&**name, peer))
    }

    /// The version of a package.
    pub(super) fn version(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |peer| &*peer.version)
    }

    /// Those of the package's own test: Plonky3's traits, its fields' traits, its field.
    pub(super) fn tested(&self, field: &Field) -> Vec<String> {
        let names = ["p3-field".to_owned(), format!("p3-{}", field.name)];
        let names = names.into_iter().chain(["p3-symmetric".to_owned()]);
        names.filter(|name| self.0.contains_key(name)).collect()
    }
}

/// What the feature `plonky3` of a manifest asks for.
fn peers(manifest: &toml::Table) -> Option<BTreeMap<String, Peer>> {
    let asked = manifest.get("features")?.get("plonky3")?.as_array()?;
    let asked = asked
        .iter()
        .filter_map(|name| name.as_str()?.strip_prefix("dep:"));
    asked
        .map(|name| {
            let dependency = manifest.get("dependencies")?.get(name)?;
            let version = dependency.get("version")?.as_str()?.to_owned();
            let bare = dependency.get("default-features").is_some();
            Some((name.to_owned(), Peer { version, bare }))
        })
        .collect()
}

#[derive(Template)]
#[template(path = "package/part.toml.jinja", escape = "none")]
struct Manifest<'a> {
    name: &'a str,
    to: &'a str,
    library: &'a str,
    edition: &'a str,
    peers: &'a Peers,
}

/// Adds the copies and the lock file.
pub(super) fn insert(
    workspace: &Workspace,
    name: &str,
    command: &str,
    field: &Field,
    peers: &Peers,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let root = workspace.root();
    for Copied { from, to, library } in COPIED {
        let folder = root.join(from);
        for path in below(&folder.join("src"))? {
            if NOT_COPIED.contains(&&*path) || peers.is_empty() && path.starts_with("plonky3/") {
                continue;
            }
            let text = read(&folder.join("src").join(&path))?;
            let into = format!("{to}/src/{path}");
            match path.ends_with(".rs") {
                true => files.insert(into, command, &text),
                false => files.insert_whole(into, command, text),
            }
        }
        let edition = "2024";
        let manifest = Manifest {
            name,
            to,
            library,
            edition,
            peers,
        };
        files.insert(format!("{to}/Cargo.toml"), command, &render(&manifest)?);
    }
    let instructions = "checker/instructions.smt2";
    files.insert_whole(
        instructions,
        command,
        read(&root.join("verify").join(instructions))?,
    );
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.insert_whole(license, command, read(&root.join(license))?);
    }
    files.insert_whole(
        "Cargo.lock",
        command,
        lock(&read(&root.join("Cargo.lock"))?, name, field, peers),
    );
    Ok(())
}

/// Rust files below a folder, and texts that they include; relative to it, in order.
fn below(folder: &Path) -> Result<Vec<String>, Diagnostic> {
    let (mut found, mut folders) = (Vec::new(), vec![String::new()]);
    while let Some(inside) = folders.pop() {
        let path = folder.join(&inside);
        let unreadable =
            |error| Diagnostic::new(format!("cannot read {}: {error}", path.display()));
        for entry in std::fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = format!("{inside}{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(format!("{name}/"));
            } else if name.ends_with(".rs") || name.ends_with(".md") {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String, Diagnostic> {
    std::fs::read_to_string(path).map_err(|error| {
        let error = Diagnostic::new(format!("cannot read {}: {error}", path.display()));
        error.help("`package` copies from the repository: run it there")
    })
}

/// The names of all packages from elsewhere that the crate's lock file has.
pub(super) fn foreign(
    workspace: &Workspace,
    peers: &Peers,
) -> Result<BTreeSet<String>, Diagnostic> {
    let repository = read(&workspace.root().join("Cargo.lock"))?;
    let kept = kept(&repository, peers);
    Ok(kept.into_iter().map(|entry| value(entry, "name")).collect())
}

/// The entries of a lock file.
fn entries(lock: &str) -> impl Iterator<Item = &str> + Clone {
    lock.split("[[package]]\n").skip(1).map(str::trim_end)
}

/// What stands in an entry of a lock file by that key.
fn value(entry: &str, key: &str) -> String {
    let line = entry
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{key} = ")));
    line.unwrap_or_default().trim_matches('"').to_owned()
}

/// What the checker needs, as the repository's lock file has it.
fn needed(repository: &str) -> Vec<String> {
    let mut all = entries(repository);
    let checker = all.find(|entry| value(entry, "name") == "checker");
    checker.map(dependencies).unwrap_or_default()
}

/// Of the repository's lock file, what the checker and the interface to Plonky3 need from elsewhere.
fn kept<'a>(repository: &'a str, peers: &Peers) -> BTreeSet<&'a str> {
    let all = entries(repository);
    let is = |entry: &str, wanted: &str| {
        let [name, version] = ["name", "version"].map(|key| value(entry, key));
        wanted == name || wanted == format!("{name} {version}")
    };
    let needed = needed(repository);
    let first = all.clone().filter(|entry| {
        let wanted = needed.iter().any(|wanted| is(entry, wanted));
        wanted && FOREIGN.contains(&&*value(entry, "name"))
    });
    let peer = |entry: &&str| {
        let version = value(entry, "version");
        peers
            .iter()
            .any(|(name, peer)| name == value(entry, "name") && version.starts_with(&peer.version))
    };
    let mut kept: BTreeSet<&str> = first.chain(all.clone().filter(peer)).collect();
    let mut open: Vec<String> = kept.iter().flat_map(|entry| dependencies(entry)).collect();
    while let Some(next) = open.pop() {
        if UNASKED.contains(&&*next) {
            continue;
        }
        let found = all.clone().find(|entry| is(entry, &next));
        if let Some(entry) = found.filter(|entry| kept.insert(*entry)) {
            open.extend(dependencies(entry));
        }
    }
    kept
}

/// The lock file: what is kept of the repository's, and the crate's own parts.
fn lock(repository: &str, name: &str, field: &Field, peers: &Peers) -> String {
    let mut lines = repository.lines();
    let head = lines.find(|line| line.starts_with("version"));
    let head = head.unwrap_or("version = 4");
    let kept = kept(repository, peers);
    let needed = needed(repository);
    let mut entries: Vec<(String, String)> = Vec::new();
    // Where there is one version, the name says enough.
    let several = |name: &str| {
        let same = kept.iter().filter(|entry| value(entry, "name") == name);
        same.count() > 1
    };
    let short = |name: &str| {
        let short = name.split(' ').next().unwrap_or(name);
        if several(short) { name } else { short }.to_owned()
    };
    for entry in &kept {
        let lines = entry
            .lines()
            .filter_map(|line| match line.trim().strip_prefix('"') {
                Some(rest) => {
                    let name = rest.trim_end_matches(['"', ',']);
                    let asked = !UNASKED.contains(&name);
                    asked.then(|| format!(" \"{}\",", short(name)))
                }
                None => Some(line.to_owned()),
            });
        let text: Vec<String> = lines.collect();
        entries.push((value(entry, "name"), text.join("\n")));
    }
    let foreign = |name: &&String| FOREIGN.contains(&name.split(' ').next().unwrap_or_default());
    let foreign = needed.iter().filter(foreign);
    let part = |part: &str| format!("{name}{part}");
    let own = [
        (
            "",
            [
                ["-checker", "-generated", "-kernels", "-reference"]
                    .map(part)
                    .to_vec(),
                peers.tested(field),
            ]
            .concat(),
        ),
        (
            "-checker",
            [
                vec![part("-reference")],
                foreign.map(|name| short(name)).collect(),
            ]
            .concat(),
        ),
        ("-generated", vec![]),
        (
            "-kernels",
            [
                vec![part("-generated")],
                peers.iter().map(|(name, _)| name.to_owned()).collect(),
            ]
            .concat(),
        ),
        ("-reference", vec![]),
    ];
    for (suffix, mut needs) in own {
        needs.sort();
        let mut text = format!("name = \"{}\"\nversion = \"0.1.0\"", part(suffix));
        if !needs.is_empty() {
            let needs: String = needs.iter().map(|need| format!(" \"{need}\",\n")).collect();
            text += &format!("\ndependencies = [\n{needs}]");
        }
        entries.push((part(suffix), text));
    }
    entries.sort();
    let entries = entries
        .into_iter()
        .map(|(_, text)| format!("\n[[package]]\n{text}\n"));
    format!(
        "# This file is automatically @generated by Cargo.\n\
         # It is not intended for manual editing.\n{head}\n{}",
        entries.collect::<String>()
    )
}

/// The names, with versions where there are several, in an entry of a lock file.
fn dependencies(entry: &str) -> Vec<String> {
    let lines = entry.lines().map(str::trim);
    let quoted = lines.filter(|line| line.starts_with('"'));
    quoted
        .map(|line| line.trim_matches(['"', ',']).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_has_what_the_checker_needs_and_no_more() {
        let repository = include_str!("../../../../Cargo.lock");
        let field = Field::by_name("koala-bear").unwrap();
        let text = lock(repository, "my-hash", field, &Peers::default());
        let lock: toml::Table = text.parse().unwrap();
        let packages = lock["package"].as_array().unwrap();
        let names: Vec<&str> = packages
            .iter()
            .map(|p| p["name"].as_str().unwrap())
            .collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        assert_eq!(names, sorted);
        let own = [
            "my-hash",
            "my-hash-checker",
            "my-hash-generated",
            "my-hash-kernels",
            "my-hash-reference",
        ];
        for name in own.iter().chain(&FOREIGN).chain(&["unicode-ident"]) {
            assert_eq!(
                names.iter().filter(|other| *other == name).count(),
                1,
                "{name}"
            );
        }
        assert_eq!(names.len(), 9);
    }
}

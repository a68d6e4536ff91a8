//! What a package has of this repository: the interface, the checker and the reference, as they are, with
//! manifests of their own.

use std::collections::BTreeSet;
use std::path::Path;

use askama::Template;

use crate::cli::places::Workspace;
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::FileSet;
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

#[derive(Template)]
#[template(path = "package/part.toml.jinja", escape = "none")]
struct Manifest<'a> {
    name: &'a str,
    to: &'a str,
    library: &'a str,
    edition: &'a str,
}

/// Adds the copies and the lock file.
pub(super) fn insert(
    workspace: &Workspace,
    name: &str,
    command: &str,
    files: &mut FileSet,
) -> Result<(), Diagnostics> {
    let root = workspace.root();
    for Copied { from, to, library } in COPIED {
        let folder = root.join(from);
        for path in below(&folder.join("src"))? {
            let text = read(&folder.join("src").join(&path))?;
            files.insert(format!("{to}/src/{path}"), command, &text);
        }
        let edition = "2024";
        let manifest = Manifest {
            name,
            to,
            library,
            edition,
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
        lock(&read(&root.join("Cargo.lock"))?, name),
    );
    Ok(())
}

/// Rust files below a folder, relative to it, in order; none of what only a build with Plonky3 has.
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
                if name != "plonky3" {
                    folders.push(format!("{name}/"));
                }
            } else if name.ends_with(".rs") {
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

/// The lock file: of the repository's, what the checker needs from elsewhere, and the crate's own parts.
fn lock(repository: &str, name: &str) -> String {
    let mut head = "version = 4\n";
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut all = Vec::new();
    for (n, part) in repository.split("[[package]]\n").enumerate() {
        if n == 0 {
            head = part
                .lines()
                .find(|line| line.starts_with("version"))
                .unwrap_or(head);
        } else {
            all.push(part.trim_end());
        }
    }
    let value = |entry: &str, key: &str| {
        let line = entry
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{key} = ")));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let needed: Vec<String> = all
        .iter()
        .find(|entry| value(entry, "name") == "checker")
        .into_iter()
        .flat_map(|entry| dependencies(entry))
        .collect();
    let wanted = |entry: &str| {
        let [name, version] = ["name", "version"].map(|key| value(entry, key));
        needed.contains(&name) || needed.contains(&format!("{name} {version}"))
    };
    let first = all
        .iter()
        .filter(|entry| wanted(entry) && FOREIGN.contains(&&*value(entry, "name")));
    let first: Vec<&str> = first.copied().collect();
    let mut open: Vec<String> = first.iter().flat_map(|entry| dependencies(entry)).collect();
    let mut kept: BTreeSet<&str> = first.into_iter().collect();
    while let Some(next) = open.pop() {
        let found = all.iter().find(|entry| {
            let [name, version] = ["name", "version"].map(|key| value(entry, key));
            next == name || next == format!("{name} {version}")
        });
        if let Some(entry) = found.filter(|entry| kept.insert(**entry)) {
            open.extend(dependencies(entry));
        }
    }
    // Of one version each, names say enough.
    for entry in kept {
        let lines = entry
            .lines()
            .map(|line| match line.trim().strip_prefix('"') {
                Some(rest) => {
                    let name = rest.trim_end_matches(['"', ',']);
                    format!(" \"{}\",", name.split(' ').next().unwrap_or(name))
                }
                None => line.to_owned(),
            });
        let text: Vec<String> = lines.collect();
        entries.push((value(entry, "name"), text.join("\n")));
    }
    let part = |part: &str| format!("{name}{part}");
    let own = [
        (
            "",
            vec![
                part("-checker"),
                part("-generated"),
                part("-kernels"),
                part("-reference"),
            ],
        ),
        (
            "-checker",
            [
                vec![part("-reference")],
                FOREIGN.map(str::to_owned).to_vec(),
            ]
            .concat(),
        ),
        ("-generated", vec![]),
        ("-kernels", vec![part("-generated")]),
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
        let text = lock(repository, "my-hash");
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

//! The README's program against each version of Plonky3: with the version's own types, and with two of
//! them ours. Both have to print the same roots. So does the program that proves (`verify/drop-in`), and
//! both have to print the same proof.

mod programs;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::Stop;
use super::limits;
use super::workspace::{PROFILE, Workspace};
pub(super) use programs::NAMES;
use programs::{PROOF, Types, VERSIONS, Version};

/// Builds the programs for these versions, runs them, and tells how much was the same.
pub(super) fn all(workspace: &Workspace, names: &[String]) -> Result<(), Stop> {
    let folder = workspace.scratch()?.join("versions");
    write(workspace, &folder)?;
    let selected = VERSIONS.iter();
    let selected = selected.filter(|version| names.iter().any(|name| name == version.name));
    let selected: Vec<&Version> = selected.collect();
    let mut build = workspace.cargo(&["build", "--locked", "--profile", PROFILE, "--target-dir"]);
    build.arg(workspace.target()).current_dir(&folder);
    for version in &selected {
        for types in Types::ALL {
            build.args(["-p", &version.package(types)]);
        }
    }
    workspace.run(build, "the programs for versions of Plonky3", limits::BUILD)?;
    println!("the README's program with stock types and with ours");
    let mut wrong = Vec::new();
    for version in selected {
        for field in version.fields {
            let [stock, ours] = Types::ALL.map(|types| {
                let name = version.binary(types, field.package);
                printed(workspace, &name)
            });
            let (stock, ours) = (stock?, ours?);
            let what = format!("Plonky3 {}, {}", version.name, field.package);
            let came = if stock == ours {
                format!("{} roots, the same", stock.lines().count())
            } else {
                wrong.push(format!("{what}:\nstock\n{stock}ours\n{ours}"));
                "other roots".to_owned()
            };
            println!("  {what:<44}{came}");
        }
        if version.proof.is_some() {
            let what = format!("Plonky3 {}, a proof", version.name);
            let [stock, ours] = Types::ALL.map(|types| {
                let name = version.binary(types, PROOF);
                printed(workspace, &name)
            });
            let (stock, ours) = (stock?, ours?);
            let came = same_proof(&stock, &ours, "poseidon2_kernels::").unwrap_or_else(|why| {
                wrong.push(format!("{what}: {why}"));
                why
            });
            println!("  {what:<44}{came}");
        }
    }
    super::wrong(wrong)
}

/// How many bytes of two proofs are the same, which are all; the name of its permutation stands above
/// each, and `ours` is part of one of them.
pub(super) fn same_proof(stock: &str, own: &str, ours: &str) -> Result<String, String> {
    let parts = [stock, own].map(|text| text.split_once('\n').unwrap_or_default());
    let [(theirs, expected), (own, found)] = parts;
    if theirs.contains(ours) || !own.contains(ours) {
        return Err(format!("the permutations are {theirs} and {own}"));
    }
    if expected.is_empty() || expected != found {
        return Err("another proof".to_owned());
    }
    let digits = found.chars().filter(char::is_ascii_hexdigit).count();
    Ok(format!("{} bytes, the same", digits / 2))
}

/// Writes a workspace with the programs for all versions, as the lock file has them.
fn write(workspace: &Workspace, folder: &Path) -> Result<(), Stop> {
    let root = workspace.root();
    let kernels = root.join("poseidon2-kernels");
    let readme = kernels.join("plonky3-examples/tests/plonky3/drop_in");
    let read = |name| std::fs::read_to_string(readme.join(name));
    let (program, manifest) = (read("before.rs")?, read("before.toml")?);
    let drop_in = root.join("verify/drop-in");
    let proves = std::fs::read_to_string(drop_in.join("src/main.rs"))?;
    let needs = std::fs::read_to_string(drop_in.join("Cargo.toml"))?;
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let mut members = String::new();
    for version in &VERSIONS {
        for types in Types::ALL {
            let package = version.package(types);
            _ = write!(members, "\"{package}\", ");
            let binaries = folder.join(&package).join("src/bin");
            std::fs::create_dir_all(&binaries)?;
            for field in version.fields {
                let text = version.program(types, field, &program)?;
                let name = version.binary(types, field.package) + ".rs";
                std::fs::write(binaries.join(name), text)?;
            }
            if let Some(text) = version.proof(types, &proves)? {
                let name = version.binary(types, PROOF) + ".rs";
                std::fs::write(binaries.join(name), text)?;
            }
            let text = version.manifest(types, &manifest, &needs, &kernels)?;
            std::fs::write(folder.join(package).join("Cargo.toml"), text)?;
        }
    }
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n\
         [profile.{PROFILE}]\ninherits = \"dev\"\ndebug = false\nincremental = false\n"
    );
    std::fs::write(folder.join("Cargo.toml"), text)?;
    let lock = std::fs::read(drop_in.join("versions.lock"))?;
    Ok(std::fs::write(folder.join("Cargo.lock"), lock)?)
}

/// What a program prints.
fn printed(workspace: &Workspace, name: &str) -> Result<String, Stop> {
    let program = Command::new(workspace.target().join(PROFILE).join(name));
    let output = workspace.output(program, name, limits::CALL)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && !text.is_empty() {
        return Ok(text);
    }
    let (status, errors) = (output.status, String::from_utf8_lossy(&output.stderr));
    Err(Stop::Failed(format!("{name}: {status}\n{text}{errors}")))
}

//! Kernels inside Plonky3's own crates: vendored into a copy of a published one, they have to pass its
//! test suite on every platform that it distinguishes, and they have to leave no trace when they are
//! taken out. A program built against a copy of `p3-goldilocks` has to print what it prints against the
//! crate as published.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use vendor::Package;

use super::Stop;
use super::arm::{self, Arm};
use super::limits;
use super::versions::same_proof;
use super::workspace::{PROFILE, Workspace};
use crate::suite;

/// The crate that everything is done with if none is named: the one that the program uses.
pub(super) const DEFAULT: &Package = &vendor::PACKAGES[0];

/// Tests that compare constants with a script of Plonky3's repository; the published crate has
/// neither the script nor a word about it.
const NEEDS_REPOSITORY: &str = "constants_match_generator";

/// Crates of the repository that tests need and published manifests do not name.
const FOR_TESTS: [&str; 2] = ["p3-dft", "p3-field-testing"];

/// A build of the crate that it tells apart: its name, compiler flags that select it, and the
/// feature that a CPU needs for it, with what people call it.
type Platform = (
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
);

const X86_64: [Platform; 4] = [
    ("x86_64", "", None),
    (
        "x86_64, AVX2",
        "-C target-cpu=x86-64-v3",
        Some(("avx2", "AVX2")),
    ),
    (
        "x86_64, AVX-512",
        "-C target-cpu=x86-64-v4",
        Some(("avx512vl", "AVX-512")),
    ),
    (
        "x86_64, AVX-512 with IFMA",
        "-C target-cpu=x86-64-v4 -C target-feature=+avx512ifma",
        Some(("avx512ifma", "AVX-512 IFMA")),
    ),
];

/// A crate as the command line names it.
pub(super) fn package(name: &str) -> Result<&'static Package, String> {
    let full = |package: &Package| format!("{}@{}", package.name, package.version);
    let mut all = vendor::PACKAGES.iter();
    all.find(|package| full(package) == name).ok_or_else(|| {
        let all = vendor::PACKAGES.each_ref().map(full);
        format!("no such crate; there are {}", all.join(", "))
    })
}

/// Tests everything with a crate, and tells what did not run.
pub(super) fn all(workspace: &Workspace, arm: Option<&Arm>, package: &Package) -> Result<(), Stop> {
    let scratch = workspace.scratch()?.join("drop-in");
    let scratch = scratch.join(format!("{}-{}", package.name, package.version));
    let published = published(workspace, package)?;
    let (stock, vendored) = (scratch.join("stock"), scratch.join("vendored"));
    let proves = package.name == DEFAULT.name;
    if proves {
        program(workspace, &stock, None)?;
        program(workspace, &vendored, Some(package))?;
    } else {
        alone(workspace, &vendored, package)?;
    }
    let copy = vendored.join(package.name);
    duplicate(&published, &copy)?;
    vendor(&copy)?;
    taken_out_again(&published, &copy)?;
    vendor(&copy)?;
    prepare_tests(&copy, package)?;
    let test = ["test", "--profile", PROFILE, "--lib", "-p", package.name];
    let tests_here = |platform: &str, flags: &str, widest: bool| {
        let mut test = here(workspace, &test, flags)?;
        if proves && widest {
            // The program comes next: what both need is built once, with the same features.
            test.args(["-p", "drop-in"]);
        }
        tests(workspace, test, &vendored, package, platform)
    };
    let (mut lines, mut widest) = (Vec::new(), "");
    if cfg!(target_arch = "x86_64") {
        let runs = |(_, _, needs): &&Platform| {
            needs.is_none_or(|(feature, _)| suite::missing(&[feature]).is_empty())
        };
        widest = X86_64.iter().rfind(runs).map_or("", |(_, flags, _)| flags);
        for platform in &X86_64 {
            let (name, flags, needs) = *platform;
            linted(workspace, &vendored, package, platform)?;
            let came = match needs.filter(|_| !runs(&platform)) {
                Some((_, feature)) => format!("not run: this CPU has no {feature}"),
                None => tests_here(name, flags, flags == widest)?,
            };
            lines.push((name.to_owned(), came));
        }
    } else {
        let name = std::env::consts::ARCH;
        lines.push((name.to_owned(), tests_here(name, "", true)?));
        let came = "not run: this machine is none".to_owned();
        lines.push(("x86_64".to_owned(), came));
    }
    let emulated = match arm {
        Some(arm) => {
            let test = arm.cargo(workspace, &test);
            tests(workspace, test, &vendored, package, "aarch64, emulated")?
        }
        None if arm::host_is_arm() => "tested natively".to_owned(),
        None => "not run: left out by --no-arm".to_owned(),
    };
    lines.push(("aarch64, emulated".to_owned(), emulated));
    if package.version == DEFAULT.version {
        lines.push((
            "its tests against the repository's script".to_owned(),
            "not run: the published crate has no such file".to_owned(),
        ));
    }
    if proves {
        lines.push((
            "a proof, stock and patched".to_owned(),
            same(workspace, &stock, &vendored, package, widest)?,
        ));
    }
    println!("{} {} with vendored kernels", package.name, package.version);
    for (what, came) in lines {
        println!("  {what:<44}{came}");
    }
    Ok(())
}

/// The crate's source, where cargo has put it for this workspace.
fn published(workspace: &Workspace, package: &Package) -> Result<PathBuf, Stop> {
    let Package { name, version, .. } = package;
    let metadata = [
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--all-features",
    ];
    let metadata = workspace.cargo(&metadata);
    let output = workspace.output(metadata, "cargo metadata", limits::BUILD)?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Stop::Blocked(format!("cargo metadata: {error}")))?;
    let packages = metadata["packages"].as_array();
    let found = packages
        .into_iter()
        .flatten()
        .find(|package| package["name"] == *name && package["version"] == *version);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|path| Path::new(path).parent());
    folder
        .map(Path::to_owned)
        .ok_or_else(|| Stop::Blocked(format!("cargo knows no {name} {version}")))
}

/// The program of somebody who uses Plonky3; with a crate patched.
fn program(workspace: &Workspace, folder: &Path, patched: Option<&Package>) -> Result<(), Stop> {
    let source = workspace.root().join("verify/drop-in");
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    duplicate(&source, folder)?;
    let manifest = folder.join("Cargo.toml");
    let mut text = std::fs::read_to_string(&manifest)?;
    if let Some(package) = patched {
        text = text.replace("members = [", &format!("members = [\"{}\", ", package.name));
        text += &patch(package);
    }
    std::fs::write(&manifest, text)?;
    Ok(())
}

/// A workspace with nothing but the crate, in the profile of the program.
fn alone(workspace: &Workspace, folder: &Path, package: &Package) -> Result<(), Stop> {
    program(workspace, folder, Some(package))?;
    std::fs::remove_dir_all(folder.join("src"))?;
    let manifest = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    let mut table: toml::Table = text
        .parse()
        .map_err(|error| Stop::Blocked(format!("{}: {error}", manifest.display())))?;
    table.remove("package");
    table.remove("dependencies");
    let text = toml::to_string(&table).map_err(|error| Stop::Blocked(error.to_string()))?;
    std::fs::write(
        &manifest,
        text.replace("[workspace]", "[workspace]\nresolver = \"3\""),
    )?;
    let lock = workspace.root().join("verify/drop-in/versions.lock");
    Ok(std::fs::write(
        folder.join("Cargo.lock"),
        std::fs::read(lock)?,
    )?)
}

fn patch(package: &Package) -> String {
    let patches = [package.name, "criterion"];
    let patches = patches.map(|name| format!("{name} = {{ path = \"{name}\" }}\n"));
    format!("\n[patch.crates-io]\n{}", patches.concat())
}

fn duplicate(from: &Path, to: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            duplicate(&entry.path(), &target)?;
        } else {
            // Not `copy`: cargo's files may be read-only.
            std::fs::write(target, std::fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// `vendor`, and `--check` of what it did.
fn vendor(copy: &Path) -> Result<(), Stop> {
    told(copy, &[])?;
    told(copy, &["--check"])
}

fn told(copy: &Path, more: &[&str]) -> Result<(), Stop> {
    let arguments = ["vendor", "--into"].map(Into::into).into_iter();
    let arguments = arguments.chain([copy.as_os_str().to_owned()]);
    let arguments = arguments.chain(more.iter().map(Into::into));
    let mut told = Vec::new();
    let exit = vendor::run(arguments, &mut told);
    if exit == codegen::cli::Exit::Done {
        return Ok(());
    }
    let (told, more) = (String::from_utf8_lossy(&told), more.join(" "));
    Err(Stop::Failed(format!("vendor {more}: {exit:?}\n{told}")))
}

/// `vendor --remove` has to leave the crate as it was, byte for byte.
fn taken_out_again(published: &Path, copy: &Path) -> Result<(), Stop> {
    told(copy, &["--remove"])?;
    let (before, after) = (files(published)?, files(copy)?);
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    match before.keys().chain(after.keys()).find(differs) {
        None => Ok(()),
        Some(path) => Err(Stop::Failed(format!(
            "vendor --remove left another {} in {}",
            path.display(),
            copy.display()
        ))),
    }
}

/// What is in all files below a folder, by path.
fn files(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, Stop> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
                found.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// Published manifests have lost what only the repository can resolve: the crate's tests need some
/// of those crates, and its benches and programs are none of ours.
fn prepare_tests(copy: &Path, package: &Package) -> Result<(), Stop> {
    let path = copy.join("Cargo.toml");
    let broken = |error: String| Stop::Blocked(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(&path)?;
    let mut manifest: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| broken(e.to_string()))?;
    for unneeded in ["bin", "example", "bench", "target"] {
        manifest.remove(unneeded);
    }
    let tests = manifest
        .get_mut("dev-dependencies")
        .and_then(toml::Value::as_table_mut)
        .ok_or_else(|| broken("no dev-dependencies".to_owned()))?;
    for name in FOR_TESTS {
        tests.entry(name).or_insert_with(|| package.version.into());
    }
    let text = toml::to_string(&manifest).map_err(|e| broken(e.to_string()))?;
    std::fs::write(&path, text)?;
    Ok(())
}

/// Cargo with compiler flags that reach the target's code alone: macros and build scripts are built
/// once for all of them.
fn here(workspace: &Workspace, arguments: &[&str], flags: &str) -> Result<Command, Stop> {
    let mut command = workspace.cargo(arguments);
    command.args(["--target", &host()?]);
    command.arg("--target-dir").arg(workspace.target());
    command.env("RUSTFLAGS", flags);
    Ok(command)
}

fn host() -> Result<String, Stop> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Stop::Blocked("rustc names no host".to_owned()))
}

/// Runs the crate's test suite; tells how many tests passed.
fn tests(
    workspace: &Workspace,
    mut test: Command,
    folder: &Path,
    package: &Package,
    platform: &str,
) -> Result<String, Stop> {
    let what = format!("{} {} on {platform}", package.name, package.version);
    eprintln!("  the tests of {what}");
    test.args(["--", "--skip", NEEDS_REPOSITORY]);
    test.current_dir(folder);
    let text = workspace.text(test, &what, limits::TESTS)?;
    let failed = |why: &str| Stop::Failed(format!("{what}: {why}\n{text}"));
    let ours = "poseidon2_generated::tests::rounds_of_the_kernels ... ok";
    if !text.contains(ours) {
        return Err(failed("the vendored kernels were not tested"));
    }
    let result = text
        .lines()
        .find_map(|line| line.strip_prefix("test result: ok. "));
    let passed = result.and_then(|line| line.split_once(" passed; 0 failed; "));
    let (passed, _) = passed.ok_or_else(|| failed("no result"))?;
    Ok(format!("{passed} tests passed"))
}

/// Plonky3 enables more lints than usual, and its CI accepts no warning from Clippy. What a newer Clippy says of
/// Plonky3's own code does not count.
fn linted(
    workspace: &Workspace,
    folder: &Path,
    package: &Package,
    (platform, flags, _): &Platform,
) -> Result<(), Stop> {
    let what = format!("Clippy on {} {}, {platform}", package.name, package.version);
    eprintln!("  {what}");
    let lint = [
        "clippy",
        "--profile",
        PROFILE,
        "--all-targets",
        "-p",
        package.name,
    ];
    let mut lint = here(workspace, &lint, flags)?;
    lint.args(["--message-format", "json"]);
    lint.current_dir(folder);
    let text = workspace.text(lint, &what, limits::BUILD)?;
    let messages = text.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line["message"]["rendered"].as_str()?.to_owned())
    });
    let mut ours = messages.filter(|message| message.contains("poseidon2_generated"));
    match ours.next() {
        Some(message) => Err(Stop::Failed(format!("{what}: {message}"))),
        None => Ok(()),
    }
}

/// Runs the program against both, built as the last tests were; tells how much was the same.
fn same(
    workspace: &Workspace,
    stock: &Path,
    vendored: &Path,
    package: &Package,
    flags: &str,
) -> Result<String, Stop> {
    let run = |folder: &Path| {
        eprintln!("  the program in {}", workspace.relative(folder).display());
        let mut run = here(workspace, &["run", "--profile", PROFILE, "--quiet"], flags)?;
        run.current_dir(folder);
        workspace.text(run, "the program that proves", limits::TESTS)
    };
    let (stock, vendored) = (run(stock)?, run(vendored)?);
    same_proof(&stock, &vendored, &package.generated())
        .map_err(|why| Stop::Failed(format!("the program with vendored kernels: {why}")))
}

//! Kernels inside Plonky3's own crate: vendored into a copy of the published `p3-goldilocks`, they
//! have to pass its test suite on every platform that it distinguishes, and a program built against
//! the copy has to print what it prints against the crate as published.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Stop;
use super::arm::{self, Arm};
use super::limits;
use super::workspace::{PROFILE, Workspace};
use crate::suite;

const CRATE: &str = "p3-goldilocks";
const VERSION: &str = "0.8.0";

/// Tests that compare constants with a script of Plonky3's repository; the published crate has
/// neither the script nor a word about it.
const NEEDS_REPOSITORY: &str = "constants_match_generator";

/// What its type names say where our kernels are in use.
const OURS: &str = "Poseidon2GoldilocksGenerated";

/// Its tests. The program is selected as well, so that what both need is built with the same features.
const TEST: [&str; 8] = [
    "test",
    "--profile",
    PROFILE,
    "-p",
    CRATE,
    "-p",
    "drop-in",
    "--lib",
];

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

/// Tests everything, and tells what did not run.
pub(super) fn all(workspace: &Workspace, arm: Option<&Arm>) -> Result<(), Stop> {
    let scratch = workspace.scratch()?.join("drop-in");
    let published = published(workspace)?;
    let (stock, vendored) = (scratch.join("stock"), scratch.join("vendored"));
    program(workspace, &stock, "")?;
    let patches = [CRATE, "criterion"].map(|name| format!("{name} = {{ path = \"{name}\" }}\n"));
    let patch = format!("\n[patch.crates-io]\n{}", patches.concat());
    program(workspace, &vendored, &patch)?;
    let copy = vendored.join(CRATE);
    duplicate(&published, &copy)?;
    vendor(&copy)?;
    prepare_tests(&copy)?;
    let (mut lines, mut widest) = (Vec::new(), "");
    if cfg!(target_arch = "x86_64") {
        for (name, flags, needs) in X86_64 {
            let lacking = needs.filter(|(feature, _)| !suite::missing(&[feature]).is_empty());
            let came = if let Some((_, feature)) = lacking {
                format!("not run: this CPU has no {feature}")
            } else {
                widest = flags;
                tests_here(workspace, &vendored, name, flags)?
            };
            lines.push((name.to_owned(), came));
        }
    } else {
        let name = std::env::consts::ARCH;
        lines.push((name.to_owned(), tests_here(workspace, &vendored, name, "")?));
        let came = "not run: this machine is none".to_owned();
        lines.push(("x86_64".to_owned(), came));
    }
    let emulated = match arm {
        Some(arm) => {
            let test = arm.cargo(workspace, &TEST);
            tests(workspace, test, &vendored, "aarch64, emulated")?
        }
        None if arm::host_is_arm() => "tested natively".to_owned(),
        None => "not run: left out by --no-arm".to_owned(),
    };
    lines.push(("aarch64, emulated".to_owned(), emulated));
    lines.push((
        "its tests against the repository's script".to_owned(),
        "not run: the published crate has no such file".to_owned(),
    ));
    lines.push((
        "a proof, stock and patched".to_owned(),
        same(workspace, &stock, &vendored, widest)?,
    ));
    println!("{CRATE} {VERSION} with vendored kernels");
    for (what, came) in lines {
        println!("  {what:<44}{came}");
    }
    Ok(())
}

/// The crate's source, where cargo has put it for this workspace.
fn published(workspace: &Workspace) -> Result<PathBuf, Stop> {
    let metadata = workspace.cargo(&["metadata", "--format-version", "1", "--locked"]);
    let output = workspace.output(metadata, "cargo metadata", limits::BUILD)?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| Stop::Blocked(format!("cargo metadata: {error}")))?;
    let packages = metadata["packages"].as_array();
    let found = packages
        .into_iter()
        .flatten()
        .find(|package| package["name"] == CRATE && package["version"] == VERSION);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|path| Path::new(path).parent());
    folder
        .map(Path::to_owned)
        .ok_or_else(|| Stop::Blocked(format!("cargo knows no {CRATE} {VERSION}")))
}

/// The program of somebody who uses Plonky3, with `more` in its manifest.
fn program(workspace: &Workspace, folder: &Path, more: &str) -> Result<(), Stop> {
    let source = workspace.root().join("verify/drop-in");
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    duplicate(&source, folder)?;
    let manifest = folder.join("Cargo.toml");
    let mut text = std::fs::read_to_string(&manifest)?;
    if !more.is_empty() {
        text = text.replace("members = [", &format!("members = [\"{CRATE}\", "));
    }
    std::fs::write(&manifest, text + more)?;
    Ok(())
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
    for more in [None, Some("--check")] {
        let arguments = ["vendor", "--into"].map(Into::into);
        let arguments = arguments.into_iter().chain([copy.as_os_str().to_owned()]);
        let arguments = arguments.chain(more.map(Into::into));
        let mut told = Vec::new();
        let exit = vendor::run(arguments, &mut told);
        if exit != codegen::cli::Exit::Done {
            let told = String::from_utf8_lossy(&told);
            let more = more.unwrap_or_default();
            return Err(Stop::Failed(format!("vendor {more}: {exit:?}\n{told}")));
        }
    }
    Ok(())
}

/// Published manifests have lost what only the repository can resolve: the crate's tests need one
/// of those crates, and its benches and programs are none of ours.
fn prepare_tests(copy: &Path) -> Result<(), Stop> {
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
    tests.insert("p3-field-testing".to_owned(), VERSION.into());
    let text = toml::to_string(&manifest).map_err(|e| broken(e.to_string()))?;
    std::fs::write(&path, text)?;
    Ok(())
}

fn tests_here(
    workspace: &Workspace,
    folder: &Path,
    platform: &str,
    flags: &str,
) -> Result<String, Stop> {
    let test = here(workspace, &TEST, flags)?;
    tests(workspace, test, folder, platform)
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
    platform: &str,
) -> Result<String, Stop> {
    eprintln!("  its tests on {platform}");
    test.args(["--", "--skip", NEEDS_REPOSITORY]);
    test.current_dir(folder);
    let what = format!("{CRATE} on {platform}");
    let text = workspace.text(test, &what, limits::TESTS)?;
    let failed = |what: &str| Stop::Failed(format!("{CRATE} on {platform}: {what}\n{text}"));
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

/// Runs the program against both, built as the last tests were; tells how much was the same.
fn same(workspace: &Workspace, stock: &Path, vendored: &Path, flags: &str) -> Result<String, Stop> {
    let run = |folder: &Path| {
        eprintln!("  the program in {}", workspace.relative(folder).display());
        let mut run = here(workspace, &["run", "--profile", PROFILE, "--quiet"], flags)?;
        run.current_dir(folder);
        workspace.text(run, "the program that proves", limits::TESTS)
    };
    let (stock, vendored) = (run(stock)?, run(vendored)?);
    let split = |text: &str| {
        let (name, proof) = text.split_once('\n').unwrap_or((text, ""));
        (name.to_owned(), proof.to_owned())
    };
    let ((theirs, expected), (ours, found)) = (split(&stock), split(&vendored));
    if theirs.contains(OURS) || !ours.contains(OURS) {
        let message = format!("the patch did not take: {theirs} and {ours}");
        return Err(Stop::Failed(message));
    }
    if expected.is_empty() || expected != found {
        let message = "the proof by vendored kernels is not that of the published crate";
        return Err(Stop::Failed(message.to_owned()));
    }
    let digits = found.chars().filter(char::is_ascii_hexdigit).count();
    Ok(format!("{} bytes, the same", digits / 2))
}

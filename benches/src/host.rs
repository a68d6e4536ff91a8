//! Provenance of figures: CPU, compiler, locked versions, command.

#[path = "../../poseidon2-kernels/src/detect/features.rs"]
mod known;

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
pub(crate) use known::has;

use crate::stop::Stop;

/// The workspace that this program was built from.
#[must_use]
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// Cargo's build folder.
#[must_use]
pub fn target() -> PathBuf {
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root.join("target"), |target| root.join(target))
}

/// Cargo: the one that runs this program, if one does.
#[must_use]
pub fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// Prints in one write. A reader that has gone, as `head` has after ten lines, has read what it wants.
///
/// # Errors
/// It cannot be written for another reason.
pub fn print(text: &str) -> Result<(), Stop> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Stop::Blocked(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// A bar that shows how far a long work is.
#[must_use]
pub fn bar(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("[{elapsed_precise}] {bar:30} {pos}/{len} {msg}");
    // A template that cannot be read is shown plainly.
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style)
}

/// Tells what a bar is about from now on; by a line, where nobody sees the bar.
pub fn phase(bar: &ProgressBar, what: String) {
    if bar.is_hidden() {
        eprintln!("{what}");
    }
    bar.set_message(what);
}

/// Tells what a bar has come to; by a line every ten seconds, where nobody sees the bar.
pub fn step(bar: &ProgressBar, what: String) {
    bar.inc(1);
    let tens = bar.elapsed().as_secs() / 10;
    // A run has one bar that steps: threads share it, and the line.
    if bar.is_hidden() && TENS.fetch_max(tens, Ordering::Relaxed) < tens {
        let (done, all) = (bar.position(), bar.length().unwrap_or(0));
        eprintln!("{done} of {all}: {what}");
    }
    bar.set_message(what);
}

/// Tens of seconds that a hidden bar was last told at.
static TENS: AtomicU64 = AtomicU64::new(0);

/// What a comparison was made on and with, line by line.
#[must_use]
pub fn facts() -> Vec<(&'static str, String)> {
    vec![
        ("CPU", cpu()),
        ("compiler", compiler()),
        ("peer", format!("Plonky3 {}", plonky3())),
        ("commit", commit()),
        ("command", command()),
    ]
}

/// The command that was given, with files as if they were in the current folder: any reader's, too.
#[must_use]
pub fn command() -> String {
    let words = std::env::args().skip(1).map(|word| here(&word));
    let words: Vec<String> = words.collect();
    format!("cargo run -p benches --release -- {}", words.join(" "))
}

/// A word of a command line without the folders that it names.
fn here(word: &str) -> String {
    match word.rsplit_once('/') {
        None => word.to_owned(),
        Some((before, name)) => match before.split_once('=') {
            Some((flag, _)) if flag.starts_with('-') => format!("{flag}={name}"),
            _ => name.to_owned(),
        },
    }
}

/// This CPU, as it calls itself.
#[must_use]
pub fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let mut lines = info.lines().filter_map(|line| line.split_once(':'));
        let line = lines.find(|(key, _)| key.trim() == name);
        line.map(|(_, value)| value.trim().to_owned())
    };
    let model = value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let numbers = [
        "cpu family",
        "model",
        "stepping",
        "CPU implementer",
        "CPU part",
    ];
    let known = numbers
        .into_iter()
        .filter_map(|name| Some(format!("{name} {}", value(name)?)));
    let numbers = known.collect::<Vec<_>>().join(", ");
    if numbers.is_empty() {
        model
    } else {
        format!("{model} ({numbers})")
    }
}

/// The compiler's version.
#[must_use]
pub fn compiler() -> String {
    said(rustc().arg("-V"))
}

/// The compiler that cargo runs.
#[must_use]
pub fn rustc() -> Command {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.current_dir(root());
    command
}

fn commit() -> String {
    let git = |arguments: &[&str]| said(Command::new("git").args(arguments).current_dir(root()));
    git(&["describe", "--always", "--dirty", "--exclude=*"])
}

/// The first line of a command's output.
fn said(command: &mut Command) -> String {
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

/// The peer's version in the lock file.
#[must_use]
pub fn plonky3() -> String {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap_or_default();
    version(&lock, "p3-poseidon2")
        .unwrap_or("of unknown version")
        .to_owned()
}

/// Of several versions, the one that this package depends on.
fn version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let entry = |name| {
        let head = format!("name = \"{name}\"\n");
        lock.split("[[package]]\n").find(|e| e.starts_with(&head))
    };
    let ours = entry(env!("CARGO_PKG_NAME")).into_iter();
    let named = format!(" \"{package} ");
    let mut named = ours
        .flat_map(str::lines)
        .filter_map(|l| l.strip_prefix(&named));
    let version = match named.next() {
        Some(version) => version,
        None => entry(package)?.split_once("version = \"")?.1,
    };
    version.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"a\"\n\
                    version = \"2.0.0\"\n\n[[package]]\nname = \"benches\"\nversion = \"0.1.0\"\n\
                    dependencies = [\n \"a 2.0.0\",\n \"c\",\n]\n\n[[package]]\nname = \"c\"\nversion = \"3.1.0\"\n";
        assert_eq!(version(lock, "a"), Some("2.0.0"));
        assert_eq!(version(lock, "b"), None);
        assert_eq!(version(lock, "c"), Some("3.1.0"));
        assert!(plonky3().starts_with("0.8"));
    }

    #[test]
    fn commands_name_no_folders() {
        for (word, wanted) in [
            ("--json", "--json"),
            ("avx512=native", "avx512=native"),
            ("/tmp/a=b/figures.json", "figures.json"),
            ("--json=/tmp/figures.json", "--json=figures.json"),
            ("out/report.html", "report.html"),
        ] {
            assert_eq!(here(word), wanted);
        }
    }

    #[test]
    fn facts_are_told_completely() {
        for (name, value) in facts() {
            assert!(!value.is_empty(), "{name}");
        }
    }
}

//! Provenance: CPU, compiler, locked versions.

#[path = "../../../poseidon2-kernels/src/detect/features.rs"]
mod known;

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;
use std::path::Path;
use std::process::Command;

use codegen::tuning::CpuPattern;
use codegen::tuning::cpu::Cpu;
pub(crate) use known::has;

/// This CPU, as it calls itself.
pub(crate) fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    let name = lines.find(|(name, _)| name.trim() == "model name");
    let name = name.map_or(std::env::consts::ARCH, |(_, value)| value.trim());
    Cpu::here().map_or_else(
        || name.to_owned(),
        |cpu| {
            let (vendor, family, model) = (cpu.vendor(), cpu.family, cpu.model);
            format!("{name} ({vendor}, family {family}, model {model})")
        },
    )
}

/// Whether this CPU is one of those that a pattern is about.
pub(crate) fn is_of(pattern: &CpuPattern) -> bool {
    let made = pattern.vendor.as_ref().is_none_or(|vendor| {
        let family = pattern.family.unwrap_or(0);
        Cpu::here().is_some_and(|cpu| cpu.is_of(vendor, family, &pattern.models))
    });
    made && pattern.features.iter().all(|feature| has(feature))
}

pub(crate) fn compiler(root: &Path) -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-V").current_dir(root).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|_| "unknown".to_owned())
}

/// The version of a package in the lock file: of several, the one that kernels are timed beside.
pub(crate) fn locked(root: &Path, package: &str) -> String {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let entry = |name| {
        let head = format!("name = \"{name}\"\n");
        let entry = lock.split("[[package]]\n").find(|e| e.starts_with(&head));
        entry.unwrap_or_default()
    };
    let (named, only) = (format!(" \"{package} "), "version = \"");
    let mut named = entry("benches")
        .lines()
        .filter_map(|l| l.strip_prefix(&named));
    let version = named
        .next()
        .or_else(|| Some(entry(package).split_once(only)?.1));
    let version = version.unwrap_or_default().split('"').next();
    version.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_versions_it_is_the_one_that_is_measured() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for package in ["p3-goldilocks", "p3-koala-bear", "p3-baby-bear"] {
            assert_eq!(locked(&root, package), "0.8.0");
        }
        assert_eq!(locked(&root, "no-such-package"), "");
    }
}

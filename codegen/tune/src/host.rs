//! This CPU: what it is called, and what it can do.

#[path = "../../../poseidon2-kernels/src/detect/features.rs"]
mod known;

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;

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

//! Builds of the measuring process, one for each set of CPU flags.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::flags::{Lto, TargetCpu};
use crate::host;
use crate::protocol::{Event, Request};

/// What this program was built for, and the measuring processes are.
const TARGET: &str = env!("BUILD_TARGET");

/// One build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flavour {
    /// As in `rustc -C target-cpu`; none: the target's own baseline.
    pub cpu: Option<String>,
    /// Link-time optimisation.
    pub lto: Lto,
    /// Whether kernels are cut into phases.
    pub phases: bool,
    /// The folder of a package whose kernels are timed in place of those that ship.
    pub package: Option<PathBuf>,
}

/// Makes sure that the compiler knows CPUs that it is told of, before anything is built.
///
/// # Errors
/// The first that it does not know.
pub fn check(overrides: &[TargetCpu]) -> Result<(), String> {
    let mut rustc = host::rustc();
    let output = rustc
        .args(["--print", "target-cpus", "--target", TARGET])
        .output();
    let output = output.map_err(|error| format!("rustc --print target-cpus: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let known: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    match overrides.iter().find(|other| !known.contains(&&*other.cpu)) {
        None => Ok(()),
        Some(TargetCpu { isa, cpu }) => Err(format!(
            "--target-cpu {isa}={cpu}: the compiler knows no CPU `{cpu}`; \
             `rustc --print target-cpus` lists those that it knows"
        )),
    }
}

impl Flavour {
    /// What kernels of an instruction set are built with: what the peer needs to use it as well.
    #[must_use]
    pub fn of(isa: &str, overrides: &[TargetCpu], lto: Lto, phases: bool) -> Self {
        let usual = match isa {
            "avx2" => Some("x86-64-v3"),
            _ if isa.starts_with("avx512") => Some("x86-64-v4"),
            _ => None,
        };
        let other = overrides.iter().find(|other| other.isa == isa);
        let cpu = other.map(|other| other.cpu.as_str()).or(usual);
        Self {
            cpu: cpu.map(str::to_owned),
            lto,
            phases,
            package: None,
        }
    }

    /// CPU features that the flags take for granted, as far as kernels do not name them.
    #[must_use]
    pub fn needs(&self) -> &'static [&'static str] {
        match self.name() {
            "x86-64-v3" => &["avx2", "bmi1", "bmi2", "fma", "lzcnt", "movbe"],
            "x86-64-v4" => &[
                "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl",
            ],
            _ => &[],
        }
    }

    /// The CPU's name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        self.cpu.as_deref().unwrap_or("baseline")
    }

    /// Where the program is kept.
    fn program(&self) -> PathBuf {
        let name = format!("contest-{}-{}", self.name(), self.lto.name());
        let place = self.package.as_deref().and_then(Path::parent);
        place.unwrap_or(&host::target().join("benches")).join(name)
    }

    /// The command that builds it. For a named target, because what cargo builds for itself is
    /// then the same for all flags.
    fn build_command(&self) -> Command {
        let mut cargo = host::cargo();
        cargo.args(["build", "--quiet", "--release", "--package", "benches"]);
        cargo.args(["--bin", "contest", "--no-default-features"]);
        let features = if self.phases { "phases" } else { "contest" };
        cargo.args(["--features", features, "--target", TARGET]);
        cargo.arg("--target-dir").arg(host::target());
        if let Some(package) = &self.package {
            let crates = ["generated", "kernels"].map(|name| package.join(name));
            cargo.arg("--config").arg(format!("paths = {crates:?}"));
        }
        // Flags of the caller's would make both sides something else than the table says.
        cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
        // So would those of a configuration file of cargo's, which it reads where the variable is not set.
        let cpu = self.cpu.as_ref();
        let flags = cpu.map_or_else(String::new, |cpu| format!("-C target-cpu={cpu}"));
        cargo.env("RUSTFLAGS", flags);
        cargo.env("CARGO_PROFILE_RELEASE_LTO", self.lto.name());
        cargo
    }

    /// Builds it.
    ///
    /// # Errors
    /// What cargo said.
    pub fn build(&self) -> Result<(), String> {
        let failed =
            |error: &dyn std::fmt::Display| format!("building for {}: {error}", self.name());
        let output = self.build_command().stdin(Stdio::null()).output();
        let output = output.map_err(|error| failed(&error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(failed(&format!("{}\n{said}", output.status)));
        }
        // Builds with other flags come to the same place.
        let built = host::target().join(TARGET).join("release/contest");
        let program = self.program();
        let folder = program.parent().unwrap_or(&program);
        let kept = fs::create_dir_all(folder).and_then(|()| fs::copy(built, &program));
        kept.map(drop).map_err(|error| failed(&error))
    }

    /// Runs it, and hands on what it tells.
    ///
    /// # Errors
    /// Where it cannot be run, fails or says something unexpected.
    pub fn run(&self, request: &Request, mut hear: impl FnMut(Event)) -> Result<(), String> {
        let failed = |error: &dyn std::fmt::Display| format!("measuring {}: {error}", request.isa);
        let request = serde_json::to_string(request).map_err(|error| failed(&error))?;
        let mut child = Command::new(self.program())
            .arg(request)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines() {
                let line = line.map_err(|error| failed(&error))?;
                hear(serde_json::from_str(&line).map_err(|error| failed(&error))?);
            }
        }
        let status = child.wait().map_err(|error| failed(&error))?;
        if status.success() {
            Ok(())
        } else {
            Err(failed(&status))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_are_those_that_the_compiler_knows() {
        let other = |cpu: &str| TargetCpu {
            isa: "avx2".to_owned(),
            cpu: cpu.to_owned(),
        };
        assert_eq!(check(&[other("native"), other("generic")]), Ok(()));
        let refused = check(&[other("native"), other("zen0")]).unwrap_err();
        assert!(refused.contains("no CPU `zen0`"), "{refused}");
    }

    #[test]
    fn each_instruction_set_has_the_flags_that_the_peer_needs() {
        let flavour = |isa| Flavour::of(isa, &[], Lto::Thin, true);
        assert_eq!(flavour("scalar").cpu, None);
        assert_eq!(flavour("neon").cpu, None);
        assert_eq!(flavour("avx2").name(), "x86-64-v3");
        assert_eq!(flavour("avx512"), flavour("avx512ifma"));
    }

    #[test]
    fn flags_can_be_chosen() {
        let other: TargetCpu = "avx512=znver4".parse().expect("well-formed");
        let baseline = Flavour::of("scalar", &[], Lto::Fat, false).build_command();
        let flags = baseline.get_envs().find(|(name, _)| *name == "RUSTFLAGS");
        // Set, and empty: where it is not set, cargo looks for flags elsewhere.
        assert!(flags.is_some_and(|(_, value)| value.is_some_and(|value| value.is_empty())));
        let flavour = Flavour::of("avx512", &[other], Lto::Fat, false);
        assert_eq!(flavour.name(), "znver4");
        assert!(flavour.program().ends_with("benches/contest-znver4-fat"));
        let command = format!("{:?}", flavour.build_command());
        assert!(command.contains("-C target-cpu=znver4"), "{command}");
        assert!(
            command.contains("CARGO_PROFILE_RELEASE_LTO=\"fat\""),
            "{command}"
        );
    }
}

//! `AArch64`: this machine itself, or a cross toolchain and an emulator.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Stop;
use super::candidates::Candidates;
use super::limits;
use super::rows::rustc;
use super::workspace::{PROFILE, Workspace};
use crate::executed::QEMU;

/// The target triple.
pub(super) const TRIPLE: &str = "aarch64-unknown-linux-gnu";
/// The linker: a C compiler for the target.
pub(super) const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian's cross packages keep the target's C library, which programs are linked with.
pub(super) const SYSROOT: &str = "/usr/aarch64-linux-gnu";

/// Programs are linked statically. A C library that is found when a program starts may be another
/// one than its loader: where Debian's `libc6:arm64` stands beside the cross packages, every thread
/// hangs.
const STATIC: &str = "-C target-feature=+crt-static";

/// What is tested on it. `shapes` has no tests: with it, macros have the features that tests on this
/// host have built them with.
const SELECTION: [&str; 11] = [
    "-p",
    "shapes",
    "-p",
    "poseidon2-kernels",
    "-p",
    "plonky3-examples",
    "-p",
    "verify",
    "--no-default-features",
    "--features",
    "poseidon2-kernels/std,poseidon2-kernels/plonky3",
];

/// Whether this machine is one.
pub(super) fn host_is_arm() -> bool {
    cfg!(target_arch = "aarch64")
}

/// How to build and run for `AArch64`.
#[derive(Debug)]
pub(super) struct Arm {
    /// A compiler with the target's standard library, if it is not cargo's own choice.
    rustc: Option<PathBuf>,
    emulated: bool,
    profile: &'static str,
}

impl Arm {
    /// This machine; the emulator is needed for tracing only.
    pub(super) fn native() -> Result<Self, Stop> {
        let arm = Self {
            rustc: None,
            emulated: false,
            profile: PROFILE,
        };
        match Command::new(QEMU).arg("--version").output() {
            Ok(_) => Ok(arm),
            Err(_) => Err(Stop::Blocked(format!(
                "{QEMU} is needed to watch instructions: install the package qemu-user"
            ))),
        }
    }

    /// A cross toolchain that set-up has found complete.
    pub(super) fn emulated(rustc: Option<PathBuf>) -> Self {
        Self {
            rustc,
            emulated: true,
            profile: PROFILE,
        }
    }

    /// The same, building as those do who want speed: what is generic is compiled where it is used, and Plonky3's
    /// permutations are.
    pub(super) fn released(self) -> Self {
        Self {
            profile: "release",
            ..self
        }
    }

    /// The command before a program.
    pub(super) fn runner(&self) -> Option<&'static str> {
        self.emulated.then_some(QEMU)
    }

    /// A disassembler of its programs.
    pub(super) fn objdump(&self) -> &'static str {
        if self.emulated {
            "aarch64-linux-gnu-objdump"
        } else {
            "objdump"
        }
    }

    /// The compiler for it.
    pub(super) fn rustc(&self) -> Command {
        let compiler = self.rustc.clone().map_or_else(rustc, Into::into);
        let mut command = Command::new(compiler);
        if self.emulated {
            command.args(["--target", TRIPLE, "-C", &format!("linker={LINKER}")]);
            command.args(STATIC.split(' '));
        }
        command
    }

    fn target(&self, workspace: &Workspace) -> PathBuf {
        // Another compiler in the same folder would make cargo build everything anew, each time.
        match self.rustc {
            Some(_) => workspace.target().join("verify/arm"),
            None => workspace.target().to_owned(),
        }
    }

    /// Cargo that builds and runs for it.
    pub(super) fn cargo(&self, workspace: &Workspace, arguments: &[&str]) -> Command {
        let mut command = workspace.cargo(arguments);
        command.arg("--target-dir").arg(self.target(workspace));
        if let Some(rustc) = &self.rustc {
            command.env("RUSTC", rustc);
        }
        if self.emulated {
            let upper = TRIPLE.to_uppercase().replace('-', "_");
            command.args(["--target", TRIPLE]);
            command.env(format!("CARGO_TARGET_{upper}_LINKER"), LINKER);
            command.env(format!("CARGO_TARGET_{upper}_RUSTFLAGS"), STATIC);
            // They would go before.
            command.env_remove("RUSTFLAGS");
            command.env_remove("CARGO_ENCODED_RUSTFLAGS");
            command.env(format!("CARGO_TARGET_{upper}_RUNNER"), QEMU);
        }
        command
    }

    /// Builds the kernel suite's program and tells where it is.
    pub(super) fn build(
        &self,
        workspace: &Workspace,
        candidates: &Candidates,
    ) -> Result<PathBuf, Stop> {
        let cargo = self.cargo(workspace, &["build"]);
        candidates.build(workspace, cargo, self.profile, &SELECTION)?;
        Ok(self.programs(workspace).join("kernels"))
    }

    /// The folder of what is built for it.
    pub(super) fn programs(&self, workspace: &Workspace) -> PathBuf {
        let target = self.target(workspace);
        let target = if self.emulated {
            target.join(TRIPLE)
        } else {
            target
        };
        target.join(self.profile)
    }

    /// The tests of everything that users run on Arm. The generator and the peers' benches are
    /// tools of the build host.
    pub(super) fn tests(&self, workspace: &Workspace) -> Command {
        let mut command = self.cargo(workspace, &["test", "--profile", self.profile]);
        command.args(SELECTION).args(["--lib", "--tests"]);
        command
    }

    /// Builds them.
    pub(super) fn build_tests(&self, workspace: &Workspace) -> Result<(), Stop> {
        let mut build = self.tests(workspace);
        build.args(["--no-run", "--quiet"]);
        workspace.run(build, "building tests for aarch64", limits::BUILD)
    }
}

/// Whether a compiler has a target's standard library, or what there is of one.
pub(super) fn has_std(rustc: &OsString, triple: &str) -> bool {
    let print = ["--print", "target-libdir", "--target", triple];
    let Ok(output) = Command::new(rustc).args(print).output() else {
        return false;
    };
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let Ok(entries) = Path::new(&folder).read_dir() else {
        return false;
    };
    // Where there is no operating system, it is all of it.
    let is_core = |name: OsString| name.to_string_lossy().starts_with("libcore-");
    output.status.success() && entries.flatten().any(|entry| is_core(entry.file_name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulated_programs_bring_their_own_c_library() {
        let arm = Arm::emulated(None);
        let command = arm.cargo(&Workspace::find(1), &["test"]);
        let set = |name: &str| {
            let mut variables = command.get_envs();
            let found = variables.find(|(key, _)| *key == name);
            found.map(|(_, value)| value.map(|value| value.to_string_lossy().into_owned()))
        };
        let own = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_";
        let flags = Some(Some("-C target-feature=+crt-static".to_owned()));
        assert_eq!(set(&format!("{own}RUSTFLAGS")), flags);
        assert_eq!(set("RUSTFLAGS"), Some(None), "it would overrule them");
        // With a folder for `-L`, qemu would look for a loader there and for libraries elsewhere.
        assert_eq!(set(&format!("{own}RUNNER")), Some(Some(QEMU.to_owned())));
        assert_eq!(arm.runner(), Some(QEMU));
    }
}

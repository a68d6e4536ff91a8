//! WebAssembly: programs for WASI, which node runs.

use std::ffi::OsString;
use std::iter;
use std::path::PathBuf;
use std::process::Command;

use super::Stop;
use super::candidates::Candidates;
use super::rows::rustc;
use super::workspace::{PROFILE, WITHOUT_RUNNER, Workspace};

/// The target triple: ordinary programs, with files.
pub(super) const TRIPLE: &str = "wasm32-wasip1";

/// The engine.
pub(super) const NODE: &str = "node";

/// Its options. The module that has WASI warns that it may change. Its fast calls can start the
/// garbage collector where that is not allowed, which ends node with SIGSEGV now and then
/// (<https://github.com/nodejs/node/issues/46777>).
const OPTIONS: [&str; 2] = ["--no-warnings", "--no-turbo-fast-api-calls"];

/// The vectors, which a build decides.
pub(super) const VECTORS: &str = "-C target-feature=+simd128";

/// What runs a program.
const RUN: &str = include_str!("wasm/run.mjs");

/// How to build for WASI and to run what was built.
#[derive(Debug)]
pub(super) struct Wasm {
    script: PathBuf,
}

impl Wasm {
    /// A compiler and an engine that set-up has found.
    pub(super) fn new(workspace: &Workspace) -> Result<Self, Stop> {
        let script = workspace.scratch()?.join("run.mjs");
        std::fs::write(&script, RUN)?;
        Ok(Self { script })
    }

    /// The command before a program.
    pub(super) fn runner(&self) -> Vec<OsString> {
        let node = iter::once(NODE).chain(OPTIONS).map(OsString::from);
        node.chain([self.script.clone().into_os_string()]).collect()
    }

    /// The compiler for it.
    pub(super) fn rustc(&self) -> Command {
        let mut command = Command::new(rustc());
        command.args(["--target", TRIPLE]);
        command.args(VECTORS.split(' '));
        command
    }

    /// Cargo that builds and runs for it.
    pub(super) fn cargo(&self, workspace: &Workspace, arguments: &[&str]) -> Command {
        let mut command = cargo(workspace, arguments, TRIPLE, VECTORS);
        command.env(variable(TRIPLE, "RUNNER"), self.runner().join(" ".as_ref()));
        command
    }

    /// Builds the kernel suite's program and tells where it is.
    pub(super) fn build(
        &self,
        workspace: &Workspace,
        candidates: &Candidates,
    ) -> Result<PathBuf, Stop> {
        candidates.build(
            workspace,
            self.cargo(workspace, &["build"]),
            PROFILE,
            &WITHOUT_RUNNER,
        )?;
        let programs = workspace.target().join(TRIPLE).join(PROFILE);
        Ok(programs.join("kernels.wasm"))
    }
}

/// Cargo that builds for a target with these flags.
pub(super) fn cargo(
    workspace: &Workspace,
    arguments: &[&str],
    triple: &str,
    flags: &str,
) -> Command {
    let mut command = workspace.cargo(arguments);
    command.arg("--target-dir").arg(workspace.target());
    command.args(["--target", triple]);
    command.env(variable(triple, "RUSTFLAGS"), flags);
    // They would go before.
    command.env_remove("RUSTFLAGS");
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}

/// Cargo's variable for a target.
fn variable(triple: &str, name: &str) -> String {
    let triple = triple.to_uppercase().replace('-', "_");
    format!("CARGO_TARGET_{triple}_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_vectors_and_an_engine_to_run_on() {
        let workspace = Workspace::find(1);
        let wasm = Wasm::new(&workspace).unwrap();
        let command = wasm.cargo(&workspace, &["test"]);
        let set = |name: &str| {
            let mut variables = command.get_envs();
            let found = variables.find(|(key, _)| *key == name);
            found.map(|(_, value)| value.map(|value| value.to_string_lossy().into_owned()))
        };
        let own = "CARGO_TARGET_WASM32_WASIP1_";
        assert_eq!(
            set(&format!("{own}RUSTFLAGS")),
            Some(Some(VECTORS.to_owned()))
        );
        assert_eq!(set("RUSTFLAGS"), Some(None), "it would overrule them");
        let runner = set(&format!("{own}RUNNER")).flatten().unwrap();
        assert!(
            runner.starts_with("node --no-warnings --no-turbo-") && runner.ends_with("run.mjs")
        );
    }
}

//! All kernels that the specs ask for, whether they ship or not, in place of those of `generated/`.
//!
//! What ships is among them, so what is tested here is what ships: its files are compared first.

use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::kernel::KernelInfo;
use codegen::scaffold::{MANIFEST, read_manifest};

use super::workspace::Workspace;
use super::{Stop, limits};

/// The crate of all kernels.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The kernels that there should be.
    pub(super) manifest: Vec<KernelInfo>,
    folder: PathBuf,
    /// Tells cargo to build it in place of `generated/`.
    config: PathBuf,
}

impl Candidates {
    /// Generates the crate from the specs and templates as they are: of all kernels, or of those
    /// that were asked for and plain ones.
    pub(super) fn generate(workspace: &Workspace, only: &[String]) -> Result<Self, Stop> {
        let all = only.is_empty();
        let folder = workspace.target();
        let folder = folder.join(if all { "candidates" } else { "only" });
        let arguments = ["codegen", "generate", "--all", "--candidates"].into_iter();
        let parts = only.iter().flat_map(|part| ["--only", part]);
        let arguments = arguments.chain(parts);
        let mut told = Vec::new();
        let exit = codegen::cli::run(arguments.map(Into::into), &mut told);
        if exit != codegen::cli::Exit::Done {
            return Err(Stop::Blocked("the kernels cannot be generated".to_owned()));
        }
        let config = workspace.scratch()?.join("candidates.toml");
        let paths = folder.display().to_string();
        std::fs::write(&config, format!("paths = [{paths:?}]\n"))?;
        let candidates = Self {
            manifest: manifest(&folder)?,
            folder,
            config,
        };
        candidates.contain(workspace, all)?;
        Ok(candidates)
    }

    /// The folder of the crate.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Builds the program of the kernel suite with `cargo`, which may be one for another target,
    /// from a selection of packages that leaves the runner out.
    pub(super) fn build(
        &self,
        workspace: &Workspace,
        mut cargo: Command,
        profile: &str,
        selection: &[&str],
    ) -> Result<(), Stop> {
        cargo.args(["--profile", profile]).args(selection);
        cargo.args(["--bin", "kernels"]);
        self.stand_in(&mut cargo);
        workspace.run(cargo, "building the kernel suite", limits::BUILD)
    }

    /// Has cargo build with them in place of the kernels that ship.
    pub(super) fn stand_in(&self, cargo: &mut Command) {
        cargo.arg("--config").arg(&self.config);
    }

    /// Checks that the kernels that ship are among them, to the byte: `all`, or those that are.
    fn contain(&self, workspace: &Workspace, all: bool) -> Result<(), Stop> {
        let shipped = workspace.root().join("generated");
        for listed in manifest(&shipped)? {
            if !all && !self.manifest.iter().any(|own| own.name == listed.name) {
                continue;
            }
            let read = |folder: &Path| std::fs::read(folder.join(&listed.file));
            if read(&shipped)? != read(&self.folder).unwrap_or_default() {
                return Err(Stop::Failed(format!(
                    "generated/{} is not what the specs and templates give: \
                     `cargo run -p codegen -- check` tells more",
                    listed.file
                )));
            }
        }
        Ok(())
    }
}

/// The kernels that a generated crate lists.
pub(super) fn manifest(folder: &Path) -> Result<Vec<KernelInfo>, Stop> {
    let path = folder.join(MANIFEST);
    let blocked = |error: String| {
        let fix = "`cargo run -p codegen -- generate --all` writes it";
        Stop::Blocked(format!("{}: {error}; {fix}", path.display()))
    };
    let text = std::fs::read_to_string(&path).map_err(|error| blocked(error.to_string()))?;
    read_manifest(&text).map_err(|error| blocked(error.to_string()))
}

/// A kernel of which only the name and the architecture matter.
#[cfg(test)]
pub(super) fn kernel(name: &str, target_arch: Option<&str>) -> KernelInfo {
    let kernel = serde_json::json!({
        "name": name,
        "parameter_set": "",
        "field": "",
        "width": 0,
        "external_rounds": 0,
        "internal_rounds": 0,
        "isa": "",
        "layout": "",
        "strategy": "",
        "batch": 1,
        "lanes": 1,
        "features": [],
        "target_arch": target_arch,
        "word_bits": 64,
        "code": "",
        "file": "",
        "certificate": "",
        "sites": 0,
        "elided": 0,
        "kept": 0,
        "counts": {},
    });
    serde_json::from_value(kernel).expect("a manifest's entry")
}

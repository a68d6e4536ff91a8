//! Where things are, and cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::Stop;

/// The workspace that this program was built from.
#[derive(Debug)]
pub(super) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

/// A kernel as `generated/manifest.json` lists it; the manifest says more than is read here.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Listed {
    /// The full name.
    pub(super) name: String,
    /// The architecture that it compiles for; none: all of them.
    pub(super) target_arch: Option<String>,
}

impl Workspace {
    /// The workspace, as it was when this program was compiled.
    pub(super) fn find() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().unwrap_or(package).to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR");
        let target = target.map_or_else(|| root.join("target"), |target| root.join(target));
        Self { root, target }
    }

    /// All kernels that there should be.
    pub(super) fn manifest(&self) -> Result<Vec<Listed>, Stop> {
        let path = self.root.join("generated/manifest.json");
        let mend = "`cargo run -p codegen -- generate --all` writes it";
        let blocked = |error: String| {
            let path = self.relative(&path).display();
            Stop::Blocked(format!("{path}: {error}; {mend}"))
        };
        let text = std::fs::read_to_string(&path).map_err(|error| blocked(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| blocked(error.to_string()))
    }

    /// The folder for what a run leaves behind.
    pub(super) fn scratch(&self) -> Result<PathBuf, Stop> {
        let scratch = self.target.join("verify");
        std::fs::create_dir_all(&scratch)?;
        Ok(scratch)
    }

    /// Cargo's build folder.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The folder that it lives in.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// A path as seen from the root.
    pub(super) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// Cargo with these arguments: the one that runs this program, if one does.
    pub(super) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).args(arguments);
        command
    }
}

/// Runs a command to its end; its output goes where ours goes.
pub(super) fn run(mut command: Command, what: &str) -> Result<(), Stop> {
    let program = command.get_program().to_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::Failed(format!("{what}: {status}"))),
        Err(error) => Err(Stop::Blocked(format!(
            "{what}: {}: {error}",
            program.display()
        ))),
    }
}

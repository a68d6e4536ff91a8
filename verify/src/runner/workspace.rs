//! Where things are, and cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde::Deserialize;

use super::Stop;
use crate::oracle::Instance;
use crate::process;

/// The profile of whatever is compiled here: cargo's folder for it has the same name.
pub(super) const PROFILE: &str = "suite";

/// The workspace that this program was built from.
#[derive(Debug)]
pub(super) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    patience: u32,
}

/// A kernel as `generated/manifest.json` lists it; the manifest says more than is read here.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Listed {
    /// The full name.
    pub(super) name: String,
    parameter_set: String,
    field: String,
    width: usize,
    /// The architecture that it compiles for; none: all of them.
    pub(super) target_arch: Option<String>,
}

impl Listed {
    /// A kernel with a name and no more.
    #[cfg(test)]
    pub(super) fn named(name: &str, target_arch: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            parameter_set: String::new(),
            field: String::new(),
            width: 0,
            target_arch: target_arch.map(str::to_owned),
        }
    }

    /// Whether the kernel compiles for an architecture.
    pub(super) fn is_for(&self, arch: &str) -> bool {
        self.target_arch.as_deref().is_none_or(|own| own == arch)
    }

    /// Whether the kernel computes this instance's permutation.
    pub(super) fn computes(&self, instance: &Instance) -> bool {
        self.parameter_set == instance.parameter_set
            && self.field == instance.field.name
            && self.width == instance.permutation.width()
    }
}

impl Workspace {
    /// The workspace, as it was when this program was compiled. Time limits are multiplied by
    /// `patience`.
    pub(super) fn find(patience: u32) -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().unwrap_or(package).to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR");
        let target = target.map_or_else(|| root.join("target"), |target| root.join(target));
        Self {
            root,
            target,
            patience,
        }
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

    /// A time limit, for this machine.
    pub(super) fn limit(&self, limit: Duration) -> Duration {
        limit * self.patience
    }

    /// Runs a command to its end, or ends it; its output goes where ours goes.
    pub(super) fn run(
        &self,
        mut command: Command,
        what: &str,
        limit: Duration,
    ) -> Result<(), Stop> {
        match process::status(&mut command, self.limit(limit)) {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Stop::Failed(format!("{what}: {status}"))),
            Err(error) => Err(Stop::of_program(what, &error)),
        }
    }

    /// Runs a command to its end, or ends it, and gives what it prints.
    pub(super) fn output(
        &self,
        mut command: Command,
        what: &str,
        limit: Duration,
    ) -> Result<Output, Stop> {
        let output = process::output(&mut command, self.limit(limit));
        output.map_err(|error| Stop::of_program(what, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_ended_and_named() {
        let workspace = Workspace::find(2);
        let mut sleep = Command::new("sleep");
        sleep.arg("600");
        let stop = workspace.run(sleep, "the stage that sleeps", Duration::from_millis(50));
        let Err(Stop::Failed(message)) = stop else {
            panic!("{stop:?}");
        };
        let expected = "the stage that sleeps: ended: not done after 100 ms; \
                        `--patience 3` waits three times as long";
        assert_eq!(message, expected);
    }
}

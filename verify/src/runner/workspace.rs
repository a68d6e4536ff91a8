//! Where things are, and cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use super::Stop;
use crate::process;

/// The profile of whatever is compiled here: cargo's folder for it has the same name.
pub(super) const PROFILE: &str = "suite";

/// What a run of all stages builds. One selection for all of them: cargo builds dependencies again
/// for another.
pub(super) const EVERYTHING: [&str; 3] = [
    "--workspace",
    "--features",
    "benches/phases,poseidon2-kernels/plonky3",
];

/// The same without the runner, which the kernel suite does not need. Dependencies are those of
/// [`EVERYTHING`], down to their features. Another crate may stand in for the generated one.
pub(super) const WITHOUT_RUNNER: [&str; 6] = [
    "--workspace",
    "--exclude",
    "poseidon2-generated",
    "--no-default-features",
    "--features",
    "benches/default,benches/phases,poseidon2-kernels/std,poseidon2-kernels/plonky3",
];

/// The workspace that this program was built from.
#[derive(Debug)]
pub(super) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    patience: u32,
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

    /// How much longer than elsewhere programs may take.
    pub(super) fn patience(&self) -> u32 {
        self.patience
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

    /// What a command prints, if it succeeds.
    pub(super) fn printed(
        &self,
        command: Command,
        what: &str,
        limit: Duration,
    ) -> Result<Vec<u8>, Stop> {
        let shown = format!("{command:?}");
        let output = self.output(command, what, limit)?;
        let status = output.status;
        if status.success() {
            return Ok(output.stdout);
        }
        let [errors, text] =
            [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
        Err(Stop::Failed(format!(
            "{what}: {shown}: {status}\n{errors}{text}"
        )))
    }

    /// The same as a text.
    pub(super) fn text(
        &self,
        command: Command,
        what: &str,
        limit: Duration,
    ) -> Result<String, Stop> {
        let printed = self.printed(command, what, limit)?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
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

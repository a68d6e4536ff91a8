//! The program `merkle_root`, which other examples are compared with.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::workspace::{EVERYTHING, PROFILE, Workspace};
use super::{Stop, limits};

const NAME: &str = "merkle_root";

/// The program, built.
pub(super) struct MerkleRoot {
    program: PathBuf,
}

impl MerkleRoot {
    pub(super) fn build(workspace: &Workspace) -> Result<Self, Stop> {
        let mut example = workspace.cargo(&["build", "--profile", PROFILE, "--example", NAME]);
        example.args(EVERYTHING);
        workspace.run(example, "building merkle_root", limits::BUILD)?;
        let examples = workspace.target().join(PROFILE).join("examples");
        let program = examples.join(NAME);
        Ok(Self { program })
    }

    /// What it says of a file: what is asked for, or what is wrong with it.
    pub(super) fn of(
        &self,
        workspace: &Workspace,
        file: &Path,
        arguments: &[&str],
    ) -> Result<Result<String, String>, Stop> {
        let mut command = Command::new(&self.program);
        command.args(arguments).arg(file);
        let output = workspace.output(command, NAME, limits::CALL)?;
        let line = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() {
            return Ok(Ok(line(&output.stdout)));
        }
        let error = line(&output.stderr);
        let before = format!("{}: ", file.display());
        match error.strip_prefix(&before) {
            Some(error) => Ok(Err(error.to_owned())),
            None => Err(Stop::Failed(format!("{NAME}: {}: {error}", output.status))),
        }
    }
}

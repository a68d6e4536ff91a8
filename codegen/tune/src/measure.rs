//! Having kernels timed: by `benches`, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codegen::diag::Diagnostic;
use codegen::names::Isa;

use crate::record::Record;

/// What is to be timed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Campaign {
    /// The field; none: all of them.
    pub field: Option<String>,
    /// The width; none: all of them.
    pub width: Option<usize>,
    /// The instruction sets.
    pub isas: Vec<Isa>,
    /// Cargo's build folder; none: the workspace's own.
    pub target: Option<PathBuf>,
    /// Seconds to measure for.
    pub seconds: u64,
    /// What the states are made from.
    pub seed: u64,
}

/// Whoever times kernels.
pub trait Measurer {
    /// Times the kernels of a workspace on this machine, in all shapes.
    ///
    /// # Errors
    /// It cannot be done, or a kernel's results are wrong.
    fn measure(&self, workspace: &Path, campaign: &Campaign) -> Result<Vec<Record>, Diagnostic>;

    /// Models them on cores.
    ///
    /// # Errors
    /// As above.
    fn model(
        &self,
        workspace: &Path,
        campaign: &Campaign,
        cores: &[String],
    ) -> Result<Vec<Record>, Diagnostic>;
}

/// The benches of this workspace. Their progress shows on standard error.
#[derive(Clone, Copy, Debug)]
pub struct Benches;

impl Measurer for Benches {
    fn measure(&self, workspace: &Path, campaign: &Campaign) -> Result<Vec<Record>, Diagnostic> {
        let folder = folder()?;
        let (json, report) = (folder.path().join("json"), folder.path().join("report"));
        let mut command = benches(workspace, "compare", campaign);
        command.args(["--shape", "chain,independent,merkle-14"]);
        command.args(["--seconds", &campaign.seconds.to_string()]);
        command.args(["--seed", &campaign.seed.to_string()]);
        command
            .arg("--json")
            .arg(&json)
            .arg("--report")
            .arg(&report);
        run(command, &json)
    }

    fn model(
        &self,
        workspace: &Path,
        campaign: &Campaign,
        cores: &[String],
    ) -> Result<Vec<Record>, Diagnostic> {
        let folder = folder()?;
        let json = folder.path().join("json");
        let mut command = benches(workspace, "model", campaign);
        command
            .args(["--core", &cores.join(",")])
            .arg("--json")
            .arg(&json);
        run(command, &json)
    }
}

fn folder() -> Result<tempfile::TempDir, Diagnostic> {
    tempfile::tempdir()
        .map_err(|error| Diagnostic::new(format!("cannot make a temporary folder: {error}")))
}

fn benches(workspace: &Path, verb: &str, campaign: &Campaign) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace);
    if let Some(target) = &campaign.target {
        command.env("CARGO_TARGET_DIR", target);
    }
    command.args(["run", "--quiet", "--release", "--package", "benches"]);
    command.args(["--bin", "benches", "--", verb]);
    let isas: Vec<_> = campaign.isas.iter().map(|isa| isa.name()).collect();
    command.args(["--isa", &isas.join(",")]);
    if let Some(field) = &campaign.field {
        command.args(["--field", field]);
    }
    if let Some(width) = campaign.width {
        command.args(["--width", &width.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn run(mut command: Command, json: &Path) -> Result<Vec<Record>, Diagnostic> {
    let shown = {
        let words = command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned());
        format!("cargo {}", words.collect::<Vec<_>>().join(" "))
    };
    let failed = |why: String| {
        Diagnostic::new(format!("figures could not be had: {why}"))
            .help(format!("what was run: `{shown}`"))
    };
    let status = command
        .status()
        .map_err(|error| failed(format!("cargo: {error}")))?;
    if !status.success() {
        return Err(failed(format!("benches ended with {status}")));
    }
    let text = std::fs::read_to_string(json).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

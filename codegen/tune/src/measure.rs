//! Having kernels timed: by `benches`, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codegen::diag::Diagnostic;
use codegen::names::Isa;

use crate::record::{self, Record};

/// What is to be timed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Campaign {
    /// The field; none: all of them.
    pub(crate) field: Option<String>,
    /// The width; none: all of them.
    pub(crate) width: Option<usize>,
    /// The instruction sets.
    pub(crate) isas: Vec<Isa>,
    /// Cores to model; none: on this machine.
    pub(crate) cores: Vec<String>,
    /// Cargo's build folder; none: the workspace's own.
    pub(crate) target: Option<PathBuf>,
    /// Seconds to measure for.
    pub(crate) seconds: u64,
    /// What the states are made from.
    pub(crate) seed: u64,
}

/// Whoever times the kernels of a workspace on this machine, in all shapes, or models them on cores. It
/// fails if that cannot be done, or if a kernel's results are wrong.
pub(crate) type Measurer<'m> = dyn Fn(&Path, &Campaign) -> Result<Vec<Record>, Diagnostic> + 'm;

/// The benches of this workspace. Their progress shows on standard error.
///
/// # Errors
/// They fail.
pub(crate) fn benches(workspace: &Path, campaign: &Campaign) -> Result<Vec<Record>, Diagnostic> {
    let folder = tempfile::tempdir()
        .map_err(|error| Diagnostic::new(format!("cannot make a temporary folder: {error}")))?;
    let json = folder.path().join("json");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace);
    if let Some(target) = &campaign.target {
        command.env("CARGO_TARGET_DIR", target);
    }
    command.args(["run", "--quiet", "--release", "--package", "benches"]);
    let verb = if campaign.cores.is_empty() {
        "compare"
    } else {
        "model"
    };
    command.args(["--bin", "benches", "--", verb]);
    let isas: Vec<_> = campaign.isas.iter().map(|isa| isa.name()).collect();
    command.args(["--isa", &isas.join(",")]);
    if let Some(field) = &campaign.field {
        command.args(["--field", field]);
    }
    if let Some(width) = campaign.width {
        command.args(["--width", &width.to_string()]);
    }
    if campaign.cores.is_empty() {
        command.args(["--shape", "chain,independent,merkle-14"]);
        command.args(["--seconds", &campaign.seconds.to_string()]);
        command.args(["--seed", &campaign.seed.to_string()]);
        command.arg("--report").arg(folder.path().join("report"));
    } else {
        command.args(["--core", &campaign.cores.join(",")]);
    }
    command.arg("--json").arg(&json);
    let words = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned());
    let shown = format!("cargo {}", words.collect::<Vec<_>>().join(" "));
    let failed = |why: String| {
        Diagnostic::new(format!("figures could not be had: {why}"))
            .help(format!("what was run: `{shown}`"))
    };
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| failed(format!("cargo: {error}")))?;
    // What was asked for and is not there; all else of its tables is in the records.
    let told = String::from_utf8_lossy(&output.stdout);
    for line in told.lines().filter(|line| line.starts_with("not run: ")) {
        eprintln!("{line}");
    }
    if !output.status.success() {
        return Err(failed(format!("benches ended with {}", output.status)));
    }
    record::read(&json).map_err(failed)
}

//! What a run of the suite says, one line of JSON after another, so that a reader knows which
//! kernel was running when the process died.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::failure::Failure;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// This kernel is about to run.
    Begin(String),
    /// This kernel is done.
    End(Report),
}

/// What became of one kernel on this host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The kernel's name.
    pub kernel: String,
    /// Passed, failed or not run.
    pub outcome: Outcome,
    /// Calls of the kernel.
    pub executions: u64,
    /// States compared, by check.
    pub checks: BTreeMap<String, u64>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// Whether a kernel is right, as far as this host can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every check passed.
    Passed,
    /// A check failed.
    Failed(Box<Failure>),
    /// The process died while this kernel ran, or the kernel could not be set up.
    Died(String),
    /// It was not run, for this reason.
    NotRun(String),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}: ", self.kernel)?;
        match &self.outcome {
            Outcome::Passed => write!(f, "{} calls, {:.1} s", self.executions, self.seconds),
            Outcome::Failed(failure) => write!(f, "FAILED {failure}"),
            Outcome::Died(reason) => write!(f, "FAILED {reason}"),
            Outcome::NotRun(reason) => write!(f, "not run: {reason}"),
        }
    }
}

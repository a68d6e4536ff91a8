//! What the runner asks of the kernel suite's own program. The two may run on different
//! architectures, so they talk in JSON: a request as the only argument, events in a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::suite::Plan;

/// One request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Print where the kernels are in memory, as [`Located`].
    Locate,
    /// Run kernels through every check.
    Run {
        /// Which ones, and how much.
        plan: Plan,
        /// The directed cases.
        corpus: PathBuf,
        /// Where to write [`crate::suite::report::Event`]s, one a line.
        events: PathBuf,
        /// What runs them; empty: the program itself.
        guest: Vec<String>,
    },
    /// Run one kernel once and print where it is in memory, as [`Traced`].
    Trace {
        /// The kernel's name.
        kernel: String,
    },
}

/// Addresses that let a reader of an execution trace find the kernel in it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Traced {
    /// Where the kernel starts.
    pub entry: u64,
    /// Where [`verify_anchor`] starts: its symbol gives the distance from memory to file.
    pub anchor: u64,
    /// States permuted by the one call.
    pub states: usize,
    /// Whether they came to what the peer makes of them.
    pub agrees: bool,
}

/// Where kernels are in memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Located {
    /// As in [`Traced`].
    pub anchor: u64,
    /// Name and start of each kernel.
    pub kernels: Vec<(String, u64)>,
}

/// A function whose only use is its address.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn verify_anchor() {}

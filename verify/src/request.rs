//! What the runner asks of the kernel suite's own program. The two may run on different
//! architectures, so they talk in JSON: a request as the only argument, events in a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::suite::Plan;

/// One request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Print the names of the kernels that were compiled in, as a JSON array.
    List,
    /// Run kernels through every check.
    Run {
        /// Which ones, and how much.
        plan: Plan,
        /// The directed cases.
        corpus: PathBuf,
        /// Where to write [`crate::suite::report::Event`]s, one a line.
        events: PathBuf,
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
}

/// A function whose only use is its address.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn verify_anchor() {}

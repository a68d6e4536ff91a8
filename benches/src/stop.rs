//! Why a command stops early.

use std::fmt::Display;
use std::process::ExitCode;

/// Why a command stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Something was run and is wrong.
    Failed(String),
    /// Nothing can be done before somebody does something about this.
    Blocked(String),
}

impl Stop {
    /// What keeps from going on.
    pub fn blocked(error: impl Display) -> Self {
        Self::Blocked(error.to_string())
    }

    /// Tells it, and gives the exit code: 1 for a failure, 2 for what could not be found out.
    #[must_use]
    pub fn tell(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Failed(message) => (message, 1),
            Self::Blocked(message) => (message, 2),
        };
        eprintln!("benches: {message}");
        ExitCode::from(code)
    }
}

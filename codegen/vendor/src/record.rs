//! The record of a vendoring, in the checkout itself.

use serde::{Deserialize, Serialize};

use super::SHARED;
use super::checkout::Checkout;
use super::edit::Edit;
use super::package::Package;
use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::{self, FileSet};

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// Kernels by name; none: those that the tuning tables prefer.
    pub(crate) kernels: Vec<String>,
    /// CPUs whose tuning tables decide; none: the default of each architecture.
    #[serde(default)]
    pub(crate) cpus: Vec<String>,
}

impl Wish {
    /// The command that does this to the folder `into`.
    pub(crate) fn command(&self, into: &str) -> String {
        let mut command = format!("cargo run -p vendor -- --into {into}");
        for (flag, names) in [("kernels", &self.kernels), ("cpu", &self.cpus)] {
            if !names.is_empty() {
                command += &format!(" --{flag} {}", names.join(","));
            }
        }
        command
    }
}

/// What was asked for, and what was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The package and version that the edits are for.
    package: String,
    version: String,
    #[serde(flatten)]
    pub(crate) wish: Wish,
    /// In the order in which they were made.
    #[serde(rename = "edit")]
    pub(crate) edits: Vec<Edit>,
}

impl Record {
    pub(crate) fn new(package: &Package, wish: &Wish, edits: Vec<Edit>) -> Self {
        Self {
            package: package.name.to_owned(),
            version: package.version.to_owned(),
            wish: wish.clone(),
            edits,
        }
    }

    pub(crate) fn insert(&self, command: &str, files: &mut FileSet) -> Result<(), Diagnostic> {
        let text = toml::to_string_pretty(self)
            .map_err(|error| Diagnostic::new(format!("cannot write the record: {error}")))?;
        let about = "# What `vendor` did here. `--check` and `--remove` read it.\n\n";
        files.insert(path(), command, &format!("{about}{text}"));
        Ok(())
    }

    /// The record of a checkout; none: nothing was vendored into it.
    pub(crate) fn read(checkout: &Checkout) -> Result<Option<Self>, Diagnostics> {
        let Some(text) = checkout.read(&path())? else {
            return Ok(None);
        };
        let text = text.replace("\r\n", "\n");
        let help = "bring it back from version control; without it nothing can be taken out";
        let refuse = |what: &str| Diagnostic::new(format!("{} {what}", path())).help(help);
        if !emit::is_owned(&text) || !emit::is_intact(&text) {
            return Err(refuse("was edited by hand").into());
        }
        let record = toml::from_str(&text).map_err(|error| {
            let reason = error.message();
            refuse(&format!("is not the record of a vendoring: {reason}"))
        })?;
        Ok(Some(record))
    }
}

fn path() -> String {
    format!("{SHARED}/vendored.toml")
}

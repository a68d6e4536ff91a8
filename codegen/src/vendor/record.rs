//! The record of a vendoring, in the checkout itself.

use serde::{Deserialize, Serialize};

use super::SHARED;
use super::checkout::{Checkout, PACKAGE, VERSION};
use super::edit::Edit;
use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{self, FileSet};

/// What was asked for, and what was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// The package and version that the edits are for.
    package: String,
    version: String,
    /// Kernels asked for by name; none: the best for each place.
    pub(super) kernels: Vec<String>,
    #[serde(rename = "edit")]
    edits: Vec<Edit>,
}

impl Record {
    pub(super) fn new(asked: &[String], edits: Vec<Edit>) -> Self {
        Self {
            package: PACKAGE.to_owned(),
            version: VERSION.to_owned(),
            kernels: asked.to_vec(),
            edits,
        }
    }

    /// The edits, in the order in which they were made.
    pub(super) fn edits(&self) -> Vec<Edit> {
        self.edits.clone()
    }

    pub(super) fn insert(&self, command: &str, files: &mut FileSet) -> Result<(), Diagnostic> {
        let text = toml::to_string_pretty(self)
            .map_err(|error| Diagnostic::new(format!("cannot write the record: {error}")))?;
        let about = "# What `codegen vendor` did here. `--check` and `--remove` read it.\n\n";
        files.insert(path(), command, &format!("{about}{text}"));
        Ok(())
    }

    /// The record of a checkout; none: nothing was vendored into it.
    pub(super) fn read(checkout: &Checkout) -> Result<Option<Self>, Diagnostics> {
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

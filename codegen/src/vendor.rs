//! Generated kernels inside a checkout of `p3-goldilocks`: files in its folder layout, and the few
//! edits that make its `Poseidon2Goldilocks` use them.
//!
//! What was done is recorded in the checkout itself, edit by edit, so that it can be compared,
//! renewed and taken out again by any later version.

mod checkout;
mod choice;
mod edit;
mod kernel;
mod platform;
mod record;
mod slots;
mod texts;
mod wiring;

pub use checkout::Checkout;
pub use slots::Slots;

use crate::diag::{Diagnostic, Diagnostics};
use crate::emit::{self, FileSet, Mismatch, Outcome, Scope};
use crate::kernel::Generated;
use record::Record;

/// The folder that the kernels of all platforms share, and the record.
const SHARED: &str = "src/poseidon2_generated";

/// What a checkout has of ours, and what it was without it.
#[derive(Debug)]
pub struct Vendored {
    checkout: Checkout,
    record: Option<Record>,
    /// The files that are edited, as they are without our edits.
    stock: Vec<(String, String)>,
}

/// How a checkout is to be.
#[derive(Debug)]
pub struct Wanted {
    files: FileSet,
    /// The files that differ, as they are and as they should be; empty text: no file.
    changes: Vec<Change>,
}

/// A file that differs.
#[derive(Clone, Debug)]
pub struct Change {
    /// Relative to the checkout.
    pub path: String,
    /// The text now; none: there is no such file.
    pub now: Option<String>,
    /// The text that is wanted; none: no such file.
    pub wanted: Option<String>,
}

impl Vendored {
    /// Reads what was vendored into a checkout.
    ///
    /// # Errors
    /// Its record, or an edit that the record tells of, was changed.
    pub fn read(checkout: Checkout) -> Result<Self, Diagnostics> {
        let record = Record::read(&checkout)?;
        let mut stock = Vec::new();
        if let Some(record) = &record {
            stock = edit::reverted(&checkout, &[], &record.edits())?;
        }
        Ok(Self {
            checkout,
            record,
            stock,
        })
    }

    /// Whether there is anything of ours.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.record.is_some()
    }

    /// The kernels that were asked for by name; none: the best for each place.
    #[must_use]
    pub fn asked(&self) -> &[String] {
        self.record.as_ref().map_or(&[], |record| &record.kernels)
    }

    /// The checkout with these kernels, which were asked for by the names `asked` if any.
    ///
    /// # Errors
    /// A kernel has no place in the crate, or the crate is not as expected.
    pub fn with(&self, kernels: &[Generated], asked: &[String]) -> Result<Wanted, Diagnostics> {
        let slots = Slots::of(kernels)?;
        let edits = wiring::edits(&slots);
        let edited = edit::applied(&self.checkout, &self.stock, &edits)?;
        // What cannot be taken out again is not written.
        edit::reverted(&self.checkout, &edited, &edits)?;
        let command = command(asked);
        let mut files = FileSet::new();
        kernel::insert(&slots, &command, &mut files)?;
        texts::insert(&slots, &command, &mut files)?;
        Record::new(asked, edits).insert(&command, &mut files)?;
        // What was edited before, and is not any more.
        for (path, text) in &self.stock {
            files.insert_whole(path, &command, text);
        }
        for (path, text) in &edited {
            files.insert_whole(path, &command, text);
        }
        self.wanted(files)
    }

    /// The checkout without anything of ours.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn without(&self) -> Result<Wanted, Diagnostics> {
        let mut files = FileSet::new();
        for (path, text) in &self.stock {
            files.insert_whole(path, "", text);
        }
        self.wanted(files)
    }

    fn wanted(&self, files: FileSet) -> Result<Wanted, Diagnostics> {
        let mut changes = Vec::new();
        for (path, text) in files.iter() {
            let now = self.checkout.read(path)?;
            if now.as_deref() != Some(text) {
                changes.push(Change {
                    path: path.to_owned(),
                    now,
                    wanted: Some(text.to_owned()),
                });
            }
        }
        for path in emit::orphans_of(&files, self.checkout.root())? {
            let now = self.checkout.read(&path)?;
            changes.push(Change {
                path,
                now,
                wanted: None,
            });
        }
        Ok(Wanted { files, changes })
    }

    /// What differs from what is wanted, with the command that mends it. Writes nothing.
    ///
    /// # Errors
    /// Something cannot be read.
    pub fn check(&self, wanted: &Wanted, mend: &str) -> Result<Vec<Mismatch>, Diagnostic> {
        emit::check(&wanted.files, self.checkout.root(), Scope::Whole, mend)
    }

    /// Makes the checkout what is wanted, or leaves it as it is.
    ///
    /// # Errors
    /// A file of ours was edited by hand, or something cannot be written; nothing was changed.
    pub fn write(&self, wanted: &Wanted) -> Result<Outcome, Diagnostics> {
        edited_by_hand(&wanted.changes)?;
        emit::bless(&wanted.files, self.checkout.root(), Scope::Whole)
    }
}

impl Wanted {
    /// The files that differ.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// Whoever changed a vendored file wants to keep the change.
fn edited_by_hand(changes: &[Change]) -> Result<(), Diagnostics> {
    let lost = changes.iter().filter(|change| {
        let now = change.now.as_deref();
        now.is_some_and(|text| {
            emit::is_owned(text) && !emit::is_intact(&text.replace("\r\n", "\n"))
        })
    });
    let refused = lost.map(|change| {
        let message = format!("{} was edited by hand; nothing was changed", change.path);
        Diagnostic::new(message).help(
            "keep the change elsewhere (a template is the place for it), delete the file, run this again",
        )
    });
    refused.collect::<Diagnostics>().into_result()
}

/// The command that writes this, with a word in place of the folder, which is not everyone's.
fn command(asked: &[String]) -> String {
    let mut command = "cargo run -p codegen -- vendor --into P3_GOLDILOCKS".to_owned();
    if !asked.is_empty() {
        command += &format!(" --kernels {}", asked.join(","));
    }
    command
}

#[cfg(test)]
mod tests;

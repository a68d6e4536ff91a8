//! What a checkout has of ours, and what it is to have.

use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::{self, FileSet, Kind, Mismatch, Outcome, Scope};

use super::checkout::Checkout;
use super::record::{Record, Wish};
use super::slots::Slots;
use super::{edit, kernel, texts, wiring};

/// What a checkout has of ours, and what it was without it.
#[derive(Debug)]
pub(crate) struct Vendored {
    checkout: Checkout,
    record: Option<Record>,
    /// The files that are edited, as they are without our edits.
    stock: Vec<(String, String)>,
}

/// How a checkout is to be.
#[derive(Debug)]
pub(crate) struct Wanted {
    files: FileSet,
    /// The files that differ, as they are and as they should be; empty text: no file.
    changes: Vec<Change>,
}

/// A file that differs.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Relative to the checkout.
    pub(crate) path: String,
    /// The text now; none: there is no such file.
    pub(crate) now: Option<String>,
    /// The text that is wanted; none: no such file.
    pub(crate) wanted: Option<String>,
}

impl Vendored {
    /// Reads what was vendored into a checkout.
    ///
    /// # Errors
    /// Its record, or an edit that the record tells of, was changed.
    pub(crate) fn read(checkout: Checkout) -> Result<Self, Diagnostics> {
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
    pub(crate) const fn is_there(&self) -> bool {
        self.record.is_some()
    }

    /// What was asked for.
    pub(crate) fn wish(&self) -> Wish {
        self.record.as_ref().map(Record::wish).unwrap_or_default()
    }

    /// The checkout with these kernels, as `command` writes them for a `wish`.
    ///
    /// # Errors
    /// The crate is not as expected.
    pub(crate) fn with(
        &self,
        slots: &Slots<'_>,
        wish: &Wish,
        command: &str,
    ) -> Result<Wanted, Diagnostics> {
        let edits = wiring::edits(slots);
        let edited = edit::applied(&self.checkout, &self.stock, &edits)?;
        // What cannot be taken out again is not written.
        edit::reverted(&self.checkout, &edited, &edits)?;
        let mut files = FileSet::new();
        kernel::insert(slots, command, &mut files)?;
        texts::insert(slots, command, &mut files)?;
        Record::new(wish, edits).insert(command, &mut files)?;
        // What was edited before, and is not any more.
        for (path, text) in &self.stock {
            files.insert_whole(path, command, text);
        }
        for (path, text) in &edited {
            files.insert_whole(path, command, text);
        }
        self.wanted(files)
    }

    /// The checkout without anything of ours.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn without(&self) -> Result<Wanted, Diagnostics> {
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
        for path in emit::orphans(&files, self.checkout.root())? {
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
    pub(crate) fn check(&self, wanted: &Wanted, mend: &str) -> Result<Vec<Mismatch>, Diagnostic> {
        emit::check(&wanted.files, self.checkout.root(), Scope::Whole, mend)
    }

    /// Makes the checkout what is wanted, or leaves it as it is.
    ///
    /// # Errors
    /// A file of ours was edited by hand, or something cannot be written; nothing was changed.
    pub(crate) fn write(&self, wanted: &Wanted) -> Result<Outcome, Diagnostics> {
        edited_by_hand(&wanted.changes)?;
        emit::bless(&wanted.files, self.checkout.root(), Scope::Whole)
    }
}

impl Wanted {
    /// The files that differ.
    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// Whoever changed a vendored file wants to keep the change.
fn edited_by_hand(changes: &[Change]) -> Result<(), Diagnostics> {
    let lost = changes.iter().filter(|change| {
        let wanted = change.wanted.as_deref().unwrap_or_default();
        let now = change.now.as_deref();
        now.is_some_and(|now| emit::compare(&change.path, now, wanted) == Some(Kind::EditedByHand))
    });
    let refused = lost.map(|change| {
        let message = format!("{} was edited by hand; nothing was changed", change.path);
        Diagnostic::new(message).help(
            "keep the change elsewhere (a template is the place for it), delete the file, run this again",
        )
    });
    refused.collect::<Diagnostics>().into_result()
}

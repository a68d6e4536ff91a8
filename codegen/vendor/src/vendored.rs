//! What a checkout has of ours, and what it is to have.

use codegen::diag::{Diagnostic, Diagnostics};
use codegen::emit::{self, FileSet, Kind, Mismatch, Outcome, Scope};

use super::checkout::Checkout;
use super::edit::Files;
use super::record::{Record, Wish};
use super::slots::Slots;
use super::{edit, kernel, texts, wiring};

/// What a checkout has of ours, and what it was without it.
#[derive(Debug)]
pub(crate) struct Vendored {
    pub(crate) checkout: Checkout,
    /// None: there is nothing of ours.
    pub(crate) record: Option<Record>,
    /// The files that are edited, as they are without our edits.
    stock: Files,
}

/// How a checkout is to be.
#[derive(Debug)]
pub(crate) struct Wanted {
    files: FileSet,
    /// The files that differ.
    pub(crate) changes: Vec<Change>,
}

/// A file that differs.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
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
        let edits = record.as_ref().map_or(&[][..], |record| &record.edits);
        let stock = edit::reverted(&checkout, &Files::new(), edits)?;
        Ok(Self {
            checkout,
            record,
            stock,
        })
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
        Record::new(self.checkout.package, wish, edits).insert(command, &mut files)?;
        self.wanted(files, edited)
    }

    /// The checkout without anything of ours.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn without(&self) -> Result<Wanted, Diagnostics> {
        self.wanted(FileSet::new(), Files::new())
    }

    /// The checkout with these files of ours and of the crate's own; what was edited before and is not
    /// any more is as it was.
    fn wanted(&self, mut files: FileSet, edited: Files) -> Result<Wanted, Diagnostics> {
        for (path, text) in self.stock.clone().into_iter().chain(edited) {
            files.insert_whole(path, "", text);
        }
        let change = |Mismatch { kind, path, .. }| {
            let wanted = files.iter().find(|(name, _)| *name == path);
            Ok(Change {
                kind,
                now: self.checkout.read(&path)?,
                wanted: wanted.map(|(_, text)| text.to_owned()),
                path,
            })
        };
        let differ = emit::check(&files, &self.checkout.root, Scope::Whole, "")?;
        let changes: Result<_, Diagnostic> = differ.into_iter().map(change).collect();
        Ok(Wanted {
            changes: changes?,
            files,
        })
    }

    /// Makes the checkout what is wanted, or leaves it as it is.
    ///
    /// # Errors
    /// A file of ours was edited by hand, or something cannot be written; nothing was changed.
    pub(crate) fn write(&self, wanted: &Wanted) -> Result<Outcome, Diagnostics> {
        // Whoever changed a vendored file wants to keep the change.
        let by_hand = wanted.changes.iter().filter(|change| match change.kind {
            Kind::EditedByHand => true,
            Kind::Orphaned => {
                let now = change.now.as_deref().unwrap_or_default();
                !emit::is_intact(&now.replace("\r\n", "\n"))
            }
            _ => false,
        });
        let refused = by_hand.map(|change| {
            let message = format!("{} was edited by hand; nothing was changed", change.path);
            Diagnostic::new(message).help(
                "keep the change elsewhere (a template is the place for it), delete the file, run this again",
            )
        });
        refused.collect::<Diagnostics>().into_result()?;
        emit::bless(&wanted.files, &self.checkout.root, Scope::Whole)
    }
}

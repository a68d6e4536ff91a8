//! TOML read by hand, not by serde, because serde stops at the first error and a spec's author
//! wants all of them.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeString, DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source, UnknownName};

/// How integers are written.
const NUMBERS: &str = "a whole number below 2^64, without a sign and without quotes";

/// How an array of `found` entries gets as many as are `wanted`.
pub(super) fn to_length(found: usize, wanted: usize) -> String {
    match wanted.checked_sub(found) {
        Some(missing) => format!("add {missing} more"),
        None => format!("take {} out", found - wanted),
    }
}

/// Where errors go while a spec is read.
pub(super) struct Report<'a> {
    source: &'a Source,
    errors: RefCell<Diagnostics>,
}

impl<'a> Report<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            errors: RefCell::default(),
        }
    }

    /// What was read; what is wrong with it is reported.
    pub(super) fn keep<T>(&self, read: Result<T, impl Into<Diagnostics>>) -> Option<T> {
        self.errors.borrow_mut().keep(read)
    }

    pub(super) fn push(&self, error: Diagnostic) {
        self.errors.borrow_mut().push(error);
    }

    /// An error that points at `span`.
    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(message).at(self.source, span, label)
    }

    /// The error that a table says what another one said before.
    pub(super) fn twice(
        &self,
        message: String,
        again: Range<usize>,
        first: Range<usize>,
    ) -> Diagnostic {
        let error = self.error(again, message, "again here");
        error.at(self.source, first, "first here")
    }

    pub(super) fn into_errors(self) -> Diagnostics {
        let mut errors = self.errors.into_inner();
        errors.sort();
        errors
    }
}

/// A value of the document.
#[derive(Clone, Copy)]
pub(super) struct Item<'v> {
    pub(super) report: &'v Report<'v>,
    value: &'v Spanned<DeValue<'v>>,
}

impl<'v> Item<'v> {
    pub(super) fn span(self) -> Range<usize> {
        self.value.span()
    }

    /// An error that points at it.
    pub(super) fn error(self, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        self.report.error(self.span(), message, label)
    }

    /// A path relative to the folder of the file that it stands in.
    pub(super) fn beside(self, path: &str) -> PathBuf {
        let folder = Path::new(self.report.source.name()).parent();
        folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path))
    }

    /// A second place of an error.
    pub(super) fn also(self, error: Diagnostic, label: &str) -> Diagnostic {
        error.at(self.report.source, self.span(), label)
    }

    pub(super) fn unknown(self, unknown: &UnknownName) -> Diagnostic {
        let label = format!("no such {}", unknown.kind);
        self.error(unknown.to_string(), label).help(unknown.help())
    }

    fn expected(self, what: &str, help: &str) -> Diagnostic {
        let found = self.value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) {
            "an"
        } else {
            "a"
        };
        self.error(
            format!("expected {what}, found {article} {found}"),
            format!("this is {article} {found}"),
        )
        .help(help)
    }

    /// A number that is not in quotes, as it is written.
    pub(super) fn as_number(self) -> Option<&'v str> {
        let (integer, float) = (
            self.value.get_ref().as_integer(),
            self.value.get_ref().as_float(),
        );
        integer
            .map(DeInteger::as_str)
            .or(float.map(DeFloat::as_str))
    }

    /// Its text, if it is a string.
    pub(super) fn as_text(self) -> Option<&'v str> {
        self.value.get_ref().as_str()
    }

    pub(super) fn text(self) -> Result<&'v str, Diagnostic> {
        self.as_text()
            .ok_or_else(|| self.expected("a string", "write it in quotes"))
    }

    pub(super) fn array(self) -> Result<Vec<Self>, Diagnostic> {
        let array = self.value.get_ref().as_array();
        let array = array.ok_or_else(|| self.expected("an array", "write it in brackets: […]"))?;
        let item = |value| Self { value, ..self };
        Ok(array.iter().map(item).collect())
    }

    /// An array of tables, each written under a header `[[key]]`.
    pub(super) fn tables(self, key: &str) -> Result<Vec<Self>, Diagnostic> {
        if self.value.get_ref().is_table() {
            let message = format!("`{key}` is a list of tables");
            let error = self.error(message, "this is one table");
            return Err(error.help(format!("write [[{key}]]")));
        }
        self.array()
    }

    pub(super) fn boolean(self) -> Result<bool, Diagnostic> {
        let boolean = self.value.get_ref().as_bool();
        boolean.ok_or_else(|| {
            self.expected("true or false", "write `true` or `false`, without quotes")
        })
    }

    pub(super) fn is_integer(self) -> bool {
        self.value.get_ref().is_integer()
    }

    /// An unsigned integer; TOML's own limit of 63 bits does not hold here.
    pub(super) fn unsigned(self) -> Result<u64, Diagnostic> {
        let integer = self.value.get_ref().as_integer();
        let integer = integer.ok_or_else(|| self.expected("an integer", NUMBERS))?;
        u64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| {
            let message = format!("`{integer}` is not an integer from 0 to 2^64 - 1");
            self.error(message, "out of range").help(NUMBERS)
        })
    }

    pub(super) fn size(self) -> Result<usize, Diagnostic> {
        // Sizes beyond the address space are refused later, with the other impossible ones.
        Ok(usize::try_from(self.unsigned()?).unwrap_or(usize::MAX))
    }

    /// One of a closed vocabulary.
    pub(super) fn name<T: FromStr<Err = UnknownName>>(self) -> Result<T, Diagnostic> {
        let name = self.text()?.parse();
        name.map_err(|unknown| self.unknown(&unknown))
    }

    /// Its keys and values, if it is a table.
    fn entries(self) -> Result<&'v DeTable<'v>, Diagnostic> {
        let table = self.value.get_ref().as_table();
        table.ok_or_else(|| self.expected("a table", "write keys and values: { key = …, … }"))
    }

    /// The value of a key, if it is a table that has it.
    pub(super) fn entry(self, key: &str) -> Result<Option<Self>, Diagnostic> {
        let value = self.entries()?.get(key);
        Ok(value.map(|value| Self { value, ..self }))
    }

    /// A table that may have no other keys than `keys`.
    pub(super) fn table(self, title: &str, keys: &[&str]) -> Result<Table<'v>, Diagnostic> {
        let entries = self.entries()?;
        Ok(Table::new(self.report, title, entries, self.span(), keys))
    }

    /// A table whose keys are names of the author's own: the keys and the values.
    pub(super) fn named(self) -> Result<Vec<(&'v Spanned<DeString<'v>>, Self)>, Diagnostic> {
        let entries = self.entries()?.iter();
        let entries = entries.map(|(key, value)| (key, Self { value, ..self }));
        Ok(entries.collect())
    }
}

/// A table being read. What is wrong with a value is reported, and the value is none.
pub(super) struct Table<'v> {
    report: &'v Report<'v>,
    title: String,
    entries: &'v DeTable<'v>,
    span: Range<usize>,
}

impl<'v> Table<'v> {
    /// A table that may have no other keys than `keys`.
    pub(super) fn new(
        report: &'v Report<'v>,
        title: &str,
        entries: &'v DeTable<'v>,
        span: Range<usize>,
        keys: &[&str],
    ) -> Self {
        for key in entries.keys() {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                let unknown = UnknownName::new("key", name, keys.iter().copied());
                let message = format!("{unknown} in {title}");
                let error = report.error(key.span(), message, "no such key");
                report.push(error.help(unknown.help()));
            }
        }
        Self {
            report,
            title: title.to_owned(),
            entries,
            span,
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Item<'v>> {
        let value = self.entries.get(key)?;
        let report = self.report;
        Some(Item { report, value })
    }

    /// What `read` makes of the value of `key`.
    pub(super) fn required<T, E: Into<Diagnostics>>(
        &self,
        key: &str,
        read: impl FnOnce(Item<'v>) -> Result<T, E>,
    ) -> Option<T> {
        let Some(item) = self.get(key) else {
            let message = format!("{} has no `{key}`", self.title);
            let report = self.report;
            let error = report.error(self.span.clone(), message, "it belongs here");
            let help = format!("add it; docs/specs.md says what `{key}` takes");
            report.push(error.help(help));
            return None;
        };
        self.report.keep(read(item))
    }

    /// The same, or `default` if there is no such key.
    pub(super) fn or<T, E: Into<Diagnostics>>(
        &self,
        key: &str,
        default: T,
        read: impl FnOnce(Item<'v>) -> Result<T, E>,
    ) -> Option<T> {
        match self.get(key) {
            Some(item) => self.report.keep(read(item)),
            None => Some(default),
        }
    }
}

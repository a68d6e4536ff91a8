//! TOML read by hand, not by serde, because serde stops at the first error and a spec's author
//! wants all of them.

use std::cell::RefCell;
use std::ops::Range;
use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source, UnknownName};

/// A value and where it stands.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// What was read, and where it stands.
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// Where errors go while a spec is read.
pub(super) struct Report<'a> {
    pub(super) source: &'a Source,
    errors: RefCell<Diagnostics>,
}

impl<'a> Report<'a> {
    pub(super) const fn new(source: &'a Source) -> Self {
        Self {
            source,
            errors: RefCell::new(Diagnostics::new()),
        }
    }

    /// An error that points at `span`, for [`Report::push`].
    pub(super) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(message).at(self.source, span, label)
    }

    pub(super) fn push(&self, diagnostic: Diagnostic) {
        self.errors.borrow_mut().push(diagnostic);
    }

    pub(super) fn unknown(&self, span: Range<usize>, unknown: &UnknownName) {
        let help = unknown.help();
        self.push(
            self.error(
                span,
                unknown.to_string(),
                format!("no such {}", unknown.kind),
            )
            .help(help),
        );
    }

    pub(super) fn into_errors(self) -> Diagnostics {
        let mut errors = self.errors.into_inner();
        errors.sort();
        errors
    }

    fn wrong_type(&self, value: &Value<'_>, expected: &str) {
        let found = value.get_ref().type_str();
        self.push(self.error(
            value.span(),
            format!("expected {expected}, found {}", with_article(found)),
            format!("this is {}", with_article(found)),
        ));
    }

    pub(super) fn string<'v>(&self, value: &'v Value<'_>) -> Option<Placed<&'v str>> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type(value, "a string");
        }
        text.map(|text| Placed {
            value: text,
            span: value.span(),
        })
    }

    pub(super) fn array<'v>(&self, value: &'v Value<'a>) -> Option<&'v DeArray<'a>> {
        let array = value.get_ref().as_array();
        if array.is_none() {
            self.wrong_type(value, "an array");
        }
        array
    }

    /// An array of tables, each written under a header `[[key]]`.
    pub(super) fn tables<'v>(&self, key: &str, value: &'v Value<'a>) -> Option<&'v DeArray<'a>> {
        if value.get_ref().is_table() {
            let message = format!("`{key}` is a list of tables");
            let error = self.error(value.span(), message, "this is one table");
            self.push(error.help(format!("write [[{key}]]")));
            return None;
        }
        self.array(value)
    }

    /// An unsigned integer; TOML's own limit of 63 bits does not hold here.
    pub(super) fn unsigned(&self, value: &Value<'_>) -> Option<Placed<u64>> {
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(value, "an integer");
            return None;
        };
        let Ok(number) = u64::from_str_radix(integer.as_str(), integer.radix()) else {
            let message = format!("`{integer}` is not an integer from 0 to 2^64 - 1");
            self.push(self.error(value.span(), message, "out of range"));
            return None;
        };
        Some(Placed {
            value: number,
            span: value.span(),
        })
    }

    pub(super) fn size(&self, value: &Value<'_>) -> Option<Placed<usize>> {
        let Placed { value, span } = self.unsigned(value)?;
        // Sizes beyond the address space are refused later, with the other impossible ones.
        Some(Placed {
            value: usize::try_from(value).unwrap_or(usize::MAX),
            span,
        })
    }

    /// One of a closed vocabulary.
    pub(super) fn name<T>(&self, value: &Value<'_>) -> Option<Placed<T>>
    where
        T: FromStr<Err = UnknownName>,
    {
        let Placed { value, span } = self.string(value)?;
        match value.parse() {
            Ok(value) => Some(Placed { value, span }),
            Err(unknown) => {
                self.unknown(span, &unknown);
                None
            }
        }
    }

    /// A table that may have no other keys than `keys`.
    pub(super) fn table<'v>(
        &'v self,
        title: impl Into<String>,
        value: &'v Value<'a>,
        keys: &[&str],
    ) -> Option<Table<'v, 'a>> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(value, "a table");
            return None;
        };
        let table = Table {
            report: self,
            title: title.into(),
            table,
            span: value.span(),
        };
        table.refuse_other_keys(keys);
        Some(table)
    }

    /// A table whose keys are names of the author's own: each with its place and its value.
    pub(super) fn entries<'v>(
        &self,
        value: &'v Value<'a>,
    ) -> Vec<(&'v str, Range<usize>, &'v Value<'a>)> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(value, "a table");
            return Vec::new();
        };
        table
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), key.span(), value))
            .collect()
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// A table being read.
pub(super) struct Table<'v, 'a> {
    report: &'v Report<'a>,
    title: String,
    table: &'v DeTable<'a>,
    pub(super) span: Range<usize>,
}

impl<'v, 'a> Table<'v, 'a> {
    /// The document itself; it has no header to point at.
    pub(super) fn root(report: &'v Report<'a>, table: &'v DeTable<'a>, keys: &[&str]) -> Self {
        let table = Self {
            report,
            title: "a spec".to_owned(),
            table,
            span: 0..0,
        };
        table.refuse_other_keys(keys);
        table
    }

    pub(super) fn optional(&self, key: &str) -> Option<&'v Value<'a>> {
        self.table.get(key)
    }

    pub(super) fn required(&self, key: &str) -> Option<&'v Value<'a>> {
        let value = self.optional(key);
        if value.is_none() {
            let message = format!("{} has no `{key}`", self.title);
            self.report.push(
                self.report
                    .error(self.span.clone(), message, "it belongs here"),
            );
        }
        value
    }

    fn refuse_other_keys(&self, keys: &[&str]) {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if !keys.contains(&name) {
                let unknown = UnknownName::new("key", name, keys.iter().copied());
                let message = format!("{unknown} in {}", self.title);
                let error = self.report.error(key.span(), message, "no such key");
                self.report.push(error.help(unknown.help()));
            }
        }
    }
}

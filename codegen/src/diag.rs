//! Errors that a person can act on: where, what, and the way out; all of them at once.

mod names;
mod render;

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use miette::{LabeledSpan, NamedSource, Severity};

pub use names::{UnknownName, nearest};

/// A text that diagnostics point into, such as a spec or a template; cheap to clone.
#[derive(Clone, Debug)]
pub struct Source(Arc<NamedSource<Arc<str>>>);

impl Source {
    /// A text and the name, usually a path, under which messages show it.
    #[must_use]
    pub fn new(name: impl AsRef<str>, text: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(NamedSource::new(name, text.into())))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// Where it is not UTF-8.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let label = format!("byte {:#04x}", error.as_bytes()[at]);
            let source = Self::new(name, String::from_utf8_lossy(error.as_bytes()));
            let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
            let error = Diagnostic::new(format!("{name} is not UTF-8"));
            error.at(&source, span, label).help("save it as UTF-8")
        });
        Ok(Self::new(name, text?))
    }

    /// The name under which messages show it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.inner()
    }

    /// Line and column of a byte offset, both from 1, columns in characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text()[..self.text().floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    severity: Severity,
    message: String,
    source: Option<Source>,
    labels: Vec<LabeledSpan>,
    help: Option<String>,
}

impl Diagnostic {
    /// An error that says `message`.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            source: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning that says `message`.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(message)
        }
    }

    /// Shows `span` of `source` with `label` under it. The first label is where the error *is*;
    /// all labels point into the first source that was given.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Range<usize>, label: impl Into<String>) -> Self {
        let source = self.source.get_or_insert_with(|| source.clone());
        let text = source.text();
        // Nothing is shown of a place behind the last character.
        let first = span.start.min(text.len().saturating_sub(1));
        let [start, end] = [first, span.end].map(|at| text.floor_char_boundary(at));
        let span = (start, end.saturating_sub(start));
        let label = Some(label.into()).filter(|label| !label.is_empty());
        self.labels.push(if self.labels.is_empty() {
            LabeledSpan::new_primary_with_span(label, span)
        } else {
            LabeledSpan::new_with_span(label, span)
        });
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What is wrong, in one sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Name of the source, line and column of the first label.
    #[must_use]
    pub fn location(&self) -> Option<(&str, usize, usize)> {
        let source = self.source.as_ref()?;
        let (line, column) = source.position(self.labels.first()?.offset());
        Some((source.name(), line, column))
    }

    fn start(&self) -> usize {
        self.labels.first().map_or(0, LabeledSpan::offset)
    }
}

/// Everything that is wrong with an input.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Nothing wrong so far.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.0.push(diagnostic.into());
    }

    /// The result's value; what is wrong is added.
    pub fn keep<T>(&mut self, result: Result<T, impl Into<Self>>) -> Option<T> {
        result.map_err(|wrong| self.extend(wrong.into())).ok()
    }

    /// The same with other help, where there is some.
    #[must_use]
    pub fn with_help(self, other: impl Fn(&str) -> String) -> Self {
        let each = self.into_iter().map(|diagnostic| {
            let help = diagnostic.help_text().map(&other);
            Diagnostic { help, ..diagnostic }
        });
        each.collect()
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Puts the diagnostics of one source in the order of its lines.
    pub fn sort(&mut self) {
        self.0.sort_by_key(Diagnostic::start);
    }

    /// `Err` with everything if one of them is an error.
    ///
    /// # Errors
    /// Itself.
    pub fn into_result(self) -> Result<(), Self> {
        if self.has_errors() { Err(self) } else { Ok(()) }
    }
}

/// In the order in which they will be shown, warnings included.
impl Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        self.0.extend(diagnostics);
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        Self(diagnostics.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Into<Diagnostic>> From<T> for Diagnostics {
    fn from(diagnostic: T) -> Self {
        Self(vec![diagnostic.into()])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render_plain())
    }
}

impl std::error::Error for Diagnostic {}
impl std::error::Error for Diagnostics {}

/// `1 file`, `2 files`.
#[must_use]
pub fn number(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {what}{plural}")
}

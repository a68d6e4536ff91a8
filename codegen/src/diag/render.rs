//! Diagnostics as text.

use std::fmt;
use std::io::IsTerminal as _;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::{Diagnostic, Diagnostics, Severity};

/// Fixed, so that the same input gives the same text on every terminal.
const PLAIN_WIDTH: usize = 100;

impl miette::Diagnostic for Diagnostic {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source
            .as_ref()
            .map(|source| &*source.0 as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.labels.is_empty() {
            return None;
        }
        let mut primary = true;
        Some(Box::new(self.labels.iter().map(move |(span, text)| {
            let span = (span.start, span.len());
            let text = Some(text.clone()).filter(|text| !text.is_empty());
            if std::mem::take(&mut primary) {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        })))
    }
}

impl Diagnostics {
    /// For standard error: in colour if that is a terminal and `NO_COLOR` is not set.
    #[must_use]
    pub fn render(&self) -> String {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        if colour {
            self.render_with(&GraphicalReportHandler::new_themed(
                GraphicalTheme::unicode(),
            ))
        } else {
            self.render_plain()
        }
    }

    /// Without colour, the same on every terminal.
    #[must_use]
    pub fn render_plain(&self) -> String {
        let theme = GraphicalTheme::unicode_nocolor();
        let handler = GraphicalReportHandler::new_themed(theme);
        self.render_with(&handler.with_width(PLAIN_WIDTH).with_links(false))
    }

    fn render_with(&self, handler: &GraphicalReportHandler) -> String {
        let mut text = String::new();
        for diagnostic in self {
            if !text.is_empty() {
                text.push('\n');
            }
            let before = text.len();
            if handler.render_report(&mut text, diagnostic).is_err() {
                text.truncate(before);
                text.push_str(&diagnostic.message);
                text.push('\n');
            }
        }
        text
    }
}
